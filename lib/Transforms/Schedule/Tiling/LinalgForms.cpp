//===- Forms of linalg ops before and after tiling ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/LinalgForms.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/Walks.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

SmallVector<OpFoldResult> tonno::repeat(Builder &builder, int64_t number,
                                        size_t count) {
  return SmallVector<OpFoldResult>(count, builder.getIndexAttr(number));
}

Value tonno::extractInitValue(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return nullptr;
  OpOperand &init = *op.getDpsInitOperand(0);
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  if (!fill)
    return nullptr;
  Value start = fill.value();
  rewriter.modifyOpInPlace(op, [&] { init.set(fill.output()); });
  if (fill->use_empty())
    rewriter.eraseOp(fill);
  return start;
}

Value tonno::viewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto view = dyn_cast_if_present<ViewLikeOpInterface>(op))
    return view.getViewSource();
  return isa_and_present<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                         tensor::CollapseShapeOp, tensor::CastOp>(op)
             ? op->getOperand(0)
             : Value();
}

void tonno::replaceInitWithEmpty(RewriterBase &rewriter, OpOperand &init) {
  Operation *op = init.getOwner();
  auto type = cast<RankedTensorType>(init.get().getType());
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc,
                                        createSizes(rewriter, loc, init.get()),
                                        type.getElementType());
  rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
}

/// Returns true if unit loops of the op are dropped before vectorization.
static bool isFlattened(linalg::LinalgOp op) {
  return hasSlidingWindows(op) || op.getNumReductionLoops() > 1;
}

/// Fills without unit dimensions, as the op will read and write its vectors.
static Value fillSlice(RewriterBase &rewriter, Location loc, Value start,
                       Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  llvm::erase(shape, 1);
  Value slice = tensor::createCanonicalRankReducingExtractSliceOp(
      rewriter, loc, tensor, type.clone(shape));
  auto fill = linalg::FillOp::create(rewriter, loc, start, slice);
  return tensor::createCanonicalRankReducingInsertSliceOp(
      rewriter, loc, fill.getResult(0), tensor);
}

void tonno::writeInitValue(RewriterBase &rewriter, linalg::LinalgOp op,
                           Value start) {
  if (!start)
    return;
  OpOperand &init = *op.getDpsInitOperand(0);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value filled = isFlattened(op)
                     ? fillSlice(rewriter, loc, start, init.get())
                     : linalg::FillOp::create(rewriter, loc, start, init.get())
                           .getResult(0);
  rewriter.modifyOpInPlace(op, [&] { init.set(filled); });
}

std::optional<SmallVector<int64_t>>
tonno::tilesOutsideReductions(linalg::LinalgOp op, ArrayRef<int64_t> tiles,
                              ArrayRef<int64_t> order) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> outside(tiles.size(), 0);
  for (size_t i = 0; i < tiles.size(); ++i) {
    size_t loop = order.empty() ? i : static_cast<size_t>(order[i]);
    if (tiles[loop] != 0 && linalg::isReductionIterator(kinds[loop]))
      return outside;
    outside[loop] = tiles[loop];
  }
  return std::nullopt;
}

std::pair<linalg::LinalgOp, linalg::LinalgOp>
tonno::splitLoop(RewriterBase &rewriter, linalg::LinalgOp op, unsigned loop,
                 int64_t extent) {
  rewriter.setInsertionPoint(op);
  auto [whole, tail] =
      linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()), loop,
                      rewriter.getIndexAttr(extent));
  return {cast<linalg::LinalgOp>(*whole), cast<linalg::LinalgOp>(*tail)};
}

FailureOr<linalg::GenericOp> tonno::makeGeneric(RewriterBase &rewriter,
                                                linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  DictionaryAttr attributes = op->getDiscardableAttrDictionary();
  rewriter.setInsertionPoint(op);
  auto generic = linalg::generalizeNamedOp(rewriter, op);
  if (succeeded(generic))
    (*generic)->setDiscardableAttrs(attributes);
  return generic;
}

