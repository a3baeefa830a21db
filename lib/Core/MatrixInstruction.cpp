//===- Matrix instructions of GPUs ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/MatrixInstruction.h"

#include <algorithm>

using namespace tonno;

FragmentCoordinates Fragment::place(uint32_t lane, uint32_t element) const {
  auto take = [&](uint32_t count) {
    uint32_t taken = element % count;
    element /= count;
    return taken;
  };
  uint32_t depthElement = take(depth.elements);
  uint32_t sideElement = take(side.elements);
  uint32_t sideOuter = take(side.outer);
  uint32_t depthOuter = take(depth.outer);
  auto coordinate = [&](const FragmentDimension &dimension, uint32_t outer,
                        uint32_t inner) {
    uint32_t along = lane / dimension.laneStride % dimension.lanes;
    return (outer * dimension.lanes + along) * dimension.elements + inner;
  };
  return {.side = coordinate(side, sideOuter, sideElement),
          .depth = coordinate(depth, depthOuter, depthElement)};
}

// AMD: layouts and cycles as "AMD Matrix Instruction Calculator" has them (the
// unit test compares); those of gfx950 that it lacks by the CDNA 4 instruction
// set manual, section "Matrix Arithmetic".

/// Returns an instruction with square tiles of `side`; the lanes beyond `side`
/// continue along k.
static constexpr MatrixInstruction mfma(std::string_view name,
                                        ElementType operand, ElementType sum,
                                        uint32_t side, uint32_t k,
                                        uint32_t cycles) {
  FragmentDimension across = {.lanes = side};
  FragmentDimension along = {
      .lanes = 64 / side, .laneStride = side, .elements = k / (64 / side)};
  return {.name = name,
          .family = MatrixFamily::mfma,
          .operand = operand,
          .sum = sum,
          .m = side,
          .n = side,
          .k = k,
          .cycles = cycles,
          .lhs = {across, along},
          .rhs = {across, along},
          .sums = {{.outer = side * side / 256,
                    .lanes = 64 / side,
                    .laneStride = side,
                    .elements = 4},
                   across}};
}

static constexpr ElementType f32 = ElementType::f32, f16 = ElementType::f16,
                             bf16 = ElementType::bf16, i8 = ElementType::i8,
                             i32 = ElementType::i32,
                             f8E4M3FN = ElementType::f8E4M3FN,
                             f8E5M2 = ElementType::f8E5M2,
                             f8E4M3FNUZ = ElementType::f8E4M3FNUZ,
                             f8E5M2FNUZ = ElementType::f8E5M2FNUZ;

// Grouped by types. The larger of two equally fast instructions reads fewer
// bytes per product.
static constexpr MatrixInstruction gfx90a[] = {
    mfma("mfma_32x32x8", f16, f32, 32, 8, 64),
    mfma("mfma_16x16x16", f16, f32, 16, 16, 32),
    mfma("mfma_32x32x8", bf16, f32, 32, 8, 64),
    mfma("mfma_16x16x16", bf16, f32, 16, 16, 32),
    mfma("mfma_32x32x8", i8, i32, 32, 8, 64),
    mfma("mfma_16x16x16", i8, i32, 16, 16, 32),
};

static constexpr MatrixInstruction gfx942[] = {
    mfma("mfma_32x32x8", f16, f32, 32, 8, 32),
    mfma("mfma_16x16x16", f16, f32, 16, 16, 16),
    mfma("mfma_32x32x8", bf16, f32, 32, 8, 32),
    mfma("mfma_16x16x16", bf16, f32, 16, 16, 16),
    mfma("mfma_32x32x16", i8, i32, 32, 16, 32),
    mfma("mfma_16x16x32", i8, i32, 16, 32, 16),
    mfma("mfma_32x32x16", f8E4M3FNUZ, f32, 32, 16, 32),
    mfma("mfma_16x16x32", f8E4M3FNUZ, f32, 16, 32, 16),
    mfma("mfma_32x32x16", f8E5M2FNUZ, f32, 32, 16, 32),
    mfma("mfma_16x16x32", f8E5M2FNUZ, f32, 16, 32, 16),
};

