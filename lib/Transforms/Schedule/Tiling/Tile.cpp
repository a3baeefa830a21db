//===- Tile linalg ops by their configuration -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "Schedule/Threads/ShareLoops.h"
#include "Schedule/Tiling/DynamicLoops.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"
#include "Schedule/Tiling/PackConstants.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

#include <cstdint>

namespace tonno {
#define GEN_PASS_DEF_TILEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// An op on panels, and where its loops come from.
struct PanelOp {
  linalg::GenericOp op;
  /// Original loops of which the op's last loops iterate over the tiles.
  SmallVector<unsigned> inner;
};

/// Level of a tiling.
struct Level {
  SmallVector<int64_t> tiles;
  /// The loops' order, outermost first; empty for the op's own.
  SmallVector<int64_t> order;
  /// The loop whose tiles become vectors.
  std::optional<unsigned> vectorLoop;
  /// The loop whose steps are summed up in as many lanes as its tile has.
  std::optional<unsigned> laneLoop;
  /// Peels the remainders of the tiles, but creates no loops.
  bool splitOnly = false;
  /// Pads the remainder of the vector loop to a vector.
  bool padsRemainders = false;
  /// Loops along which inputs are packed; empty where there are none.
  SmallVector<bool, 8> packedLoops;
  /// Number of steps of each loop that are adjacent where inputs are packed.
  SmallVector<int64_t, 0> groups;
  /// Inputs that are packed, of the op that the level is applied to.
  SmallVector<bool, 8> packedInputs;
  /// Number of threads that share the outermost parallel loop of those in
  /// `order`; 1 if none is shared. `tiles` are then the least sizes for each
  /// thread.
  int64_t threads = 1;
};

} // namespace

/// Returns true if the loop's sum, on tensors, can be split into lanes.
static bool canSumByLanes(linalg::LinalgOp op, unsigned loop) {
  return op.hasPureTensorSemantics() && !op.hasIndexSemantics() &&
         linalg::isReductionIterator(op.getIteratorTypesArray()[loop]) &&
         canCombineAllResults(op);
}

/// Replaces the op by loops over its tiles; returns the op of one tile. Fails
/// with the op left.
static FailureOr<linalg::LinalgOp> makeLoops(RewriterBase &rewriter,
                                             linalg::LinalgOp op,
                                             ArrayRef<int64_t> tiles,
                                             scf::SCFTilingOptions options) {
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  if (op.hasDynamicShape() &&
      options.loopType == scf::SCFTilingOptions::LoopType::ForOp)
    setExactLoops(options);
  rewriter.setInsertionPoint(op);
  auto tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(op, tiled->replacements);
  return cast<linalg::LinalgOp>(tiled->tiledOps.front());
}

/// Sums up along the loop in `lanes`, which must divide it, and adds these up
/// in the end, so that steps don't wait for each other. Returns the op of one
/// step.
static FailureOr<linalg::LinalgOp> sumByLanes(RewriterBase &rewriter,
                                              linalg::LinalgOp summed,
                                              unsigned loop, int64_t lanes) {
  auto plain = dropUnitResults(rewriter, summed);
  if (failed(plain))
    return failure();
  linalg::LinalgOp op = *plain;
  SmallVector<int64_t> tiles(op.getNumLoops(), 0);
  tiles[loop] = lanes;
  scf::SCFTilingOptions options;
  options.setReductionTilingStrategy(
      ReductionTilingStrategy::PartialReductionOuterReduction);
  options.setReductionDims(loop);
  auto step = makeLoops(rewriter, op, tiles, options);
  if (failed(step))
    return op.emitOpError() << "cannot be reduced by vector lanes";
  return step;
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

static std::optional<unsigned> getDimPosition(AffineExpr index) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return dim.getPosition();
  return std::nullopt;
}

namespace {

/// Splits each loop with a tile, which divides it, into one over tiles and,
/// innermost, one over the tile. Inputs that are `packed` are copied into
/// panels (`linalg.pack`), where what is summed up together is contiguous (Goto
/// and van de Geijn, "Anatomy of high-performance matrix multiplication"),
/// extended to the sum's type or, by tiles of a reduction, to i16. Others are
/// reshaped in place.
class PanelMaker {
public:
  PanelMaker(RewriterBase &rewriter, linalg::LinalgOp op,
             ArrayRef<int64_t> tiles, ArrayRef<bool> packed)
      : rewriter(rewriter), op(op), tiles(tiles), packed(packed) {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (tiles[loop] != 0) {
        innerDims[loop] = op.getNumLoops() + inner.size();
        inner.push_back(loop);
      }
  }

