//===- An operand's tile in shared memory ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/SharedTile.h"

using namespace mlir;
using namespace tonno;

/// Bytes that a thread accesses at once, and the number of such chunks across
/// all banks.
static constexpr int64_t chunkBytes = 16, chunksOfBanks = 8;

SharedTile SharedTile::padded(int64_t side, int64_t depth,
                              int64_t elementBytes) {
  SharedTile tile;
  tile.rows = side;
  tile.rowElements = depth + chunkBytes / elementBytes;
  return tile;
}

SharedTile SharedTile::swizzled(int64_t side, int64_t depth,
                                int64_t elementBytes, bool alongSide) {
  SharedTile tile;
  tile.alongSide = alongSide;
  tile.rows = alongSide ? depth : side;
  tile.rowElements = alongSide ? side : depth;
  tile.chunkElements = chunkBytes / elementBytes;
  // The same chunk of 8 consecutive rows begins in 8 / numChunks groups of
  // banks without a swizzle; rows that share a group exchange their chunks.
  tile.numChunks =
      commonPowerOfTwo({tile.rowElements / tile.chunkElements}, chunksOfBanks);
  tile.rowsPerChunk = chunksOfBanks / tile.numChunks;
  return tile;
}

SharedTile SharedTile::parted(int64_t side, int64_t depth, int64_t elementBytes,
                              bool alongSide, int64_t part) {
  SharedTile tile = alongSide ? swizzled(part, depth, elementBytes, alongSide)
                              : swizzled(side, part, elementBytes, alongSide);
  tile.parts = (alongSide ? side : depth) / part;
  return tile;
}

Value SharedTile::column(ThreadCode &code, Value row, Value column) const {
  if (numChunks == 1)
    return column;
  Value turn = code.remainder(code.divide(row, rowsPerChunk), numChunks);
  return code.exclusiveOr(column, code.multiply(turn, chunkElements));
}

SmallVector<Value> SharedTile::place(ThreadCode &code, Value firstRow,
                                     Value row, Value column) const {
  Value part = firstRow;
  if (parts > 1) {
    part = code.add(firstRow,
                    code.multiply(code.divide(column, rowElements), rows));
    column = code.remainder(column, rowElements);
  }
  return {code.add(part, row), this->column(code, row, column)};
}
