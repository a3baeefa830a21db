//===- Default tiles for matrix units -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_MATRIXTILE_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_MATRIXTILE_H

#include "tonno/Core/MatrixInstruction.h"

#include <optional>

namespace tonno {

/// Registers of a thread for addresses, counters and conditions.
inline constexpr int64_t otherRegisters = 40;

/// Rows of the largest tile that a subgroup computes, or subgroups together;
/// and columns, of instructions with few.
inline constexpr int64_t mostSubgroupSide = 128;

/// Extents of a contraction; `others` is the number of workgroups per tile of
/// the result.
struct MatrixProblem {
  int64_t rows, columns, depth;
  int64_t others = 1;
  /// Iterations of other reductions, each of which passes over the depth.
  int64_t passes = 1;
  /// Bytes of registers for an element of the operand on its way into shared
  /// memory; 0: tiles are copied without registers.
  int64_t lhsMoved = 0, rhsMoved = 0;
  /// Equal parts, at most, that launches can sum up before another adds them.
  int64_t mostParts = 1;

  bool copies() const { return lhsMoved == 0 || rhsMoved == 0; }
};

/// Tile sizes of workgroups and subgroups in a matrix launch.
struct MatrixTile {
  const MatrixInstruction *instruction;
  int64_t rows, columns, depth; ///< of a workgroup, in shared memory
  int64_t subgroupRows, subgroupColumns;
  int64_t stages = 2;
  int64_t parts = 1; ///< of the sums
};

/// Returns the workgroups of a launch.
int64_t countWorkgroups(const MatrixProblem &problem, const MatrixTile &tile);

/// Registers of a thread: sums, fragments, and the next tiles on their way into
/// shared memory.
int64_t estimateRegisters(const MatrixProblem &problem, const MatrixTile &tile,
                          const GpuChip &chip);

/// Returns the rows or columns of the smallest tile by the instruction.
int64_t leastRows(const MatrixInstruction &instruction);
int64_t leastColumns(const MatrixInstruction &instruction);

/// Returns the columns of the largest tile that a subgroup computes.
int64_t mostColumns(const MatrixInstruction &instruction);

/// Returns the bytes of shared memory beside the tiles.
int64_t controlBytes(const MatrixInstruction &instruction);

/// Returns registers beside those for sums and fragments: of addresses and
/// counters, and of sums on their way from tensor memory.
int64_t countOtherRegisters(const MatrixInstruction &instruction);

/// Returns the registers for each sum.
int64_t sumsPerElement(const MatrixInstruction &instruction);

/// Returns the number of elements along k that a lane loads at a time.
int64_t loadedDepth(const MatrixInstruction &instruction);

/// Returns the bytes of padding between the rows of a tile in shared memory.
int64_t paddingBytes(const MatrixInstruction &instruction);

/// Returns a lower bound on the cycles of a launch, from the configuration
/// alone: the largest of the matrix unit's, shared memory's and the
/// second-level cache's, and of the latency that resident workgroups don't
/// hide, over whole waves; and of adding parts of sums. Nothing if the chip
/// cannot run the tile.
std::optional<double> boundCycles(const MatrixProblem &problem,
                                  const MatrixTile &tile, const GpuChip &chip);

/// Returns the tile with the lowest bound, by any of the instructions; nothing
/// if none fits.
std::optional<MatrixTile>
findMatrixTile(const MatrixProblem &problem, const GpuChip &chip,
               std::span<const MatrixInstruction> instructions);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_MATRIXTILE_H