  /// Replaces the op; fails, without changes, if it can't be reshaped.
  FailureOr<PanelOp> make() {
    if (!canMake())
      return failure();
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    SmallVector<SmallVector<ReassociationIndices>> groups;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Operand changed = change(*input);
      inputs.push_back(changed.value);
      maps.push_back(changed.map);
    }
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Operand changed = change(init);
      inits.push_back(changed.value);
      maps.push_back(changed.map);
      groups.push_back(std::move(changed.groups));
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    for (unsigned loop : inner)
      iterators.push_back(iterators[loop]);
    Location loc = op.getLoc();
    auto panels = linalg::GenericOp::create(rewriter, loc, TypeRange(inits),
                                            inputs, inits, maps, iterators);
    rewriter.cloneRegionBefore(op->getRegion(0), panels.getRegion(),
                               panels.getRegion().begin());
    adaptPayload(panels);
    SmallVector<Value> results;
    for (auto [result, type, group] :
         llvm::zip_equal(panels->getResults(), op->getResultTypes(), groups)) {
      if (group.empty())
        results.push_back(result);
      else
        results.push_back(tensor::CollapseShapeOp::create(rewriter, loc, type,
                                                          result, group));
    }
    rewriter.replaceOp(op, results);
    return PanelOp{panels, inner};
  }

private:
  bool canMake() {
    auto extents = op.getStaticLoopRanges();
    for (unsigned loop : inner)
      if (extents[loop] % tiles[loop] != 0)
        return false;
    return !inner.empty() && op.hasPureTensorSemantics() &&
           !op.hasIndexSemantics() && llvm::none_of(inner, [&](unsigned loop) {
             return movesSlidingWindow(op, loop);
           });
  }

  /// A value with two dimensions for each tiled loop, and its map.
  struct Operand {
    Value value;
    AffineMap map;
    SmallVector<ReassociationIndices> groups; ///< if it was reshaped
  };

  bool isTiled(AffineExpr index) const {
    auto loop = getDimPosition(index);
    return loop && innerDims.contains(*loop);
  }

  bool isReductionLoop(unsigned loop) {
    return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
  }

  /// Returns the extension to the sum's type that alone uses the element.
  Operation *findExtension(OpOperand &operand) {
    BlockArgument element = op.getMatchingBlockArgument(&operand);
    if (!element.hasOneUse())
      return nullptr;
    Operation *user = *element.user_begin();
    bool extends = isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(user);
    return extends && user->getNumOperands() == 1 ? user : nullptr;
  }

  /// Returns the type of copied elements: that of the sum, so that nothing is
  /// converted later, or the narrowest that is summed up in groups.
  Type packedType(OpOperand &operand) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    Operation *extension = findExtension(operand);
    if (!extension)
      return element;
    Type wide = extension->getResult(0).getType();
    bool isGrouped = llvm::any_of(
        op.getMatchingIndexingMap(&operand).getResults(),
        [&](AffineExpr index) {
          return isTiled(index) && isReductionLoop(*getDimPosition(index));
        });
    if (!isGrouped)
      return wide;
    auto integer = dyn_cast<IntegerType>(element);
    if (integer && integer.getWidth() < 16 && wide.getIntOrFloatBitWidth() > 16)
      return rewriter.getIntegerType(16);
    return element;
  }

  /// Converts a copy; it becomes one with the copying.
  Value widen(Value copy, Operation *extension, Type element) {
    auto type = cast<RankedTensorType>(copy.getType());
    Location loc = op.getLoc();
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               rewriter, loc, empty.getType(), copy, empty, {map, map},
               iterators,
               [&](OpBuilder &builder, Location loc, ValueRange elements) {
                 Value wide =
                     builder
                         .create(loc, extension->getName().getIdentifier(),
                                 elements.front(), element)
                         ->getResult(0);
                 linalg::YieldOp::create(builder, loc, wide);
               })
        .getResult(0);
  }

  /// Adapts the extensions to copies that are wider by now.
  void adaptPayload(linalg::GenericOp panels) {
    OpBuilder::InsertionGuard guard(rewriter);
    for (OpOperand *input : panels.getDpsInputOperands()) {
      BlockArgument element = panels.getMatchingBlockArgument(input);
      Type type = getElementTypeOrSelf(input->get().getType());
      if (element.getType() == type)
        continue;
      Operation *extension = *element.user_begin();
      Type wide = extension->getResult(0).getType();
      element.setType(type);
      if (wide == type) {
        rewriter.replaceOp(extension, element);
      } else if (isa<arith::ExtUIOp>(extension)) {
        rewriter.setInsertionPoint(extension);
        rewriter.replaceOpWithNewOp<arith::ExtSIOp>(extension, wide, element);
      }
    }
  }

  Operand change(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        llvm::none_of(map.getResults(), [&](auto e) { return isTiled(e); }))
      return {operand.get(), makeMap(map.getResults()), {}};
    bool isPacked =
        op.isDpsInput(&operand) && packed[operand.getOperandNumber()];
    return isPacked ? pack(operand) : reshape(operand);
  }

  Operand pack(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<int64_t> outer, tiled, reduced, grouped, innerTiles;
    for (auto [position, index] : llvm::enumerate(map.getResults())) {
      auto loop = getDimPosition(index);
      if (loop && isReductionLoop(*loop))
        (isTiled(index) ? grouped : reduced).push_back(position);
      else
        (isTiled(index) ? tiled : outer).push_back(position);
    }
    llvm::append_range(outer, tiled);
    llvm::append_range(outer, reduced);
    llvm::append_range(outer, grouped);
    // A filter keeps its order, which vectors read in rows.
    if (tiled.empty() && hasSlidingWindows(op))
      llvm::sort(outer);
    llvm::append_range(tiled, grouped);
    for (int64_t position : tiled)
      innerTiles.push_back(tiles[*getDimPosition(map.getResult(position))]);
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(rewriter.getContext(), innerTiles);
    Location loc = op.getLoc();
    Value destination = linalg::PackOp::createDestinationTensor(
        rewriter, loc, operand.get(), sizes, tiled, outer);
    Value copy =
        linalg::PackOp::create(rewriter, loc, operand.get(), destination, tiled,
                               sizes, /*paddingValue=*/{}, outer)
            .getResult();
    Type element = packedType(operand);
    if (element != getElementTypeOrSelf(copy.getType()))
      copy = widen(copy, findExtension(operand), element);
    SmallVector<AffineExpr> indices;
    for (int64_t position : outer)
      indices.push_back(map.getResult(position));
    for (int64_t position : tiled)
      indices.push_back(innerIndex(*getDimPosition(map.getResult(position))));
    return {copy, makeMap(indices), {}};
  }

  Operand reshape(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = cast<RankedTensorType>(operand.get().getType());
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> indices;
    SmallVector<ReassociationIndices> groups;
    for (auto [extent, index] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      auto &group = groups.emplace_back();
      auto add = [&](int64_t size, AffineExpr place) {
        group.push_back(static_cast<int64_t>(shape.size()));
        shape.push_back(size);
        indices.push_back(place);
      };
      if (!isTiled(index)) {
        add(extent, index);
        continue;
      }
      unsigned loop = *getDimPosition(index);
      add(extent / tiles[loop], index);
      add(tiles[loop], innerIndex(loop));
    }
    auto expanded = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(), type.clone(shape), operand.get(), groups);
    return {expanded.getResult(), makeMap(indices), std::move(groups)};
  }

  AffineExpr innerIndex(unsigned loop) {
    return rewriter.getAffineDimExpr(innerDims.at(loop));
  }
  AffineMap makeMap(ArrayRef<AffineExpr> indices) {
    return AffineMap::get(op.getNumLoops() + inner.size(), 0, indices,
                          rewriter.getContext());
  }

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  ArrayRef<int64_t> tiles;
  ArrayRef<bool> packed;
  SmallVector<unsigned> inner;
  llvm::DenseMap<unsigned, unsigned> innerDims;
};

} // namespace

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// Orders loops for registers: the last parallel loop outermost, so that a
/// panel of B stays in the nearest cache, and reductions innermost. Without
/// these, keeps the op's order.
static Level registerLevel(linalg::LinalgOp op, ArrayRef<int64_t> tiles) {
  SmallVector<unsigned> parallel, reductions;
  if (hasSlidingWindows(op))
    parallel = getLoopsInResultOrder(op);
  else
    op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  Level level;
  llvm::append_range(level.tiles, tiles);
  llvm::append_range(level.order, parallel);
  if (!reductions.empty())
    std::reverse(level.order.begin(), level.order.end());
  llvm::append_range(level.order, reductions);
  if (llvm::all_of(tiles, [](int64_t tile) { return tile == 0; }))
    return level;
  for (unsigned loop : reductions)
    if (level.tiles[loop] == 0)
      level.tiles[loop] = 1;
  if (!parallel.empty())
    level.vectorLoop = parallel.back();
  return level;
}

