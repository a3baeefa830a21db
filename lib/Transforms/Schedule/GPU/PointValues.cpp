//===- Values of a group's ops at some points -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/PointValues.h"

using namespace mlir;
using namespace tonno;

Value PointValues::splat(Value value) {
  return isa<VectorType>(value.getType()) ? value
                                          : code.splat(value, points.width);
}

/// Returns the element of an op's operand.
Value PointValues::getOperand(size_t op, unsigned number) {
  const GroupedOp &member = group.ops[op];
  size_t inputs = member.inputs.size();
  const Source &source =
      number < inputs ? member.inputs[number] : member.inits[number - inputs];
  switch (source.kind) {
  case Source::Kind::constant:
    return splat(source.value);
  case Source::Kind::result: {
    if (auto found = results.find(source.op); found != results.end())
      return splat(found->second);
    linalg::LinalgOp producer = group.ops[source.op].op;
    return get(
        {source.op, producer->getRegion(0).front().getTerminator()->getOperand(
                        source.output)});
  }
  case Source::Kind::memory: {
    AffineMap map = getMapInGroupSpace(member, member.op->getOpOperand(number),
                                       group.extents.size());
    Type type =
        code.valueType(getElementTypeOrSelf(source.value), points.width);
    return code.valueIf(isInside, type, [&] {
      return loadAt(code, source.value, map, points);
    });
  }
  }
  llvm_unreachable("unknown kind of source");
}

Value PointValues::get(PayloadValue at) {
  linalg::LinalgOp op = group.ops[at.op].op;
  // Values from outside of the payload are scalars, equal for all points.
  if (at.value.getParentBlock() != &op->getRegion(0).front())
    return splat(at.value);
  auto [place, isNew] = known.try_emplace({at.op, at.value});
  if (!isNew)
    return place->second;
  Value value;
  if (auto argument = dyn_cast<BlockArgument>(at.value)) {
    value = getOperand(at.op, argument.getArgNumber());
  } else if (auto index = at.value.getDefiningOp<linalg::IndexOp>()) {
    value = points.getIndex(code, group.ops[at.op].dims[index.getDim()]);
  } else if (Operation *nested = at.value.getDefiningOp();
             nested->hasTrait<OpTrait::ConstantLike>()) {
    value = splat(code.b.clone(*nested)->getResult(0));
  } else {
    auto types = llvm::map_to_vector(nested->getResultTypes(), [&](Type type) {
      return code.valueType(type, points.width);
    });
    auto operands =
        llvm::map_to_vector(nested->getOperands(), [&](Value operand) {
          return get({at.op, operand});
        });
    value = mlir::clone(code.b, nested, types, operands)
                ->getResult(cast<OpResult>(at.value).getResultNumber());
  }
  return known[{at.op, at.value}] = value;
}
