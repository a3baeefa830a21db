//===- Panels.cpp - Operands in panels of register tiles ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Panels.h"
#include "tonno/Transforms/Schedule/Windows.h"

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

bool PanelMaker::canMake() {
  auto extents = op.getStaticLoopRanges();
  for (unsigned loop : inner)
    if (extents[loop] % tiles[loop] != 0)
      return false;
  return !inner.empty() && op.hasPureTensorSemantics() &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), isPlain);
}

PanelMaker::Operand PanelMaker::pack(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> outer, tiled, reduced, innerTiles;
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    auto loop = loopOf(index);
    if (isTiled(index)) {
      tiled.push_back(position);
      innerTiles.push_back(tiles[*loop]);
    } else if (loop &&
               linalg::isReductionIterator(op.getIteratorTypesArray()[*loop])) {
      reduced.push_back(position);
    } else {
      outer.push_back(position);
    }
  }
  llvm::append_range(outer, tiled);
  llvm::append_range(outer, reduced);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(rewriter.getContext(), innerTiles);
  Location loc = op.getLoc();
  Value destination = linalg::PackOp::createDestinationTensor(
      rewriter, loc, operand.get(), sizes, tiled, outer);
  auto copy = linalg::PackOp::create(rewriter, loc, operand.get(), destination,
                                     tiled, sizes, /*paddingValue=*/{}, outer);
  SmallVector<AffineExpr> indices;
  for (int64_t position : outer)
    indices.push_back(map.getResult(position));
  for (int64_t position : tiled)
    indices.push_back(innerIndex(*loopOf(map.getResult(position))));
  return {copy.getResult(), mapOf(indices), {}};
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