/// Returns the loop along the rows of an operand that can be summed by lanes.
static std::optional<unsigned> laneLoop(linalg::LinalgOp op,
                                        ArrayRef<int64_t> tiles) {
  for (AffineMap map : op.getIndexingMapsArray())
    if (auto row = rowLoop(map);
        row && tiles[*row] > 1 && canSumByLanes(op, *row))
      return row;
  return std::nullopt;
}

/// Takes the loop that is summed up in lanes out of the level of registers.
static Level extractLaneLevel(Level &registers, unsigned loop) {
  Level lanes;
  lanes.tiles.assign(registers.tiles.size(), 0);
  std::swap(lanes.tiles[loop], registers.tiles[loop]);
  lanes.vectorLoop = lanes.laneLoop = loop;
  return lanes;
}

/// Splits remainders off outside of a reduction's loop: inside, it would carry
/// both pieces of the result, which bufferisation takes to overlap.
static Level computeRemainderLevel(const Level &registers,
                                   linalg::LinalgOp op) {
  Level remainders = registers;
  remainders.splitOnly = remainders.padsRemainders = true;
  for (auto [tile, kind] :
       llvm::zip_equal(remainders.tiles, op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      tile = 0;
  return remainders;
}

/// Rounds blocks up to multiples of the register tiles.
static SmallVector<int64_t> roundUpBlocks(ArrayRef<int64_t> blocks,
                                          ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> rounded(blocks);
  for (auto [block, tile] : llvm::zip_equal(rounded, tiles))
    if (tile != 0)
      block = static_cast<int64_t>(llvm::alignTo(block, tile));
  return rounded;
}

static SmallVector<Level> computeThreadLevels(linalg::LinalgOp op,
                                              const TileSizes &sizes) {
  Level registers = registerLevel(op, sizes.subgroup);
  Level remainders = computeRemainderLevel(registers, op);
  bool hasWindows = hasSlidingWindows(op);
  // Steps of windows are grouped before.
  bool isPacked = llvm::is_contained(sizes.pack, 1) &&
                  !(hasWindows &&
                    llvm::any_of(sizes.pack, [](int64_t n) { return n > 1; }));
  if (isPacked) {
    llvm::append_range(registers.groups, sizes.pack);
    for (auto [pack, kind] :
         llvm::zip_equal(sizes.pack, op.getIteratorTypesArray()))
      registers.packedLoops.push_back(
          pack == 1 || (pack != 0 && !linalg::isReductionIterator(kind)));
  }
  if (sizes.interchange.empty() && (!isPacked || hasWindows)) {
    // Caches: the loops in the op's order, then the parts of a reduction, so
    // that a tile of the result stays where it is while they are summed up.
    Level workgroup, reduction;
    workgroup.tiles = roundUpBlocks(sizes.workgroup, sizes.subgroup);
    if (hasSlidingWindows(op))
      llvm::append_range(workgroup.order, computeResultLoopOrder(op));
    reduction.tiles = sizes.reduction;
    if (auto loop = laneLoop(op, registers.tiles)) {
      remainders.padsRemainders =
          false; // the vectors lie along what is summed up
      Level lanes = extractLaneLevel(registers, *loop);
      return {workgroup, remainders, reduction, registers, lanes};
    }
    return {workgroup, remainders, reduction, registers};
  }
  Level caches;
  llvm::append_range(caches.order, sizes.interchange);
  SmallVector<int64_t> blocks = roundUpBlocks(sizes.workgroup, sizes.subgroup);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    caches.tiles.push_back(linalg::isReductionIterator(kind)
                               ? sizes.reduction[loop]
                               : blocks[loop]);
  return {remainders, caches, registers};
}

/// Returns the tiling levels of a configuration, outermost first.
static SmallVector<Level> computeTilingLevels(linalg::LinalgOp op,
                                              const TileSizes &sizes) {
  SmallVector<Level> levels = computeThreadLevels(op, sizes);
  if (sizes.threads == 1)
    return levels;
  Level shared;
  shared.threads = sizes.threads;
  shared.tiles = sizes.subgroup;
  shared.order = sizes.interchange;
  levels.insert(levels.begin(), shared);
  return levels;
}

/// Returns true if the dynamic loop never fills its tile of the first level,
/// and no later level has a smaller one.
static bool isRemainder(ArrayRef<Level> levels, const LoopExtents &extents,
                        size_t loop) {
  int64_t tile = levels.front().tiles[loop];
  std::optional<int64_t> bound = extents.getBound(loop);
  return tile != 0 && bound && *bound < tile &&
         llvm::none_of(
             levels.drop_front(),
             [&](const Level &later) {
               return later.tiles[loop] != 0 && later.tiles[loop] < tile;
             });
}

/// Returns the first level's tile size of a dynamic loop. One that the loop
/// never fills is left to a level with a smaller tile, or else quartered.
static int64_t fitToBound(ArrayRef<Level> levels, const LoopExtents &extents,
                          size_t loop) {
  if (isRemainder(levels, extents, loop))
    return fitTileToBound(*extents.getBound(loop));
  int64_t tile = levels.front().tiles[loop];
  return extents.canExceed(loop, tile - 1) ? tile : 0;
}

/// Returns true if the remainder of a dynamic loop is computed in one piece for
/// each number of iterations: several pieces would each read the operand that
/// they share. With more dynamic loops, the code would multiply.
static bool isBranchedOn(linalg::LinalgOp op, ArrayRef<Level> levels,
                         const LoopExtents &extents, size_t loop) {
  constexpr int64_t mostBranches = 11; // of the tallest tile by default, 12
  return extents.isDynamic(loop) && isRemainder(levels, extents, loop) &&
         *extents.getBound(loop) <= mostBranches &&
         linalg::isaContractionOpInterface(op) &&
         linalg::isParallelIterator(op.getIteratorTypesArray()[loop]) &&
         hasOneDynamicLoop(op);
}

/// Returns the levels of an op with fewer rows than a register tile has: the
/// tile is wider instead, so that as many sums hide each other's latency.
static SmallVector<Level> widenForRows(ArrayRef<Level> levels,
                                       linalg::LinalgOp op, unsigned loop) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<Level> widened(levels);
  // Panels have the width of the tile.
  if (llvm::is_contained(levels.back().packedLoops, true))
    return widened;
  for (Level &level : widened) {
    if (!level.vectorLoop || *level.vectorLoop == loop)
      continue;
    unsigned columns = *level.vectorLoop;
    int64_t &width = level.tiles[columns];
    auto divides = [&](int64_t wide) {
      return wide != 0 && extents[columns] % wide == 0 &&
             llvm::all_of(levels, [&](const Level &other) {
               return other.vectorLoop || other.tiles[columns] % wide == 0;
             });
    };
    for (int64_t rows = level.tiles[loop];
         rows >= 2 * extents[loop] && divides(2 * width); rows /= 2)
      width *= 2;
  }
  return widened;
}

/// Returns the tile sizes of the first level for an op of these extents.
static SmallVector<int64_t> fitTiles(ArrayRef<Level> levels,
                                     const LoopExtents &extents) {
  const Level &level = levels.front();
  SmallVector<int64_t> tiles = level.tiles;
  for (auto [loop, tileSize] : llvm::enumerate(tiles)) {
    if (extents.isDynamic(loop)) {
      tileSize = fitToBound(levels, extents, loop);
      continue;
    }
    int64_t extent = *extents.getStatic(loop);
    if (tileSize <= extent)
      continue;
    // Vectors of other lengths than powers of two are slow.
    tileSize = level.vectorLoop == loop
                   ? int64_t(llvm::bit_floor(uint64_t(extent)))
                   : extent;
  }
  return tiles;
}

/// Returns the inputs along packed loops that several register tiles read, in
/// one call or, of a constant argument, in all.
static SmallVector<bool, 8> packedInputs(linalg::LinalgOp op,
                                         const Level &level,
                                         const LoopExtents &extents) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<bool, 8> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isAlong = false, isReadAgain = isPartOfConstant(input->get());
    for (auto [loop, packed] : llvm::enumerate(level.packedLoops))
      isAlong |= packed && map.isFunctionOfDim(loop);
    for (unsigned loop : parallel)
      isReadAgain |=
          !map.isFunctionOfDim(loop) &&
          extents.canExceed(loop, std::max<int64_t>(level.tiles[loop], 1));
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    inputs.push_back(isAlong && isReadAgain && type && type.hasStaticShape());
  }
  return inputs;
}

