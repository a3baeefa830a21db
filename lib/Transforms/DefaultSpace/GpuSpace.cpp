//===- Default spaces for GPUs --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultSpace/GpuSpace.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/UserLowering.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "DefaultSpace/MatrixTile.h"
#include "Schedule/Bufferization/Destinations.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/GPU/DescribedTile.h"
#include "Schedule/GPU/MatrixOps.h"
#include "Schedule/GPU/ThreadCode.h"
#include "Schedule/GPU/WindowViews.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/SplitReductions.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

/// Returns the smaller: a bound, or what there is.
static int64_t upTo(int64_t extent, int64_t bound) {
  return std::min(extent, bound);
}

static std::string product(const KnobSize &a, const KnobSize &b) {
  if (a.text == "1")
    return b.text;
  return b.text == "1" ? a.text : a.text + " * " + b.text;
}

namespace {

/// A workgroup's tile and a thread's.
struct PlainTile {
  int64_t rows, columns;
  int64_t threadRows = 1, threadColumns = 1;

  int64_t points() const { return threadRows * threadColumns; }
  int64_t threads() const { return rows * columns / points(); }
};

/// The tiles of a workgroup and its threads in two dimensions, or 1 for none.
struct ThreadedTile {
  KnobSize rows, columns;
  KnobSize threadRows, threadColumns;

  SmallVector<KnobSize> sizes() const {
    return {rows, columns, threadRows, threadColumns};
  }
  /// Returns the expression of the points of a thread, for constraints.
  std::string points() const { return product(threadRows, threadColumns); }
  /// Returns the expression of the threads of a workgroup, for constraints.
  std::string threads() const {
    std::string divisor = points();
    if (divisor == "1")
      return product(rows, columns);
    if (divisor.find(' ') != std::string::npos)
      divisor = "(" + divisor + ")";
    return product(rows, columns) + " floordiv " + divisor;
  }
};

} // namespace

/// Lets the threads be no more than the chip can have, and, where the default
/// isn't either, no fewer than a subgroup; and tiles no smaller than threads'.
static void constrainThreads(KnobSizes &knobs, const GpuChip &chip,
                             const ThreadedTile &tile) {
  auto fit = [&](const KnobSize &inner, const KnobSize &outer) {
    if (inner.most > outer.least)
      knobs.constrain({inner, outer}, inner.text + " <= " + outer.text);
  };
  fit(tile.threadRows, tile.rows);
  fit(tile.threadColumns, tile.columns);
  int64_t standard = tile.rows.standard * tile.columns.standard /
                     (tile.threadRows.standard * tile.threadColumns.standard);
  int64_t least = std::min<int64_t>(chip.subgroupSize, standard);
  knobs.constrain(tile.sizes(),
                  tile.threads() + " <= " + Twine(chip.maxThreads));
  if (least > 1)
    knobs.constrain(tile.sizes(), tile.threads() + " >= " + Twine(least));
}

/// Returns the largest number of registers of a thread. AMD's accumulation
/// registers beyond 256 only hold spilled values.
static int64_t getMaxRegisters(const GpuChip &chip) {
  return std::min<int64_t>(chip.maxRegisters, 256);
}

/// Returns true if the chip has registers for `threads` with `ofThread` values
/// each, besides a fixed number of others.
static bool fitsRegisters(const GpuChip &chip, int64_t threads,
                          int64_t ofThread) {
  ofThread += otherRegisters;
  return ofThread <= getMaxRegisters(chip) &&
         ofThread * threads <= int64_t(chip.registers);
}

/// Bounds the registers of a tile: `ofThread` is a sum over its sizes.
static void constrainRegisters(KnobSizes &knobs, const GpuChip &chip,
                               const ThreadedTile &tile,
                               const std::string &ofThread) {
  std::string needed = ofThread + " + " + std::to_string(otherRegisters);
  knobs.constrain(tile.sizes(), needed + " <= " + Twine(getMaxRegisters(chip)));
  knobs.constrain(tile.sizes(), "(" + needed + ") * (" + tile.threads() +
                                    ") <= " + Twine(chip.registers));
}

/// Bounds the registers of a tile like the function above, with `ofWorkgroup`
/// registers of all threads together, over `depth`.
static void constrainRegisters(KnobSizes &knobs, const GpuChip &chip,
                               const ThreadedTile &tile,
                               const std::string &ofThread,
                               const std::string &ofWorkgroup,
                               const KnobSize &depth) {
  SmallVector<KnobSize> sizes = tile.sizes();
  sizes.push_back(depth);
  std::string threads = "(" + tile.threads() + ")";
  std::string needed = ofWorkgroup + " + (" + ofThread + " + " +
                       std::to_string(otherRegisters) + ") * " + threads +
                       " <= ";
  knobs.constrain(sizes,
                  needed + Twine(getMaxRegisters(chip)) + " * " + threads);
  knobs.constrain(sizes, needed + Twine(chip.registers));
}

GpuSpace::GpuSpace(const LaunchGroup &launch) {
  Builder builder(launch.accesses.front().map.getContext());
  workgroup.assign(launch.extents.size(), builder.getI64IntegerAttr(1));
  thread = workgroup;
  reduction.assign(launch.extents.size(), builder.getI64IntegerAttr(0));
}

KnobSize tonno::choosePerUnit(KnobSizes &knobs, const GpuChip &chip,
                              SmallVector<KnobSize> sizes,
                              const Twine &threads) {
  KnobSize perUnit = knobs.choice("PER_UNIT", {1, 2, 3, 4}, 1);
  sizes.push_back(perUnit);
  knobs.constrain(sizes, perUnit.text + " * (" + threads + ") <= " +
                             Twine(chip.maxSubgroups * chip.subgroupSize));
  return perUnit;
}

