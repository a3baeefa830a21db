//===- Resource usage of binaries -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_RESOURCEUSAGE_H
#define TONNO_CORE_RESOURCEUSAGE_H

#include "tonno/Core/Json.h"
#include "tonno/Core/TimeBound.h"

#include <cstdint>
#include <optional>

namespace tonno {

/// Resources that a binary needs to run. For several kernels: the sum of
/// instructions and code, the least occupancy, and the largest of every other
/// member. A member is unknown if no available tool reports it or the target
/// does not have the resource.
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
  /// Shares of the instructions in innermost loops, all of them if there is no
  /// loop: of those on vectors, of those that access memory, and of those that
  /// access the stack, as spilled registers do. On x86-64 hosts.
  std::optional<double> vectorShare, memoryShare, stackShare;
  /// Floating-point operations of these loops for each byte that they access.
  std::optional<double> loopIntensity;
  std::optional<TimeBound> timeBound; ///< of all launches

  bool operator==(const ResourceUsage &) const = default;
};

/// Returns true if `a` is preferred over `b` at equal times: fewer spills, then
/// more occupancy, fewer registers, fewer instructions. Known numbers are
/// preferred over unknown ones.
bool usesFewerResources(const ResourceUsage &a, const ResourceUsage &b);

void mapFields(JsonFields &fields, ResourceUsage &usage);

} // namespace tonno

#endif // TONNO_CORE_RESOURCEUSAGE_H
