//===- What NVIDIA's assembler says ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_PTXASLOG_H
#define TONNO_LIB_BACKEND_GPU_PTXASLOG_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace tonno {

/// The bytes that each function stores when it spills registers, of a thread,
/// from a log that was asked to be verbose. Functions of which it says nothing
/// are missing.
std::map<std::string, uint64_t> spillsInLog(llvm::StringRef log);

/// The errors in a log, one line each, at most a few kilobytes; without any,
/// `otherwise`.
std::string assemblerErrors(llvm::StringRef log, const std::string &otherwise);

/// The log with "kernel.ptx" where it names the input.
std::string withoutPath(llvm::StringRef log, llvm::StringRef path);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_PTXASLOG_H
