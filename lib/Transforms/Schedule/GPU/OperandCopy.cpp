//===- Tiles of an operand for matrix units -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/OperandCopy.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tonno;

OperandCopy::Block OperandCopy::block() const {
  auto type = cast<MemRefType>(source.getType());
  int64_t most = std::max<int64_t>(16 / bytesOf(type.getElementType()), 1);
  int64_t contiguous = vectorWidth(source, most);
  unsigned last = type.getRank() - 1;
  if (last == depthDim)
    return {.depth = commonPowerOfTwo({depth}, contiguous)};
  if (last != sideDim)
    return {};
  // A square, or nearly: a load per step of the depth, a store per element of
  // the side. As large as leaves work for all threads.
  Block block;
  int64_t share = std::max<int64_t>(side * depth / numThreads, 1);
  for (;;) {
    Block larger = block;
    if (larger.side <= larger.depth)
      larger.side *= 2;
    else
      larger.depth *= 2;
    if (larger.side * larger.depth > share || larger.side > contiguous ||
        larger.depth > most || side % larger.side != 0 ||
        depth % larger.depth != 0)
      return block;
    block = larger;
  }
}

int64_t OperandCopy::blocksPerThread() const {
  Block size = block();
  return llvm::divideCeil(side * depth, size.side * size.depth * numThreads);
}

OperandCopy::Place OperandCopy::place(ThreadCode &code, int64_t i) const {
  Block size = block();
  int64_t acrossDepth = depth / size.depth;
  int64_t count = side / size.side * acrossDepth;
  Value number = code.add(thread, i * numThreads);
  SmallVector<Value> at =
      code.delinearize(number, {side / size.side, acrossDepth});
  Place place{code.multiply(at[0], size.side), code.multiply(at[1], size.depth),
              nullptr};
  if ((i + 1) * numThreads > count)
    place.exists = code.isBelow(number, count);
  return place;
}

SmallVector<Value> OperandCopy::load(ThreadCode &code, ValueRange starts,
                                     Value condition) const {
  auto type = cast<MemRefType>(source.getType());
  Type element = type.getElementType();
  Block size = block();
  bool isTransposed = size.side > 1;
  int64_t width = isTransposed ? size.side : size.depth;
  SmallVector<Value> values;
  for (int64_t i = 0; i < blocksPerThread(); ++i) {
    Place at = place(code, i);
    for (int64_t row = 0; row < (isTransposed ? size.depth : 1); ++row) {
      SmallVector<Value> indices(starts);
      indices[sideDim] = code.add(indices[sideDim], at.side);
      indices[depthDim] = code.add(code.add(indices[depthDim], at.depth), row);
      Value isThere = code.both(condition, at.exists);
      for (auto [dim, isGuarded] :
           {std::pair(sideDim, isSideGuarded), {depthDim, isDepthGuarded}})
        if (isGuarded)
          isThere = code.both(isThere,
                              code.isBelow(indices[dim], type.getDimSize(dim)));
      values.push_back(
          code.valueIf(isThere, code.valueType(element, width), [&] {
            return code.load(source, indices, width, width * bytesOf(element));
          }));
    }
  }
  return values;
}

void OperandCopy::store(ThreadCode &code, ValueRange values,
                        Value firstRow) const {
  Block size = block();
  int64_t bytes = bytesOf(cast<MemRefType>(shared.getType()).getElementType());
  for (int64_t i = 0; i < blocksPerThread(); ++i) {
    Place at = place(code, i);
    code.doIf(at.exists, [&] {
      Value row = code.add(firstRow, at.side);
      if (size.side == 1)
        return code.store(values[i], shared, {row, at.depth},
                          size.depth * bytes);
      ValueRange ofBlock = values.slice(i * size.depth, size.depth);
      for (int64_t column = 0; column < size.side; ++column) {
        auto along = llvm::map_to_vector(
            ofBlock, [&](Value value) { return code.slice(value, column, 1); });
        code.store(code.concatenate(along), shared,
                   {code.add(row, column), at.depth}, size.depth * bytes);
      }
    });
  }
}
