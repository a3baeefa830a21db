//===- The GPUs that tonno knows ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/GpuChip.h"

#include <algorithm>

using namespace tonno;

static constexpr uint32_t kib = 1024;

namespace {

/// Properties that differ between chips of one compute capability.
struct Capability {
  uint32_t maxSubgroups;
  uint32_t maxWorkgroups;
  uint32_t sharedKib;
};

/// A large product with a chip.
struct Product {
  uint32_t computeUnits;
  uint32_t megahertz;
  uint32_t gigabytes;
  std::string_view name; ///< GpuChip::product
};

} // namespace

// NVIDIA: "CUDA C++ Programming Guide", technical specifications per compute
// capability
// (https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/
// compute-capabilities.html), and cuda_occupancy.h of CUDA 13.0 for
// granularities and reserved memory. Older editions state 32 workgroups for
// 12.0. First releases: the tables of the PTX ISA's release notes.
static constexpr GpuChip nvidia(std::string_view name,
                                std::string_view features, CudaVersion cuda,
                                Capability capability, Product product) {
  return {.name = name,
          .vendor = GpuVendor::nvidia,
          .triple = "nvptx64-nvidia-cuda",
          .features = features,
          .cuda = cuda,
          .subgroupSize = 32,
          .maxThreads = 1024,
          .partitions = 4,
          .maxSubgroups = capability.maxSubgroups,
          .maxWorkgroups = capability.maxWorkgroups,
          .registers = 65536,
          .maxRegisters = 255,
          .registerGranularity = 8,
          .scalarRegisters = 0,
          .staticSharedBytes = 48 * kib,
          .maxSharedBytes = (capability.sharedKib - 1) * kib,
          .sharedBytes = capability.sharedKib * kib,
          .sharedGranularity = 128,
          .reservedSharedBytes = 1 * kib,
          .computeUnits = product.computeUnits,
          .megahertz = product.megahertz,
          .gigabytes = product.gigabytes,
          .product = product.name};
}

// AMD: "AMD GPU specifications" (https://rocm.docs.amd.com/en/latest/reference/
// gpu-specs.html) for the sizes of register files and LDS, the instruction set
// manuals of CDNA 2 to 4 and RDNA 3 and 4, and for allocation what LLVM assumes
// (AMDGPUBaseInfo.cpp). Registers of CDNA include the accumulation registers.
static constexpr GpuChip cdna(std::string_view name, uint32_t ldsKib,
                              uint32_t ldsGranularity, Product product) {
  return {.name = name,
          .vendor = GpuVendor::amd,
          .triple = "amdgcn-amd-amdhsa",
          .features = "",
          .cuda = {},
          .subgroupSize = 64,
          .maxThreads = 1024,
          .partitions = 4,
          .maxSubgroups = 32,
          .maxWorkgroups = 16,
          .registers = 131072,
          .maxRegisters = 512,
          .registerGranularity = 8,
          .scalarRegisters = 800,
          .staticSharedBytes = ldsKib * kib,
          .maxSharedBytes = ldsKib * kib,
          .sharedBytes = ldsKib * kib,
          .sharedGranularity = ldsGranularity,
          .reservedSharedBytes = 0,
          .computeUnits = product.computeUnits,
          .megahertz = product.megahertz,
          .gigabytes = product.gigabytes,
          .product = product.name};
}

static constexpr GpuChip rdna(std::string_view name, Product product) {
  return {.name = name,
          .vendor = GpuVendor::amd,
          .triple = "amdgcn-amd-amdhsa",
          .features = "",
          .cuda = {},
          .subgroupSize = 32,
          .maxThreads = 1024,
          .partitions = 4,
          .maxSubgroups = 64,
          .maxWorkgroups = 32,
          .registers = 196608,
          .maxRegisters = 256,
          .registerGranularity = 24,
          .scalarRegisters = 0,
          .staticSharedBytes = 64 * kib,
          .maxSharedBytes = 64 * kib,
          .sharedBytes = 128 * kib,
          .sharedGranularity = 512,
          .reservedSharedBytes = 0,
          .computeUnits = product.computeUnits,
          .megahertz = product.megahertz,
          .gigabytes = product.gigabytes,
          .product = product.name};
}

// Products: A100, several of sm_86, L40S, H100 SXM, B200, B300, RTX PRO 6000;
// MI250X (one die), MI300X, MI355X; RX 7900 XTX, RX 7800 XT, RX 9060 XT, RX
// 9070 XT, by their data sheets.
static constexpr Capability cc80 = {64, 32, 164};
static constexpr Capability cc86 = {48, 16, 100};
static constexpr Capability cc89 = {48, 24, 100};
static constexpr Capability cc90 = {64, 32, 228}; // and 10.0, 10.3
static constexpr Capability cc120 = {48, 24, 100};

static constexpr GpuChip chips[] = {
    nvidia("sm_80", "+ptx70", {11, 0}, cc80, {108, 1410, 2039, "A100"}),
    nvidia("sm_86", "+ptx71", {11, 1}, cc86, {84, 1740, 936, ""}),
    nvidia("sm_89", "+ptx78", {11, 8}, cc89, {142, 2520, 864, "L40S"}),
    nvidia("sm_90", "+ptx78", {11, 8}, cc90,
           {132, 1830, 3350, "H100 80GB HBM3"}),
    nvidia("sm_90a", "+ptx80", {12, 0}, cc90,
           {132, 1830, 3350, "H100 80GB HBM3"}),
    nvidia("sm_100", "+ptx86", {12, 8}, cc90, {148, 1850, 8000, "B200"}),
    nvidia("sm_100a", "+ptx86", {12, 8}, cc90, {148, 1850, 8000, "B200"}),
    nvidia("sm_103", "+ptx88", {12, 9}, cc90, {148, 1850, 8000, "B300"}),
    nvidia("sm_103a", "+ptx88", {12, 9}, cc90, {148, 1850, 8000, "B300"}),
    nvidia("sm_120", "+ptx87", {12, 8}, cc120,
           {188, 2617, 1792, "RTX PRO 6000"}),
    nvidia("sm_120a", "+ptx87", {12, 8}, cc120,
           {188, 2617, 1792, "RTX PRO 6000"}),
    cdna("gfx90a", 64, 512, {110, 1700, 1638, "MI250X"}),
    cdna("gfx942", 64, 512, {304, 2100, 5300, "MI300X"}),
    cdna("gfx950", 160, 1280, {256, 2400, 8000, "MI355X"}),
    rdna("gfx1100", {48, 2500, 960, "RX 7900 XTX"}),
    rdna("gfx1101", {30, 2430, 624, "RX 7800 XT"}),
    rdna("gfx1200", {16, 3130, 320, "RX 9060 XT"}),
    rdna("gfx1201", {32, 2970, 640, "RX 9070 XT"}),
};

std::string CudaVersion::toString() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::span<const GpuChip> tonno::gpuChips() { return chips; }

Result<const GpuChip *> tonno::findGpuChip(std::string_view name) {
  const GpuChip *found = std::ranges::find(
      chips, name, [](const GpuChip &chip) { return chip.name; });
  if (found != std::end(chips))
    return found;
  std::string known;
  for (const GpuChip &chip : chips)
    known += (known.empty() ? "" : ", ") + std::string(chip.name);
  return Error{"unknown GPU '" + std::string(name) +
               "'; the GPUs are: " + known};
}
