//===- Who uses the processors --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_TIMING_BUSIESTPROCESSES_H
#define TONNO_LIB_RUNTIME_TIMING_BUSIESTPROCESSES_H

#include <filesystem>
#include <string>

namespace tonno {

/// Names the processes that use most of a processor now, other than this one
/// and its descendants: "make (pid 12) 98 % of a core, ...". Takes a tenth of a
/// second. Empty where none uses much, or where other processes can't be seen,
/// as in some containers.
std::string busiestProcesses(const std::filesystem::path &proc = "/proc");

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_TIMING_BUSIESTPROCESSES_H