/// Returns the level of loops over the panels' tiles and the reductions, around
/// one tile.
static Level computePanelLevel(const PanelOp &panels, ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> steps(tiles);
  for (unsigned loop : panels.inner)
    steps[loop] = 1;
  steps.append(panels.inner.size(), 0);
  Level level = registerLevel(panels.op, steps);
  std::fill(level.tiles.end() - panels.inner.size(), level.tiles.end(), 0);
  level.vectorLoop.reset();
  return level;
}

/// Returns true if adjacent steps of the loop are summed up together.
static bool isGrouped(const Level &level, const LoopExtents &extents,
                      unsigned loop) {
  return llvm::is_contained(level.packedInputs, true) &&
         level.groups[loop] > 1 &&
         extents.getStatic(loop).value_or(0) >= level.groups[loop];
}

/// Returns the tile sizes of the panels. Dynamic loops, and those along which a
/// window slides, have none.
static SmallVector<int64_t> panelTiles(linalg::LinalgOp op, const Level &level,
                                       ArrayRef<int64_t> tiles,
                                       const LoopExtents &extents) {
  SmallVector<int64_t> panels(tiles);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      panels[loop] = isGrouped(level, extents, loop) ? level.groups[loop] : 0;
    else if (panels[loop] == 1 || extents.isDynamic(loop) ||
             movesSlidingWindow(op, loop))
      panels[loop] = 0;
  return panels;
}

