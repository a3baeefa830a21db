//===- Sums of products on matrix units -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "Schedule/GPU/ContractionEpilogue.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/GPU/MatrixOps.h"
#include "Schedule/GPU/OperandCopy.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tonno;

namespace {

/// One of the two dimensions of the result's tiles.
struct MatrixAxis {
  unsigned dim = 0;        ///< of the group's space
  int64_t extent = 0;      ///< of that
  int64_t block = 0;       ///< of a workgroup
  int64_t subgroup = 0;    ///< of a subgroup
  int64_t instruction = 0; ///< of an instruction
  OpOperand *operand = nullptr;

  int64_t numBlocks() const { return llvm::divideCeil(extent, block); }
  int64_t numSubgroups() const { return block / subgroup; }
  int64_t numTiles() const { return subgroup / instruction; }
  bool isGuarded() const { return extent % block != 0; }
};

/// How workgroups, subgroups and instructions share a contraction.
struct MatrixShape {
  const MatrixInstruction *instruction = nullptr;
  /// The instruction computes the transposed tile: its m runs along the
  /// columns, so that a lane's sums are next to each other in a row.
  bool isTransposed = false;
  MatrixAxis rows, columns;
  unsigned k = 0;
  int64_t depth = 0;  ///< of the tiles in shared memory
  int64_t stages = 2; ///< tiles of each operand in shared memory
  int64_t order = 1;  ///< rows of workgroups that run together
  int64_t subgroupSize = 0;
  SmallVector<unsigned> outerParallel; ///< a workgroup has one index of
  SmallVector<unsigned> outerReduced;

  int64_t numThreads() const {
    return rows.numSubgroups() * columns.numSubgroups() * subgroupSize;
  }
  const Fragment &fragment(const MatrixAxis &axis) const {
    return (&axis == &rows) != isTransposed ? instruction->lhs
                                            : instruction->rhs;
  }
  /// How the sums are distributed along an axis.
  const FragmentDimension &sums(const MatrixAxis &axis) const {
    return (&axis == &rows) != isTransposed ? instruction->sums.side
                                            : instruction->sums.depth;
  }
};

/// Finds the shape of one contraction.
class MatrixShapeFinder {
public:
  MatrixShapeFinder(const LaunchGroup &group, const WorkgroupLimits &limits,
                    const MatrixInstruction &instruction)
      : group(group), op(group.ops.front().op), limits(limits) {
    shape.instruction = &instruction;
    shape.isTransposed =
        instruction.sums.side.elements > instruction.sums.depth.elements;
    shape.subgroupSize = limits.subgroupSize;
  }

  /// Fails, at the op, where the configuration can't be had.
  FailureOr<MatrixShape> find() {
    auto loops = findContractionLoops(op);
    auto sizes = tileSizesOf(group);
    auto stages = getConfigured(op, lowering_config::kStages, 2);
    auto order = getConfigured(op, lowering_config::kOrder, 1);
    if (failed(loops) || failed(sizes) || failed(stages) || failed(order))
      return failure();
    shape.stages = *stages;
    shape.k = loops->depth;
    const MatrixInstruction &instruction = *shape.instruction;
    shape.rows = {.dim = loops->rows,
                  .instruction =
                      shape.isTransposed ? instruction.n : instruction.m,
                  .operand = loops->lhs};
    shape.columns = {.dim = loops->columns,
                     .instruction =
                         shape.isTransposed ? instruction.m : instruction.n,
                     .operand = loops->rhs};
    findOuterLoops();
    if (failed(setAxis(shape.rows, *sizes)) ||
        failed(setAxis(shape.columns, *sizes)))
      return failure();
    // Of rows that are not a multiple, the last ones would be fewer.
    shape.order = commonPowerOfTwo({shape.rows.numBlocks()}, *order);
    shape.depth = sizes->reduction[shape.k] ? sizes->reduction[shape.k]
                                            : instruction.k * 2;
    if (shape.depth % instruction.k != 0)
      return op.emitOpError()
             << "has a 'reduction' tile of " << shape.depth << " along loop "
             << shape.k << "; use a multiple of the instruction's "
             << instruction.k;
    if (shape.stages < 1 || shape.stages > 2)
      return op.emitOpError()
             << "has 'stages' of " << shape.stages << "; use 1 or 2";
    if (int64_t threads = shape.numThreads(); threads > limits.threads)
      return op.emitOpError()
             << "has tiles for " << threads
             << " threads in a workgroup; there can be " << limits.threads
             << ": use a larger 'subgroup' or a smaller 'workgroup' tile";
    return std::move(shape);
  }

private:
  void findOuterLoops() {
    auto iterators = op.getIteratorTypesArray();
    for (unsigned dim = 0; dim < group.extents.size(); ++dim)
      if (dim != shape.rows.dim && dim != shape.columns.dim && dim != shape.k)
        (linalg::isReductionIterator(iterators[dim]) ? shape.outerReduced
                                                     : shape.outerParallel)
            .push_back(dim);
  }

