//===- Spaces of elementwise ops and reductions ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tonno;

namespace {

/// What is to be known of a launch of elementwise ops and reductions.
struct TileSpace {
  TileSpace(const ExpectedLaunch &launch, const GpuChip &chip);

  const ExpectedLaunch &launch;
  const GpuChip &chip;
  unsigned along;
  /// The dimension besides `along`, or the reduced one, that has tiles.
  std::optional<unsigned> other;
  int64_t vector;         ///< elements of 16 bytes
  int64_t perPoint = 1;   ///< registers of a point
  int64_t crossBytes = 0; ///< of a point, of what goes through shared memory
  int64_t sumBytes = 0;   ///< of a thread's sum, of what threads exchange

  int64_t extent(std::optional<unsigned> dim) const {
    return dim ? launch.extents[*dim] : 1;
  }
  /// Workgroups with tiles of these sizes.
  int64_t workgroups(int64_t ofOther, int64_t ofAlong) const;
  bool isEnough(int64_t ofOther, int64_t ofAlong) const {
    return workgroups(ofOther, ofAlong) >= enoughWorkgroups;
  }
  /// Whether a workgroup has registers, and memory for what they exchange.
  bool fits(int64_t threads, int64_t points) const {
    return fitsRegisters(chip, threads, points * perPoint) &&
           threads * points * sumBytes <= chip.staticSharedBytes;
  }

private:
  void findCrosswise();
  void findOther();
};

} // namespace

TileSpace::TileSpace(const ExpectedLaunch &launch, const GpuChip &chip)
    : launch(launch), chip(chip),
      along(findAlong(launch.extents, launch.accesses)) {
  int64_t smallest = 8, largest = 4;
  for (const SpaceAccess &access : launch.accesses) {
    int64_t bytes = bytesOfElement(access.type);
    smallest = std::min(smallest, bytes);
    largest = std::max(largest, bytes);
  }
  vector = 16 / smallest;
  for (const SpaceAccess &load : launch.loads)
    perPoint += llvm::divideCeil(bytesOfElement(load.type), 4);
  // Of very many the compiler won't load all ahead.
  perPoint = std::min<int64_t>(perPoint, 50);
  for (const LaunchedOp &op : launch.ops)
    sumBytes += op.numReductions * largest;
  // Of more no workgroup would have enough.
  sumBytes = std::min<int64_t>(sumBytes, chip.staticSharedBytes / 256);
  if (!launch.reduced)
    findCrosswise();
  if (!other)
    findOther();
}

/// What lies side by side in an operand that lies crosswise.
void TileSpace::findCrosswise() {
  for (const SpaceAccess &load : launch.loads) {
    if (load.map.getNumResults() == 0 || !load.map.isFunctionOfDim(along))
      continue;
    unsigned row =
        cast<AffineDimExpr>(load.map.getResults().back()).getPosition();
    if (row == along || launch.extents[row] == 1)
      continue;
    if (!other)
      other = row;
    if (other == row)
      crossBytes += bytesOfElement(load.type);
  }
}

/// The innermost of some size.
void TileSpace::findOther() {
  for (unsigned dim = launch.extents.size(); dim-- > 0;)
    if (dim != along && dim != launch.reduced && extent(other) < 16 &&
        extent(dim) > extent(other))
      other = dim;
}