/// Inserts a level of some of the first level's loops before all levels.
static SmallVector<Level> prependLevel(ArrayRef<int64_t> tiles,
                                       ArrayRef<Level> levels) {
  SmallVector<Level> all(1);
  llvm::append_range(all.front().tiles, tiles);
  all.front().order = levels.front().order;
  llvm::append_range(all, levels);
  return all;
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// Returns the tile sizes of the loops outside of the first loop that its tile
/// does not divide, in the given order (empty: the op's order); all others are
/// 0. Without these loops, the remainder of each row would be processed after
/// the row has left the caches. Returns nothing if no loop has a remainder, or
/// if none is outside of it.
static std::optional<SmallVector<int64_t>>
computeTilesAroundRemainder(ArrayRef<int64_t> tiles, const LoopExtents &extents,
                            ArrayRef<int64_t> order) {
  SmallVector<int64_t> around(tiles.size(), 0);
  bool hasLoops = false;
  for (size_t i = 0; i < tiles.size(); ++i) {
    size_t loop = order.empty() ? i : static_cast<size_t>(order[i]);
    if (tiles[loop] == 0 || extents.getStatic(loop) == tiles[loop])
      continue;
    if (!extents.isMultiple(loop, tiles[loop]))
      return hasLoops ? std::optional(around) : std::nullopt;
    around[loop] = tiles[loop];
    hasLoops = true;
  }
  return std::nullopt;
}

/// Returns the power of two to pad a vectorised loop to, if the loop is shorter
/// than its tile and its extent is no power of two.
static std::optional<int64_t> paddedExtent(int64_t extent, int64_t tile) {
  auto padded = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(extent));
  if (padded == extent || padded > tile)
    return std::nullopt;
  return padded;
}

/// Pads a dimension of `value` with zeros to `extent`.
static Value padDimension(RewriterBase &rewriter, Location loc, Value value,
                          unsigned dimension, int64_t extent) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = extent;
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  Value filled =
      linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  size_t rank = shape.size();
  return tensor::InsertSliceOp::create(
      rewriter, loc, value, filled, repeat(rewriter, 0, rank),
      getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()),
      repeat(rewriter, 1, rank));
}

