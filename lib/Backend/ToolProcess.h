//===- A program run for what it prints -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_TOOLPROCESS_H
#define TONNO_LIB_BACKEND_TOOLPROCESS_H

#include "tonno/Core/Result.h"

#include <string>
#include <vector>

namespace tonno {

/// What became of a program.
struct ToolRun {
  bool succeeded = false; ///< exit status 0
  std::string end;        ///< "exit status 255", "signal 11"
  std::string output;     ///< standard output and error, its first megabyte
};

/// Runs a program, argv[0] being its path, to its end, without a shell and
/// without input. It ends with the thread that started it. The Error is the
/// system's: the program could not be started.
Result<ToolRun> runTool(const std::vector<std::string> &argv);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_TOOLPROCESS_H
