//===- Elements at a point of the space -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointAccess.h"

using namespace mlir;
using namespace tonno;

AffineMap tonno::mapInSpace(const GroupedOp &member, OpOperand &operand,
                            size_t numDims) {
  linalg::LinalgOp op = member.op;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> loops;
  for (unsigned dim : member.dims)
    loops.push_back(getAffineDimExpr(dim, map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, numDims, 0);
}

namespace {

/// How the elements of some points lie in a buffer.
struct Placement {
  SmallVector<Value> indices; ///< of the first
  int64_t stepDim = -1; ///< which index grows from point to point; -1: none
  int64_t width = 1;    ///< elements that one access takes

  static Placement find(Value buffer, AffineMap map, const Points &points) {
    Placement placement;
    for (auto [i, result] : llvm::enumerate(map.getResults())) {
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      placement.indices.push_back(points.indices[dim]);
      if (dim == points.along)
        placement.stepDim = i;
    }
    if (placement.stepDim + 1 == int64_t(map.getNumResults()))
      placement.width = vectorWidth(buffer, points.width);
    return placement;
  }

  SmallVector<Value> at(ThreadCode &code, int64_t point) const {
    SmallVector<Value> shifted(indices);
    shifted[stepDim] = code.add(shifted[stepDim], point);
    return shifted;
  }
};

} // namespace

static int64_t accessBytes(Value buffer, int64_t width) {
  return width * bytesOf(cast<MemRefType>(buffer.getType()).getElementType());
}

Value tonno::loadAt(ThreadCode &code, Value buffer, AffineMap map,
                    const Points &points) {
  Placement placement = Placement::find(buffer, map, points);
  if (placement.stepDim < 0)
    return code.splat(code.load(buffer, placement.indices, 1, 0), points.width);
  SmallVector<Value> pieces;
  for (int64_t i = 0; i < points.width; i += placement.width)
    pieces.push_back(code.load(buffer, placement.at(code, i), placement.width,
                               accessBytes(buffer, placement.width)));
  return code.concatenate(pieces);
}

void tonno::storeAt(ThreadCode &code, Value value, Value buffer, AffineMap map,
                    const Points &points) {
  Placement placement = Placement::find(buffer, map, points);
  if (placement.stepDim < 0)
    return code.store(code.slice(value, 0, 1), buffer, placement.indices, 0);
  for (int64_t i = 0; i < points.width; i += placement.width)
    code.store(code.slice(value, i, placement.width), buffer,
               placement.at(code, i), accessBytes(buffer, placement.width));
}
