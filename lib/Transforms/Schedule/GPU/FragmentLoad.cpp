//===- Loads of matrix fragments ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/FragmentLoad.h"
#include "Schedule/GPU/MapToGPU.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tonno;

/// Rows of a matrix that ldmatrix loads; each has 16 bytes.
static constexpr int64_t matrixRows = 8;

FragmentLoad::FragmentLoad(const MatrixInstruction &instruction,
                           const Fragment &fragment, int64_t side,
                           int64_t depth, bool alongSide, bool inOrder)
    : instruction(instruction), fragment(fragment),
      elementBytes(static_cast<int64_t>(getByteSize(instruction.operand))),
      depth(depth), byMatrices(instruction.family == MatrixFamily::mmaSync),
      inOrder(inOrder),
      // Only matrices of 16-bit elements can be transposed.
      shared(byMatrices ? SharedTile::swizzled(side, depth, elementBytes,
                                               alongSide && elementBytes == 2)
                        : SharedTile::padded(side, depth, elementBytes)) {}

int64_t FragmentLoad::getSharedBytes(int64_t stages) const {
  return int64_t(
      llvm::alignTo(stages * shared.numRows() * shared.pitch() * elementBytes,
                    uint64_t(KernelLaunch::defaultAlignment)));
}

Value FragmentLoad::laneAlong(ThreadCode &code, Value lane,
                              const FragmentDimension &dimension,
                              int64_t subgroupSize) {
  Value along = code.divide(lane, dimension.laneStride);
  if (int64_t(dimension.laneStride) * dimension.lanes == subgroupSize)
    return along;
  return code.remainder(along, dimension.lanes);
}

/// Returns the number of elements along k that a lane loads in one access:
/// those of one instruction or more, up to 16 bytes.
int64_t FragmentLoad::runLength() const {
  const FragmentDimension &along = fragment.depth;
  int64_t run = int64_t(along.outer) * along.elements;
  while (!inOrder && run * 2 * elementBytes <= 16 &&
         depth % (run * 2 * along.lanes) == 0)
    run *= 2;
  return run;
}

int64_t FragmentLoad::numAtOnce() const {
  if (byMatrices)
    return 1;
  return runLength() /
         (int64_t(fragment.depth.outer) * fragment.depth.elements);
}

SmallVector<SmallVector<Value>> FragmentLoad::load(ThreadCode &code,
                                                   const Context &context,
                                                   int64_t first) const {
  if (byMatrices)
    return {loadMatrices(code, context, first)};
  return loadRuns(code, context, first);
}

SmallVector<SmallVector<Value>> FragmentLoad::loadRuns(ThreadCode &code,
                                                       const Context &context,
                                                       int64_t first) const {
  int64_t run = runLength();
  Value alongSide =
      laneAlong(code, context.lane, fragment.side, context.subgroupSize);
  // Each lane has `run` adjacent elements; in order, several shorter runs.
  int64_t adjacent = inOrder ? int64_t(fragment.depth.elements) : run;
  Value column =
      code.add(code.multiply(laneAlong(code, context.lane, fragment.depth,
                                       context.subgroupSize),
                             adjacent),
               first / numAtOnce() * run * fragment.depth.lanes);
  int64_t width = std::min<int64_t>(adjacent, 16 / elementBytes);
  Value row = code.add(code.add(context.firstRow, context.start), alongSide);
  SmallVector<SmallVector<Value>> fragments(numAtOnce());
  for (int64_t i = 0; i < context.numFragments; ++i) {
    SmallVector<Value> parts;
    for (uint32_t part = 0; part < fragment.side.outer; ++part) {
      Value at = code.add(row, i * extent() + part * fragment.side.lanes);
      SmallVector<Value> pieces;
      for (int64_t k = 0; k < run; k += width) {
        int64_t start =
            k / adjacent * adjacent * (inOrder ? fragment.depth.lanes : 1) +
            k % adjacent;
        pieces.push_back(code.load(context.memory,
                                   {at, code.add(column, start)}, width,
                                   width * elementBytes));
      }
      parts.push_back(code.concatenate(pieces));
    }
    for (auto [k, own] : llvm::enumerate(fragments))
      own.push_back(ofRuns(code, parts, k));
  }
  return fragments;
}

