//===- Where tonno's other programs are -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_TOOLPATH_H
#define TONNO_TUNER_TOOLPATH_H

#include <string>
#include <vector>

namespace tonno {

/// The program `name`: beside the file that holds this code (a tool, or the
/// plugin), else in the `bin` folder beside that file's folder, else the bare
/// name, for PATH to tell.
std::string findTool(const std::string &name);

/// The command that the user gave, or else the tool of this name.
std::vector<std::string> commandOr(std::vector<std::string> given,
                                   const std::string &tool);

} // namespace tonno

#endif // TONNO_TUNER_TOOLPATH_H