/// Returns the output that aliases `input`, if each element is written by the
/// iteration that reads it; null if there is none.
static OpOperand *findAliasingOutput(linalg::LinalgOp op, OpOperand &input) {
  AffineMap read = op.getMatchingIndexingMap(&input);
  if (!read.isPermutation())
    return nullptr;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (init.get() == input.get() && op.getMatchingIndexingMap(&init) == read)
      return &init;
  return nullptr;
}

static bool isUpdate(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0 &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return findAliasingOutput(op, *input) != nullptr;
         });
}

/// Drops the inputs that are outputs, too.
static void dropInputs(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    OpOperand *output = findAliasingOutput(op, *input);
    if (!output) {
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      continue;
    }
    BlockArgument element = op.getMatchingBlockArgument(input);
    rewriter.replaceAllUsesWith(element, op.getMatchingBlockArgument(output));
    dropped.set(element.getArgNumber());
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  rewriter.modifyOpInPlace(op, [&] {
    op.getBody()->eraseArguments(dropped);
    op.getInputsMutable().assign(inputs);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

LogicalResult tonno::readThroughOutputs(RewriterBase &rewriter,
                                        Operation *root) {
  for (linalg::LinalgOp op : collectOpsIf(root, isUpdate)) {
    auto generic = makeGeneric(rewriter, op);
    if (failed(generic))
      return op.emitOpError() << "reads its init operand, but cannot be "
                                 "generalized to linalg.generic";
    dropInputs(rewriter, *generic);
  }
  return success();
}

using Strategy = linalg::ControlDropUnitDims::RankReductionStrategy;

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
    // Upstream collapses only buffers with contiguous rows.
    if (isa<MemRefType>(operand.getType()))
      return FailureOr<Value>(memref::createCanonicalRankReducingSubViewOp(
          rewriter, loc, operand, shape));
    return usual(rewriter, loc, operand, shape, groups, control);
  };
  rewriter.setInsertionPoint(op);
  auto dropped = linalg::dropUnitDims(rewriter, op, control);
  if (failed(dropped))
    return nullptr;
  rewriter.replaceOp(op, dropped->replacements);
  return cast<linalg::LinalgOp>(dropped->resultOp.getOperation());
}

FailureOr<linalg::LinalgOp> tonno::dropUnitResults(RewriterBase &rewriter,
                                                   linalg::LinalgOp op) {
  auto isProjectedPermutationMap = [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isProjectedPermutation();
  };
  if (op.getNumReductionLoops() == 0 ||
      llvm::all_of(op.getDpsInitsMutable(), isProjectedPermutationMap))
    return op;
  // Upstream drops nothing where it may drop no loop.
  SmallVector<unsigned> longer;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent != 1)
      longer.push_back(loop);
  auto generic = makeGeneric(rewriter, op);
  if (failed(generic))
    return op.emitOpError() << "cannot be generalized to linalg.generic";
  linalg::LinalgOp dropped = dropLoops(rewriter, *generic, longer);
  return dropped ? dropped : cast<linalg::LinalgOp>(generic->getOperation());
}

/// Returns all loops but the last reduction loop of a matrix product: such
/// products are lowered to outer products, one for each step of that loop.
static SmallVector<unsigned> droppedLoops(linalg::LinalgOp op) {
  auto loops = llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
  auto dims = linalg::inferContractionDims(op);
  if (succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
      !dims->k.empty())
    loops.erase(loops.begin() + dims->k.back());
  return loops;
}

/// Returns the unit loops that prevent vectorization of the op.
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
  if (!canCombineAllResults(op) && llvm::all_of(reductions, isStep))
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
  auto generic = makeGeneric(rewriter, *plain);
  if (failed(generic))
    return plain->emitOpError() << "cannot be generalized to linalg.generic";
  dropLoops(rewriter, *generic, loops);
  return success();
}

std::optional<SmallVector<LoopStep>> tonno::findLoopSteps(AffineExpr index) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return SmallVector<LoopStep>{{dim.getPosition(), 1}};
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  auto left = findLoopSteps(binary.getLHS());
  if (!left)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor || factor.getValue() <= 0)
      return std::nullopt;
    for (LoopStep &step : *left)
      step.stride *= factor.getValue();
    return left;
  }
  auto right = findLoopSteps(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Add || !right)
    return std::nullopt;
  llvm::append_range(*left, *right);
  return left;
}