// The instructions of f8 with the larger k take scales of blocks, and multiply
// at twice the rate of the others.
static constexpr MatrixInstruction gfx950[] = {
    mfma("mfma_32x32x16", f16, f32, 32, 16, 32),
    mfma("mfma_16x16x32", f16, f32, 16, 32, 16),
    mfma("mfma_32x32x8", f16, f32, 32, 8, 32),
    mfma("mfma_16x16x16", f16, f32, 16, 16, 16),
    mfma("mfma_32x32x16", bf16, f32, 32, 16, 32),
    mfma("mfma_16x16x32", bf16, f32, 16, 32, 16),
    mfma("mfma_32x32x8", bf16, f32, 32, 8, 32),
    mfma("mfma_16x16x16", bf16, f32, 16, 16, 16),
    mfma("mfma_32x32x32", i8, i32, 32, 32, 32),
    mfma("mfma_16x16x64", i8, i32, 16, 64, 16),
    mfma("mfma_32x32x16", i8, i32, 32, 16, 32),
    mfma("mfma_16x16x32", i8, i32, 16, 32, 16),
    mfma("mfma_32x32x64", f8E4M3FN, f32, 32, 64, 64),
    mfma("mfma_16x16x128", f8E4M3FN, f32, 16, 128, 32),
    mfma("mfma_32x32x16", f8E4M3FN, f32, 32, 16, 32),
    mfma("mfma_16x16x32", f8E4M3FN, f32, 16, 32, 16),
    mfma("mfma_32x32x64", f8E5M2, f32, 32, 64, 64),
    mfma("mfma_16x16x128", f8E5M2, f32, 16, 128, 32),
    mfma("mfma_32x32x16", f8E5M2, f32, 32, 16, 32),
    mfma("mfma_16x16x32", f8E5M2, f32, 16, 32, 16),
};

/// Returns an instruction of RDNA 3: both halves of a subgroup hold all
/// factors.
static constexpr MatrixInstruction wmma11(ElementType operand, ElementType sum,
                                          uint32_t cycles) {
  FragmentDimension across = {.lanes = 16};
  FragmentDimension along = {.elements = 16};
  return {.name = "wmma_16x16x16",
          .family = MatrixFamily::wmma,
          .operand = operand,
          .sum = sum,
          .m = 16,
          .n = 16,
          .k = 16,
          .cycles = cycles,
          .lhs = {across, along},
          .rhs = {across, along},
          .sums = {{.outer = 8, .lanes = 2, .laneStride = 16}, across}};
}

/// Returns an instruction of RDNA 4: `run` elements of k are adjacent in a
/// lane.
static constexpr MatrixInstruction wmma12(ElementType operand, ElementType sum,
                                          uint32_t run, uint32_t cycles) {
  FragmentDimension across = {.lanes = 16};
  FragmentDimension along = {
      .outer = 8 / run, .lanes = 2, .laneStride = 16, .elements = run};
  return {.name = "wmma_16x16x16",
          .family = MatrixFamily::wmma,
          .operand = operand,
          .sum = sum,
          .m = 16,
          .n = 16,
          .k = 16,
          .cycles = cycles,
          .lhs = {across, along},
          .rhs = {across, along},
          .sums = {{.lanes = 2, .laneStride = 16, .elements = 8}, across}};
}

static constexpr MatrixInstruction gfx11[] = {
    wmma11(f16, f32, 32), wmma11(bf16, f32, 32), wmma11(i8, i32, 32)};
static constexpr MatrixInstruction gfx12[] = {
    wmma12(f16, f32, 4, 16), wmma12(bf16, f32, 4, 16), wmma12(i8, i32, 8, 8),
    wmma12(f8E4M3FN, f32, 8, 8), wmma12(f8E5M2, f32, 8, 8)};

