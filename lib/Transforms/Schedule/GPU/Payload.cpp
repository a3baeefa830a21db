//===- What an op does with its elements ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Payload.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tonno;

SmallVector<Value> tonno::emitPayload(ThreadCode &code, linalg::LinalgOp op,
                                      ArrayRef<Value> elements, int64_t width) {
  Block &body = op->getRegion(0).front();
  IRMapping mapping;
  mapping.map(body.getArguments(), elements);
  // What comes from outside of the payload is one scalar for all points.
  auto valueOf = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value wide = code.splat(value, width);
    mapping.map(value, wide);
    return wide;
  };
  for (Operation &nested : body.without_terminator()) {
    if (nested.hasTrait<OpTrait::ConstantLike>()) {
      Operation *clone = code.b.clone(nested);
      mapping.map(nested.getResult(0), code.splat(clone->getResult(0), width));
      continue;
    }
    OperationState state(nested.getLoc(), nested.getName());
    for (Value operand : nested.getOperands())
      state.operands.push_back(valueOf(operand));
    for (Type type : nested.getResultTypes())
      state.types.push_back(code.valueType(type, width));
    state.attributes = llvm::to_vector(nested.getAttrs());
    Operation *wide = code.b.create(state);
    mapping.map(nested.getResults(), wide->getResults());
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), valueOf);
}

Value tonno::combine(ThreadCode &code, Operation *combiner, Value x, Value y) {
  OperationState state(combiner->getLoc(), combiner->getName());
  state.operands = {x, y};
  state.types = {x.getType()};
  state.attributes = llvm::to_vector(combiner->getAttrs());
  return code.b.create(state)->getResult(0);
}
