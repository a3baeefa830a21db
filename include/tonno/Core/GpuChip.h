//===- The GPUs that tonno knows ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_GPUCHIP_H
#define TONNO_CORE_GPUCHIP_H

#include "tonno/Core/Result.h"

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tonno {

enum class GpuVendor { nvidia, amd };

/// A release of CUDA, such as 12.8.
struct CudaVersion {
  uint32_t major = 0;
  uint32_t minor = 0;

  std::string toString() const;
  auto operator<=>(const CudaVersion &) const = default;
};

/// Properties of a GPU that are known without the device. A compute unit runs
/// workgroups: a streaming multiprocessor, a compute unit, or, from gfx10 on, a
/// workgroup processor (two compute units). Each has `partitions` that issue
/// independently, with an equal share of registers and subgroups.
struct GpuChip {
  std::string_view name; ///< as LLVM has it: "sm_90", "gfx942"
  GpuVendor vendor;
  std::string_view triple;
  std::string_view
      features;     ///< of LLVM; of NVIDIA the oldest PTX with the chip
  CudaVersion cuda; ///< the first with the chip; AMD: 0.0

  uint32_t subgroupSize;
  uint32_t maxThreads; ///< of a workgroup

  uint32_t partitions;    ///< of a compute unit
  uint32_t maxSubgroups;  ///< in a compute unit
  uint32_t maxWorkgroups; ///< in a compute unit

  uint32_t registers;           ///< of 32 bits, in a compute unit
  uint32_t maxRegisters;        ///< of a thread
  uint32_t registerGranularity; ///< of a thread's, as allocated
  uint32_t scalarRegisters;     ///< in a partition; 0: they limit nothing

  uint32_t staticSharedBytes;   ///< a workgroup may have without asking
  uint32_t maxSharedBytes;      ///< a workgroup may have in all
  uint32_t sharedBytes;         ///< in a compute unit
  uint32_t sharedGranularity;   ///< of a workgroup's, as allocated
  uint32_t reservedSharedBytes; ///< of each workgroup, taken by the system

  // Figures of a large product with the chip. Default configurations are
  // chosen by them; measurements do not depend on them.
  uint32_t computeUnits;
  uint32_t megahertz; ///< at most
  uint32_t gigabytes; ///< of device memory, per second
  /// A part of the names that drivers report for the product of these figures:
  /// "H100 80GB HBM3". Empty if they are of several products.
  std::string_view product;
};

/// Returns all chips, NVIDIA's first, sorted by the numbers in their names.
std::span<const GpuChip> gpuChips();

/// Finds the chip with this name. The Error lists the known names.
Result<const GpuChip *> findGpuChip(std::string_view name);

} // namespace tonno

#endif // TONNO_CORE_GPUCHIP_H