  LogicalResult setAxis(MatrixAxis &axis, const TileSizes &sizes) {
    axis.extent = group.extents[axis.dim];
    axis.subgroup = sizes.subgroup[axis.dim] ? sizes.subgroup[axis.dim]
                                             : axis.instruction * 2;
    axis.block = sizes.workgroup[axis.dim] ? sizes.workgroup[axis.dim]
                                           : axis.subgroup * 2;
    auto isMultiple = [&](StringRef key, int64_t size, StringRef of,
                          int64_t part) {
      if (size % part == 0)
        return success();
      return LogicalResult(op.emitOpError()
                           << "has a '" << key << "' tile of " << size
                           << " along loop " << axis.dim
                           << "; use a multiple of the " << of << " " << part);
    };
    return success(
        succeeded(isMultiple(lowering_config::kSubgroup, axis.subgroup,
                             "instruction's", axis.instruction)) &&
        succeeded(isMultiple(lowering_config::kWorkgroup, axis.block,
                             "subgroup's", axis.subgroup)));
  }

  const LaunchGroup &group;
  linalg::LinalgOp op;
  const WorkgroupLimits &limits;
  MatrixShape shape;
};

/// Writes one contraction.
class MatrixKernel {
public:
  MatrixKernel(const LaunchGroup &group, const MatrixShape &shape,
               const WorkgroupLimits &limits)
      : group(group), op(group.ops.front().op), shape(shape), rows(shape.rows),
        columns(shape.columns), limits(limits) {}

  LogicalResult emit(OpBuilder &builder) {
    SmallVector<int64_t> grid;
    for (unsigned dim : shape.outerParallel)
      grid.push_back(group.extents[dim]);
    // `order` rows of workgroups run together, column by column.
    grid.append(
        {rows.numBlocks() / shape.order, columns.numBlocks(), shape.order});
    KernelLaunch kernel(builder, op.getLoc(), computeProduct(grid),
                        shape.numThreads());
    ThreadCode &code = kernel.code;
    SmallVector<Value> block = code.delinearize(kernel.workgroup, grid);
    outer.assign(group.extents.size(), Value());
    for (auto [dim, index] : llvm::zip(shape.outerParallel, block))
      outer[dim] = index;
    ArrayRef<Value> inPlane = ArrayRef<Value>(block).take_back(3);
    Value rowBlock =
        code.add(code.multiply(inPlane[0], shape.order), inPlane[2]);
    outer[rows.dim] = code.multiply(rowBlock, rows.block);
    outer[columns.dim] = code.multiply(inPlane[1], columns.block);
    lane = code.remainder(kernel.thread, shape.subgroupSize);
    SmallVector<Value> subgroup =
        code.delinearize(code.divide(kernel.thread, shape.subgroupSize),
                         {rows.numSubgroups(), columns.numSubgroups()});
    rowStart = code.multiply(subgroup[0], rows.subgroup);
    columnStart = code.multiply(subgroup[1], columns.subgroup);

    if (int64_t bytes = sharedBytes(); bytes > limits.mostSharedBytes)
      return op.emitOpError() << "has tiles that take " << bytes
                              << " bytes of a workgroup's memory; there are "
                              << limits.mostSharedBytes
                              << ": use smaller 'workgroup' or 'reduction' "
                                 "tiles, or fewer 'stages'";
    else if (bytes > limits.sharedBytes)
      kernel.askForShared(bytes);
    finish(code, sumUp(kernel, firstSums(code)));
    return success();
  }

private:
  int64_t bytesOfElement() {
    return bytesOf(
        cast<MemRefType>(rows.operand->get().getType()).getElementType());
  }

  /// Of a row of a tile; rows start in different banks, at multiples of 16
  /// bytes.
  int64_t rowBytes() { return shape.depth * bytesOfElement() + 16; }

  int64_t sharedBytes() {
    auto ofTiles = [&](const MatrixAxis &axis) {
      return llvm::alignTo(shape.stages * axis.block * rowBytes(), 128);
    };
    return ofTiles(rows) + ofTiles(columns);
  }