/// Pads the parallel loop `loop` of a contraction on tensors to `extent`:
/// operands are copied into longer ones and results sliced, so that 31 columns
/// cost what 32 do, not what 16, 8, 4, 2 and 1 do. Fails, without changes, for
/// other ops.
static FailureOr<linalg::LinalgOp> padLoop(RewriterBase &rewriter,
                                           linalg::LinalgOp op, unsigned loop,
                                           int64_t extent) {
  // Zeros are harmless to what adds and multiplies; divisions may trap.
  if (!op.hasPureTensorSemantics() || !linalg::isaContractionOpInterface(op) ||
      !llvm::all_of(op.getIndexingMapsArray(), isProjectedPermutationMap))
    return failure();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    auto index = op.getMatchingIndexingMap(&operand).getResultPosition(
        rewriter.getAffineDimExpr(loop));
    operands.push_back(
        index ? padDimension(rewriter, loc, operand.get(), *index, extent)
              : operand.get());
  }
  SmallVector<Type> types(
      ValueRange(operands).take_back(op.getNumDpsInits()).getTypes());
  auto padded =
      cast<linalg::LinalgOp>(mlir::clone(rewriter, op, types, operands));
  SmallVector<Value> results;
  for (auto [result, type] :
       llvm::zip_equal(padded->getResults(), op->getResultTypes())) {
    auto whole = cast<RankedTensorType>(type);
    size_t rank = whole.getRank();
    results.push_back(tensor::ExtractSliceOp::create(
        rewriter, loc, whole, result, repeat(rewriter, 0, rank),
        getAsIndexOpFoldResult(rewriter.getContext(), whole.getShape()),
        repeat(rewriter, 1, rank)));
  }
  rewriter.replaceOp(op, results);
  return padded;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Returns the op that converts each element of a copy, if it is the copy's
/// only user.
static linalg::GenericOp findElementConversion(Value copy) {
  if (!copy.hasOneUse())
    return nullptr;
  auto user = dyn_cast<linalg::GenericOp>(*copy.user_begin());
  return user && linalg::isElementwise(user) && user.getNumDpsInputs() == 1 &&
                 user.getDpsInputOperand(0)->get() == copy
             ? user
             : nullptr;
}

/// Makes both one op.
static linalg::LinalgOp convertInCopy(RewriterBase &rewriter,
                                      linalg::TransposeOp copy,
                                      linalg::GenericOp conversion) {
  rewriter.setInsertionPoint(conversion);
  // Dimension i of the copy is dimension permutation[i] of its source.
  AffineMap read = inversePermutation(AffineMap::getPermutationMap(
      copy.getPermutation(), rewriter.getContext()));
  AffineMap written = rewriter.getMultiDimIdentityMap(read.getNumDims());
  auto merged = linalg::GenericOp::create(
      rewriter, conversion.getLoc(), conversion->getResultTypes(),
      copy.getInput(), conversion.getOutputs(), {read, written},
      conversion.getIteratorTypesArray());
  rewriter.inlineRegionBefore(conversion.getRegion(), merged.getRegion(),
                              merged.getRegion().begin());
  rewriter.replaceOp(conversion, merged);
  rewriter.eraseOp(copy);
  return merged;
}

/// Returns the loop along the rows of the copied input.
static unsigned rowLoopOfInput(ArrayRef<int64_t> permutation) {
  int64_t last = static_cast<int64_t>(permutation.size()) - 1;
  return static_cast<unsigned>(llvm::find(permutation, last) -
                               permutation.begin());
}

