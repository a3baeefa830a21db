//===- Resources that a kernel needs, and what follows --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Occupancy.h"
#include <algorithm>

using namespace tonno;

static uint32_t ceilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static uint32_t roundUp(uint32_t value, uint32_t multiple) {
  return ceilDiv(value, multiple) * multiple;
}

static uint32_t countSubgroups(const GpuChip &chip,
                               const WorkgroupNeeds &needs) {
  return ceilDiv(needs.threads, chip.subgroupSize);
}

/// Subgroups that the registers of one partition hold.
static uint32_t subgroupsByRegisters(const GpuChip &chip,
                                     const WorkgroupNeeds &needs) {
  uint32_t most = chip.maxSubgroups / chip.partitions;
  if (needs.registers > 0) {
    uint32_t perLane = chip.registers / chip.partitions / chip.subgroupSize;
    most = std::min(
        most, perLane / roundUp(needs.registers, chip.registerGranularity));
  }
  if (needs.scalarRegisters > 0 && chip.scalarRegisters > 0)
    most = std::min(most, chip.scalarRegisters / needs.scalarRegisters);
  return most;
}

static uint32_t workgroupsBySharedMemory(const GpuChip &chip,
                                         const WorkgroupNeeds &needs) {
  uint32_t allocated = roundUp(needs.sharedBytes + chip.reservedSharedBytes,
                               chip.sharedGranularity);
  return allocated == 0 ? chip.maxSubgroups : chip.sharedBytes / allocated;
}

uint32_t tonno::residentWorkgroups(const GpuChip &chip,
                                   const WorkgroupNeeds &needs) {
  if (needs.threads == 0 || needs.threads > chip.maxThreads ||
      needs.registers > chip.maxRegisters ||
      needs.sharedBytes > chip.maxSharedBytes)
    return 0;
  uint32_t subgroups = countSubgroups(chip, needs);
  uint32_t most =
      subgroupsByRegisters(chip, needs) * chip.partitions / subgroups;
  most = std::min(most, workgroupsBySharedMemory(chip, needs));
  // AMD counts barriers, of which a single subgroup needs none.
  if (chip.vendor == GpuVendor::nvidia || subgroups > 1)
    most = std::min(most, chip.maxWorkgroups);
  return most;
}

uint32_t tonno::subgroupsPerPartition(const GpuChip &chip, uint32_t threads,
                                      uint32_t workgroups) {
  return ceilDiv(workgroups * countSubgroups(chip, {.threads = threads}),
                 chip.partitions);
}

bool tonno::isRegisterStepAbove(const GpuChip &chip,
                                const WorkgroupNeeds &needs) {
  WorkgroupNeeds fewer = needs;
  fewer.registers -= std::min(needs.registers, chip.registerGranularity);
  // No registers means that their number is unknown.
  return fewer.registers > 0 &&
         residentWorkgroups(chip, fewer) > residentWorkgroups(chip, needs);
}

double tonno::occupancy(const GpuChip &chip, const WorkgroupNeeds &needs) {
  return static_cast<double>(residentWorkgroups(chip, needs) *
                             countSubgroups(chip, needs)) /
         chip.maxSubgroups;
}

using Amount = std::optional<uint64_t>;

static Amount sum(Amount a, Amount b) {
  return a && b ? Amount(*a + *b) : std::nullopt;
}

static Amount larger(Amount a, Amount b) {
  return a && b ? Amount(std::max(*a, *b)) : std::nullopt;
}

/// Converts a number for the calculator: 32 bits, saturating.
static uint32_t narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, 1u << 30));
}

static KernelUsage findKernelUsage(const std::vector<KernelUsage> &kernels,
                                   const Launch &launch) {
  auto found = std::ranges::find(kernels, launch.symbol, &KernelUsage::symbol);
  KernelUsage usage = found == kernels.end() ? KernelUsage{} : *found;
  usage.sharedBytes = sum(usage.sharedBytes, launch.geometry.sharedBytes);
  return usage;
}

std::optional<WorkgroupNeeds>
tonno::findWorkgroupNeeds(const std::vector<KernelUsage> &kernels,
                          const Launch &launch) {
  KernelUsage kernel = findKernelUsage(kernels, launch);
  if (!kernel.registers || !kernel.sharedBytes)
    return std::nullopt;
  uint64_t threads = 1;
  for (uint32_t extent : launch.geometry.block)
    threads *= extent;
  return WorkgroupNeeds{.threads = narrow(threads),
                        .registers = narrow(*kernel.registers),
                        .scalarRegisters =
                            narrow(kernel.scalarRegisters.value_or(0)),
                        .sharedBytes = narrow(*kernel.sharedBytes)};
}

static Amount computeWorkspaceBytes(const LaunchPlan &plan) {
  uint64_t bytes = 0;
  for (const BufferSpec &buffer : plan.buffers)
    if (buffer.access == Access::workspace && !buffer.isDynamic())
      bytes += buffer.bytes();
  return bytes;
}

ResourceUsage tonno::combineUsage(const std::vector<KernelUsage> &kernels,
                                  const LaunchPlan &plan, const GpuChip &chip,
                                  const KernelWork &work) {
  ResourceUsage all;
  all.workspaceBytes = computeWorkspaceBytes(plan);
  if (!kernels.empty())
    all.codeBytes = all.instructions = 0;
  for (const KernelUsage &kernel : kernels) {
    all.codeBytes = sum(all.codeBytes, kernel.codeBytes);
    all.instructions = sum(all.instructions, kernel.instructions);
  }
  if (plan.launches.empty())
    return all;
  all.registers = all.spillBytes = all.stackBytes = all.sharedBytes = 0;
  all.occupancy = 1;
  for (const Launch &launch : plan.launches) {
    KernelUsage kernel = findKernelUsage(kernels, launch);
    all.registers = larger(all.registers, kernel.registers);
    all.spillBytes = larger(all.spillBytes, kernel.spillBytes);
    all.stackBytes = larger(all.stackBytes, kernel.stackBytes);
    all.sharedBytes = larger(all.sharedBytes, kernel.sharedBytes);
    std::optional<WorkgroupNeeds> needs = findWorkgroupNeeds(kernels, launch);
    all.occupancy =
        needs && all.occupancy
            ? std::optional(std::min(occupancy(chip, *needs), *all.occupancy))
            : std::nullopt;
  }
  // Which launches run, and how large they are, the sizes of a call decide.
  if (std::ranges::none_of(plan.launches, &Launch::dependsOnSizes))
    all.timeBound = boundTime(kernels, plan, work, chip);
  return all;
}
