//===- Default tiles of attention -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_ATTENTIONTILE_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_ATTENTIONTILE_H

#include "DefaultSpace/MatrixTile.h"

namespace tonno {

/// Rows of the largest tile of a workgroup.
inline constexpr int64_t mostAttentionRows = 256;

/// Extents of attention: `others` is the number of workgroups for each tile of
/// the rows.
struct AttentionProblem {
  int64_t rows, keys, depth, columns;
  int64_t others = 1;
  /// True if the tiles of keys and of values can be copied without registers.
  bool copiesKeys = false, copiesValues = false;

  bool copies() const { return copiesKeys || copiesValues; }
};

/// Tile sizes of workgroups and subgroups; each subgroup has whole rows.
struct AttentionTile {
  const MatrixInstruction *instruction;
  int64_t rows, subgroupRows; ///< of a workgroup, of a subgroup
  int64_t keys;               ///< of a step
  int64_t stages = 2;
};

/// Returns the tile with the lowest bound on its cycles, by any of the
/// instructions; nothing if none fits.
std::optional<AttentionTile>
findAttentionTile(const AttentionProblem &problem, const GpuChip &chip,
                  std::span<const MatrixInstruction *const> instructions);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_ATTENTIONTILE_H
