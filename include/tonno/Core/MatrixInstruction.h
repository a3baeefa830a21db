//===- Matrix instructions of GPUs ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_MATRIXINSTRUCTION_H
#define TONNO_CORE_MATRIXINSTRUCTION_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/LaunchPlan.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>

namespace tonno {

/// The distribution of one dimension of an operand over the registers and lanes
/// of a subgroup:
///
///   coordinate = (o * lanes + (lane / laneStride) % lanes) * elements + e
///
/// for o < outer and e < elements.
struct FragmentDimension {
  uint32_t outer = 1;
  uint32_t lanes = 1;
  uint32_t laneStride = 1;
  uint32_t elements = 1;

  constexpr uint32_t extent() const { return outer * lanes * elements; }
};

/// Coordinates of an element of a fragment.
struct FragmentCoordinates {
  uint32_t side = 0;  ///< of operands: m or n; of sums: m
  uint32_t depth = 0; ///< of operands: k; of sums: n

  bool operator==(const FragmentCoordinates &) const = default;
};

/// The distribution of an operand, or of the sums, over a subgroup. Lanes that
/// no dimension depends on hold the same elements.
struct Fragment {
  FragmentDimension side, depth;

  /// Elements of a lane.
  constexpr uint32_t size() const {
    return side.outer * side.elements * depth.outer * depth.elements;
  }
  /// Returns the position of a lane's i-th element. The order, fastest first,
  /// is: elements of `depth`, elements of `side`, outer of `side`, outer of
  /// `depth`.
  FragmentCoordinates place(uint32_t lane, uint32_t element) const;
};

enum class MatrixFamily {
  mfma,    ///< AMD CDNA: amdgpu.mfma
  wmma,    ///< AMD RDNA: amdgpu.wmma
  mmaSync, ///< NVIDIA: mma.sync
  wgmma,   ///< NVIDIA Hopper: wgmma.mma_async
  tcgen05  ///< NVIDIA Blackwell: tcgen05.mma, with sums in tensor memory
};

/// An instruction by which a subgroup, or several together, add the product of
/// an m x k and a k x n matrix to m x n sums.
struct MatrixInstruction {
  std::string_view name; ///< as a knob's option: "mfma_32x32x8"
  MatrixFamily family;
  ElementType operand; ///< of both factors
  ElementType sum;
  uint32_t m, n, k;
  /// Cycles for which it occupies matrix units, the sum over partitions; 0:
  /// unknown.
  uint32_t cycles;
  /// Registers of a lane for each element of k that a loop multiplies, beside
  /// operands and sums: where the assembler makes several instructions of it.
  uint32_t scratch = 0;
  Fragment lhs, rhs;
  Fragment sums; ///< of one subgroup: m / subgroups rows
  /// Subgroups that execute it together, each with its rows of the sums.
  uint32_t subgroups = 1;
  /// Tiles of n columns that one instruction can take at once.
  uint32_t columnTiles = 1;

  uint64_t macs() const { return uint64_t(m) * n * k; }
  /// Returns true if it reads factors from shared memory, while threads go on.
  bool readsShared() const {
    return family == MatrixFamily::wgmma || family == MatrixFamily::tcgen05;
  }
  /// Returns true if chips that have it can copy to shared memory
  /// asynchronously.
  bool hasAsyncCopies() const {
    return family == MatrixFamily::mmaSync || readsShared();
  }
};

/// NVIDIA's tensor memory, in which tcgen05 has its sums: "PTX ISA", section
/// "Tensor Memory".
struct TensorMemory {
  static constexpr int64_t rows = 128, columns = 512;
  /// The fewest that can be allocated; all numbers are powers of two.
  static constexpr int64_t fewestColumns = 32;
  /// Numbers of columns of tcgen05.mma are multiples of it.
  static constexpr int64_t columnStep = 16;

  /// Returns the columns to allocate for sums of a tile.
  static constexpr int64_t countAllocated(int64_t ofRows, int64_t ofColumns) {
    auto needed = static_cast<uint64_t>(ofRows / rows * ofColumns);
    return std::max(fewestColumns, static_cast<int64_t>(std::bit_ceil(needed)));
  }
};

/// Returns a chip's instructions for factors and sums of these types, those
/// with the most work per operand byte first. Empty if there are none.
std::span<const MatrixInstruction>
matrixInstructions(const GpuChip &chip, ElementType operand, ElementType sum);

/// Finds one of them by name; null if there is none.
const MatrixInstruction *findMatrixInstruction(const GpuChip &chip,
                                               ElementType operand,
                                               ElementType sum,
                                               std::string_view name);

/// Finds the instruction of any chip with this product and this number of left
/// elements per lane; null if there is none.
const MatrixInstruction *findMatrixInstruction(MatrixFamily family,
                                               ElementType operand,
                                               ElementType sum, uint32_t m,
                                               uint32_t n, uint32_t k,
                                               uint32_t leftElements);

/// Finds the family's instruction of any chip for these types; null if there is
/// none.
const MatrixInstruction *findMatrixInstruction(MatrixFamily family,
                                               ElementType operand,
                                               ElementType sum);

} // namespace tonno

#endif // TONNO_CORE_MATRIXINSTRUCTION_H
