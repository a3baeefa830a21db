//===- Which tensors will share a buffer ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPlaces.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

Value BufferPlaces::viewed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getViewSource();
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp>(op))
    return op->getOperand(0);
  return nullptr;
}

std::pair<Place, Value> BufferPlaces::of(Value value) {
  Value whole = value;
  while (Value source = viewed(whole))
    whole = source;
  auto [found, isNew] = places.try_emplace(whole, next);
  if (isNew)
    contents[next++].push_back(whole);
  return {found->second, whole == value ? Value() : value};
}

/// Whether anything behind `op` needs the value, seen through views or not.
static bool isNeededBehind(Operation *op, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    for (Value result : user->getResults())
      if (BufferPlaces::viewed(result) && isNeededBehind(op, result))
        return true;
    Operation *outer = op->getBlock()->findAncestorOpInBlock(*user);
    return outer && op->isBeforeInBlock(outer);
  });
}

std::optional<Place> BufferPlaces::ofResult(Operation *op, Value init,
                                            bool isReadCrosswise) {
  auto [place, view] = of(init);
  if (isa<BaseMemRefType>(init.getType()))
    return place;
  Value origin = contents[place].front();
  bool isOwn = origin.getDefiningOp() &&
               !origin.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
  if (!isOwn || isReadCrosswise)
    return std::nullopt;
  bool isNeeded = llvm::any_of(contents[place], [&](Value value) {
    return !value.getDefiningOp<tensor::EmptyOp>() && isNeededBehind(op, value);
  });
  return isNeeded ? std::nullopt : std::optional(place);
}

void BufferPlaces::set(Value result, Place place) {
  places[result] = place;
  contents[place].push_back(result);
}
