//===- How threads share a contraction ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ContractionShape.h"

#include "tonno/Dialect/LoopRoles.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Finds the shape of one contraction.
class ShapeFinder {
public:
  ShapeFinder(const KernelGroup &group, const WorkgroupLimits &limits)
      : group(group), op(group.ops.front().op), limits(limits) {}

  FailureOr<ContractionShape> find();

private:
  LogicalResult findDims();
  void setThreadTile(const TileSizes &sizes);
  LogicalResult setAxis(TileAxis &axis, int64_t wanted, int64_t elementSize);
  int64_t elementBytes(OpOperand *operand) {
    return bytesOf(cast<MemRefType>(operand->get().getType()).getElementType());
  }

  const KernelGroup &group;
  linalg::LinalgOp op;
  const WorkgroupLimits &limits;
  ContractionShape shape;
};

} // namespace

LogicalResult ShapeFinder::findDims() {
  auto loops = findContractionLoops(op);
  if (failed(loops))
    return failure();
  shape.lhs = loops->lhs;
  shape.rhs = loops->rhs;
  shape.rows.dim = loops->rows;
  shape.columns.dim = loops->columns;
  shape.k = loops->depth;
  auto iterators = op.getIteratorTypesArray();
  for (unsigned dim = 0; dim < group.extents.size(); ++dim) {
    if (dim == shape.rows.dim || dim == shape.columns.dim || dim == shape.k)
      continue;
    (linalg::isReductionIterator(iterators[dim]) ? shape.outerReduced
                                                 : shape.outerParallel)
        .push_back(dim);
  }
  return success();
}

/// A thread's share of a subgroup's tile where nothing is said of threads.
void ShapeFinder::setThreadTile(const TileSizes &sizes) {
  shape.rows.perThread = sizes.thread[shape.rows.dim];
  shape.columns.perThread = sizes.thread[shape.columns.dim];
  if (shape.rows.perThread != 0 && shape.columns.perThread != 0)
    return;
  int64_t m = sizes.subgroup[shape.rows.dim],
          n = sizes.subgroup[shape.columns.dim];
  if (m == 0 || n == 0) {
    shape.rows.perThread = std::max<int64_t>(shape.rows.perThread, 4);
    shape.columns.perThread = std::max<int64_t>(shape.columns.perThread, 4);
    return;
  }
  shape.columns.perThread = commonPowerOfTwo({n}, 4);
  int64_t lanes =
      commonPowerOfTwo({n / shape.columns.perThread}, limits.subgroupSize);
  shape.rows.perThread = std::max<int64_t>(m * lanes / limits.subgroupSize, 1);
}

LogicalResult ShapeFinder::setAxis(TileAxis &axis, int64_t wanted,
                                   int64_t elementSize) {
  axis.extent = group.extents[axis.dim];
  int64_t whole = llvm::alignTo(axis.extent, axis.perThread);
  axis.block = wanted == 0 ? whole : std::min(wanted, whole);
  if (axis.block % axis.perThread != 0)
    return op.emitOpError()
           << "has a workgroup's tile of " << axis.block << " along loop "
           << axis.dim << ", which a thread's tile of " << axis.perThread
           << " does not divide";
  axis.threads = axis.block / axis.perThread;
  axis.vector = commonPowerOfTwo({axis.perThread},
                                 std::max<int64_t>(16 / elementSize, 1));
  return success();
}

FailureOr<ContractionShape> ShapeFinder::find() {
  if (failed(findDims()))
    return op.emitOpError() << "is no contraction";
  auto sizes = tileSizesOf(group);
  if (failed(sizes))
    return failure();
  bool isConfigured = llvm::any_of(
      llvm::concat<int64_t>(sizes->workgroup, sizes->thread, sizes->subgroup),
      [](int64_t size) { return size != 0; });
  setThreadTile(*sizes);
  int64_t otherwise = isConfigured ? 0 : 64;
  auto blockOf = [&](unsigned dim) {
    return sizes->workgroup[dim] ? sizes->workgroup[dim] : otherwise;
  };
  if (failed(setAxis(shape.rows, blockOf(shape.rows.dim),
                     elementBytes(shape.lhs))) ||
      failed(setAxis(shape.columns, blockOf(shape.columns.dim),
                     elementBytes(shape.rhs))))
    return failure();
  shape.depth =
      std::min(sizes->reduction[shape.k] ? sizes->reduction[shape.k] : 16,
               group.extents[shape.k]);
  if (int64_t threads = shape.numThreads(); threads > limits.threads)
    return op.emitOpError()
           << "has tiles for " << threads
           << " threads in a workgroup; there can be " << limits.threads;
  return std::move(shape);
}

FailureOr<ContractionShape>
ContractionShape::find(const KernelGroup &group,
                       const WorkgroupLimits &limits) {
  return ShapeFinder(group, limits).find();
}
