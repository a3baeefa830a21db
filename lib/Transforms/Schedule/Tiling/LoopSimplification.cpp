//===- Drop unit loops and flatten sliding windows ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/LoopSimplification.h"
#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

using Strategy = linalg::ControlDropUnitDims::RankReductionStrategy;

/// A view without these dimensions: upstream's needs rows side by side.
static FailureOr<Value> collapse(RewriterBase &rewriter, Location loc,
                                 Value operand, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(operand.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  auto sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, reduced, operand, offsets,
                                   sizes, strides)
      .getResult();
}

/// Returns the op without these loops if they have one step, and without
/// dimensions of one element that no loop goes along; null if it has neither.
static linalg::LinalgOp dropLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                  ArrayRef<unsigned> loops) {
  linalg::ControlDropUnitDims control;
  control.rankReductionStrategy = Strategy::ExtractInsertSlice;
  control.controlFn = [&](Operation *) { return llvm::to_vector(loops); };
  auto usual = control.collapseFn;
  control.collapseFn = [&](RewriterBase &rewriter, Location loc, Value operand,
                           ArrayRef<int64_t> shape,
                           ArrayRef<ReassociationIndices> groups,
                           const linalg::ControlDropUnitDims &control) {
    return isa<MemRefType>(operand.getType())
               ? collapse(rewriter, loc, operand, shape)
               : usual(rewriter, loc, operand, shape, groups, control);
  };
  rewriter.setInsertionPoint(op);
  auto dropped = linalg::dropUnitDims(rewriter, op, control);
  if (failed(dropped))
    return nullptr;
  rewriter.replaceOp(op, dropped->replacements);
  return cast<linalg::LinalgOp>(dropped->resultOp.getOperation());
}

static FailureOr<linalg::GenericOp> generalize(RewriterBase &rewriter,
                                               linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  rewriter.setInsertionPoint(op);
  auto made = linalg::generalizeNamedOp(rewriter, op);
  if (failed(made))
    return op.emitOpError() << "can't be made a generic op";
  return *made;
}

FailureOr<linalg::LinalgOp> tonno::dropUnitResults(RewriterBase &rewriter,
                                                   linalg::LinalgOp op) {
  auto isPlain = [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isProjectedPermutation();
  };
  if (op.getNumReductionLoops() == 0 ||
      llvm::all_of(op.getDpsInitsMutable(), isPlain))
    return op;
  // Upstream drops nothing where it may drop no loop.
  SmallVector<unsigned> longer;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent != 1)
      longer.push_back(loop);
  auto generic = generalize(rewriter, op);
  if (failed(generic))
    return failure();
  linalg::LinalgOp dropped = dropLoops(rewriter, *generic, longer);
  return dropped ? dropped : cast<linalg::LinalgOp>(generic->getOperation());
}

/// All but the last over what is summed up, of a product of matrices.
static SmallVector<unsigned> droppedLoops(linalg::LinalgOp op) {
  auto loops = llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
  auto dims = linalg::inferContractionDims(op);
  if (succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
      !dims->k.empty())
    loops.erase(loops.begin() + dims->k.back());
  return loops;
}

void tonno::dropUnitLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  dropLoops(rewriter, op, droppedLoops(op));
}

/// The loops that keep the op from becoming vectors.
static SmallVector<unsigned> steps(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isStep = [&](unsigned loop) { return extents[loop] == 1; };
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (linalg::isaContractionOpInterface(op)) {
    auto loops = droppedLoops(op);
    bool isDropped = reductions.size() > 1 && loops.size() < op.getNumLoops() &&
                     llvm::any_of(loops, isStep);
    return isDropped ? loops : SmallVector<unsigned>();
  }
  if (!combinesAll(op) && llvm::all_of(reductions, isStep))
    return reductions;
  return {};
}

LogicalResult tonno::dropSteps(RewriterBase &rewriter, linalg::LinalgOp op) {
  auto plain = dropUnitResults(rewriter, op);
  if (failed(plain))
    return failure();
  SmallVector<unsigned> loops = steps(*plain);
  if (loops.empty())
    return success();
  auto generic = generalize(rewriter, *plain);
  if (failed(generic))
    return failure();
  dropLoops(rewriter, *generic, loops);
  return success();
}

namespace {

/// A loop, and by how much its steps move.
struct Step {
  unsigned loop;
  int64_t stride;
};

} // namespace

/// Nothing for what is no sum of loops times constants above 0.
static std::optional<SmallVector<Step>> stepsOf(AffineExpr index) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return SmallVector<Step>{{dim.getPosition(), 1}};
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  auto left = stepsOf(binary.getLHS());
  if (!left)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor || factor.getValue() <= 0)
      return std::nullopt;
    for (Step &step : *left)
      step.stride *= factor.getValue();
    return left;
  }
  auto right = stepsOf(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Add || !right)
    return std::nullopt;
  llvm::append_range(*left, *right);
  return left;
}

