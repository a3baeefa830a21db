//===- How threads share a space ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileShape.h"

#include "tonno/Dialect/LoopRoles.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tonno;

/// More would be no loop any more, but a book.
static constexpr int64_t maxPointsPerThread = 256;

int64_t TileShape::numThreads() const {
  int64_t number = 1;
  for (int64_t extent : threads)
    number *= extent;
  return number;
}

int64_t TileShape::numBlocks(unsigned dim) const {
  return llvm::divideCeil(extents[dim], block(dim));
}

SmallVector<unsigned> TileShape::threadOrder() const {
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (dim != along)
      order.push_back(dim);
  order.push_back(along);
  return order;
}

int64_t TileShape::threadStride(unsigned dim) const {
  int64_t stride = 1;
  SmallVector<unsigned> order = threadOrder(); // `reverse` does not keep it
  for (unsigned other : llvm::reverse(order)) {
    if (other == dim)
      return stride;
    stride *= threads[other];
  }
  return stride;
}

/// What the group does at the points of its space.
static SmallVector<SpaceAccess> accessesOf(const KernelGroup &group) {
  SmallVector<SpaceAccess> accesses;
  for (const GroupedOp &member : group.ops) {
    linalg::LinalgOp op = member.op;
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<MemRefType>(operand.get().getType()))
        accesses.push_back({mapInSpace(member, operand, group.extents.size()),
                            type, op.isDpsInit(&operand)});
  }
  return accesses;
}

/// Bytes of the smallest element that the group has in memory.
static int64_t smallestElement(const KernelGroup &group) {
  int64_t bytes = 8;
  for (const GroupedOp &member : group.ops)
    for (Value operand : member.op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        bytes = std::min(bytes, bytesOf(type.getElementType()));
  return bytes;
}

/// A tile where no configuration says: 256 threads with 16 bytes each along
/// rows.
static TileSizes defaultSizes(const KernelGroup &group, const TileShape &shape,
                              int64_t vector) {
  size_t numDims = group.extents.size();
  TileSizes sizes;
  for (auto *level :
       {&sizes.workgroup, &sizes.reduction, &sizes.subgroup, &sizes.thread})
    level->assign(numDims, 1);
  int64_t threads = 256;
  auto take = [&](unsigned dim, int64_t perThread) {
    int64_t wanted = llvm::bit_ceil(
        uint64_t(llvm::divideCeil(group.extents[dim], uint64_t(perThread))));
    int64_t along = std::min(wanted, threads);
    threads /= along;
    sizes.thread[dim] = perThread;
    sizes.workgroup[dim] = sizes.reduction[dim] = along * perThread;
  };
  take(shape.along, vector);
  for (unsigned dim = numDims; dim-- > 0;)
    if (dim != shape.along && dim != shape.reduced)
      take(dim, 1);
  if (shape.reduced && *shape.reduced != shape.along)
    take(*shape.reduced, 1);
  return sizes;
}

static bool isZero(int64_t size) { return size == 0; }

static bool isAllZero(const TileSizes &sizes) {
  return llvm::all_of(llvm::concat<const int64_t>(sizes.workgroup,
                                                  sizes.reduction,
                                                  sizes.subgroup, sizes.thread),
                      isZero);
}

/// Where nothing is said of threads, they have equal shares of a subgroup's
/// tile: neighbours lie along rows, each with a vector as long as there are
/// enough of them.
static void shareSubgroup(TileSizes &sizes, unsigned along, int64_t vector,
                          int64_t lanes) {
  if (!llvm::all_of(sizes.thread, isZero))
    return;
  auto share = [&](unsigned dim, int64_t atLeast) {
    int64_t tile = sizes.subgroup[dim];
    if (tile == 0)
      return;
    int64_t most = llvm::divideCeil(tile, atLeast);
    int64_t used = std::min<int64_t>(lanes, llvm::bit_floor(uint64_t(most)));
    sizes.thread[dim] = llvm::divideCeil(tile, used);
    lanes /= used;
  };
  share(along, vector);
  for (unsigned dim = sizes.subgroup.size(); dim-- > 0;)
    if (dim != along)
      share(dim, 1);
}

FailureOr<TileShape> TileShape::find(const KernelGroup &group,
                                     const WorkgroupLimits &limits) {
  linalg::LinalgOp op = group.ops.front().op;
  TileShape shape;
  shape.extents = group.extents;
  shape.reduced = group.reduced;
  shape.along = findAlong(group.extents, accessesOf(group));
  auto sizes = tileSizesOf(group);
  if (failed(sizes))
    return failure();
  int64_t mostVector = 16 / smallestElement(group);
  if (isAllZero(*sizes))
    *sizes = defaultSizes(
        group, shape,
        commonPowerOfTwo({group.extents[shape.along]}, mostVector));
  shareSubgroup(*sizes, shape.along, mostVector, limits.subgroupSize);
  int64_t points = 1;
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
    int64_t extent = shape.extents[dim];
    int64_t block =
        dim == shape.reduced ? sizes->reduction[dim] : sizes->workgroup[dim];
    block = block == 0 ? extent : std::min(block, extent);
    int64_t perThread = sizes->thread[dim];
    if (perThread == 0)
      perThread = dim == shape.along ? mostVector : 1;
    perThread = std::min(perThread, block);
    if (dim == shape.along) {
      shape.width = commonPowerOfTwo({perThread, extent}, mostVector);
      perThread /= shape.width;
      block = llvm::divideCeil(block, shape.width);
    }
    shape.steps.push_back(perThread);
    shape.threads.push_back(llvm::divideCeil(block, perThread));
    points *= perThread;
  }
  points *= shape.width;
  if (shape.numThreads() > limits.threads)
    return op.emitOpError()
           << "has tiles for " << shape.numThreads()
           << " threads in a workgroup; there can be " << limits.threads;
  if (points > maxPointsPerThread)
    return op.emitOpError() << "has tiles that give each thread " << points
                            << " points; it can have " << maxPointsPerThread;
  return shape;
}