bool tonno::isProjectedPermutationMap(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

bool tonno::hasSlidingWindows(linalg::LinalgOp op) {
  bool has = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (isProjectedPermutationMap(map))
      continue;
    if (!op.isDpsInput(&operand) ||
        !llvm::all_of(map.getResults(),
                      [](AffineExpr index) { return findLoopSteps(index); }))
      return false;
    has = true;
  }
  return has;
}

bool tonno::movesSlidingWindow(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::any_of(map.getResults(), [&](AffineExpr index) {
      return !isa<AffineDimExpr>(index) && index.isFunctionOfDim(loop);
    });
  });
}

bool tonno::isPerElement(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0 &&
         hasScalarPayload(op, /*allowsIndices=*/true);
}

bool tonno::isWidening(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1)
    return false;
  Type input = getElementTypeOrSelf(op.getDpsInputs().front()),
       result = getElementTypeOrSelf(op.getDpsInits().front());
  Block &body = op->getRegion(0).front();
  return llvm::hasNItems(body.without_terminator(), 1) &&
         isa<CastOpInterface>(body.front()) && input.isIntOrFloat() &&
         result.isIntOrFloat() &&
         result.getIntOrFloatBitWidth() > input.getIntOrFloatBitWidth();
}

SmallVector<unsigned> tonno::getLoopsInResultOrder(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  AffineMap result = op.getIndexingMapsArray().back();
  auto getPositionInResult = [&](unsigned loop) {
    auto place =
        result.getResultPosition(getAffineDimExpr(loop, result.getContext()));
    return std::pair(place ? static_cast<int64_t>(*place) : -1, loop);
  };
  llvm::sort(loops, [&](unsigned one, unsigned other) {
    return getPositionInResult(one) < getPositionInResult(other);
  });
  return loops;
}

SmallVector<unsigned> tonno::computeResultLoopOrder(linalg::LinalgOp op) {
  SmallVector<unsigned> order = getLoopsInResultOrder(op), reductions;
  op.getReductionDims(reductions);
  llvm::append_range(order, reductions);
  return order;
}

namespace {

/// Slice that is read of an operand, and its indices.
struct Slice {
  SmallVector<int64_t> sizes, strides;
  SmallVector<AffineExpr> indices;
};

} // namespace

/// Returns nothing if two loops of more than one iteration index the same
/// dimension.
static std::optional<Slice> computeSlice(AffineMap map,
                                         ArrayRef<int64_t> extents) {
  MLIRContext *context = map.getContext();
  Slice slice;
  for (AffineExpr index : map.getResults()) {
    std::optional<LoopStep> moving;
    auto steps = findLoopSteps(index);
    for (const LoopStep &step : *steps) {
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

LogicalResult tonno::flattenUnitWindows(RewriterBase &rewriter,
                                        linalg::LinalgOp op) {
  if (!hasSlidingWindows(op) || op.hasDynamicShape() || op.hasIndexSemantics())
    return success();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<std::optional<Slice>> slices(maps.size());
  for (auto [map, slice] : llvm::zip_equal(maps, slices)) {
    if (isProjectedPermutationMap(map))
      continue;
    slice = computeSlice(map, extents);
    if (!slice)
      return success();
    map = AffineMap::get(op.getNumLoops(), 0, slice->indices,
                         rewriter.getContext());
    if (!isProjectedPermutationMap(map))
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

  // Vectors follow the order of the loops: in the result's, none is transposed.
  SmallVector<unsigned> order = computeResultLoopOrder(flat);
  if (!llvm::is_sorted(order)) {
    auto ordered = linalg::interchangeGenericOp(rewriter, flat, order);
    if (failed(ordered))
      return failure();
    flat = *ordered;
  }
  dropLoops(rewriter, flat, droppedLoops(flat));
  return success();
}