/// Returns tiles for copying an operand into panels, 0 for a whole loop: a
/// cache line of each row, as much at a time as registers can turn.
static SmallVector<int64_t> tilesOfCopy(linalg::TransposeOp copy) {
  Type element = getElementTypeOrSelf(copy.getInput().getType());
  auto bits = static_cast<int64_t>(
      DataLayout::closest(copy).getTypeSizeInBits(element));
  int64_t line = std::max<int64_t>(512 / bits, 1);
  SmallVector<int64_t> tiles(copy.getPermutation().size(), 1);
  // Wide panels are turned in parts, as LLVM scalarizes such shuffles: 768^3
  // with panels of 64 f32 took 4.7 ms whole or in halves and 4.3 by 16, and a
  // quarter of the compile time; panels of 32 took 4.7 whole and 4.8 in halves.
  constexpr int64_t mostTurned = 512, part = 256;
  int64_t width = cast<linalg::LinalgOp>(*copy).getStaticLoopRanges().back();
  int64_t narrow = std::max<int64_t>(part / line, 1);
  unsigned rows = rowLoopOfInput(copy.getPermutation());
  bool isTurned = rows != tiles.size() - 1;
  bool isWide = width * line > mostTurned && width * line <= mostVectorised;
  tiles.back() = isTurned && isWide && width % narrow == 0 ? narrow : 0;
  tiles[rows] = line;
  return tiles;
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

namespace {

LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels, Value start = nullptr);

/// Distributes a loop over the threads in equal parts; the calling thread also
/// computes the peeled tail.
LogicalResult share(RewriterBase &rewriter, linalg::LinalgOp op,
                    ArrayRef<Level> levels, Value start) {
  const Level &level = levels.front();
  auto loop = sharedLoop(op, level.order, level.tiles, level.threads);
  if (failed(loop))
    return failure();
  int64_t extent = op.getStaticLoopRanges()[*loop];
  bool isDynamic = ShapedType::isDynamic(extent);
  if (int64_t rest = isDynamic ? 0 : extent % level.threads) {
    auto [whole, tail] = splitLoop(rewriter, op, *loop, extent - rest);
    return success(succeeded(tile(rewriter, whole, levels, start)) &&
                   succeeded(tile(rewriter, tail, levels.drop_front(), start)));
  }
  SmallVector<int64_t> parts(op.getNumLoops(), 0);
  parts[*loop] = isDynamic ? std::max<int64_t>(level.tiles[*loop], 1)
                           : extent / level.threads;
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  if (isDynamic)
    setSharedParts(options, level.threads);
  auto part = makeLoops(rewriter, op, parts, options);
  if (failed(part))
    return op.emitOpError() << "cannot be shared by threads";
  markShared((*part)->getParentOfType<scf::ForallOp>(), level.threads);
  return tile(rewriter, *part, levels.drop_front(), start);
}

/// Tiles `op` by the first of `levels`, and the resulting ops by the others. If
/// `start` is not null, fills the init operand with it.
LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels, Value start) {
  if (levels.empty()) {
    writeInitValue(rewriter, op, start);
    return hasSlidingWindows(op) ? flattenUnitWindows(rewriter, op)
                                 : dropSteps(rewriter, op);
  }
  const Level &level = levels.front();
  rewriter.setInsertionPoint(op);
  if (level.threads > 1)
    return share(rewriter, op, levels, start);
  LoopExtents extents(rewriter, op);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!isBranchedOn(op, levels, extents, loop))
      continue;
    for (linalg::LinalgOp part : branchByExtent(rewriter, op, loop))
      if (failed(tile(rewriter, part, widenForRows(levels, part, loop), start)))
        return failure();
    return success();
  }
  SmallVector<int64_t> tiles = fitTiles(levels, extents);
  if (unsigned loop = level.vectorLoop.value_or(0);
      level.padsRemainders && level.vectorLoop && !extents.isDynamic(loop))
    if (auto extent =
            paddedExtent(*extents.getStatic(loop), level.tiles[loop])) {
      auto padded = padLoop(rewriter, op, loop, *extent);
      if (succeeded(padded)) {
        if (start)
          replaceInitWithEmpty(rewriter, *padded->getDpsInitOperand(0));
        return tile(rewriter, *padded, levels, start);
      }
    }

  // Reductions have a separate level for remainders.
  if (!level.splitOnly && op.getNumReductionLoops() == 0)
    if (auto around = computeTilesAroundRemainder(tiles, extents, level.order))
      return tile(rewriter, op, prependLevel(*around, levels));

  for (auto [loop, tileSize] : llvm::enumerate(tiles)) {
    int64_t divisor =
        isGrouped(level, extents, loop) ? level.groups[loop] : tileSize;
    if (extents.isMultiple(loop, divisor))
      continue;
    // The peeled tail of a reduction accumulates onto the result of the main
    // part.
    bool goesOn = linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
    auto [whole, tail] =
        extents.isDynamic(loop)
            ? splitDynamicLoop(rewriter, op, loop, extents.get(loop), divisor)
            : splitLoop(rewriter, op, loop,
                        *extents.getStatic(loop) / divisor * divisor);
    if (failed(tile(rewriter, whole, levels, start)))
      return failure();
    return tile(rewriter, tail, levels, goesOn ? nullptr : start);
  }

  if (llvm::is_contained(level.packedInputs, true)) {
    auto panels =
        PanelMaker(rewriter, op, panelTiles(op, level, tiles, extents),
                   level.packedInputs)
            .make();
    if (succeeded(panels))
      return tile(rewriter, panels->op, computePanelLevel(*panels, tiles),
                  start);
  }

  // A tile that is the whole loop needs no loop.
  for (auto [loop, tileSize] : llvm::enumerate(tiles))
    if (extents.getStatic(loop) == tileSize)
      tileSize = 0;
  bool isWhole =
      llvm::all_of(tiles, [](int64_t tileSize) { return tileSize == 0; });
  if (isWhole || level.splitOnly) {
    SmallVector<Level> inner(levels.drop_front());
    if (level.splitOnly && !inner.back().packedLoops.empty())
      inner.back().packedInputs = packedInputs(op, inner.back(), extents);
    return tile(rewriter, op, inner, start);
  }

  auto outside = tilesOutsideReductions(op, tiles, level.order);
  if (start && outside) {
    if (llvm::any_of(*outside, [](int64_t tileSize) { return tileSize != 0; }))
      return tile(rewriter, op, prependLevel(*outside, levels), start);
    writeInitValue(rewriter, op, std::exchange(start, nullptr));
  }

  if (level.laneLoop) {
    auto step =
        sumByLanes(rewriter, op, *level.laneLoop, tiles[*level.laneLoop]);
    return failed(step) ? failure()
                        : tile(rewriter, *step, levels.drop_front());
  }

  scf::SCFTilingOptions options;
  options.setInterchange(level.order);
  auto inner = makeLoops(rewriter, op, tiles, options);
  if (failed(inner))
    return op.emitOpError() << "cannot be tiled by [" << tiles << "]";
  return tile(rewriter, *inner, levels.drop_front(), start);
}