/// Returns the fragment of the i-th instruction that the runs serve.
Value FragmentLoad::ofRuns(ThreadCode &code, ArrayRef<Value> parts,
                           int64_t i) const {
  int64_t elements = fragment.depth.elements, outer = fragment.depth.outer;
  int64_t first = i * outer * elements;
  if (parts.size() == 1)
    return code.slice(parts.front(), first, outer * elements);
  SmallVector<Value> pieces;
  for (int64_t k = 0; k < outer; ++k)
    for (Value part : parts)
      pieces.push_back(code.slice(part, first + k * elements, elements));
  return code.concatenate(pieces);
}

/// Loads up to four 8 x 16-byte matrices in one access; lane l gives the
/// address of row l % 8 of matrix l / 8. A fragment consists of such matrices:
/// along the side first, then along the depth. An access has those of a
/// fragment one behind the other, as the instruction takes them: else ptxas
/// copies registers between the two, which serializes.
SmallVector<Value> FragmentLoad::loadMatrices(ThreadCode &code,
                                              const Context &context,
                                              int64_t instructionNumber) const {
  int64_t chunk = 16 / elementBytes; // elements of a matrix along the depth
  int64_t acrossDepth = instruction.k / chunk;
  int64_t acrossSide = context.numFragments * fragment.side.outer;
  int64_t perLoad = 4 / acrossDepth;
  int64_t ofFragment = std::min<int64_t>(fragment.side.outer, perLoad);
  Value rowInMatrix = code.remainder(context.lane, matrixRows);
  Value matrix = code.divide(context.lane, matrixRows);
  Type element = cast<MemRefType>(context.memory.getType()).getElementType();
  SmallVector<SmallVector<Value>> matrices; // by place along side, along depth
  while (int64_t(matrices.size()) < acrossSide) {
    int64_t count =
        std::min<int64_t>(perLoad, acrossSide - int64_t(matrices.size()));
    Value place =
        code.add(code.multiply(code.divide(matrix, ofFragment * acrossDepth),
                               ofFragment),
                 code.remainder(matrix, ofFragment));
    Value side =
        code.add(code.multiply(code.remainder(place, count), matrixRows),
                 int64_t(matrices.size()) * matrixRows);
    Value along = code.multiply(
        code.remainder(code.divide(matrix, ofFragment), acrossDepth), chunk);
    // All else is a multiple of 8 rows: within them, chunks are exchanged
    // alike.
    int64_t done = instructionNumber * instruction.k;
    side = code.add(context.start, side);
    Value row, column;
    if (shared.runsAlongSide()) {
      row = code.add(along, done);
      column = shared.column(code, rowInMatrix, side);
    } else {
      row = side;
      column = code.exclusiveOr(shared.column(code, rowInMatrix, along),
                                code.index(done));
    }
    row = code.add(code.add(row, rowInMatrix), context.firstRow);
    auto loaded = nvgpu::LdMatrixOp::create(
        code.b,
        VectorType::get({count * acrossDepth, 4 / elementBytes}, element),
        context.memory, ValueRange{row, column}, shared.runsAlongSide(),
        count * acrossDepth);
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Value> &own = matrices.emplace_back();
      for (int64_t k = 0; k < acrossDepth; ++k)
        own.push_back(vector::ExtractOp::create(
            code.b, loaded,
            ArrayRef<int64_t>{(i / ofFragment * acrossDepth + k) * ofFragment +
                              i % ofFragment}));
    }
  }
  SmallVector<Value> fragments;
  for (int64_t i = 0; i < context.numFragments; ++i) {
    SmallVector<Value> pieces;
    for (int64_t k = 0; k < acrossDepth; ++k)
      for (uint32_t part = 0; part < fragment.side.outer; ++part)
        pieces.push_back(matrices[i * fragment.side.outer + part][k]);
    fragments.push_back(code.concatenate(pieces));
  }
  return fragments;
}
