//===- Resources that a kernel needs, and what follows --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_OCCUPANCY_H
#define TONNO_CORE_OCCUPANCY_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/MachineCode.h"
#include "tonno/Core/ResourceUsage.h"
#include <vector>

namespace tonno {

/// Resources of a compute unit that one workgroup occupies.
struct WorkgroupNeeds {
  uint32_t threads = 1;
  uint32_t registers = 0;       ///< of a thread
  uint32_t scalarRegisters = 0; ///< of a subgroup
  uint32_t sharedBytes = 0;     ///< static and dynamic
};

/// Returns the number of workgroups that a compute unit holds at a time; 0 if
/// none fits, so that the kernel cannot be launched. Assumes that shared memory
/// has its full share of the cache, which NVIDIA's driver can reduce.
uint32_t residentWorkgroups(const GpuChip &chip, const WorkgroupNeeds &needs);

/// Returns true if a compute unit would hold another workgroup if its threads
/// used one step of the chip's register granularity less.
bool isRegisterStepAbove(const GpuChip &chip, const WorkgroupNeeds &needs);

/// Returns the subgroups that each partition of a compute unit holds if these
/// workgroups are resident.
uint32_t subgroupsPerPartition(const GpuChip &chip, uint32_t threads,
                               uint32_t workgroups);

/// Returns the resident subgroups as a share of the chip's maximum.
double occupancy(const GpuChip &chip, const WorkgroupNeeds &needs);

/// The usage that a GPU binary states for one of its kernels. Members have the
/// meaning of those of ResourceUsage with the same name; unknown ones are
/// empty.
struct KernelUsage {
  std::string symbol;
  std::optional<uint64_t> codeBytes;
  std::optional<uint64_t> registers;       ///< AMD: accumulation registers too
  std::optional<uint64_t> scalarRegisters; ///< of a subgroup; AMD alone
  std::optional<uint64_t> spillBytes;
  std::optional<uint64_t> stackBytes;
  std::optional<uint64_t> sharedBytes; ///< static
  std::optional<uint64_t> instructions;
  std::optional<MachineCode> code = {};

  bool operator==(const KernelUsage &) const = default;
};

/// Returns the resources that a workgroup of the launch needs; none if the
/// binary does not state them.
std::optional<WorkgroupNeeds>
findWorkgroupNeeds(const std::vector<KernelUsage> &kernels,
                   const Launch &launch);

/// Combines the usage of a binary's kernels by the launches of a plan, with the
/// dynamic shared memory and threads of the launches and the code size of all
/// kernels. A launch of an unknown kernel makes dependent members unknown.
/// `workspaceBytes` is the plan's. The bound on time is for this work.
ResourceUsage combineUsage(const std::vector<KernelUsage> &kernels,
                           const LaunchPlan &plan, const GpuChip &chip,
                           const KernelWork &work = {});

} // namespace tonno

#endif // TONNO_CORE_OCCUPANCY_H