// NVIDIA: "PTX ISA", section "Matrix Fragments for mma", as CuTe has them (the
// unit test compares). A register has 32 bits; lanes are in groups of 4 along
// k.
static constexpr MatrixInstruction
mmaSync(std::string_view name, ElementType operand, ElementType sum, uint32_t k,
        uint32_t perRegister, uint32_t cycles, uint32_t scratch = 0) {
  FragmentDimension along = {.outer = k / (4 * perRegister),
                             .lanes = 4,
                             .laneStride = 1,
                             .elements = perRegister};
  FragmentDimension rows = {.outer = 2, .lanes = 8, .laneStride = 4};
  return {.name = name,
          .family = MatrixFamily::mmaSync,
          .operand = operand,
          .sum = sum,
          .m = 16,
          .n = 8,
          .k = k,
          .cycles = cycles,
          .scratch = scratch,
          .lhs = {rows, along},
          .rhs = {{.lanes = 8, .laneStride = 4}, along},
          .sums = {rows, {.lanes = 4, .laneStride = 1, .elements = 2}}};
}

/// Cycles follow from the rates in data sheets, for dense matrices and sums in
/// 32 bits.
template <uint32_t cycles, uint32_t scratch = 0>
static constexpr MatrixInstruction mmaSyncs[] = {
    mmaSync("mma_16x8x16", f16, f32, 16, 2, cycles),
    mmaSync("mma_16x8x16", bf16, f32, 16, 2, cycles),
    mmaSync("mma_16x8x32", i8, i32, 32, 4, cycles),
    mmaSync("mma_16x8x32", f8E4M3FN, f32, 32, 4, scratch ? 2 * cycles : cycles,
            scratch),
    mmaSync("mma_16x8x32", f8E5M2, f32, 32, 4, scratch ? 2 * cycles : cycles,
            scratch),
};

/// f8 has come with sm_89.
static constexpr size_t numWithoutF8 = 3;

/// In sm_90, the assembler multiplies f8 as f16.
static constexpr uint32_t scratchOfConversions = 2;

// NVIDIA Hopper: "PTX ISA", section "Register Fragments and Shared Memory
// Matrix Layouts" of wgmma. A warp has a quarter of the rows, distributed as
// mma.sync has them. All types have 32 bytes of k, and the unit of a partition
// takes two columns a cycle ("NVIDIA H100 Tensor Core GPU Architecture", peak
// rates).
static constexpr MatrixInstruction
wgmma(std::string_view name, ElementType operand, ElementType sum, uint32_t k) {
  return {.name = name,
          .family = MatrixFamily::wgmma,
          .operand = operand,
          .sum = sum,
          .m = 64,
          .n = 8,
          .k = k,
          .cycles = 16,
          .lhs = {},
          .rhs = {},
          .sums = mmaSyncs<1>[0].sums,
          .subgroups = 4,
          .columnTiles = 32};
}

// NVIDIA Blackwell: "PTX ISA", sections "Data Path Layout D" of tcgen05 (a lane
// of tensor memory has a row) and tcgen05.ld. Rates: "NVIDIA Blackwell
// Architecture", peak rates, of all types.
static constexpr MatrixInstruction tcgen05(std::string_view name,
                                           ElementType operand, ElementType sum,
                                           uint32_t k) {
  return {.name = name,
          .family = MatrixFamily::tcgen05,
          .operand = operand,
          .sum = sum,
          .m = 128,
          .n = 8,
          .k = k,
          .cycles = 16,
          .lhs = {},
          .rhs = {},
          .sums = {{.lanes = 32}, {.elements = 8}},
          .subgroups = 4,
          .columnTiles = 32};
}

