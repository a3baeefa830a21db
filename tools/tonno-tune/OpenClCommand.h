//===- Tunes a file in OpenCL C -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_OPENCLCOMMAND_H
#define TONNO_TOOLS_OPENCLCOMMAND_H

#include "CommandLine.h"

namespace tonno {

/// Whether the input is in OpenCL C, by the name of its file.
bool isOpenCl(const CommandLine &commandLine);

/// Tunes it. Returns the exit status.
int tuneOpenClFile(const CommandLine &commandLine);

} // namespace tonno

#endif // TONNO_TOOLS_OPENCLCOMMAND_H
