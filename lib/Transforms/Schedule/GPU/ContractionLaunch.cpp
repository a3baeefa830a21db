//===- Contractions by GPU threads ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/Epilogue.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/GPU/ThreadCode.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Dimension of a workgroup's two-dimensional tile of the result.
struct TileAxis {
  unsigned dim = 0;   ///< of the group's space
  int64_t extent = 0; ///< of that dimension, perhaps dynamic
  OpFoldResult size;  ///< the same, as a value
  int64_t block = 0;  ///< of a workgroup
  int64_t perThread = 0;
  int64_t threads = 0; ///< along it: block / perThread
  int64_t vector = 1;  ///< elements side by side; the next are `threads` away

  OpFoldResult numBlocks(ThreadCode &code) const {
    return code.countTiles(size, block);
  }
  bool isGuarded() const { return !isKnownMultiple(size, block); }
  /// Returns the position of the i-th element of thread `t` in the tile.
  Value position(ThreadCode &code, Value t, int64_t i) const {
    return code.add(code.multiply(t, vector),
                    i / vector * threads * vector + i % vector);
  }
};

/// Distribution of a contraction over workgroups and threads. `lhs` has the
/// rows of the result, `rhs` the columns.
struct ContractionShape {
  TileAxis rows, columns;
  unsigned k = 0;    ///< the dimension that is summed up tile by tile
  int64_t depth = 0; ///< of the tiles that are in shared memory
  SmallVector<unsigned> outerParallel; ///< a workgroup has one index of
  SmallVector<unsigned> outerReduced;
  OpOperand *lhs = nullptr, *rhs = nullptr;
  SmallVector<OpFoldResult> sizes; ///< of the group's space

  int64_t numThreads() const { return rows.threads * columns.threads; }
};

/// Finds the shape of one contraction.
class ShapeFinder {
public:
  ShapeFinder(OpBuilder &builder, const LaunchGroup &group,
              const WorkgroupLimits &limits)
      : group(group), op(group.ops.front().op), limits(limits) {
    shape.sizes = createExtents(builder, group);
  }

  /// Fails, at the op, where the configuration can't be had.
  FailureOr<ContractionShape> find() {
    if (failed(findDims()))
      return op.emitOpError() << "is not a contraction";
    auto sizes = getGroupTileSizes(group);
    if (failed(sizes))
      return failure();
    bool isConfigured = llvm::any_of(
        llvm::concat<int64_t>(sizes->workgroup, sizes->thread, sizes->subgroup),
        [](int64_t size) { return size != 0; });
    setThreadTile(*sizes);
    int64_t otherwise = isConfigured ? 0 : 64;
    auto getBlockSize = [&](unsigned dim) {
      return sizes->workgroup[dim] ? sizes->workgroup[dim] : otherwise;
    };
    if (failed(setAxis(shape.rows, getBlockSize(shape.rows.dim),
                       getElementBytes(shape.lhs->get().getType()))) ||
        failed(setAxis(shape.columns, getBlockSize(shape.columns.dim),
                       getElementBytes(shape.rhs->get().getType()))))
      return failure();
    shape.depth = sizes->reduction[shape.k] ? sizes->reduction[shape.k] : 16;
    if (int64_t extent = group.extents[shape.k]; !ShapedType::isDynamic(extent))
      shape.depth = std::min(shape.depth, extent);
    if (int64_t threads = shape.numThreads(); threads > limits.threads)
      return op.emitOpError() << "has tiles for " << threads
                              << " threads in a workgroup, which is limited to "
                              << limits.threads;
    return std::move(shape);
  }

private:
  LogicalResult findDims() {
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

  /// Sets a thread's tile: the configured one, or else its part of the
  /// subgroup's tile.
  void setThreadTile(const TileSizes &sizes) {
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
    shape.rows.perThread =
        std::max<int64_t>(m * lanes / limits.subgroupSize, 1);
  }

  LogicalResult setAxis(TileAxis &axis, int64_t wanted, int64_t elementSize) {
    axis.extent = group.extents[axis.dim];
    axis.size = shape.sizes[axis.dim];
    if (ShapedType::isDynamic(axis.extent)) {
      axis.block = wanted == 0 ? axis.perThread : wanted;
    } else {
      int64_t whole = llvm::alignTo(axis.extent, axis.perThread);
      axis.block = wanted == 0 ? whole : std::min(wanted, whole);
    }
    std::string loop = "loop " + std::to_string(axis.dim);
    if (!ShapedType::isDynamic(axis.extent))
      loop += " of " + std::to_string(axis.extent) + " iterations";
    if (axis.perThread > axis.block)
      return op.emitOpError()
             << "has a thread's tile of " << axis.perThread << " along " << loop
             << ", which is larger than the workgroup's tile of " << axis.block;
    if (axis.block % axis.perThread != 0)
      return op.emitOpError()
             << "has a workgroup's tile of " << axis.block << " along " << loop
             << ", which a thread's tile of " << axis.perThread
             << " does not divide";
    axis.threads = axis.block / axis.perThread;
    axis.vector = commonPowerOfTwo({axis.perThread},
                                   std::max<int64_t>(16 / elementSize, 1));
    return success();
  }

  const LaunchGroup &group;
  linalg::LinalgOp op;
  const WorkgroupLimits &limits;
  ContractionShape shape;
};

/// Writes one contraction.
class Contraction {
public:
  Contraction(ThreadCode &host, const LaunchGroup &group,
              const ContractionShape &shape, const WorkgroupLimits &limits)
      : group(group), root(group.ops.front()), op(root.op), shape(shape),
        rows(shape.rows), columns(shape.columns), limits(limits),
        grid(createGrid(host)),
        kernel(host.b, op.getLoc(), host.multiply(grid), shape.numThreads()),
        code(kernel.code) {}

