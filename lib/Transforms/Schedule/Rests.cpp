//===- What tiles leave over ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Rests.h"

#include "llvm/ADT/bit.h"
#include "mlir/Support/LLVM.h"

using namespace mlir;

std::optional<SmallVector<int64_t>>
tonno::tilesAroundRest(ArrayRef<int64_t> tiles, ArrayRef<int64_t> extents,
                       ArrayRef<int64_t> order) {
  SmallVector<int64_t> around(tiles.size(), 0);
  bool hasLoops = false;
  for (size_t i = 0; i < tiles.size(); ++i) {
    size_t loop = order.empty() ? i : static_cast<size_t>(order[i]);
    if (tiles[loop] == 0 || tiles[loop] == extents[loop])
      continue;
    if (extents[loop] % tiles[loop] != 0)
      return hasLoops ? std::optional(around) : std::nullopt;
    around[loop] = tiles[loop];
    hasLoops = true;
  }
  return std::nullopt;
}

std::optional<int64_t> tonno::paddedExtent(int64_t extent, int64_t tile) {
  auto padded = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(extent));
  if (padded == extent || padded > tile)
    return std::nullopt;
  return padded;
}