int64_t TileSpace::workgroups(int64_t ofOther, int64_t ofAlong) const {
  int64_t number = 1;
  for (unsigned dim = 0; dim < launch.extents.size(); ++dim)
    if (dim != launch.reduced)
      number *= llvm::divideCeil(launch.extents[dim], dim == other   ? ofOther
                                                      : dim == along ? ofAlong
                                                                     : 1);
  return number;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

namespace {

/// A workgroup's tile and a thread's.
struct PlainTile {
  int64_t rows, columns;
  int64_t threadRows = 1, threadColumns = 1;

  int64_t threads() const {
    return rows * columns / (threadRows * threadColumns);
  }
};

} // namespace

/// Along rows, 16 bytes a thread; some rows if they are short.
static PlainTile rowsTile(const TileSpace &space) {
  int64_t width = powerOfTwoAbove(space.extent(space.along)),
          height = powerOfTwoAbove(space.extent(space.other));
  PlainTile tile;
  tile.threadColumns = std::min(space.vector, width);
  while (!space.fits(256, tile.threadColumns) && tile.threadColumns > 1)
    tile.threadColumns /= 2;
  tile.columns = std::min(256 * tile.threadColumns, width);
  tile.rows = std::min(256 * tile.threadColumns / tile.columns, height);
  while (!space.isEnough(tile.rows, tile.columns) && tile.threads() > 64)
    (tile.rows > 1 ? tile.rows : tile.columns) /= 2;
  return tile;
}

/// A square, which is written as it was read: side by side.
static PlainTile crosswiseTile(const TileSpace &space) {
  auto side = [&](int64_t length) {
    PlainTile tile;
    tile.rows = std::min(length, powerOfTwoAbove(space.extent(space.other)));
    tile.columns = std::min(length, powerOfTwoAbove(space.extent(space.along)));
    return tile;
  };
  PlainTile tile = side(64);
  if (!space.isEnough(tile.rows, tile.columns))
    tile = side(32);
  for (int64_t length : {32, 16})
    if (tile.rows * (tile.columns + 1) * space.crossBytes >
        int64_t(space.chip.staticSharedBytes))
      tile = side(length);
  // Neighbours read different banks only where each reads but the 4 bytes of
  // one.
  while (tile.threads() > 256 && tile.threadColumns * 4 < space.vector)
    tile.threadColumns *= 2;
  while (tile.threads() > 256 && tile.threadRows < tile.rows)
    tile.threadRows *= 2;
  while (tile.threadRows > 1 &&
         !space.fits(256, tile.threadRows * tile.threadColumns)) {
    tile.threadRows /= 2;
    tile.rows /= 2;
  }
  return tile;
}

GpuSpace tonno::elementwiseSpace(const ExpectedLaunch &launch,
                                 const GpuChip &chip, KnobSizes &knobs) {
  TileSpace space(launch, chip);
  bool isCrosswise = space.crossBytes != 0;
  PlainTile standard = isCrosswise ? crosswiseTile(space) : rowsTile(space);
  int64_t height = space.extent(space.other), width = space.extent(space.along);
  auto upTo = [](int64_t extent, int64_t bound) {
    return std::min(extent, bound);
  };
  ThreadedTile tile = {
      knobs.size("BM", isCrosswise ? upTo(16, standard.rows) : 1,
                 upTo(height, 128), standard.rows),
      knobs.size("BN", isCrosswise ? 16 : 32,
                 upTo(width, isCrosswise ? 128 : 4096), standard.columns),
      knobs.size("TM", 1, upTo(height, isCrosswise ? 16 : 8),
                 standard.threadRows),
      knobs.size("TN", 1, upTo(width, 2 * space.vector),
                 standard.threadColumns)};
  constrainThreads(knobs, chip, tile);
  constrainRegisters(knobs, chip, tile,
                     tile.points() + " * " + std::to_string(space.perPoint));
  if (isCrosswise)
    knobs.constrain({tile.rows, tile.columns},
                    tile.rows.text + " * (" + tile.columns.text + " + 1) * " +
                        Twine(space.crossBytes) +
                        " <= " + Twine(chip.staticSharedBytes));

  GpuSpace result(launch);
  result.workgroup[space.along] = tile.columns.attribute;
  result.thread[space.along] = tile.threadColumns.attribute;
  if (space.other) {
    result.workgroup[*space.other] = tile.rows.attribute;
    result.thread[*space.other] = tile.threadRows.attribute;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Rows that are reduced, as the tile's columns: a subgroup for each, more for
/// long ones, and where there are few.
static PlainTile reducedRowsTile(const TileSpace &space) {
  int64_t extent = space.extent(space.along);
  int64_t longest = powerOfTwoBelow(extent);
  PlainTile tile;
  tile.threadColumns = std::min(space.vector, longest);
  while (!space.fits(256, tile.threadColumns) && tile.threadColumns > 1)
    tile.threadColumns /= 2;
  int64_t threads =
      std::min<int64_t>(space.chip.subgroupSize, longest / tile.threadColumns);
  auto canGrow = [&](int64_t most) {
    return 2 * threads <= most && 2 * threads * tile.threadColumns <= longest &&
           space.fits(2 * threads, tile.threadColumns);
  };
  while (extent > threads * tile.threadColumns * 8 && canGrow(256))
    threads *= 2;
  tile.rows = std::min(std::max<int64_t>(256 / threads, 1),
                       powerOfTwoAbove(space.extent(space.other)));
  while (tile.rows > 1 && tile.rows * threads > space.chip.subgroupSize &&
         !space.isEnough(tile.rows, 1))
    tile.rows /= 2;
  while (tile.rows == 1 && !space.isEnough(1, 1) &&
         canGrow(space.chip.maxThreads))
    threads *= 2;
  tile.columns = threads * tile.threadColumns;
  return tile;
}

/// Columns that are reduced; the tile has them as its rows, as sizes are named
/// for the dimension that is not reduced first.
static PlainTile reducedColumnsTile(const TileSpace &space) {
  int64_t longest = powerOfTwoBelow(space.extent(space.launch.reduced)),
          width = powerOfTwoAbove(space.extent(space.along));
  PlainTile tile;
  // Where columns can't be loaded side by side, each thread has one: neighbours
  // load what lies side by side.
  int64_t sideBySide =
      int64_t{1} << llvm::countr_zero(uint64_t(space.extent(space.along)));
  tile.threadRows = std::min(space.vector, sideBySide);
  while (!space.fits(256, tile.threadRows) && tile.threadRows > 1)
    tile.threadRows /= 2;
  while (tile.threadColumns < std::min<int64_t>(4, longest) &&
         space.fits(256, tile.threadRows * tile.threadColumns * 2))
    tile.threadColumns *= 2;
  int64_t threads = std::min<int64_t>(32, longest / tile.threadColumns);
  // 32 bytes are the least that memory hands out.
  int64_t narrowest = std::max(tile.threadRows, 2 * space.vector);
  while (256 / threads * tile.threadRows < narrowest && threads > 1)
    threads /= 2;
  tile.rows = std::min(256 / threads * tile.threadRows, width);
  while (!space.isEnough(1, tile.rows) && tile.rows > narrowest) {
    tile.rows /= 2;
    if (threads < 64 && 2 * threads * tile.threadColumns <= longest)
      threads *= 2;
  }
  tile.columns = threads * tile.threadColumns;
  return tile;
}

GpuSpace tonno::reductionSpace(const ExpectedLaunch &launch,
                               const GpuChip &chip, KnobSizes &knobs) {
  TileSpace space(launch, chip);
  unsigned reduced = *launch.reduced;
  bool isOfRows = space.along == reduced;
  std::optional<unsigned> kept = isOfRows ? space.other : space.along;
  int64_t vector = space.vector, extent = space.extent(kept);
  // No more than there is: other numbers of threads than powers of two are slow
  // to exchange sums.
  int64_t longest = powerOfTwoBelow(space.extent(reduced));
  auto upTo = [](int64_t extent, int64_t bound) {
    return std::min(extent, bound);
  };
  PlainTile standard =
      isOfRows ? reducedRowsTile(space) : reducedColumnsTile(space);
  ThreadedTile tile =
      isOfRows
          ? ThreadedTile{knobs.size("BM", 1, upTo(extent, 32), standard.rows),
                         knobs.size("BK", 32, upTo(longest, 8192),
                                    standard.columns),
                         knobs.size("TM", 1, upTo(extent, 4),
                                    standard.threadRows),
                         knobs.size("TK", 1, upTo(longest, 4 * vector),
                                    standard.threadColumns)}
          : ThreadedTile{
                knobs.size("BN", vector, upTo(extent, 1024), standard.rows),
                knobs.size("BK", 4, upTo(longest, 512), standard.columns),
                knobs.size("TN", 1, upTo(extent, 2 * vector),
                           standard.threadRows),
                knobs.size("TK", 1, upTo(longest, 16), standard.threadColumns)};
  constrainThreads(knobs, chip, tile);
  constrainRegisters(knobs, chip, tile,
                     tile.points() + " * " + std::to_string(space.perPoint));
  knobs.constrain({tile.rows, tile.columns, tile.threadColumns},
                  tile.rows.text + " * (" + tile.columns.text + " floordiv " +
                      tile.threadColumns.text + ") * " + Twine(space.sumBytes) +
                      " <= " + Twine(chip.staticSharedBytes));

  GpuSpace result(launch);
  result.workgroup[reduced] = result.reduction[reduced];
  result.reduction[reduced] = tile.columns.attribute;
  result.thread[reduced] = tile.threadColumns.attribute;
  if (kept) {
    result.workgroup[*kept] = tile.rows.attribute;
    result.thread[*kept] = tile.threadRows.attribute;
  }
  return result;
}
