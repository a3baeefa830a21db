//===- Loops whose extents are known at run time --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/DynamicLoops.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tonno;

using Options = scf::SCFTilingOptions;

static OpFoldResult compute(OpBuilder &builder, Location loc, AffineExpr value,
                            ArrayRef<OpFoldResult> symbols) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(0, symbols.size(), value), symbols);
}

static OpFoldResult computeMin(OpBuilder &builder, Location loc,
                               ArrayRef<AffineExpr> values,
                               ArrayRef<OpFoldResult> symbols) {
  auto map = AffineMap::get(0, symbols.size(), values, builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, map, symbols);
}

int64_t tonno::fitTileToBound(int64_t bound) {
  return std::max<int64_t>(llvm::bit_floor(uint64_t(bound) + 1) / 4, 1);
}

/// Creates the op with some iterations of `op`, whose results go into `inits`,
/// which it replaces by the results.
static linalg::LinalgOp createPart(RewriterBase &rewriter, linalg::LinalgOp op,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes,
                                   SmallVector<Value> &inits) {
  Location loc = op.getLoc();
  Operation *whole = rewriter.clone(*op);
  auto destination = cast<DestinationStyleOpInterface>(whole);
  for (auto [i, init] : llvm::enumerate(inits))
    destination.setDpsInitOperand(i, init);
  auto tiling = cast<TilingInterface>(whole);
  auto tiled = tiling.getTiledImplementation(rewriter, offsets, sizes);
  assert(succeeded(tiled) && "linalg ops can be tiled");
  for (auto [i, value] : llvm::enumerate(tiled->tiledValues)) {
    SmallVector<OpFoldResult> places, extents;
    LogicalResult isKnown = tiling.getResultTilePosition(
        rewriter, i, offsets, sizes, places, extents);
    assert(succeeded(isKnown) && "results of linalg ops are tiles");
    (void)isKnown;
    inits[i] = tensor::InsertSliceOp::create(
        rewriter, loc, value, inits[i], places, extents,
        repeat(rewriter, 1, places.size()));
  }
  rewriter.eraseOp(whole);
  return cast<linalg::LinalgOp>(tiled->tiledOps.front());
}

std::pair<linalg::LinalgOp, linalg::LinalgOp>
tonno::splitDynamicLoop(RewriterBase &rewriter, linalg::LinalgOp op,
                        unsigned loop, OpFoldResult extent, int64_t tile) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  AffineExpr all = rewriter.getAffineSymbolExpr(0);
  AffineExpr tiles = all.floorDiv(tile) * tile;
  LoopExtents extents(rewriter, op);
  SmallVector<OpFoldResult> sizes = extents.getAll(),
                            offsets = repeat(rewriter, 0, sizes.size());
  SmallVector<Value> inits;
  if (op.hasPureTensorSemantics())
    llvm::append_range(inits, op.getDpsInits());
  sizes[loop] = compute(rewriter, loc, tiles, extent);
  linalg::LinalgOp whole = createPart(rewriter, op, offsets, sizes, inits);
  offsets[loop] = sizes[loop];
  sizes[loop] = compute(rewriter, loc, all - tiles, extent);
  linalg::LinalgOp tail = createPart(rewriter, op, offsets, sizes, inits);
  rewriter.replaceOp(op, inits);
  return {whole, tail};
}

bool tonno::hasOneDynamicLoop(linalg::LinalgOp op) {
  return llvm::count(op.getStaticLoopRanges(), ShapedType::kDynamic) == 1;
}

SmallVector<linalg::LinalgOp> tonno::branchByExtent(RewriterBase &rewriter,
                                                    linalg::LinalgOp op,
                                                    unsigned loop) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  LoopExtents extents(rewriter, op);
  SmallVector<OpFoldResult> sizes = extents.getAll(),
                            offsets = repeat(rewriter, 0, sizes.size());
  auto numbers =
      llvm::to_vector(llvm::seq_inclusive<int64_t>(1, *extents.getBound(loop)));
  auto branches = scf::IndexSwitchOp::create(
      rewriter, loc, op->getResultTypes(),
      getValueOrCreateConstantIndexOp(rewriter, loc, sizes[loop]), numbers,
      static_cast<unsigned>(numbers.size()));
  SmallVector<Value> unchanged;
  if (op.hasPureTensorSemantics())
    llvm::append_range(unchanged, op.getDpsInits());
  SmallVector<linalg::LinalgOp> parts;
  for (auto [number, region] :
       llvm::zip_equal(numbers, branches.getCaseRegions())) {
    rewriter.setInsertionPointToStart(&region.emplaceBlock());
    SmallVector<Value> inits = unchanged;
    sizes[loop] = rewriter.getIndexAttr(number);
    parts.push_back(createPart(rewriter, op, offsets, sizes, inits));
    scf::YieldOp::create(rewriter, loc, inits);
  }
  rewriter.setInsertionPointToStart(
      &branches.getDefaultRegion().emplaceBlock());
  scf::YieldOp::create(rewriter, loc, unchanged);
  rewriter.replaceOp(op, branches.getResults());
  return parts;
}