  LogicalResult emit() {
    SmallVector<Value> block = code.delinearize(kernel.workgroup, grid);
    outer.assign(group.extents.size(), Value());
    for (auto [dim, index] : llvm::zip(shape.outerParallel, block))
      outer[dim] = index;
    size_t position = shape.outerParallel.size();
    outer[rows.dim] = code.multiply(block[position], rows.block);
    outer[columns.dim] = code.multiply(block[position + 1], columns.block);
    SmallVector<Value> thread =
        code.delinearize(kernel.thread, {rows.threads, columns.threads});
    rowThread = thread[0];
    columnThread = thread[1];

    finish(sumUp(firstSums()));
    if (kernel.sharedBytes() > limits.sharedBytes)
      return op.emitOpError()
             << "has tiles that need " << kernel.sharedBytes()
             << " bytes of shared memory, of which a workgroup has "
             << limits.sharedBytes;
    return success();
  }

private:
  /// Returns the workgroups along the parallel dimensions, the tile's last.
  SmallVector<OpFoldResult> createGrid(ThreadCode &host) const {
    SmallVector<OpFoldResult> grid;
    for (unsigned dim : shape.outerParallel)
      grid.push_back(shape.sizes[dim]);
    grid.append({rows.numBlocks(host), columns.numBlocks(host)});
    return grid;
  }

  TileCopy makeTileCopy(OpOperand &operand, const TileAxis &axis) {
    TileCopy copy;
    copy.source = operand.get();
    copy.thread = kernel.thread;
    copy.numThreads = shape.numThreads();
    MLIRContext *context = op->getContext();
    AffineExpr alongK, alongAxis;
    for (auto [i, result] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      copy.tile.push_back(dim == shape.k    ? shape.depth
                          : dim == axis.dim ? axis.block
                                            : 1);
      copy.isGuarded.push_back(
          dim == shape.k ? !isKnownMultiple(shape.sizes[shape.k], shape.depth)
                         : dim == axis.dim && axis.isGuarded());
      if (dim == shape.k)
        alongK = getAffineDimExpr(i, context);
      if (dim == axis.dim)
        alongAxis = getAffineDimExpr(i, context);
    }
    Type element = getElementTypeOrSelf(operand.get());
    // Rows of the tile start in different banks, at multiples of 16 bytes.
    int64_t padding = std::max<int64_t>(16 / getElementBytes(element), 1);
    copy.shared =
        kernel.addShared({shape.depth, axis.block + padding}, element);
    copy.layout =
        AffineMap::get(copy.tile.size(), 0, {alongK, alongAxis}, context);
    return copy;
  }

