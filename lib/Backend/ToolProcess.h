//===- Runs tools such as ptxas on files in memory ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_TOOLPROCESS_H
#define TONNO_LIB_BACKEND_TOOLPROCESS_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/Result.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tonno {

/// Creates a file with these bytes in memory. Invalid, with the reason in
/// errno, if the system cannot create one. With `inherited`, programs started
/// by this process inherit it.
Descriptor fileInMemory(llvm::StringRef bytes, bool inherited = false);

/// Reads the descriptor to its end; keeps up to `most` bytes and drops the
/// rest.
std::string readToEnd(int descriptor, size_t most = SIZE_MAX);

/// The result of running a program.
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