/// Attribute of a contraction that was made of a convolution: the loops that
/// move the window, alone or with what goes on in them.
static constexpr StringLiteral kWindowLoops = "window_loops";

/// Attribute of an op that stands for a view: how many of its elements one
/// access can take.
static constexpr StringLiteral kAtOnce = "at_once";

/// Returns the bytes that one access to contiguous elements of the operand can
/// take, up to 16.
static int64_t bytesAtOnce(Value operand) {
  auto type = cast<ShapedType>(operand.getType());
  int64_t bytes = getElementBytes(type);
  SmallVector<int64_t> divisors = {type.getShape().back()};
  Operation *source = operand.getDefiningOp();
  if (auto view =
          source ? source->getAttrOfType<IntegerAttr>(kAtOnce) : IntegerAttr())
    divisors.push_back(view.getInt());
  return bytes * commonPowerOfTwo(divisors, std::max<int64_t>(16 / bytes, 1));
}

/// Returns the bytes of registers for an element that is loaded ahead. Narrow
/// elements take a register each unless they are loaded as vectors.
static int64_t bytesOnTheWay(OpOperand *operand) {
  int64_t bytes = getElementBytes(operand->get().getType());
  return bytesAtOnce(operand->get()) == 16 ? bytes
                                           : std::max<int64_t>(bytes, 4);
}

namespace {

/// Sizes of a contraction's result and sum, bytes of its operands' elements.
struct ContractionShape {
  ContractionShape(const LaunchGroup &launch, linalg::LinalgOp op,
                   const ContractionLoops &loops)
      : rows(launch.extents[loops.rows]),
        columns(launch.extents[loops.columns]),
        depth(launch.extents[loops.depth]),
        lhsBytes(getElementBytes(loops.lhs->get().getType())),
        rhsBytes(getElementBytes(loops.rhs->get().getType())),
        sumRegisters(llvm::divideCeil(
            getElementBytes(op.getDpsInits().front().getType()), 4)),
        lhsOnTheWay(bytesOnTheWay(loops.lhs)),
        rhsOnTheWay(bytesOnTheWay(loops.rhs)) {
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    for (unsigned loop : parallel)
      if (loop != loops.rows && loop != loops.columns)
        others *= launch.extents[loop];
  }

  /// Counts another loop, of this extent, among the rows or the columns.
  void moveToRows(int64_t extent) {
    rows *= extent;
    others /= extent;
  }
  void moveToColumns(int64_t extent) {
    columns *= extent;
    others /= extent;
  }

  int64_t rows, columns, depth;
  int64_t others = 1; ///< workgroups for each tile of rows and columns
  int64_t lhsBytes, rhsBytes;
  int64_t sumRegisters;
  /// Registers of an element on its way into shared memory, times 4.
  int64_t lhsOnTheWay, rhsOnTheWay;
};

} // namespace

/// Halves the larger size; rows if equal, because columns are contiguous.
static void halve(int64_t &rows, int64_t &columns) {
  (rows >= columns ? rows : columns) /= 2;
}

/// Least number of elements of a workgroup's result tile; in smaller tiles,
/// operands in shared memory are reused too seldom.
static constexpr int64_t smallestTile = 1024;

