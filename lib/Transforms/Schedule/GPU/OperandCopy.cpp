//===- Copies of operand tiles to shared memory ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/OperandCopy.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace tonno;

static int64_t elementBytes(Value buffer) {
  return getElementBytes(cast<MemRefType>(buffer.getType()).getElementType());
}

bool OperandCopy::isTransposed() const {
  unsigned last = cast<MemRefType>(source.getType()).getRank() - 1;
  return last == sideDims.back() && !tile.runsAlongSide();
}

OperandCopy::Block OperandCopy::block() const {
  int64_t most = std::max<int64_t>(16 / elementBytes(source), 1);
  int64_t contiguous = vectorWidth(source, most);
  unsigned last = cast<MemRefType>(source.getType()).getRank() - 1;
  if (last == depthDim && !tile.runsAlongSide())
    return {.depth = commonPowerOfTwo({depth}, contiguous)};
  if (last == sideDims.back() && tile.runsAlongSide())
    return {.side = commonPowerOfTwo({side}, contiguous)};
  if (!isTransposed())
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
  int64_t alongSide = side / size.side, alongDepth = depth / size.depth;
  int64_t count = alongSide * alongDepth;
  Value number = code.add(thread, i * numThreads);
  // Threads next to each other write along a row.
  SmallVector<Value> at = code.delinearize(
      number, tile.runsAlongSide() ? ArrayRef{alongDepth, alongSide}
                                   : ArrayRef{alongSide, alongDepth});
  if (tile.runsAlongSide())
    std::swap(at[0], at[1]);
  Place place{code.multiply(at[0], size.side), code.multiply(at[1], size.depth),
              nullptr};
  if ((i + 1) * numThreads > count)
    place.exists = code.isBelow(number, count);
  return place;
}

SmallVector<Value> OperandCopy::indicesAt(ThreadCode &code, ValueRange starts,
                                          const Place &at) const {
  SmallVector<Value> indices(starts);
  Value side = code.add(starts[sideDims.back()], at.side);
  SmallVector<Value> alongSide = sideDims.size() == 1
                                     ? SmallVector<Value>{side}
                                     : code.delinearize(side, sideSizes);
  for (auto [dim, index] : llvm::zip_equal(sideDims, alongSide))
    indices[dim] = index;
  indices[depthDim] = code.add(indices[depthDim], at.depth);
  return indices;
}

Value OperandCopy::isWithin(ThreadCode &code, ValueRange starts,
                            const Place &at) const {
  Value within;
  if (isSideGuarded) {
    unsigned dim = sideDims.back();
    OpFoldResult size = sideDims.size() == 1
                            ? createSize(code.b, code.b.getLoc(), source, dim)
                            : sideSize;
    within = code.isBelow(code.add(starts[dim], at.side), size);
  }
  if (isDepthGuarded)
    within = code.both(
        within,
        code.isBelow(code.add(starts[depthDim], at.depth),
                     createSize(code.b, code.b.getLoc(), source, depthDim)));
  return within;
}

SmallVector<Value> OperandCopy::inShared(ThreadCode &code, Value firstRow,
                                         Value alongSide,
                                         Value alongDepth) const {
  Value row = alongSide, column = alongDepth;
  if (tile.runsAlongSide())
    std::swap(row, column);
  return tile.place(code, firstRow, row, column);
}

SmallVector<Value> OperandCopy::load(ThreadCode &code, ValueRange starts,
                                     Value condition) const {
  auto type = cast<MemRefType>(source.getType());
  Type element = type.getElementType();
  Block size = block();
  int64_t rows = isTransposed() ? size.depth : 1;
  int64_t width = size.side * size.depth / rows;
  SmallVector<Value> values;
  for (int64_t i = 0; i < blocksPerThread(); ++i) {
    Place at = place(code, i);
    for (int64_t row = 0; row < rows; ++row) {
      Place place = at;
      place.depth = code.add(at.depth, row);
      SmallVector<Value> indices = indicesAt(code, starts, place);
      Value isThere = code.both(code.both(condition, at.exists),
                                isWithin(code, starts, place));
      values.push_back(
          code.valueIf(isThere, code.valueType(element, width), [&] {
            return code.load(source, indices, width,
                             width * getElementBytes(element));
          }));
    }
  }
  return values;
}

void OperandCopy::store(ThreadCode &code, ValueRange values,
                        Value firstRow) const {
  Block size = block();
  int64_t bytes = elementBytes(shared);
  for (int64_t i = 0; i < blocksPerThread(); ++i) {
    Place at = place(code, i);
    code.doIf(at.exists, [&] {
      if (!isTransposed())
        return code.store(values[i], shared,
                          inShared(code, firstRow, at.side, at.depth),
                          size.side * size.depth * bytes);
      ValueRange ofBlock = values.slice(i * size.depth, size.depth);
      for (int64_t column = 0; column < size.side; ++column) {
        auto along = llvm::map_to_vector(
            ofBlock, [&](Value value) { return code.slice(value, column, 1); });
        code.store(
            code.concatenate(along), shared,
            inShared(code, firstRow, code.add(at.side, column), at.depth),
            size.depth * bytes);
      }
    });
  }
}

bool OperandCopy::canCopy() const {
  Block size = block();
  return !isTransposed() && size.side * size.depth * elementBytes(source) >= 4;
}

void OperandCopy::copy(ThreadCode &code, ValueRange starts, Value condition,
                       Value firstRow) const {
  Block size = block();
  int64_t width = size.side * size.depth;
  auto token = nvgpu::DeviceAsyncTokenType::get(code.b.getContext());
  for (int64_t i = 0; i < blocksPerThread(); ++i) {
    Place at = place(code, i);
    code.doIf(at.exists, [&] {
      SmallVector<Value> indices = indicesAt(code, starts, at);
      // Copies only the elements within the buffer and fills the others with
      // zeros.
      Value isThere = code.both(condition, isWithin(code, starts, at));
      Value read;
      if (isThere)
        read = arith::SelectOp::create(code.b, isThere, code.index(width),
                                       code.index(0));
      bool isWhole = width * elementBytes(source) == 16;
      nvgpu::DeviceAsyncCopyOp::create(
          code.b, token, shared, inShared(code, firstRow, at.side, at.depth),
          source, indices, code.b.getIndexAttr(width), read,
          isWhole ? code.b.getUnitAttr() : UnitAttr());
    });
  }
}

OperandCopy tonno::makeOperandCopy(KernelLaunch &kernel, Value operand,
                                   AffineMap map, const SharedTile &tile,
                                   const TiledLoop &side,
                                   const TiledLoop &depth, int64_t numThreads,
                                   int64_t stages) {
  OperandCopy copy;
  copy.tile = tile;
  copy.source = operand;
  copy.thread = kernel.thread;
  copy.numThreads = numThreads;
  copy.side = side.extent;
  copy.depth = depth.extent;
  auto getDim = [&](unsigned loop) {
    return *map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  };
  copy.depthDim = getDim(depth.loops.back());
  for (unsigned loop : side.loops)
    copy.sideDims.push_back(getDim(loop));
  copy.sideSizes = side.sizes;
  copy.sideSize = kernel.code.multiply(side.sizes);
  copy.isSideGuarded = !isKnownMultiple(copy.sideSize, side.extent);
  copy.isDepthGuarded = !isKnownMultiple(depth.sizes.back(), depth.extent);
  Type element = cast<MemRefType>(operand.getType()).getElementType();
  copy.shared =
      kernel.addShared({stages * tile.numRows(), tile.pitch()}, element);
  return copy;
}