bool tonno::isPlain(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

bool tonno::hasWindows(linalg::LinalgOp op) {
  bool has = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (isPlain(map))
      continue;
    if (!op.isDpsInput(&operand) ||
        !llvm::all_of(map.getResults(),
                      [](AffineExpr index) { return stepsOf(index); }))
      return false;
    has = true;
  }
  return has;
}

SmallVector<unsigned> tonno::loopsOfResult(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  AffineMap result = op.getIndexingMapsArray().back();
  auto placeOf = [&](unsigned loop) {
    auto place =
        result.getResultPosition(getAffineDimExpr(loop, result.getContext()));
    return std::pair(place ? static_cast<int64_t>(*place) : -1, loop);
  };
  llvm::sort(loops, [&](unsigned one, unsigned other) {
    return placeOf(one) < placeOf(other);
  });
  return loops;
}

SmallVector<unsigned> tonno::orderOfResult(linalg::LinalgOp op) {
  SmallVector<unsigned> order = loopsOfResult(op), reductions;
  op.getReductionDims(reductions);
  llvm::append_range(order, reductions);
  return order;
}

namespace {

/// What of an operand is read, and how it is indexed.
struct Slice {
  SmallVector<int64_t> sizes, strides;
  SmallVector<AffineExpr> indices;
};

} // namespace

/// Nothing where two loops of more than one step move along a dimension.
static std::optional<Slice> sliceOf(AffineMap map, ArrayRef<int64_t> extents) {
  MLIRContext *context = map.getContext();
  Slice slice;
  for (AffineExpr index : map.getResults()) {
    std::optional<Step> moving;
    auto steps = stepsOf(index);
    for (const Step &step : *steps) {
      if (extents[step.loop] == 1 && steps->size() > 1)
        continue;
      if (moving)
        return std::nullopt;
      moving = step;
    }
    slice.sizes.push_back(moving ? extents[moving->loop] : 1);
    slice.strides.push_back(moving ? moving->stride : 1);
    slice.indices.push_back(moving ? getAffineDimExpr(moving->loop, context)
                                   : getAffineConstantExpr(0, context));
  }
  return slice;
}

static Value makeSlice(RewriterBase &rewriter, Location loc, Value operand,
                       const Slice &slice) {
  auto shape = cast<ShapedType>(operand.getType()).getShape();
  if (llvm::all_of(slice.strides, [](int64_t stride) { return stride == 1; }) &&
      shape == ArrayRef(slice.sizes))
    return operand;
  SmallVector<OpFoldResult> offsets(slice.sizes.size(),
                                    rewriter.getIndexAttr(0));
  auto sizes = getAsIndexOpFoldResult(rewriter.getContext(), slice.sizes);
  auto strides = getAsIndexOpFoldResult(rewriter.getContext(), slice.strides);
  if (isa<MemRefType>(operand.getType()))
    return memref::SubViewOp::create(rewriter, loc, operand, offsets, sizes,
                                     strides);
  return tensor::ExtractSliceOp::create(rewriter, loc, operand, offsets, sizes,
                                        strides);
}

LogicalResult tonno::flattenWindows(RewriterBase &rewriter,
                                    linalg::LinalgOp op) {
  if (!hasWindows(op) || op.hasDynamicShape() || op.hasIndexSemantics())
    return success();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<std::optional<Slice>> slices(maps.size());
  for (auto [map, slice] : llvm::zip_equal(maps, slices)) {
    if (isPlain(map))
      continue;
    slice = sliceOf(map, extents);
    if (!slice)
      return success();
    map = AffineMap::get(op.getNumLoops(), 0, slice->indices,
                         rewriter.getContext());
    if (!isPlain(map))
      return success();
  }

  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands(op->getOperands());
  for (auto [operand, slice] : llvm::zip_equal(operands, slices))
    if (slice)
      operand = makeSlice(rewriter, op.getLoc(), operand, *slice);
  ArrayRef<Value> inputs = ArrayRef(operands).take_front(op.getNumDpsInputs());
  ArrayRef<Value> inits = ArrayRef(operands).drop_front(op.getNumDpsInputs());
  auto flat = linalg::GenericOp::create(rewriter, op.getLoc(),
                                        op->getResultTypes(), inputs, inits,
                                        maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op->getRegion(0), flat.getRegion(),
                              flat.getRegion().begin());
  rewriter.replaceOp(op, flat);

  // Vectors have their dimensions in the order of the loops: in another one
  // than the result's they would be transposed.
  SmallVector<unsigned> order = orderOfResult(flat);
  if (!llvm::is_sorted(order)) {
    auto ordered = linalg::interchangeGenericOp(rewriter, flat, order);
    if (failed(ordered))
      return failure();
    flat = *ordered;
  }
  dropUnitLoops(rewriter, flat);
  return success();
}