static constexpr MatrixInstruction sm100a[] = {
    tcgen05("tcgen05_128xNx16", f16, f32, 16),
    mmaSyncs<6>[0],
    tcgen05("tcgen05_128xNx16", bf16, f32, 16),
    mmaSyncs<6>[1],
    tcgen05("tcgen05_128xNx32", i8, i32, 32),
    mmaSyncs<6>[2],
    tcgen05("tcgen05_128xNx32", f8E4M3FN, f32, 32),
    mmaSyncs<6, scratchOfConversions>[3],
    tcgen05("tcgen05_128xNx32", f8E5M2, f32, 32),
    mmaSyncs<6, scratchOfConversions>[4],
};

/// Grouped by types; mma.sync serves products of few rows.
static constexpr MatrixInstruction sm90a[] = {
    wgmma("wgmma_64xNx16", f16, f32, 16),
    mmaSyncs<6>[0],
    wgmma("wgmma_64xNx16", bf16, f32, 16),
    mmaSyncs<6>[1],
    wgmma("wgmma_64xNx32", i8, i32, 32),
    mmaSyncs<6>[2],
    wgmma("wgmma_64xNx32", f8E4M3FN, f32, 32),
    mmaSyncs<6, scratchOfConversions>[3],
    wgmma("wgmma_64xNx32", f8E5M2, f32, 32),
    mmaSyncs<6, scratchOfConversions>[4],
};

/// Returns the chip's instructions; sm_90 and later reach 0.62 of their peak by
/// mma.sync (published microbenchmarks).
static std::span<const MatrixInstruction>
getNvidiaInstructions(std::string_view chip) {
  if (chip == "sm_80")
    return std::span(mmaSyncs<8>).first(numWithoutF8);
  if (chip == "sm_86")
    return std::span(mmaSyncs<16>).first(numWithoutF8);
  if (chip == "sm_89" || chip.starts_with("sm_12"))
    return mmaSyncs<16>;
  if (chip == "sm_90a")
    return sm90a;
  if (chip == "sm_100a")
    return sm100a;
  return mmaSyncs<6, scratchOfConversions>;
}

static std::span<const MatrixInstruction>
getChipInstructions(const GpuChip &chip) {
  if (chip.vendor == GpuVendor::nvidia)
    return getNvidiaInstructions(chip.name);
  if (chip.name == "gfx90a")
    return gfx90a;
  if (chip.name == "gfx942")
    return gfx942;
  if (chip.name == "gfx950")
    return gfx950;
  if (chip.name.starts_with("gfx12"))
    return gfx12;
  return gfx11;
}

std::span<const MatrixInstruction>
tonno::matrixInstructions(const GpuChip &chip, ElementType operand,
                          ElementType sum) {
  std::span<const MatrixInstruction> all = getChipInstructions(chip);
  auto fits = [&](const MatrixInstruction &one) {
    return one.operand == operand && one.sum == sum;
  };
  auto first = std::ranges::find_if(all, fits);
  auto last = std::ranges::find_if_not(first, all.end(), fits);
  return {first, last};
}

const MatrixInstruction *tonno::findMatrixInstruction(const GpuChip &chip,
                                                      ElementType operand,
                                                      ElementType sum,
                                                      std::string_view name) {
  for (const MatrixInstruction &one : matrixInstructions(chip, operand, sum))
    if (one.name == name)
      return &one;
  return nullptr;
}

const MatrixInstruction *
tonno::findMatrixInstruction(MatrixFamily family, ElementType operand,
                             ElementType sum, uint32_t m, uint32_t n,
                             uint32_t k, uint32_t leftElements) {
  for (const GpuChip &chip : gpuChips())
    for (const MatrixInstruction &one : matrixInstructions(chip, operand, sum))
      if (one.family == family && one.m == m && one.n == n && one.k == k &&
          one.lhs.size() == leftElements)
        return &one;
  return nullptr;
}

const MatrixInstruction *tonno::findMatrixInstruction(MatrixFamily family,
                                                      ElementType operand,
                                                      ElementType sum) {
  for (const GpuChip &chip : gpuChips())
    for (const MatrixInstruction &one : matrixInstructions(chip, operand, sum))
      if (one.family == family)
        return &one;
  return nullptr;
}
