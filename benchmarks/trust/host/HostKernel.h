//===- Distinct binaries of equal work ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_TRUST_HOST_HOSTKERNEL_H
#define BENCHMARKS_TRUST_HOST_HOSTKERNEL_H

#include "tonno/Core/Problem.h"
#include "tonno/Core/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno::trust {

/// A kernel of this machine whose candidates do equal work, or more of it by
/// whole percents, and differ in their bytes.
class HostKernel {
public:
  static std::vector<std::string> names(); ///< "matmul", "stream"
  static Result<HostKernel> load(const std::string &name);

  /// Returns a candidate that does `percent` more work than needed.
  Artifact candidate(unsigned number, unsigned percent) const;
  const Problem &problem() const { return reference; }

private:
  Artifact binary;
  Problem reference;
};

/// Counts the instructions that one launch executes.
Result<uint64_t> countInstructions(const Artifact &artifact);

/// A process that keeps a core and the memory busy while it lives.
class Neighbour {
public:
  /// Runs on this core, or else where the system places the process.
  explicit Neighbour(std::optional<unsigned> core = {});
  Neighbour(const Neighbour &) = delete;
  Neighbour &operator=(const Neighbour &) = delete;
  ~Neighbour();

private:
  int process;
};

} // namespace tonno::trust

#endif // BENCHMARKS_TRUST_HOST_HOSTKERNEL_H