  /// Returns the first index of the operand's tile in each of its dimensions.
  SmallVector<Value> getTileOffsets(OpOperand &operand, ValueRange starts) {
    SmallVector<Value> own;
    for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults())
      own.push_back(starts[cast<AffineDimExpr>(result).getPosition()]);
    return own;
  }

  /// Returns the first indices of the tiles of one reduction step, by
  /// dimension.
  SmallVector<Value> startsAt(Value step) {
    SmallVector<Value> indices = code.delinearize(step, stepExtents);
    SmallVector<Value> starts = outer;
    for (auto [dim, index] : llvm::zip(shape.outerReduced, indices))
      starts[dim] = index;
    starts[shape.k] = code.multiply(indices.back(), shape.depth);
    return starts;
  }

  SmallVector<Value> firstSums() {
    size_t count = rows.perThread * columns.perThread / columns.vector;
    const Source &init = root.inits.front();
    if (init.kind == Source::Kind::constant)
      return SmallVector<Value>(count, code.splat(init.value, columns.vector));
    AffineMap map = getOperandMap(root, *op.getDpsInitOperand(0));
    SmallVector<Value> sums;
    for (size_t i = 0; i < count; ++i) {
      SmallVector<Value> pieces;
      forPoints(i, [&](Value condition, int64_t, const Points &points) {
        pieces.push_back(code.valueIf(
            condition,
            code.valueType(getElementTypeOrSelf(init.value), points.width),
            [&] { return loadAt(code, init.value, map, points); }));
      });
      sums.push_back(code.concatenate(pieces));
    }
    return sums;
  }

  /// Adds the products of the tiles in shared memory to the sums.
  SmallVector<Value> addTile(ValueRange sums) {
    int64_t unrolled = commonPowerOfTwo({shape.depth}, 8);
    auto loop =
        scf::ForOp::create(code.b, code.index(0), code.index(shape.depth),
                           code.index(unrolled), sums);
    code.disableUnrolling(loop);
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> current(loop.getRegionIterArgs());
    for (int64_t i = 0; i < unrolled; ++i)
      current = addProducts(code.add(loop.getInductionVar(), i), current);
    scf::YieldOp::create(code.b, current);
    return SmallVector<Value>(loop.getResults());
  }

  /// Adds the products of one row of each shared tile.
  SmallVector<Value> addProducts(Value row, ValueRange sums) {
    auto fragments = [&](const TileAxis &axis, Value shared, Value thread) {
      Type element = getElementTypeOrSelf(shared);
      SmallVector<Value> values;
      for (int64_t i = 0; i < axis.perThread; i += axis.vector)
        values.push_back(
            code.load(shared, {row, axis.position(code, thread, i)},
                      axis.vector, axis.vector * getElementBytes(element)));
      return values;
    };
    SmallVector<Value> left = fragments(rows, lhsShared, rowThread);
    SmallVector<Value> right = fragments(columns, rhsShared, columnThread);
    bool isSwapped = shape.lhs != op.getDpsInputOperand(0);
    SmallVector<Value> next;
    for (int64_t i = 0; i < rows.perThread; ++i) {
      Value one =
          code.splat(code.slice(left[i / rows.vector], i % rows.vector, 1),
                     columns.vector);
      for (Value many : right) {
        SmallVector<Value> elements = {one, many, sums[next.size()]};
        if (isSwapped)
          std::swap(elements[0], elements[1]);
        Points points;
        points.width = columns.vector;
        next.push_back(
            emitPayload(code, op, elements, points, root.dims).front());
      }
    }
    return next;
  }