  //===--------------------------------------------------------------------===//
  // Tiles of the operands
  //===--------------------------------------------------------------------===//

  OperandCopy copyOf(KernelLaunch &kernel, const MatrixAxis &axis) {
    OperandCopy copy;
    copy.source = axis.operand->get();
    copy.thread = kernel.thread;
    copy.numThreads = shape.numThreads();
    copy.side = axis.block;
    copy.depth = shape.depth;
    for (auto [i, result] : llvm::enumerate(
             op.getMatchingIndexingMap(axis.operand).getResults())) {
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      if (dim == axis.dim)
        copy.sideDim = i;
      if (dim == shape.k)
        copy.depthDim = i;
    }
    copy.isSideGuarded = axis.isGuarded();
    copy.isDepthGuarded = group.extents[shape.k] % shape.depth != 0;
    Type element = cast<MemRefType>(copy.source.getType()).getElementType();
    copy.shared = kernel.addShared(
        {shape.stages * axis.block, rowBytes() / bytesOf(element)}, element);
    return copy;
  }

  /// Returns where the tiles of one step over k begin in the operand.
  SmallVector<Value> startsAt(ThreadCode &code, OpOperand &operand,
                              Value step) {
    SmallVector<int64_t> extents;
    for (unsigned dim : shape.outerReduced)
      extents.push_back(group.extents[dim]);
    extents.push_back(numStepsOfK());
    SmallVector<Value> indices = code.delinearize(step, extents);
    SmallVector<Value> starts = outer;
    for (auto [dim, index] : llvm::zip(shape.outerReduced, indices))
      starts[dim] = index;
    starts[shape.k] = code.multiply(indices.back(), shape.depth);
    SmallVector<Value> own;
    for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults())
      own.push_back(starts[cast<AffineDimExpr>(result).getPosition()]);
    return own;
  }

  int64_t numStepsOfK() {
    return llvm::divideCeil(group.extents[shape.k], shape.depth);
  }

  //===--------------------------------------------------------------------===//
  // Fragments
  //===--------------------------------------------------------------------===//

  /// Returns this lane's position along a dimension of a fragment.
  Value laneAlong(ThreadCode &code, const FragmentDimension &dimension) {
    Value along = code.divide(lane, dimension.laneStride);
    if (dimension.laneStride * dimension.lanes == shape.subgroupSize)
      return along;
    return code.remainder(along, dimension.lanes);
  }

  /// Elements of k that a lane loads at once: those of one instruction or more,
  /// up to 16 bytes. k is permuted, alike in both operands.
  int64_t runLength(const MatrixAxis &axis) {
    const FragmentDimension &along = shape.fragment(axis).depth;
    int64_t run = along.outer * along.elements;
    int64_t bytes = bytesOf(
        cast<MemRefType>(axis.operand->get().getType()).getElementType());
    while (run * 2 * bytes <= 16 && shape.depth % (run * 2 * along.lanes) == 0)
      run *= 2;
    return run;
  }

  /// Loads the runs of one row of fragments: by tile, by outer part of its
  /// side.
  SmallVector<SmallVector<Value>> loadRuns(ThreadCode &code,
                                           const MatrixAxis &axis, Value start,
                                           Value shared, Value stageRow,
                                           int64_t chunk, int64_t run) {
    const Fragment &fragment = shape.fragment(axis);
    Value alongSide = laneAlong(code, fragment.side);
    Value column = code.add(code.multiply(laneAlong(code, fragment.depth), run),
                            chunk * run * fragment.depth.lanes);
    int64_t bytes =
        bytesOf(cast<MemRefType>(shared.getType()).getElementType());
    int64_t width = std::min<int64_t>(run, 16 / bytes);
    Value row = code.add(code.add(stageRow, start), alongSide);
    SmallVector<SmallVector<Value>> runs;
    for (int64_t tile = 0; tile < axis.numTiles(); ++tile) {
      SmallVector<Value> &parts = runs.emplace_back();
      for (uint32_t part = 0; part < fragment.side.outer; ++part) {
        Value at =
            code.add(row, tile * axis.instruction + part * fragment.side.lanes);
        SmallVector<Value> pieces;
        for (int64_t i = 0; i < run; i += width)
          pieces.push_back(code.load(shared, {at, code.add(column, i)}, width,
                                     width * bytes));
        parts.push_back(code.concatenate(pieces));
      }
    }
    return runs;
  }

