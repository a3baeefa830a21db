//===- The text of OpenCL C -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_OPENCLTEXT_H
#define TONNO_LIB_TUNER_OPENCLTEXT_H

#include "OpenClPreprocessor.h"

#include "tonno/Session/Compiler.h"
#include "tonno/Tuner/OpenClFile.h"

#include <string>
#include <vector>

namespace tonno {

/// Takes the options in comments into the request, behind its own. The Error
/// has the line.
Result<void, LocatedError> addDirectives(const std::string &source,
                                         OpenClRequest &request);

/// The source without those comments.
std::string withoutDirectives(const std::string &source);

/// The names of the kernels that are defined in the lines, in order.
std::vector<std::string> kernelNames(const std::vector<OpenClLine> &lines);

} // namespace tonno

#endif // TONNO_LIB_TUNER_OPENCLTEXT_H
