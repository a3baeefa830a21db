//===- What one GPU kernel takes of its device ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_KERNELUSAGE_H
#define TONNO_CORE_KERNELUSAGE_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/ResourceUsage.h"

#include <vector>

namespace tonno {

/// What a GPU binary says of one of its kernels. Members that ResourceUsage has
/// too mean the same; what is not known is empty.
struct KernelUsage {
  std::string symbol;
  std::optional<uint64_t> codeBytes;
  std::optional<uint64_t> registers;       ///< AMD: accumulation registers too
  std::optional<uint64_t> scalarRegisters; ///< of a subgroup; AMD alone
  std::optional<uint64_t> spillBytes;
  std::optional<uint64_t> stackBytes;
  std::optional<uint64_t> sharedBytes; ///< static
  std::optional<uint64_t> instructions;

  bool operator==(const KernelUsage &) const = default;
};

/// The usage of a binary by the launches of a plan: theirs count with what they
/// add (dynamic shared memory, threads), the code of all. A launch of what is
/// not among `kernels` leaves unknown what depends on it. `workspaceBytes` is
/// the plan's.
ResourceUsage combineUsage(const std::vector<KernelUsage> &kernels,
                           const LaunchPlan &plan, const GpuChip &chip);

} // namespace tonno

#endif // TONNO_CORE_KERNELUSAGE_H