  /// Returns the fragment of the i-th instruction that the runs serve.
  Value fragmentOf(ThreadCode &code, const Fragment &fragment,
                   ArrayRef<Value> parts, int64_t i) {
    int64_t elements = fragment.depth.elements;
    int64_t first = i * fragment.depth.outer * elements;
    if (parts.size() == 1)
      return code.slice(parts.front(), first, fragment.depth.outer * elements);
    SmallVector<Value> pieces;
    for (uint32_t outerPart = 0; outerPart < fragment.depth.outer; ++outerPart)
      for (Value part : parts)
        pieces.push_back(
            code.slice(part, first + outerPart * elements, elements));
    return code.concatenate(pieces);
  }

  /// Adds the products of the tiles in one stage.
  SmallVector<Value> addTile(ThreadCode &code, Value stage, ValueRange sums) {
    int64_t run = runLength(rows);
    const Fragment &ofRows = shape.fragment(rows),
                   &ofColumns = shape.fragment(columns);
    int64_t perRun = run / (ofRows.depth.outer * ofRows.depth.elements);
    SmallVector<Value> current(sums);
    for (int64_t chunk = 0;
         chunk < shape.depth / (run * int64_t(ofRows.depth.lanes)); ++chunk) {
      auto left = loadRuns(code, rows, rowStart, lhsShared,
                           code.multiply(stage, rows.block), chunk, run);
      auto right = loadRuns(code, columns, columnStart, rhsShared,
                            code.multiply(stage, columns.block), chunk, run);
      for (int64_t i = 0; i < perRun; ++i) {
        auto fragments = [&](const Fragment &fragment,
                             ArrayRef<SmallVector<Value>> runs) {
          return llvm::map_to_vector(runs, [&](const SmallVector<Value> &one) {
            return fragmentOf(code, fragment, one, i);
          });
        };
        SmallVector<Value> a = fragments(ofRows, left),
                           b = fragments(ofColumns, right);
        for (auto [r, x] : llvm::enumerate(a))
          for (auto [c, y] : llvm::enumerate(b)) {
            Value &sum = current[r * b.size() + c];
            sum = shape.isTransposed
                      ? emitMatrixOp(code, *shape.instruction, y, x, sum)
                      : emitMatrixOp(code, *shape.instruction, x, y, sum);
          }
      }
    }
    return current;
  }

