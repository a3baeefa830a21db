//===- What tiles leave over ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_RESTS_H
#define TONNO_TRANSFORMS_SCHEDULE_RESTS_H

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <optional>

namespace tonno {

/// Of loops in this order (empty: as they are), the tiles of those around the
/// first one that its tile does not divide, and 0 for the others. By itself,
/// what is left over of each row would be read and written when the caches have
/// lost the row. Nothing where no loop has a rest, or none goes around it.
std::optional<llvm::SmallVector<int64_t>>
tilesAroundRest(llvm::ArrayRef<int64_t> tiles, llvm::ArrayRef<int64_t> extents,
                llvm::ArrayRef<int64_t> order);

/// What a vectorised loop is best made as long as: a power of two, where it is
/// shorter than its tile and none.
std::optional<int64_t> paddedExtent(int64_t extent, int64_t tile);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_RESTS_H