/// Returns the largest tile that leaves enough workgroups; each thread gets the
/// largest part of the tile that still gives each partition of a compute unit a
/// subgroup.
static PlainTile standardTile(const ContractionShape &shape,
                              const GpuChip &chip) {
  PlainTile tile;
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

/// Returns 64 bytes of a row, or less where registers don't hold it on its way.
static int64_t standardDepth(const ContractionShape &shape,
                             const PlainTile &tile, const GpuChip &chip) {
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

/// Returns the bytes of a row of both operands' tiles, for constraints.
static std::string formatRowBytes(const ThreadedTile &tile, int64_t lhsBytes,
                                  int64_t rhsBytes) {
  if (lhsBytes == rhsBytes)
    return "(" + tile.rows.text + " + " + tile.columns.text + ") * " +
           std::to_string(lhsBytes);
  return tile.rows.text + " * " + std::to_string(lhsBytes) + " + " +
         tile.columns.text + " * " + std::to_string(rhsBytes);
}

/// Results with fewer elements, and shorter sums than the instruction's, are
/// not worth a matrix unit.
static constexpr int64_t smallestMatrix = 256;

bool tonno::canCopyAsync(OpOperand &operand, unsigned sideLoop,
                         unsigned depthLoop,
                         const MatrixInstruction &instruction) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  auto last = cast<AffineDimExpr>(
      op.getMatchingIndexingMap(&operand).getResults().back());
  bool runsAsFragments =
      last.getPosition() == depthLoop ||
      (last.getPosition() == sideLoop && transposesShared(instruction));
  return runsAsFragments && bytesAtOnce(operand.get()) >= 4;
}

/// Returns true if the launch's reduction can be split into parts, and the
/// other ops follow the launch that combines them: producers would be a launch
/// of their own.
static bool canSplit(const LaunchGroup &launch) {
  linalg::LinalgOp op = launch.ops.front().op;
  bool isAlone =
      llvm::all_of(llvm::drop_begin(launch.ops),
                   [](const GroupedOp &one) { return one.numReductions == 0; });
  return isAlone && op && canSplitReduction(op) &&
         (op.getNumReductionLoops() == 1 || isSharedContraction(op));
}

/// Returns the largest number of parts of a contraction's depth: a power of
/// two, so that they are equal, and long enough to be worth a launch.
static int64_t findMostParts(const LaunchGroup &launch, unsigned loop,
                             int64_t passes) {
  int64_t depth = launch.extents[loop];
  constexpr int64_t shortestPart = 512, shortestDepth = 64, mostParts = 64;
  int64_t parts = 1;
  while (parts < mostParts && depth % (2 * parts) == 0 &&
         depth / (2 * parts) >= shortestDepth &&
         passes * depth / (2 * parts) >= shortestPart)
    parts *= 2;
  linalg::LinalgOp op = launch.ops.front().op;
  auto windows = op->getAttrOfType<DenseI64ArrayAttr>(kWindowLoops);
  bool movesWindow =
      windows && llvm::is_contained(windows.asArrayRef(), int64_t(loop));
  return canSplit(launch) && !movesWindow ? parts : 1;
}

/// Returns the space of a contraction on matrix units; nothing if they can't
/// compute it.
static std::optional<GpuSpace>
matrixSpace(const LaunchGroup &launch, const GpuChip &chip, KnobSizes &knobs) {
  linalg::LinalgOp op = launch.ops.front().op;
  std::span<const MatrixInstruction> instructions =
      findMatrixInstructions(op, chip);
  auto loops = findContractionLoops(op);
  if (instructions.empty() || failed(loops))
    return std::nullopt;
  // Tiles of matrix units go on from one loop to the next.
  loops->rows = loops->allRows.back();
  ContractionShape shape(launch, op, *loops);
  for (unsigned row : llvm::drop_end(loops->allRows))
    shape.moveToRows(launch.extents[row]);
  for (unsigned column : llvm::drop_end(loops->allColumns))
    shape.moveToColumns(launch.extents[column]);
  if (shape.rows * shape.columns < smallestMatrix ||
      2 * shape.depth < instructions.back().k) // more than half is wasted
    return std::nullopt;
  MatrixProblem problem = {.rows = shape.rows,
                           .columns = shape.columns,
                           .depth = shape.depth,
                           .others = shape.others};
  auto bytesMoved = [&](OpOperand &operand, unsigned sideLoop) -> int64_t {
    if (instructions.front().hasAsyncCopies() &&
        canCopyAsync(operand, sideLoop, loops->depth, instructions.front()))
      return 0;
    // Single elements take registers for their addresses, too.
    int64_t bytes = getElementBytes(operand.get().getType());
    auto last = rowLoop(op.getMatchingIndexingMap(&operand));
    bool isSideBySide = last == sideLoop || last == loops->depth;
    return isSideBySide && bytesAtOnce(operand.get()) > bytes ? bytes : 8;
  };
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (linalg::isReductionIterator(op.getIteratorTypesArray()[loop]) &&
        loop != loops->depth)
      problem.passes *= launch.extents[loop];
  problem.mostParts = findMostParts(launch, loops->depth, problem.passes);
  problem.lhsMoved = bytesMoved(*loops->lhs, loops->rows);
  problem.rhsMoved = bytesMoved(*loops->rhs, loops->columns);
  auto standard = findMatrixTile(problem, chip, instructions);
  if (!standard)
    return std::nullopt;
  // Tiles are multiples of every instruction that may be chosen.
  SmallVector<StringRef> names;
  int64_t side = 0, across = 0, deep = 0;
  for (const MatrixInstruction &one : instructions) {
    if (one.family != standard->instruction->family ||
        leastRows(one) > standard->subgroupRows ||
        leastColumns(one) > standard->subgroupColumns ||
        one.k > standard->depth)
      continue;
    names.push_back(one.name);
    side = std::max(side, leastRows(one));
    across = std::max(across, leastColumns(one));
    deep = std::max<int64_t>(deep, one.k);
  }
  int64_t lanes = chip.subgroupSize * standard->instruction->subgroups;
  KnobSize bm = knobs.size("BM", side, std::max(side, upTo(256, shape.rows)),
                           standard->rows),
           bn = knobs.size("BN", across,
                           std::max(across, upTo(256, shape.columns)),
                           standard->columns),
           bk = knobs.size("BK", deep, std::max(deep, upTo(128, shape.depth)),
                           standard->depth),
           wm = knobs.size("WM", side, std::min(mostSubgroupSide, bm.most),
                           standard->subgroupRows),
           wn = knobs.size(
               "WN", across,
               std::min(mostColumns(*standard->instruction), bn.most),
               standard->subgroupColumns),
           order = knobs.size(
               "ORDER", 1,
               upTo(16, llvm::divideCeil(shape.rows, standard->rows)), 8),
           stages = problem.copies() ? knobs.choice("STAGES", {2, 3, 4, 5, 6},
                                                    standard->stages)
                                     : knobs.choice("STAGES", {1, 2}, 2);
  std::string subgroups = "(" + bm.text + " floordiv " + wm.text + ") * (" +
                          bn.text + " floordiv " + wn.text + ")";
  auto fit = [&](const KnobSize &inner, const KnobSize &outer) {
    if (inner.most > outer.least)
      knobs.constrain({inner, outer}, inner.text + " <= " + outer.text);
  };
  fit(wm, bm);
  fit(wn, bn);
  SmallVector<KnobSize> tile = {bm, bn, wm, wn};
  knobs.constrain(tile, subgroups + " <= " + Twine(chip.maxThreads / lanes));
  KnobSize perUnit = choosePerUnit(knobs, chip, tile,
                                   subgroups + " * " + std::to_string(lanes));
  std::string bytes = std::to_string(shape.lhsBytes);
  knobs.constrain(
      {bm, bn, bk, stages},
      stages.text + " * (" + bm.text + " + " + bn.text + ") * (" + bk.text +
          " * " + bytes + " + " +
          std::to_string(paddingBytes(*standard->instruction)) + ") <= " +
          Twine(chip.maxSharedBytes - controlBytes(*standard->instruction)));
  // Mirrors estimateRegisters(MatrixTile).
  int64_t sumRegisters = sumsPerElement(*standard->instruction),
          fragments = loadedDepth(*standard->instruction) * shape.lhsBytes / 4;
  std::string needed;
  if (sumRegisters > 0)
    needed = wm.text + " * " + wn.text;
  if (sumRegisters > 1)
    needed += " * " + std::to_string(sumRegisters);
  if (sumRegisters > 0)
    needed += " floordiv " + std::to_string(lanes) + " + ";
  needed += std::to_string(countOtherRegisters(*standard->instruction));
  if (fragments > 0)
    needed += " + (" + wm.text + " + " + wn.text + ") * " +
              std::to_string(fragments) + " floordiv " + std::to_string(lanes);
  SmallVector<std::string> moved;
  for (auto [side, ofElement] :
       {std::pair(&bm, problem.lhsMoved), {&bn, problem.rhsMoved}})
    if (ofElement > 0)
      moved.push_back(side->text + " * " + std::to_string(ofElement));
  uint32_t scratch = standard->instruction->scratch;
  if (scratch > 0 || !moved.empty())
    tile.push_back(bk);
  if (scratch > 0)
    needed += " + " + std::to_string(scratch) + " * " + bk.text;
  if (!moved.empty()) {
    needed += " + (" + llvm::join(moved, " + ") + ") * " + bk.text +
              " floordiv (4 * " + std::to_string(lanes) + " * " + subgroups +
              ")";
  }
  // Else a thread needs as many, whatever the tile.
  if (sumRegisters > 0 || fragments > 0 || !moved.empty() || scratch > 0)
    knobs.constrain(tile, needed + " <= " + Twine(chip.maxRegisters));
  std::string ofWorkgroup =
      "(" + needed + ") * " + subgroups + " * " + std::to_string(lanes);
  if (standard->instruction->readsShared()) {
    // Registers of these instructions cannot be spilled.
    tile.push_back(perUnit);
    ofWorkgroup = perUnit.text + " * " + ofWorkgroup;
  }
  knobs.constrain(tile, ofWorkgroup + " <= " + Twine(chip.registers));

  GpuSpace space(launch);
  Builder builder(op->getContext());
  Attribute zero = builder.getI64IntegerAttr(0);
  space.thread.clear();
  space.subgroup = space.workgroup;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (linalg::isReductionIterator(op.getIteratorTypesArray()[loop]))
      space.workgroup[loop] = space.subgroup[loop] = zero;
  space.workgroup[loops->rows] = bm.attribute;
  space.workgroup[loops->columns] = bn.attribute;
  space.subgroup[loops->rows] = wm.attribute;
  space.subgroup[loops->columns] = wn.attribute;
  space.reduction[loops->depth] = bk.attribute;
  space.others = {
      builder.getNamedAttr(
          lowering_config::kInstruction,
          knobs.text("INSTRUCTION", names, standard->instruction->name)),
      builder.getNamedAttr(lowering_config::kStages, stages.attribute),
      builder.getNamedAttr(lowering_config::kOrder, order.attribute),
      builder.getNamedAttr(lowering_config::kPerUnit, perUnit.attribute)};
  if (problem.copies())
    space.others.push_back(
        builder.getNamedAttr(lowering_config::kCopy,
                             builder.getStringAttr(lowering_config::kAsync)));
  MatrixTile whole = *standard;
  whole.parts = 1;
  if (problem.mostParts > 1 &&
      countWorkgroups(problem, whole) < enoughWorkgroups)
    space.others.push_back(builder.getNamedAttr(
        lowering_config::kSplit,
        knobs.size("SPLIT", 1, problem.mostParts, standard->parts).attribute));
  return space;
}

/// Returns the space of a contraction with its epilogue.
static GpuSpace contractionSpace(const LaunchGroup &launch, const GpuChip &chip,
                                 KnobSizes &knobs) {
  linalg::LinalgOp op = launch.ops.front().op;
  auto loops = findContractionLoops(op);
  assert(succeeded(loops) && "a launch of this kind has a contraction");
  if (auto space = matrixSpace(launch, chip, knobs))
    return *space;
  ContractionShape shape(launch, op, *loops);
  PlainTile standard = standardTile(shape, chip);
  ThreadedTile tile = {
      knobs.size("BM", 16, std::min<int64_t>(256, shape.rows), standard.rows),
      knobs.size("BN", 16, std::min<int64_t>(256, shape.columns),
                 standard.columns),
      knobs.size("TM", 1, std::min<int64_t>(16, shape.rows),
                 standard.threadRows),
      knobs.size("TN", 1, std::min<int64_t>(16, shape.columns),
                 standard.threadColumns)};
  int64_t depth = standardDepth(shape, standard, chip);
  KnobSize bk = knobs.size("BK", depth / 4,
                           std::min<int64_t>(depth * 4, shape.depth), depth);

  // Counts 16 bytes of padding for each row of either tile.
  knobs.constrain({tile.rows, tile.columns, bk},
                  bk.text + " * (" +
                      formatRowBytes(tile, shape.lhsBytes, shape.rhsBytes) +
                      " + 32) <= " + Twine(chip.staticSharedBytes));
  constrainThreads(knobs, chip, tile);
  KnobSize perUnit = choosePerUnit(knobs, chip, tile.sizes(), tile.threads());
  std::string sums = tile.points();
  if (shape.sumRegisters != 1)
    sums += " * " + std::to_string(shape.sumRegisters);
  constrainRegisters(
      knobs, chip, tile,
      sums + " + " + tile.threadRows.text + " + " + tile.threadColumns.text,
      bk.text + " * (" +
          formatRowBytes(tile, shape.lhsOnTheWay, shape.rhsOnTheWay) +
          ") floordiv 4",
      bk);

  GpuSpace space(launch);
  space.others = {
      Builder(op.getContext())
          .getNamedAttr(lowering_config::kPerUnit, perUnit.attribute)};
  space.set(loops->rows, tile.rows, tile.threadRows);
  space.set(loops->columns, tile.columns, tile.threadColumns);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (linalg::isReductionIterator(op.getIteratorTypesArray()[loop])) {
      std::swap(space.workgroup[loop], space.reduction[loop]);
      space.thread[loop] = space.workgroup[loop];
    }
  space.reduction[loops->depth] = bk.attribute;
  return space;
}

namespace {

/// Sizes of a launch of elementwise ops and reductions that bound its tiles.
struct TileSpace {
  TileSpace(const LaunchGroup &launch, const GpuChip &chip)
      : launch(launch), chip(chip),
        along(findContiguousDim(launch.extents, launch.accesses)) {
    int64_t smallest = 8, largest = 4;
    for (const SpaceAccess &access : launch.accesses) {
      int64_t bytes = getElementBytes(access.type);
      smallest = std::min(smallest, bytes);
      largest = std::max(largest, bytes);
    }
    vector = 16 / smallest;
    for (const SpaceAccess &load : launch.loads)
      perPoint += llvm::divideCeil(getElementBytes(load.type), 4);
    // The compiler does not hoist more loads than this.
    perPoint = std::min<int64_t>(perPoint, 50);
    for (const GroupedOp &op : launch.ops)
      sumBytes += op.numReductions * largest;
    // Larger sums would not fit any workgroup.
    sumBytes = std::min<int64_t>(sumBytes, chip.staticSharedBytes / 256);
    if (!launch.reduced)
      findCrosswise();
    if (!other)
      selectCrossDim();
  }

  const LaunchGroup &launch;
  const GpuChip &chip;
  unsigned along;
  /// The dimension besides `along`, or the reduced one, that has tiles.
  std::optional<unsigned> other;
  int64_t vector;         ///< elements of 16 bytes
  int64_t perPoint = 1;   ///< registers of a point
  int64_t crossBytes = 0; ///< bytes of a point staged in shared memory
  int64_t sumBytes = 0;   ///< bytes of the sums that a thread exchanges

  int64_t extent(std::optional<unsigned> dim) const {
    return dim ? launch.extents[*dim] : 1;
  }

  /// Returns the number of workgroups with tiles of these sizes.
  int64_t workgroups(int64_t ofOther, int64_t ofAlong) const {
    int64_t number = 1;
    for (unsigned dim = 0; dim < launch.extents.size(); ++dim)
      if (dim != launch.reduced)
        number *= llvm::divideCeil(launch.extents[dim], dim == other   ? ofOther
                                                        : dim == along ? ofAlong
                                                                       : 1);
    return number;
  }

  bool isEnough(int64_t ofOther, int64_t ofAlong) const {
    return workgroups(ofOther, ofAlong) >= enoughWorkgroups;
  }
  /// Returns true if a workgroup has enough registers, and enough shared memory
  /// for the sums that its threads exchange.
  bool fits(int64_t threads, int64_t points) const {
    return fitsRegisters(chip, threads, points * perPoint) &&
           threads * points * sumBytes <= chip.staticSharedBytes;
  }

private:
  /// Finds the innermost dimension of operands whose rows do not run along
  /// `along`, and the bytes of their elements.
  void findCrosswise() {
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
        crossBytes += getElementBytes(load.type);
    }
  }

  /// Finds the innermost dimension besides `along` with an extent of at least
  /// 16, or else the largest.
  void selectCrossDim() {
    for (unsigned dim = launch.extents.size(); dim-- > 0;)
      if (dim != along && dim != launch.reduced && extent(other) < 16 &&
          extent(dim) > extent(other))
        other = dim;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Returns a tile along the rows, with 16 bytes per thread; several rows if
/// they are short.
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
  // Few threads take as long as each of them does.
  while (!space.isEnough(tile.rows, tile.columns) && tile.threadColumns > 1) {
    tile.threadColumns /= 2;
    tile.columns /= 2;
  }
  return tile;
}

/// Returns a square tile, whose elements are both read and written as
/// contiguous rows.
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

/// Returns the space of elementwise ops, with transposed operands or without.
static GpuSpace elementwiseSpace(const LaunchGroup &launch, const GpuChip &chip,
                                 KnobSizes &knobs) {
  TileSpace space(launch, chip);
  bool isCrosswise = space.crossBytes != 0;
  PlainTile standard = isCrosswise ? crosswiseTile(space) : rowsTile(space);
  int64_t height = space.extent(space.other), width = space.extent(space.along);
  ThreadedTile tile = {
      knobs.size("BM", isCrosswise ? std::min<int64_t>(16, standard.rows) : 1,
                 std::min<int64_t>(height, 128), standard.rows),
      knobs.size("BN", isCrosswise ? 16 : 32,
                 std::min<int64_t>(width, isCrosswise ? 128 : 4096),
                 standard.columns),
      knobs.size("TM", 1, std::min<int64_t>(height, isCrosswise ? 16 : 8),
                 standard.threadRows),
      knobs.size("TN", 1, std::min<int64_t>(width, 2 * space.vector),
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
  result.set(space.along, tile.columns, tile.threadColumns);
  if (space.other)
    result.set(*space.other, tile.rows, tile.threadRows);
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns the tile of a reduction along rows, which are the tile's columns: a
/// subgroup for each row, or more.
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

/// Returns the tile of a reduction along columns: the reduced dimension gives
/// the tile's columns, the others its rows.
static PlainTile reducedColumnsTile(const TileSpace &space) {
  int64_t longest = powerOfTwoBelow(space.extent(space.launch.reduced)),
          width = powerOfTwoAbove(space.extent(space.along));
  PlainTile tile;
  // If columns can't be loaded as vectors, each thread has one column, so that
  // neighbouring threads load neighbouring elements.
  int64_t getContiguousDimAmong =
      int64_t{1} << llvm::countr_zero(uint64_t(space.extent(space.along)));
  tile.threadRows = std::min(space.vector, getContiguousDimAmong);
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

/// Lets a reduction be split if there are few workgroups: `tiles` of its tiles
/// follow each other in each.
static void addSplit(GpuSpace &space, const LaunchGroup &launch,
                     KnobSizes &knobs, int64_t workgroups, int64_t tiles) {
  // Each part needs some loads on the way.
  constexpr int64_t fewestTiles = 4;
  int64_t most = std::min<int64_t>(powerOfTwoBelow(tiles / fewestTiles),
                                   lowering_config::kMostThreads);
  if (workgroups >= enoughWorkgroups || most < 2 || !canSplit(launch))
    return;
  int64_t standard = 1;
  while (standard < most && workgroups * standard < enoughWorkgroups)
    standard *= 2;
  Builder builder(launch.accesses.front().map.getContext());
  space.others.push_back(
      builder.getNamedAttr(lowering_config::kSplit,
                           knobs.size("SPLIT", 1, most, standard).attribute));
}

/// Returns the space of reductions over one dimension with elementwise ops.
static GpuSpace reductionSpace(const LaunchGroup &launch, const GpuChip &chip,
                               KnobSizes &knobs) {
  TileSpace space(launch, chip);
  unsigned reduced = *launch.reduced;
  bool isOfRows = space.along == reduced;
  std::optional<unsigned> kept = isOfRows ? space.other : space.along;
  int64_t vector = space.vector, extent = space.extent(kept);
  // Limits the threads to the largest power of two within the extent: other
  // counts make the exchange of sums slow.
  int64_t longest = powerOfTwoBelow(space.extent(reduced));
  PlainTile standard =
      isOfRows ? reducedRowsTile(space) : reducedColumnsTile(space);
  ThreadedTile tile =
      isOfRows
          ? ThreadedTile{knobs.size("BM", 1, std::min<int64_t>(extent, 32),
                                    standard.rows),
                         knobs.size("BK", 32, std::min<int64_t>(longest, 8192),
                                    standard.columns),
                         knobs.size("TM", 1, std::min<int64_t>(extent, 4),
                                    standard.threadRows),
                         knobs.size("TK", 1,
                                    std::min<int64_t>(longest, 4 * vector),
                                    standard.threadColumns)}
          : ThreadedTile{
                knobs.size("BN", vector, std::min<int64_t>(extent, 1024),
                           standard.rows),
                knobs.size("BK", 4, std::min<int64_t>(longest, 512),
                           standard.columns),
                knobs.size("TN", 1, std::min<int64_t>(extent, 2 * vector),
                           standard.threadRows),
                knobs.size("TK", 1, std::min<int64_t>(longest, 16),
                           standard.threadColumns)};
  constrainThreads(knobs, chip, tile);
  constrainRegisters(knobs, chip, tile,
                     tile.points() + " * " + std::to_string(space.perPoint));
  knobs.constrain({tile.rows, tile.columns, tile.threadColumns},
                  tile.rows.text + " * (" + tile.columns.text + " floordiv " +
                      tile.threadColumns.text + ") * " + Twine(space.sumBytes) +
                      " <= " + Twine(chip.staticSharedBytes));

  GpuSpace result(launch);
  addSplit(result, launch, knobs,
           isOfRows ? space.workgroups(standard.rows, 1)
                    : space.workgroups(1, standard.rows),
           longest / standard.columns);
  result.workgroup[reduced] = result.reduction[reduced];
  result.reduction[reduced] = tile.columns.attribute;
  result.thread[reduced] = tile.threadColumns.attribute;
  if (kept)
    result.set(*kept, tile.rows, tile.threadRows);
  return result;
}

/// Number of an op of the annotated function, on its counterpart in the copy
/// that has the form of the lowering.
static constexpr StringLiteral kNumber = "number";

static std::optional<int64_t> getNumber(Operation *op) {
  auto number = op ? op->getAttrOfType<IntegerAttr>(kNumber) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// Attribute of an op of the copy that has fewer loops than its counterpart.
static constexpr StringLiteral kIsFolded = "folded";

/// Returns the op that gets the launch's configuration; null if nothing can be
/// configured.
static const GroupedOp *selectConfiguredOp(const LaunchGroup &launch) {
  bool isEmpty = llvm::any_of(launch.extents, [](int64_t extent) {
    return extent == 0 || ShapedType::isDynamic(extent);
  });
  if (isEmpty || launch.kind == LaunchGroup::Kind::points ||
      llvm::any_of(launch.ops, std::mem_fn(&GroupedOp::isConfigured)))
    return nullptr;
  const auto *configured = llvm::find_if(launch.ops, [&](const GroupedOp &one) {
    return one.anchor && one.anchor->hasAttr(kNumber) &&
           !one.anchor->hasAttr(kIsFolded) &&
           !isa<linalg::FillOp>(one.anchor) &&
           one.dims.size() == launch.extents.size() &&
           (one.numReductions != 0) == launch.reduced.has_value();
  });
  return configured == launch.ops.end() ? nullptr : configured;
}

/// Attribute of an op of the copy: the loop of its counterpart that it lacks,
/// as the next one has its iterations, too.
static constexpr StringLiteral kMergedLoop = "merged_loop";

/// Gives the op of a launch the configuration that the space describes.
static bool configure(const GroupedOp &op, const GpuSpace &space,
                      KnobSizes &knobs) {
  auto byLoop = [&](ArrayRef<Attribute> byDimension) {
    SmallVector<Attribute> sizes;
    if (!byDimension.empty())
      for (unsigned dim : op.dims)
        sizes.push_back(byDimension[dim]);
    auto merged = op.anchor->getAttrOfType<IntegerAttr>(kMergedLoop);
    if (merged && !sizes.empty())
      sizes.insert(
          sizes.begin() + merged.getInt(),
          IntegerAttr::get(IntegerType::get(merged.getContext(), 64), 0));
    return sizes;
  };
  SmallVector<Attribute> workgroup = byLoop(space.workgroup),
                         reduction = byLoop(space.reduction),
                         thread = byLoop(space.thread),
                         subgroup = byLoop(space.subgroup);
  return knobs.configure(op.anchor,
                         {{lowering_config::kWorkgroup, workgroup},
                          {lowering_config::kReduction, reduction},
                          {lowering_config::kSubgroup, subgroup},
                          {lowering_config::kThread, thread}},
                         space.others);
}

static bool annotate(const LaunchGroup &launch, const GpuChip &chip,
                     KnobSizes &knobs) {
  const GroupedOp *configured = selectConfiguredOp(launch);
  if (!configured)
    return false;
  GpuSpace space = launch.kind == LaunchGroup::Kind::contraction
                       ? contractionSpace(launch, chip, knobs)
                   : launch.reduced ? reductionSpace(launch, chip, knobs)
                                    : elementwiseSpace(launch, chip, knobs);
  return configure(*configured, space, knobs);
}

/// Launches that become one for an attention.
static constexpr size_t attentionParts = 3;

/// Returns the attention that begins with the i-th part, if no configuration
/// has it in parts.
static std::optional<Attention> findAttentionAt(ArrayRef<LaunchPart> parts,
                                                size_t i) {
  if (i + attentionParts > parts.size())
    return std::nullopt;
  const auto *scores = std::get_if<LaunchGroup>(&parts[i]),
             *rows = std::get_if<LaunchGroup>(&parts[i + 1]),
             *product = std::get_if<LaunchGroup>(&parts[i + 2]);
  if (!scores || !rows || !product)
    return std::nullopt;
  auto attention = findAttention(*scores, *rows, *product);
  if (!attention)
    return std::nullopt;
  auto isConfigured = std::mem_fn(&GroupedOp::isConfigured);
  linalg::LinalgOp op = product->ops.front().op;
  DictionaryAttr config = getLoweringConfig(op);
  bool isOnline = config && config.contains(lowering_config::kSoftmax);
  if (!isOnline && (llvm::any_of(attention->scores.ops, isConfigured) ||
                    llvm::any_of(product->ops, isConfigured)))
    return std::nullopt;
  return std::move(*attention);
}

static SmallVector<linalg::LinalgOp> findWindows(func::FuncOp function) {
  return llvm::filter_to_vector(collectOps<linalg::LinalgOp>(function),
                                hasSlidingWindows);
}

/// Returns true if the lowering knows the value's place only at run time.
static bool isMovedSlice(Value value) {
  for (; value; value = viewSource(value))
    if (auto slice = value.getDefiningOp<OffsetSizeAndStrideOpInterface>();
        slice && ShapedType::isDynamicShape(slice.getStaticOffsets()))
      return true;
  return false;
}

/// Returns how many elements of a view an access can take: all axes have steps
/// of as many, and the last one is contiguous.
static int64_t countAtOnce(ArrayRef<int64_t> shape, ArrayRef<WindowAxis> axes) {
  SmallVector<int64_t> strides = computeStrides(shape), steps;
  for (const WindowAxis &axis : axes)
    steps.push_back(strides[axis.axis] * axis.step);
  if (steps.pop_back_val() != 1)
    return 1;
  constexpr int64_t most = 16;
  return commonPowerOfTwo(steps, most);
}

/// Makes contractions of convolutions, whose views have no contents.
static void makeContractions(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : findWindows(function)) {
    SmallVector<int64_t> windowLoops;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (movesSlidingWindow(op, loop))
        windowLoops.push_back(loop);
    WindowContraction made = makeWindowContraction(
        rewriter, op, [&](Value source, ArrayRef<WindowAxis> axes) -> Value {
          auto type = cast<ShapedType>(source.getType());
          if (isDynamic(type) || isMovedSlice(source))
            return {};
          SmallVector<int64_t> ranges = op.getStaticLoopRanges(), shape;
          for (const WindowAxis &axis : axes)
            shape.push_back(ShapedType::isDynamic(ranges[axis.loop])
                                ? ShapedType::kDynamic
                                : ranges[axis.loop] * axis.times);
          if (ShapedType::isDynamicShape(shape))
            return {};
          Operation *view = nullptr;
          if (isa<MemRefType>(type))
            view = memref::AllocOp::create(
                rewriter, op.getLoc(),
                MemRefType::get(shape, type.getElementType()));
          else
            view = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                           type.getElementType());
          view->setAttr(kAtOnce, rewriter.getIndexAttr(
                                     countAtOnce(type.getShape(), axes)));
          return view->getResult(0);
        });
    if (!made.op)
      continue;
    if (made.mergedLoop) {
      made.op->setAttr(kMergedLoop, rewriter.getIndexAttr(*made.mergedLoop));
      // The loop behind it is the last one, and has its number now.
      windowLoops = {int64_t(*made.mergedLoop)};
    }
    made.op->setAttr(kWindowLoops, rewriter.getDenseI64ArrayAttr(windowLoops));
  }
}

static SmallVector<Operation *> collectStructuredOps(func::FuncOp function) {
  return collectOpsIf(function, [](Operation *op) {
    return isa<linalg::LinalgOp, linalg::SoftmaxOp>(op);
  });
}

/// Marks the ops whose counterparts in the function have other loops.
static void markFoldedOps(func::FuncOp function, func::FuncOp form) {
  SmallVector<Operation *> ops = collectStructuredOps(function);
  form.walk([&](linalg::LinalgOp op) {
    std::optional<int64_t> number = getNumber(op);
    auto before =
        number ? dyn_cast<linalg::LinalgOp>(ops[*number]) : linalg::LinalgOp();
    if (before && before.getNumLoops() != op.getNumLoops())
      op->setAttr(kIsFolded, UnitAttr::get(op.getContext()));
  });
}

/// Returns a copy of the function with its closure, in the form that becomes
/// launches: each op has the number of the function's. Null if the function
/// can't be lowered; lowering says why.
static OwningOpRef<ModuleOp> copyAsLaunches(func::FuncOp function) {
  if (function.isExternal() || hasOwnLowering(function) ||
      getSchedule(function) || !function.getBody().hasOneBlock())
    return nullptr;
  // The module may have loaded no others than it has ops of.
  function.getContext()
      ->loadDialect<affine::AffineDialect, arith::ArithDialect,
                    linalg::LinalgDialect, memref::MemRefDialect,
                    tensor::TensorDialect>();
  OwningOpRef<ModuleOp> copy = extractClosure(function);
  auto form = copy->lookupSymbol<func::FuncOp>(function.getSymName());
  Builder builder(function.getContext());
  for (auto [i, op] : llvm::enumerate(collectStructuredOps(form)))
    op->setAttr(kNumber, builder.getIndexAttr(int64_t(i)));
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(fuseMoves(form)))
    return nullptr;
  markFoldedOps(function, form);
  duplicateInits(form);
  gatherEpilogues(form);
  makeContractions(form);
  return copy;
}

/// Gives ops of a function without a configuration those of the ops with their
/// numbers.
static void copyAnnotations(func::FuncOp from, func::FuncOp to) {
  SmallVector<Operation *> ops = collectStructuredOps(to);
  for (Operation *annotated : collectStructuredOps(from))
    if (std::optional<int64_t> number = getNumber(annotated))
      if (Attribute config = annotated->getAttr(TonnoDialect::kLoweringConfig);
          config && !getLoweringConfig(ops[*number]))
        ops[*number]->setAttr(TonnoDialect::kLoweringConfig, config);
  if (Attribute constraints = from->getAttr(TonnoDialect::kConstraints))
    to->setAttr(TonnoDialect::kConstraints, constraints);
}

unsigned tonno::annotateForGpu(func::FuncOp function, const GpuChip &chip) {
  // The module may not have loaded the dialect yet.
  function.getContext()->loadDialect<TonnoDialect>();
  OwningOpRef<ModuleOp> copy = copyAsLaunches(function);
  if (!copy)
    return 0;
  auto form = copy->lookupSymbol<func::FuncOp>(function.getSymName());
  KnobSizes knobs(form);
  unsigned count = 0;
  std::vector<LaunchPart> parts = findParts(form.getBody().front());
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto *launch = std::get_if<LaunchGroup>(&parts[i]);
    if (!launch)
      continue;
    if (auto attention = findAttentionAt(parts, i)) {
      const GroupedOp &op = attention->product.ops.front();
      auto space = op.isConfigured() || !op.anchor->hasAttr(kNumber)
                       ? std::nullopt
                       : attentionSpace(*attention, chip, knobs);
      if (space)
        count += configure(op, *space, knobs);
      if (space || op.isConfigured()) {
        i += attentionParts - 1;
        continue;
      }
    }
    count += annotate(*launch, chip, knobs);
  }
  knobs.finish();
  copyAnnotations(form, function);
  return count;
}

static void appendNumbers(const LaunchGroup &launch,
                          SmallVectorImpl<int64_t> &numbers) {
  auto append = [&](Operation *op) {
    if (std::optional<int64_t> number = getNumber(op))
      numbers.push_back(*number);
  };
  for (const GroupedOp &one : launch.ops)
    append(one.anchor);
  llvm::for_each(launch.absorbed, append);
}

OpGroups tonno::findGpuGroups(func::FuncOp function) {
  OpGroups groups;
  OwningOpRef<ModuleOp> copy = copyAsLaunches(function);
  if (!copy)
    return groups;
  auto form = copy->lookupSymbol<func::FuncOp>(function.getSymName());
  SmallVector<Operation *> ops = collectStructuredOps(function);
  llvm::BitVector isLeft(ops.size());
  for (Operation *op : collectStructuredOps(form))
    if (std::optional<int64_t> number = getNumber(op))
      isLeft.set(*number);
  for (auto [op, number] : llvm::zip_equal(ops, llvm::seq(ops.size())))
    if (!isLeft.test(number))
      groups.absorbed.insert(op);

  std::vector<LaunchPart> parts = findParts(form.getBody().front());
  std::vector<SmallVector<int64_t>> launches;
  for (size_t i = 0; i < parts.size();) {
    size_t end = findAttentionAt(parts, i) ? i + attentionParts : i + 1;
    SmallVector<int64_t> &numbers = launches.emplace_back();
    for (; i < end; ++i)
      if (const auto *launch = std::get_if<LaunchGroup>(&parts[i]))
        appendNumbers(*launch, numbers);
  }
  // A fill that several ops begin with has a copy in the launch of each.
  llvm::BitVector isLaunched(ops.size());
  for (ArrayRef<int64_t> numbers : launches)
    for (int64_t number : numbers) {
      if (isLaunched.test(number))
        groups.absorbed.insert(ops[number]);
      isLaunched.set(number);
    }
  for (SmallVector<int64_t> &numbers : launches) {
    llvm::erase_if(numbers, [&](int64_t number) {
      return groups.absorbed.contains(ops[number]);
    });
    for (int64_t number : numbers)
      groups.lastOps[ops[number]] = ops[*llvm::max_element(numbers)];
  }
  return groups;
}