  /// Sums up tile by tile. The next tiles are on their way from memory to
  /// registers while the current ones are multiplied:
  ///
  ///     store tile 0; barrier
  ///     for step:
  ///       load tile step + 1
  ///       multiply what is in stage (step % stages)
  ///       [1 stage: barrier]
  ///       store tile step + 1 into stage ((step + 1) % stages)
  ///       barrier
  SmallVector<Value> sumUp(KernelLaunch &kernel, ValueRange sums) {
    ThreadCode &code = kernel.code;
    OperandCopy left = copyOf(kernel, rows), right = copyOf(kernel, columns);
    lhsShared = left.shared;
    rhsShared = right.shared;
    int64_t steps = numStepsOfK();
    for (unsigned dim : shape.outerReduced)
      steps *= group.extents[dim];
    auto load = [&](Value step, Value condition) {
      return std::pair(
          left.load(code, startsAt(code, *rows.operand, step), condition),
          right.load(code, startsAt(code, *columns.operand, step), condition));
    };
    using Tiles = decltype(load(Value(), Value()));
    auto store = [&](const Tiles &tiles, Value stage) {
      left.store(code, tiles.first, code.multiply(stage, rows.block));
      right.store(code, tiles.second, code.multiply(stage, columns.block));
      code.barrier();
    };
    auto stageOf = [&](Value step) {
      return shape.stages == 1 ? code.index(0)
                               : code.remainder(step, shape.stages);
    };
    store(load(code.index(0), nullptr), code.index(0));
    if (steps == 1)
      return addTile(code, code.index(0), sums);
    auto loop = scf::ForOp::create(code.b, code.index(0), code.index(steps),
                                   code.index(1), sums);
    code.keepRolled(loop);
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    Value next = code.add(step, 1);
    Tiles ahead = load(next, code.isBelow(next, steps));
    SmallVector<Value> added =
        addTile(code, stageOf(step), loop.getRegionIterArgs());
    if (shape.stages == 1)
      code.barrier();
    store(ahead, stageOf(next));
    scf::YieldOp::create(code.b, added);
    return SmallVector<Value>(loop.getResults());
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  SmallVector<Value> firstSums(ThreadCode &code) {
    Type element =
        cast<MemRefType>(op.getDpsInits().front().getType()).getElementType();
    auto type = VectorType::get(shape.instruction->sums.size(), element);
    size_t count = rows.numTiles() * columns.numTiles();
    const Source &init = group.ops.front().inits.front();
    if (init.kind == Source::Kind::constant)
      return SmallVector<Value>(count,
                                code.splat(init.value, type.getNumElements()));
    AffineMap map = mapInSpace(group.ops.front(), *op.getDpsInitOperand(0),
                               group.extents.size());
    SmallVector<Value> sums;
    for (size_t tile = 0; tile < count; ++tile) {
      SmallVector<Value> pieces;
      forPoints(code, tile,
                [&](Value condition, int64_t, const Points &points) {
                  Value piece = code.valueIf(
                      condition, code.valueType(element, points.width),
                      [&] { return loadAt(code, init.value, map, points); });
                  // Of equal width, whatever the number of columns.
                  for (int64_t i = 0; i < points.width; ++i)
                    pieces.push_back(code.slice(piece, i, 1));
                });
      sums.push_back(code.concatenate(pieces));
    }
    return sums;
  }

  void finish(ThreadCode &code, ValueRange sums) {
    for (auto [tile, sum] : llvm::enumerate(sums))
      forPoints(
          code, tile,
          [&, sum = sum](Value condition, int64_t first, const Points &points) {
            code.doIf(condition, [&] {
              emitEpilogue(code, group, code.slice(sum, first, points.width),
                           points);
            });
          });
  }

  /// Calls `emit` with the points of the sums of one instruction's tile, and
  /// the number of the first of them among this lane's sums.
  void forPoints(ThreadCode &code, size_t tile,
                 function_ref<void(Value, int64_t, const Points &)> emit) {
    const FragmentDimension &ofRows = shape.sums(rows),
                            &ofColumns = shape.sums(columns);
    const Fragment &sums = shape.instruction->sums;
    int64_t run = ofColumns.elements;
    int64_t tileRow = int64_t(tile) / columns.numTiles() * rows.instruction,
            tileColumn =
                int64_t(tile) % columns.numTiles() * columns.instruction;
    Value row =
        code.add(code.add(outer[rows.dim], rowStart), laneAlong(code, ofRows));
    Value column = code.add(code.add(outer[columns.dim], columnStart),
                            code.multiply(laneAlong(code, ofColumns), run));
    Points points;
    points.indices = outer;
    points.along = columns.dim;
    // Some may lie beyond the last column, but never within one access.
    points.width = commonPowerOfTwo({columns.extent}, run);
    int64_t first = 0;
    for (uint32_t outerDepth = 0; outerDepth < sums.depth.outer; ++outerDepth)
      for (uint32_t outerSide = 0; outerSide < sums.side.outer;
           ++outerSide, first += run) {
        auto part = [&](const FragmentDimension &dimension) {
          return int64_t(&dimension == &sums.side ? outerSide : outerDepth) *
                 dimension.lanes * dimension.elements;
        };
        points.indices[rows.dim] = code.add(row, tileRow + part(ofRows));
        for (int64_t i = 0; i < run; i += points.width) {
          points.indices[columns.dim] =
              code.add(column, tileColumn + part(ofColumns) + i);
          Value condition;
          for (const MatrixAxis *axis : {&rows, &columns})
            if (axis->isGuarded())
              condition =
                  code.both(condition, code.isBelow(points.indices[axis->dim],
                                                    axis->extent));
          emit(condition, first + i, points);
        }
      }
  }

  const LaunchGroup &group;
  linalg::LinalgOp op;
  const MatrixShape &shape;
  const MatrixAxis &rows, &columns;
  const WorkgroupLimits &limits;

  // Of the kernel that is being written.
  SmallVector<Value> outer; ///< indices, by dimension; null for k and its likes
  Value lane, rowStart, columnStart;
  Value lhsShared, rhsShared;
};

} // namespace

LogicalResult tonno::emitMatrixProduct(OpBuilder &builder,
                                       const LaunchGroup &group,
                                       const WorkgroupLimits &limits,
                                       const MatrixInstruction &instruction) {
  OpBuilder::InsertionGuard guard(builder);
  auto shape = MatrixShapeFinder(group, limits, instruction).find();
  if (failed(shape))
    return failure();
  return MatrixKernel(group, *shape, limits).emit(builder);
}