  /// Sums up tile by tile, loading the next tile into registers meanwhile.
  SmallVector<Value> sumUp(ValueRange sums) {
    TileCopy left = makeTileCopy(*shape.lhs, rows);
    TileCopy right = makeTileCopy(*shape.rhs, columns);
    lhsShared = left.shared;
    rhsShared = right.shared;
    for (unsigned dim : shape.outerReduced)
      stepExtents.push_back(shape.sizes[dim]);
    stepExtents.push_back(code.countTiles(shape.sizes[shape.k], shape.depth));
    OpFoldResult steps = code.multiply(stepExtents);

    auto load = [&](Value step, Value condition) {
      SmallVector<Value> starts = startsAt(step);
      SmallVector<Value> values =
          left.load(code, getTileOffsets(*shape.lhs, starts), condition);
      llvm::append_range(
          values,
          right.load(code, getTileOffsets(*shape.rhs, starts), condition));
      return values;
    };
    size_t numLeft = left.types(code).size();
    auto share = [&](ValueRange values) {
      left.store(code, values.take_front(numLeft));
      right.store(code, values.drop_front(numLeft));
      code.barrier();
    };
    // There may be no step at all.
    Value isThere;
    if (!getConstantIntValue(steps))
      isThere = code.isBelow(code.index(0), steps);
    SmallVector<Value> first = load(code.index(0), isThere);
    if (getConstantIntValue(steps) == 1) {
      share(first);
      return addTile(sums);
    }
    SmallVector<Value> carried(sums);
    llvm::append_range(carried, first);
    auto loop = scf::ForOp::create(code.b, code.index(0), code.index(steps),
                                   code.index(1), carried);
    code.disableUnrolling(loop);
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(loop.getBody());
    ValueRange arguments(loop.getRegionIterArgs());
    share(arguments.drop_front(sums.size()));
    Value nextStep = code.add(loop.getInductionVar(), 1);
    SmallVector<Value> ahead = load(nextStep, code.isBelow(nextStep, steps));
    SmallVector<Value> yielded = addTile(arguments.take_front(sums.size()));
    // Other threads may still read the tile that the next one overwrites.
    code.barrier();
    llvm::append_range(yielded, ahead);
    scf::YieldOp::create(code.b, yielded);
    return SmallVector<Value>(loop.getResults().take_front(sums.size()));
  }

  void finish(ValueRange sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      forPoints(i, [&, sum = sum](Value condition, int64_t lane,
                                  const Points &points) {
        code.doIf(condition, [&] {
          emitEpilogue(code, group, code.slice(sum, lane, points.width),
                       points);
        });
      });
  }

  /// Calls `emit` with the points of the i-th sum, guarded where need be.
  void forPoints(size_t sum,
                 function_ref<void(Value, int64_t, const Points &)> emit) {
    int64_t perRow = columns.perThread / columns.vector;
    int64_t row = int64_t(sum) / perRow,
            column = int64_t(sum) % perRow * columns.vector;
    Points points;
    points.indices = outer;
    points.along = columns.dim;
    // Trailing elements may lie beyond the last column, but no access straddles
    // it.
    points.width = commonPowerOfTwo({columns.extent}, columns.vector);
    points.indices[rows.dim] =
        code.add(outer[rows.dim], rows.position(code, rowThread, row));
    for (int64_t lane = 0; lane < columns.vector; lane += points.width) {
      points.indices[columns.dim] =
          code.add(outer[columns.dim],
                   columns.position(code, columnThread, column + lane));
      Value condition;
      for (const TileAxis *axis : {&rows, &columns})
        if (axis->isGuarded())
          condition = code.both(
              condition, code.isBelow(points.indices[axis->dim], axis->size));
      emit(condition, lane, points);
    }
  }

  AffineMap getOperandMap(const GroupedOp &member, OpOperand &operand) {
    return getMapInGroupSpace(member, operand, group.extents.size());
  }

  const LaunchGroup &group;
  const GroupedOp &root;
  linalg::LinalgOp op;
  const ContractionShape &shape;
  const TileAxis &rows, &columns;
  const WorkgroupLimits &limits;

  // State of the kernel under construction.
  SmallVector<OpFoldResult> grid;
  KernelLaunch kernel;
  ThreadCode &code;
  SmallVector<Value> outer; ///< indices, by dimension; null for k and its likes
  Value rowThread, columnThread;
  Value lhsShared, rhsShared;
  SmallVector<OpFoldResult>
      stepExtents; ///< of the reduced dimensions, in tiles
};

} // namespace

LogicalResult tonno::emitContraction(OpBuilder &builder,
                                     const LaunchGroup &group,
                                     const WorkgroupLimits &limits) {
  OpBuilder::InsertionGuard guard(builder);
  auto shape = ShapeFinder(builder, group, limits).find();
  if (failed(shape))
    return failure();
  ThreadCode host(builder, group.ops.front().op->getLoc());
  return Contraction(host, group, *shape, limits).emit();
}