/// Groups steps that are adjacent in packed inputs of an op with sliding
/// windows: inputs along loops of 1 in `pack`, steps of reductions with more.
///
///   %sums[h, w, f] += %x[h + i, w + j, c] * %filter[i, j, c, f]
///
/// with pack = [0, 0, 1, 0, 0, 2] for the loops h, w, f, i, j, c becomes
///
///   %sums[h, w, f] += %x[h + i, w + j, c, p] * %packed[i, j, c, f, p]
struct StepGroups {
  StepGroups(linalg::LinalgOp op, ArrayRef<int64_t> pack)
      : sizes(op.getNumLoops(), 0), inputs(op.getNumDpsInputs(), false) {
    if (!hasSlidingWindows(op))
      return;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (!linalg::isReductionIterator(kind))
        for (OpOperand *input : op.getDpsInputOperands())
          inputs[input->getOperandNumber()] |=
              pack[loop] == 1 &&
              op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
      else if (pack[loop] > 1 && extents[loop] >= pack[loop])
        sizes[loop] = pack[loop];
    if (!llvm::is_contained(inputs, true))
      sizes.assign(sizes.size(), 0);
  }

  SmallVector<int64_t> sizes; ///< of each loop; 0 without groups
  SmallVector<bool> inputs;   ///< that are packed
};

/// Tiles an op by its configuration.
LogicalResult tileBySizes(RewriterBase &rewriter, linalg::LinalgOp op,
                          const TileSizes &sizes, Value start) {
  SmallVector<Level> levels = computeTilingLevels(op, sizes);
  StepGroups groups(op, sizes.pack);
  for (auto [loop, size, extent] :
       llvm::enumerate(groups.sizes, op.getStaticLoopRanges()))
    if (int64_t rest = size == 0 ? 0 : extent % size) {
      auto [whole, tail] = splitLoop(rewriter, op, loop, extent - rest);
      return success(
          succeeded(tileBySizes(rewriter, whole, sizes, start)) &&
          succeeded(tile(rewriter, tail, levels, /*start=*/nullptr)));
    }
  auto grouped = PanelMaker(rewriter, op, groups.sizes, groups.inputs).make();
  if (failed(grouped))
    return tile(rewriter, op, levels, start);
  // Groups are not tiled.
  for (Level &level : levels) {
    for (auto [tile, group] : llvm::zip_equal(level.tiles, groups.sizes))
      if (group != 0)
        tile = llvm::divideCeil(tile, group);
    unsigned all = grouped->op.getNumLoops();
    while (!level.order.empty() && level.order.size() < all)
      level.order.push_back(level.order.size());
    level.tiles.resize(all, 0);
  }
  return tile(rewriter, grouped->op, levels, start);
}

/// Hoists packing out of loops, of constant arguments as a whole, and lowers it
/// to copies of a cache line of each row of a panel, fused with the conversion
/// of the elements if there is one.
LogicalResult lowerPacks(RewriterBase &rewriter, func::FuncOp function) {
  packConstants(rewriter, function);
  auto packs = collectOps<linalg::PackOp>(function);
  if (packs.empty())
    return success();
  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  for (linalg::PackOp pack : packs) {
    rewriter.setInsertionPoint(pack);
    auto lowered = linalg::lowerPack(rewriter, pack,
                                     /*lowerPadLikeWithInsertSlice=*/false);
    if (failed(lowered))
      return pack.emitOpError() << "cannot be lowered";
    linalg::TransposeOp transposition = lowered->transposeOp;
    Level level;
    level.tiles = tilesOfCopy(transposition);
    linalg::LinalgOp copy = transposition;
    if (auto conversion = findElementConversion(transposition->getResult(0)))
      copy = convertInCopy(rewriter, transposition, conversion);
    if (failed(tile(rewriter, copy, level)))
      return failure();
  }
  return success();
}

struct Tile : tonno::impl::TilePassBase<Tile> {
  /// Checks that the configuration is on a linalg op.
  static LogicalResult checkConfiguration(Operation *op) {
    if (isa<linalg::LinalgOp>(op) ||
        !op->hasAttr(TonnoDialect::kLoweringConfig))
      return success();
    return op->emitOpError() << "has '" << TonnoDialect::kLoweringConfig
                             << "', which applies only to linalg ops";
  }

  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    if (failed(verifyKnobsResolved(getOperation())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    if (failed(readThroughOutputs(rewriter, getOperation())) ||
        failed(checkOps(getOperation(), checkConfiguration)))
      return signalPassFailure();
    for (auto op : collectOps<linalg::LinalgOp>(getOperation())) {
      auto sizes = TileSizes::get(op);
      if (failed(sizes))
        return signalPassFailure();
      // Removes the configuration, so that the op's parts do not inherit it.
      op->removeDiscardableAttr(TonnoDialect::kLoweringConfig);
      if (!*sizes)
        *sizes = TileSizes::getDefault(op);
      if (*sizes && failed(tileBySizes(rewriter, op, **sizes,
                                       extractInitValue(rewriter, op))))
        return signalPassFailure();
    }
    if (failed(lowerPacks(rewriter, getOperation())))
      return signalPassFailure();
  }
};

} // namespace
