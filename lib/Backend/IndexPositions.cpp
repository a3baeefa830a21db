//===- Which operands are positions ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexPositions.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

using Indexed = std::optional<IndexedExtent>;

/// Which of a group of operands `use` is, if it is one of them.
static std::optional<unsigned> positionIn(OpOperand &use, OperandRange group) {
  unsigned begin = group.empty() ? 0 : group.getBeginOperandIndex();
  unsigned number = use.getOperandNumber();
  if (number < begin || number >= begin + group.size())
    return std::nullopt;
  return number - begin;
}

/// Of a dimension from which `taken` elements are used at the position.
static IndexedExtent extentOf(Value indexed, unsigned dim, int64_t taken = 1) {
  int64_t extent = cast<ShapedType>(indexed.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(taken) ||
      extent < taken)
    return {};
  return {extent - taken + 1};
}

static Indexed elementAt(OpOperand &use, Value indexed, OperandRange indices) {
  auto dim = positionIn(use, indices);
  return dim ? Indexed(extentOf(indexed, *dim)) : std::nullopt;
}

/// Vectors lie along the last dimensions.
static Indexed vectorAt(OpOperand &use, Value indexed, OperandRange indices,
                        VectorType vector) {
  auto dim = positionIn(use, indices);
  if (!dim)
    return std::nullopt;
  int64_t first = int64_t(indices.size()) - vector.getRank();
  int64_t along = int64_t(*dim) - first;
  return extentOf(indexed, *dim, along < 0 ? 1 : vector.getDimSize(along));
}

/// The offsets in a gather's or scatter's vector are along the last dimension.
static Indexed scatteredAt(OpOperand &use, Value indexed, OperandRange offsets,
                           OpOperand &indices) {
  if (&use == &indices)
    return extentOf(indexed, offsets.size() - 1);
  return elementAt(use, indexed, offsets);
}

/// The indices of a tensor.gather or tensor.scatter are in all of `dims`.
static Indexed inDimensions(OpOperand &use, OpOperand &indices, Value indexed,
                            ArrayRef<int64_t> dims) {
  if (&use != &indices)
    return std::nullopt;
  IndexedExtent smallest;
  for (int64_t dim : dims) {
    IndexedExtent found = extentOf(indexed, dim);
    if (!found.extent)
      return found;
    smallest.extent =
        std::min(smallest.extent.value_or(*found.extent), *found.extent);
  }
  return smallest;
}

static Indexed affineAt(OpOperand &use, Value indexed, AffineMap map,
                        OperandRange operands) {
  auto number = positionIn(use, operands);
  if (!number)
    return std::nullopt;
  bool isDim = *number < map.getNumDims();
  unsigned position = isDim ? *number : *number - map.getNumDims();
  MLIRContext *context = map.getContext();
  AffineExpr itself = isDim ? getAffineDimExpr(position, context)
                            : getAffineSymbolExpr(position, context);
  IndexedExtent smallest;
  for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
    bool occurs = isDim ? expression.isFunctionOfDim(position)
                        : expression.isFunctionOfSymbol(position);
    if (!occurs)
      continue;
    IndexedExtent found = extentOf(indexed, dim);
    if (expression != itself || !found.extent)
      return IndexedExtent{found.extent, expression != itself};
    smallest.extent =
        std::min(smallest.extent.value_or(*found.extent), *found.extent);
  }
  return smallest;
}

/// Where a part begins; its size and steps are no positions.
static Indexed partAt(OpOperand &use, OffsetSizeAndStrideOpInterface op,
                      Value whole) {
  auto dynamic = op.getOffsets();
  auto number = positionIn(use, dynamic);
  if (!number)
    return std::nullopt;
  unsigned dim = 0;
  for (unsigned left = *number;; ++dim)
    if (op.isDynamicOffset(dim) && left-- == 0)
      break;
  if (op.isDynamicSize(dim) || op.isDynamicStride(dim))
    return IndexedExtent();
  return extentOf(whole, dim,
                  (op.getStaticSize(dim) - 1) * op.getStaticStride(dim) + 1);
}

Indexed tonno::indexedExtent(OpOperand &use) {
  return llvm::TypeSwitch<Operation *, Indexed>(use.getOwner())
      .Case([&](tensor::ExtractOp op) {
        return elementAt(use, op.getTensor(), op.getIndices());
      })
      .Case([&](tensor::InsertOp op) {
        return elementAt(use, op.getDest(), op.getIndices());
      })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto op) {
        return elementAt(use, op.getMemRef(), op.getIndices());
      })
      .Case([&](memref::AtomicRMWOp op) {
        return elementAt(use, op.getMemref(), op.getIndices());
      })
      .Case<affine::AffineReadOpInterface, affine::AffineWriteOpInterface>(
          [&](auto op) {
            return affineAt(use, op.getMemRef(), op.getAffineMap(),
                            op.getMapOperands());
          })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp, vector::TransferReadOp,
            vector::TransferWriteOp>([&](auto op) {
        return vectorAt(use, op.getBase(), op.getIndices(), op.getVectorType());
      })
      .Case<vector::GatherOp, vector::ScatterOp>([&](auto op) {
        return scatteredAt(use, op.getBase(), op.getOffsets(),
                           op.getIndicesMutable());
      })
      .Case([&](tensor::GatherOp op) {
        return inDimensions(use, op.getIndicesMutable(), op.getSource(),
                            op.getGatherDims());
      })
      .Case([&](tensor::ScatterOp op) {
        return inDimensions(use, op.getIndicesMutable(), op.getDest(),
                            op.getScatterDims());
      })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
          [&](auto op) { return partAt(use, op, op.getSource()); })
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(
          [&](auto op) { return partAt(use, op, op.getDest()); })
      .Default([](Operation *) { return std::nullopt; });
}
