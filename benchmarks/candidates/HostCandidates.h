//===- Compile times for the host -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_CANDIDATES_HOSTCANDIDATES_H
#define BENCHMARKS_CANDIDATES_HOSTCANDIDATES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tonno {

/// Number of legal points drawn for each kernel, and their seed.
struct HostSample {
  size_t candidates;
  uint64_t seed;
};

/// Prints the table's heading.
void printHostHeading(const HostSample &sample);

/// Draws legal points of the module's one kernel, compiles each, and prints a
/// row, what failed, and what took notably long. Whether all compiled, none in
/// over 2 s of a processor.
bool reportHost(const std::string &name, mlir::ModuleOp module,
                const HostSample &sample);

} // namespace tonno

#endif // BENCHMARKS_CANDIDATES_HOSTCANDIDATES_H
