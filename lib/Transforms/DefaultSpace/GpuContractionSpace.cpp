//===- Default spaces of contractions -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace tonno;

namespace {

/// What is to be known of a contraction: sizes of the result and of what is
/// summed up, bytes of the operands' elements, registers of a sum.
struct ContractionShape {
  int64_t rows, columns, depth;
  int64_t others = 1; ///< workgroups for each tile of rows and columns
  int64_t lhsBytes, rhsBytes;
  int64_t sumRegisters;
  /// Registers of an element on its way into shared memory, times 4.
  int64_t lhsOnTheWay, rhsOnTheWay;
};

/// Tiles of the result, of a workgroup and of a thread.
struct ContractionTile {
  int64_t rows, columns;
  int64_t threadRows, threadColumns;

  int64_t points() const { return threadRows * threadColumns; }
  int64_t threads() const { return rows * columns / points(); }
};

} // namespace

/// Elements too narrow for a register of their own take one where they can't be
/// loaded side by side.
static int64_t bytesOnTheWay(OpOperand *operand) {
  auto type = cast<ShapedType>(operand->get().getType());
  int64_t bytes = bytesOfElement(type);
  bool isSideBySide = type.getShape().back() * bytes % 16 == 0;
  return isSideBySide ? bytes : std::max<int64_t>(bytes, 4);
}

static ContractionShape shapeOf(const ExpectedLaunch &launch,
                                linalg::LinalgOp op,
                                const ContractionLoops &loops) {
  ContractionShape shape;
  shape.rows = launch.extents[loops.rows];
  shape.columns = launch.extents[loops.columns];
  shape.depth = launch.extents[loops.depth];
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel)
    if (loop != loops.rows && loop != loops.columns)
      shape.others *= launch.extents[loop];
  shape.lhsBytes = bytesOfElement(loops.lhs->get().getType());
  shape.rhsBytes = bytesOfElement(loops.rhs->get().getType());
  shape.lhsOnTheWay = bytesOnTheWay(loops.lhs);
  shape.rhsOnTheWay = bytesOnTheWay(loops.rhs);
  shape.sumRegisters =
      llvm::divideCeil(bytesOfElement(op.getDpsInits().front().getType()), 4);
  return shape;
}

/// The smaller half of the larger: rows before columns, which lie side by side.
static void halve(int64_t &rows, int64_t &columns) {
  (rows >= columns ? rows : columns) /= 2;
}

/// Of smaller ones, what is shared is used too seldom.
static constexpr int64_t smallestTile = 1024;

/// The largest tile of which there are enough; then as much of it for a thread
/// as leaves each partition of a compute unit a subgroup.
static ContractionTile standardTile(const ContractionShape &shape,
                                    const GpuChip &chip) {
  ContractionTile tile;
  tile.rows = std::min<int64_t>(128, powerOfTwoAbove(shape.rows));
  tile.columns = std::min<int64_t>(128, powerOfTwoAbove(shape.columns));
  auto workgroups = [&] {
    return shape.others * llvm::divideCeil(shape.rows, tile.rows) *
           llvm::divideCeil(shape.columns, tile.columns);
  };
  while (workgroups() < enoughWorkgroups &&
         tile.rows * tile.columns > smallestTile)
    halve(tile.rows, tile.columns);
  tile.threadRows = std::min<int64_t>(8, tile.rows);
  tile.threadColumns = std::min<int64_t>(8, tile.columns);
  while (tile.threads() < int64_t(chip.partitions) * chip.subgroupSize &&
         tile.points() > 16)
    halve(tile.threadRows, tile.threadColumns);
  while (tile.threads() < chip.subgroupSize && tile.points() > 1)
    halve(tile.threadRows, tile.threadColumns);
  return tile;
}

/// 64 bytes of a row, twice what memory hands out at least; less where threads
/// have no registers for what is on its way.
static int64_t standardDepth(const ContractionShape &shape,
                             const ContractionTile &tile, const GpuChip &chip) {
  int64_t depth = 64 / std::max(shape.lhsBytes, shape.rhsBytes);
  auto fits = [&] {
    int64_t onTheWay =
        (tile.rows * shape.lhsOnTheWay + tile.columns * shape.rhsOnTheWay) *
        depth / 4;
    return fitsRegisters(chip, tile.threads(),
                         tile.points() * shape.sumRegisters + tile.threadRows +
                             tile.threadColumns +
                             llvm::divideCeil(onTheWay, tile.threads()));
  };
  while (!fits() && depth > 1)
    depth /= 2;
  return depth;
}

/// A row of both operands' tiles, in a constraint.
static std::string bytesOf(const ThreadedTile &tile, int64_t lhsBytes,
                           int64_t rhsBytes) {
  if (lhsBytes == rhsBytes)
    return "(" + tile.rows.text + " + " + tile.columns.text + ") * " +
           std::to_string(lhsBytes);
  return tile.rows.text + " * " + std::to_string(lhsBytes) + " + " +
         tile.columns.text + " * " + std::to_string(rhsBytes);
}

GpuSpace tonno::contractionSpace(const ExpectedLaunch &launch,
                                 const GpuChip &chip, KnobSizes &knobs) {
  auto op = cast<linalg::LinalgOp>(launch.ops.front().op);
  auto loops = findContractionLoops(op);
  assert(succeeded(loops) && "a launch of this kind has a contraction");
  ContractionShape shape = shapeOf(launch, op, *loops);
  ContractionTile standard = standardTile(shape, chip);
  auto upTo = [](int64_t bound, int64_t extent) {
    return std::min(bound, extent);
  };
  ThreadedTile tile = {
      knobs.size("BM", 16, upTo(256, shape.rows), standard.rows),
      knobs.size("BN", 16, upTo(256, shape.columns), standard.columns),
      knobs.size("TM", 1, upTo(16, shape.rows), standard.threadRows),
      knobs.size("TN", 1, upTo(16, shape.columns), standard.threadColumns)};
  int64_t depth = standardDepth(shape, standard, chip);
  KnobSize bk =
      knobs.size("BK", depth / 4, upTo(depth * 4, shape.depth), depth);

  // What is padded: 16 bytes a row of either tile.
  knobs.constrain({tile.rows, tile.columns, bk},
                  bk.text + " * (" +
                      bytesOf(tile, shape.lhsBytes, shape.rhsBytes) +
                      " + 32) <= " + Twine(chip.staticSharedBytes));
  constrainThreads(knobs, chip, tile);
  std::string sums = tile.points();
  if (shape.sumRegisters != 1)
    sums += " * " + std::to_string(shape.sumRegisters);
  constrainRegisters(
      knobs, chip, tile,
      sums + " + " + tile.threadRows.text + " + " + tile.threadColumns.text,
      bk.text + " * (" + bytesOf(tile, shape.lhsOnTheWay, shape.rhsOnTheWay) +
          ") floordiv 4",
      bk);

  GpuSpace space(launch);
  space.workgroup[loops->rows] = tile.rows.attribute;
  space.workgroup[loops->columns] = tile.columns.attribute;
  space.thread[loops->rows] = tile.threadRows.attribute;
  space.thread[loops->columns] = tile.threadColumns.attribute;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (linalg::isReductionIterator(op.getIteratorTypesArray()[loop])) {
      std::swap(space.workgroup[loop], space.reduction[loop]);
      space.thread[loop] = space.workgroup[loop];
    }
  space.reduction[loops->depth] = bk.attribute;
  return space;
}
