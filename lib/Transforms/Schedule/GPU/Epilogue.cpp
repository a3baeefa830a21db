//===- Epilogues of launches ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/Epilogue.h"

using namespace mlir;
using namespace tonno;

void tonno::emitEpilogue(ThreadCode &code, const LaunchGroup &group,
                         ValueRange firstResults, const Points &points) {
  SmallVector<SmallVector<Value>> results = {
      llvm::to_vector_of<Value>(firstResults)};
  for (const GroupedOp &member : llvm::drop_begin(group.ops)) {
    linalg::LinalgOp memberOp = member.op;
    SmallVector<Value> elements;
    for (auto [i, source] : llvm::enumerate(
             llvm::concat<const Source>(member.inputs, member.inits))) {
      OpOperand &operand = memberOp->getOpOperand(i);
      switch (source.kind) {
      case Source::Kind::constant:
        elements.push_back(code.splat(source.value, points.width));
        break;
      case Source::Kind::result:
        elements.push_back(results[source.op][source.output]);
        break;
      case Source::Kind::memory:
        // An overwritten output need not be loaded.
        elements.push_back(
            memberOp.payloadUsesValueFromOperand(&operand)
                ? loadAt(
                      code, source.value,
                      getMapInGroupSpace(member, operand, group.extents.size()),
                      points)
                : Value());
        break;
      }
    }
    results.push_back(
        emitPayload(code, memberOp, elements, points, member.dims));
  }
  for (auto [member, values] : llvm::zip_equal(group.ops, results)) {
    linalg::LinalgOp memberOp = member.op;
    for (auto [i, value] : llvm::enumerate(values)) {
      OpOperand &output = *memberOp.getDpsInitOperand(i);
      if (member.isStored[i])
        storeAt(code, value, output.get(),
                getMapInGroupSpace(member, output, group.extents.size()),
                points);
    }
  }
}
