//===- What a candidate takes of the device -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_RESOURCEUSAGE_H
#define TONNO_CORE_RESOURCEUSAGE_H

#include "tonno/Core/Json.h"
#include "tonno/Core/TimeBound.h"

#include <cstdint>
#include <optional>

namespace tonno {

/// What a binary needs to run: of several kernels in it the largest number, but
/// for instructions and code, which add up, and occupancy, of which the least.
/// Unknown is what no tool at hand can tell, and what a target has not.
struct ResourceUsage {
  std::optional<uint64_t> codeBytes;      ///< machine code
  std::optional<uint64_t> workspaceBytes; ///< scratch, over all buffers of it
  std::optional<uint64_t> registers;      ///< of a thread, 32 bits each
  std::optional<uint64_t> spillBytes;     ///< registers in memory, of a thread
  std::optional<uint64_t> stackBytes;     ///< of a thread, spills among them
  std::optional<uint64_t> sharedBytes;    ///< memory of a workgroup
  std::optional<uint64_t> instructions;   ///< machine instructions in the code
  /// Subgroups that a compute unit can hold at a time, by registers, shared
  /// memory and threads, as a share of the most that any kernel can have: 0 to
  /// 1.
  std::optional<double> occupancy;
  std::optional<TimeBound> timeBound; ///< of all launches

  bool operator==(const ResourceUsage &) const = default;
};

/// Which of two that take the same time is to be preferred: fewer spills, then
/// more occupancy, fewer registers, fewer instructions; what is known over what
/// is not.
bool needsLess(const ResourceUsage &a, const ResourceUsage &b);

void mapFields(JsonFields &fields, ResourceUsage &usage);

} // namespace tonno

#endif // TONNO_CORE_RESOURCEUSAGE_H
