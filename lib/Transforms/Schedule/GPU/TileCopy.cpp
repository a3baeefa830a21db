//===- Tiles into a workgroup's memory ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileCopy.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tonno;

unsigned TileCopy::fastest() const {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(source.getType());
  (void)type.getStridesAndOffset(strides, offset);
  unsigned best = strides.size() - 1;
  for (unsigned d = 0; d < strides.size(); ++d)
    if (strides[d] == 1 && tile[d] > 1)
      best = d;
  return best;
}

int64_t TileCopy::width() const {
  unsigned last = tile.size() - 1;
  if (fastest() != last)
    return 1;
  auto type = cast<MemRefType>(source.getType());
  int64_t bound = std::max<int64_t>(16 / bytesOf(type.getElementType()), 1);
  return commonPowerOfTwo({tile[last]}, vectorWidth(source, bound));
}

int64_t TileCopy::numPieces() const {
  int64_t elements = 1;
  for (int64_t extent : tile)
    elements *= extent;
  return elements / width();
}

SmallVector<Type> TileCopy::types(ThreadCode &code) const {
  Type element = cast<MemRefType>(source.getType()).getElementType();
  return SmallVector<Type>(llvm::divideCeil(numPieces(), numThreads),
                           code.valueType(element, width()));
}

SmallVector<Value> TileCopy::coordinates(ThreadCode &code, int64_t i) const {
  Value piece = code.add(thread, i * numThreads);
  unsigned along = fastest();
  // The fastest dimension last, in pieces.
  SmallVector<unsigned> order;
  SmallVector<int64_t> extents;
  for (unsigned d = 0; d < tile.size(); ++d)
    if (d != along) {
      order.push_back(d);
      extents.push_back(tile[d]);
    }
  order.push_back(along);
  extents.push_back(tile[along] / width());
  SmallVector<Value> ordered = code.delinearize(piece, extents);
  SmallVector<Value> result(tile.size());
  for (auto [value, d] : llvm::zip_equal(ordered, order))
    result[d] = d == along ? code.multiply(value, width()) : value;
  return result;
}

Value TileCopy::hasPiece(ThreadCode &code, int64_t i) const {
  if ((i + 1) * numThreads <= numPieces())
    return nullptr;
  return code.isBelow(code.add(thread, i * numThreads), numPieces());
}

SmallVector<Value> TileCopy::load(ThreadCode &code, ValueRange starts,
                                  Value condition) const {
  auto shape = cast<MemRefType>(source.getType()).getShape();
  SmallVector<Value> values;
  for (auto [i, type] : llvm::enumerate(types(code))) {
    SmallVector<Value> indices;
    Value isThere = code.both(condition, hasPiece(code, i));
    for (auto [d, within] : llvm::enumerate(coordinates(code, i))) {
      indices.push_back(code.add(starts[d], within));
      if (isGuarded[d])
        isThere = code.both(isThere, code.isBelow(indices[d], shape[d]));
    }
    values.push_back(code.valueIf(isThere, type, [&] {
      Type element = cast<MemRefType>(source.getType()).getElementType();
      return code.load(source, indices, width(), width() * bytesOf(element));
    }));
  }
  return values;
}

void TileCopy::store(ThreadCode &code, ValueRange values) const {
  unsigned along = fastest();
  auto sharedType = cast<MemRefType>(shared.getType());
  bool isSideBySide = layout.getResults().back() ==
                      getAffineDimExpr(along, layout.getContext());
  int64_t pieceBytes = width() * bytesOf(sharedType.getElementType());
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> within = coordinates(code, i);
    code.doIf(hasPiece(code, i), [&, value = value] {
      auto storeAt = [&](Value part, int64_t shift) {
        SmallVector<Value> at(within);
        at[along] = code.add(at[along], shift);
        SmallVector<Value> indices;
        for (AffineExpr result : layout.getResults())
          indices.push_back(at[cast<AffineDimExpr>(result).getPosition()]);
        code.store(part, shared, indices, pieceBytes);
      };
      if (isSideBySide)
        return storeAt(value, 0);
      for (int64_t lane = 0; lane < width(); ++lane)
        storeAt(code.slice(value, lane, 1), lane);
    });
  }
}
