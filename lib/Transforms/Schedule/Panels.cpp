//===- Operands in panels of register tiles -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Panels.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Makes one op an op on panels.
class PanelMaker {
public:
  PanelMaker(RewriterBase &rewriter, linalg::LinalgOp op,
             ArrayRef<int64_t> tiles, ArrayRef<bool> packed)
      : rewriter(rewriter), op(op), tiles(tiles), packed(packed) {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (tiles[loop] != 0) {
        innerOf[loop] = op.getNumLoops() + inner.size();
        inner.push_back(loop);
      }
  }

  bool canMake();
  PanelOp make();

private:
  /// A value of which each tiled loop has two dimensions, and how they are
  /// indexed.
  struct Operand {
    Value value;
    AffineMap map;
    SmallVector<ReassociationIndices> groups; ///< if it was reshaped
  };

  bool isTiled(AffineExpr index) const;
  bool isSummedUp(unsigned loop) {
    return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
  }
  Operation *extensionOf(OpOperand &operand);
  Type packedType(OpOperand &operand);
  Value widen(Value copy, Operation *extension, Type element);
  void adaptPayload(linalg::GenericOp panels);
  Operand change(OpOperand &operand);
  Operand pack(OpOperand &operand);
  Operand reshape(OpOperand &operand);
  AffineExpr innerIndex(unsigned loop) {
    return rewriter.getAffineDimExpr(innerOf.at(loop));
  }
  AffineMap mapOf(ArrayRef<AffineExpr> indices) {
    return AffineMap::get(op.getNumLoops() + inner.size(), 0, indices,
                          rewriter.getContext());
  }

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  ArrayRef<int64_t> tiles;
  ArrayRef<bool> packed;
  SmallVector<unsigned> inner;
  llvm::DenseMap<unsigned, unsigned> innerOf;
};

} // namespace

static std::optional<unsigned> loopOf(AffineExpr index) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return dim.getPosition();
  return std::nullopt;
}

bool PanelMaker::isTiled(AffineExpr index) const {
  auto loop = loopOf(index);
  return loop && innerOf.contains(*loop);
}

/// What the payload does first, and only, with an element: it makes it as wide
/// as the sum.
Operation *PanelMaker::extensionOf(OpOperand &operand) {
  BlockArgument element = op.getMatchingBlockArgument(&operand);
  if (!element.hasOneUse())
    return nullptr;
  Operation *user = *element.user_begin();
  bool extends = isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(user);
  return extends && user->getNumOperands() == 1 ? user : nullptr;
}

bool PanelMaker::canMake() {
  auto extents = op.getStaticLoopRanges();
  for (unsigned loop : inner)
    if (extents[loop] % tiles[loop] != 0)
      return false;
  return !inner.empty() && op.hasPureTensorSemantics() &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), isPlain);
}

/// The type of a copy's elements. Where steps of a reduction lie side by side,
/// it is the narrowest that processors multiply and add so; else that of the
/// sum, so that nothing is left to convert where the copy is read.
Type PanelMaker::packedType(OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  Operation *extension = extensionOf(operand);
  if (!extension)
    return element;
  Type wide = extension->getResult(0).getType();
  bool isGrouped = llvm::any_of(
      op.getMatchingIndexingMap(&operand).getResults(), [&](AffineExpr index) {
        return isTiled(index) && isSummedUp(*loopOf(index));
      });
  if (!isGrouped)
    return wide;
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() < 16 && wide.getIntOrFloatBitWidth() > 16)
    return rewriter.getIntegerType(16);
  return element;
}

/// Converts a copy; it becomes one with the copying.
Value PanelMaker::widen(Value copy, Operation *extension, Type element) {
  auto type = cast<RankedTensorType>(copy.getType());
  Location loc = op.getLoc();
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), copy, empty, {map, map}, iterators,
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

PanelMaker::Operand PanelMaker::pack(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> outer, tiled, reduced, grouped, innerTiles;
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    auto loop = loopOf(index);
    if (loop && isSummedUp(*loop))
      (isTiled(index) ? grouped : reduced).push_back(position);
    else
      (isTiled(index) ? tiled : outer).push_back(position);
  }
  llvm::append_range(outer, tiled);
  llvm::append_range(outer, reduced);
  llvm::append_range(outer, grouped);
  llvm::append_range(tiled, grouped);
  for (int64_t position : tiled)
    innerTiles.push_back(tiles[*loopOf(map.getResult(position))]);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(rewriter.getContext(), innerTiles);
  Location loc = op.getLoc();
  Value destination = linalg::PackOp::createDestinationTensor(
      rewriter, loc, operand.get(), sizes, tiled, outer);
  Value copy = linalg::PackOp::create(rewriter, loc, operand.get(), destination,
                                      tiled, sizes, /*paddingValue=*/{}, outer)
                   .getResult();
  Type element = packedType(operand);
  if (element != getElementTypeOrSelf(copy.getType()))
    copy = widen(copy, extensionOf(operand), element);
  SmallVector<AffineExpr> indices;
  for (int64_t position : outer)
    indices.push_back(map.getResult(position));
  for (int64_t position : tiled)
    indices.push_back(innerIndex(*loopOf(map.getResult(position))));
  return {copy, mapOf(indices), {}};
}

PanelMaker::Operand PanelMaker::reshape(OpOperand &operand) {
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
    unsigned loop = *loopOf(index);
    add(extent / tiles[loop], index);
    add(tiles[loop], innerIndex(loop));
  }
  auto expanded = tensor::ExpandShapeOp::create(
      rewriter, op.getLoc(), type.clone(shape), operand.get(), groups);
  return {expanded.getResult(), mapOf(indices), std::move(groups)};
}

PanelMaker::Operand PanelMaker::change(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isa<RankedTensorType>(operand.get().getType()) ||
      llvm::none_of(map.getResults(), [&](auto e) { return isTiled(e); }))
    return {operand.get(), mapOf(map.getResults()), {}};
  bool isPacked = op.isDpsInput(&operand) && packed[operand.getOperandNumber()];
  return isPacked ? pack(operand) : reshape(operand);
}

/// What has become wider in its copy is extended by that much less. Nothing
/// that was extended is as large as a sign.
void PanelMaker::adaptPayload(linalg::GenericOp panels) {
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

PanelOp PanelMaker::make() {
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
      results.push_back(
          tensor::CollapseShapeOp::create(rewriter, loc, type, result, group));
  }
  rewriter.replaceOp(op, results);
  return {panels, inner};
}

FailureOr<PanelOp> tonno::makePanels(RewriterBase &rewriter,
                                     linalg::LinalgOp op,
                                     ArrayRef<int64_t> tiles,
                                     ArrayRef<bool> packed) {
  PanelMaker maker(rewriter, op, tiles, packed);
  if (!maker.canMake())
    return failure();
  return maker.make();
}