static FailureOr<Options::CustomLoopHeaderInfo>
beginExactLoops(RewriterBase &rewriter, Location loc, ArrayRef<Range> ranges,
                ArrayRef<OpFoldResult> tiles, ValueRange destinations) {
  Options::CustomLoopHeaderInfo info;
  info.destinationTensors = llvm::to_vector(destinations);
  for (auto [range, tile] : llvm::zip_equal(ranges, tiles)) {
    info.tileOffset.push_back(range.offset);
    info.tileSizes.push_back(range.size);
    if (isZeroInteger(tile))
      continue;
    auto value = [&](OpFoldResult index) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, index);
    };
    auto loop = scf::ForOp::create(rewriter, loc, value(range.offset),
                                   value(range.size), value(tile),
                                   info.destinationTensors);
    info.loops.push_back(loop);
    info.destinationTensors = llvm::to_vector(llvm::map_range(
        loop.getRegionIterArgs(),
        [](BlockArgument argument) -> Value { return argument; }));
    info.tileOffset.back() = loop.getInductionVar();
    info.tileSizes.back() = tile;
    rewriter.setInsertionPointToStart(loop.getBody());
  }
  return info;
}

static LogicalResult endExactLoops(RewriterBase &rewriter, Location loc,
                                   ArrayRef<LoopLikeOpInterface> loops,
                                   ValueRange tiledResults,
                                   ArrayRef<SmallVector<OpFoldResult>> offsets,
                                   ArrayRef<SmallVector<OpFoldResult>> sizes,
                                   ValueRange destinations) {
  if (destinations.empty())
    return success();
  SmallVector<Value> results;
  for (auto [value, offset, size, destination] :
       llvm::zip_equal(tiledResults, offsets, sizes, destinations))
    results.push_back(tensor::InsertSliceOp::create(
        rewriter, loc, value, destination, offset, size,
        repeat(rewriter, 1, offset.size())));
  for (LoopLikeOpInterface loop : llvm::reverse(loops)) {
    rewriter.setInsertionPointToEnd(&loop.getLoopRegions().front()->front());
    scf::YieldOp::create(rewriter, loc, results);
    results.assign(loop->result_begin(), loop->result_end());
  }
  return success();
}

void tonno::setExactLoops(Options &options) {
  options.setLoopType(Options::LoopType::CustomOp);
  options.setCustomLoopGenerationFns(beginExactLoops, endExactLoops);
}

static LogicalResult endSharedParts(RewriterBase &rewriter, Location loc,
                                    ArrayRef<LoopLikeOpInterface> loops,
                                    ValueRange tiledResults,
                                    ArrayRef<SmallVector<OpFoldResult>> offsets,
                                    ArrayRef<SmallVector<OpFoldResult>> sizes,
                                    ValueRange destinations) {
  auto loop = cast<scf::ForallOp>(loops.front());
  rewriter.setInsertionPointToEnd(loop.getTerminator().getBody());
  for (auto [value, offset, size, destination] :
       llvm::zip_equal(tiledResults, offsets, sizes, destinations))
    tensor::ParallelInsertSliceOp::create(rewriter, loc, value, destination,
                                          offset, size,
                                          repeat(rewriter, 1, offset.size()));
  return success();
}

void tonno::setSharedParts(Options &options, int64_t threads) {
  options.setLoopType(Options::LoopType::CustomOp);
  auto begin =
      [=](RewriterBase &rewriter, Location loc, ArrayRef<Range> ranges,
          ArrayRef<OpFoldResult> tiles,
          ValueRange destinations) -> FailureOr<Options::CustomLoopHeaderInfo> {
    auto loop = scf::ForallOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>(rewriter.getIndexAttr(threads)),
        destinations, /*mapping=*/std::nullopt);
    Options::CustomLoopHeaderInfo info;
    info.loops.push_back(loop);
    for (BlockArgument argument : loop.getRegionIterArgs())
      info.destinationTensors.push_back(argument);
    rewriter.setInsertionPoint(loop.getTerminator());
    AffineExpr one = rewriter.getAffineSymbolExpr(0),
               other = rewriter.getAffineSymbolExpr(1);
    for (auto [range, given] : llvm::zip_equal(ranges, tiles)) {
      info.tileOffset.push_back(range.offset);
      info.tileSizes.push_back(range.size);
      if (isZeroInteger(given))
        continue;
      int64_t tile = *getConstantIntValue(given);
      OpFoldResult part = compute(
          rewriter, loc, one.ceilDiv(tile * threads) * tile, range.size);
      Value start = arith::MulIOp::create(
          rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, part),
          loop.getInductionVars().front());
      OpFoldResult offset = info.tileOffset.back() =
          computeMin(rewriter, loc, {one, other}, {start, range.size});
      OpFoldResult left =
          compute(rewriter, loc, one - other, {range.size, offset});
      info.tileSizes.back() =
          computeMin(rewriter, loc, {one, other}, {part, left});
    }
    return info;
  };
  options.setCustomLoopGenerationFns(begin, endSharedParts);
}
