//===- Contractions on matrix units ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "Schedule/GPU/Epilogue.h"
#include "Schedule/GPU/FragmentLoad.h"
#include "Schedule/GPU/TileProducts.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Dimension of the two-dimensional tiles of the result.
struct MatrixAxis {
  /// Dimensions of the group's space, the last fastest. If there are several,
  /// positions are numbered over all, so that a tile goes on in the next row.
  SmallVector<unsigned> dims = {};
  SmallVector<OpFoldResult> sizes = {}; ///< of the dimensions
  int64_t extent = 0;                   ///< of all together, perhaps dynamic
  int64_t lastExtent = 0;               ///< of the last one
  OpFoldResult size = {};               ///< of all together
  int64_t block = 0;                    ///< of a workgroup
  int64_t subgroup = 0;                 ///< of a subgroup
  int64_t instruction = 0;              ///< of an instruction
  OpOperand *operand = nullptr;

  OpFoldResult numBlocks(ThreadCode &code) const {
    return code.countTiles(size, block);
  }
  int64_t numSubgroups() const { return block / subgroup; }
  int64_t numTiles() const { return subgroup / instruction; }
  bool isGuarded() const { return !isKnownMultiple(size, block); }
  /// Sets the indices of a position.
  void place(ThreadCode &code, Value position,
             MutableArrayRef<Value> indices) const {
    SmallVector<Value> own = code.delinearize(position, sizes);
    for (auto [dim, index] : llvm::zip_equal(dims, own))
      indices[dim] = index;
  }
};

/// Distribution of a contraction over workgroups, subgroups and matrix
/// instructions.
struct MatrixShape {
  explicit MatrixShape(const MatrixInstruction &instruction)
      : instruction(instruction) {}

  OrientedInstruction instruction;
  MatrixAxis rows, columns;
  unsigned k = 0;
  int64_t depth = 0; ///< of the tiles in shared memory
  Staging staging;
  int64_t order = 1; ///< rows of workgroups that run together
  int64_t subgroupSize = 0;
  SmallVector<unsigned> outerParallel; ///< a workgroup has one index of
  SmallVector<unsigned> outerReduced;
  SmallVector<OpFoldResult> sizes; ///< of the group's space

  /// Returns the threads that execute an instruction together.
  int64_t numLanes() const { return subgroupSize * instruction->subgroups; }
  int64_t numThreads() const {
    return rows.numSubgroups() * columns.numSubgroups() * numLanes();
  }
};

/// Finds the shape of one contraction.
class MatrixShapeFinder {
public:
  MatrixShapeFinder(OpBuilder &builder, const LaunchGroup &group,
                    const WorkgroupLimits &limits,
                    const MatrixInstruction &instruction)
      : builder(builder), group(group), op(group.ops.front().op),
        limits(limits), shape(instruction) {
    shape.sizes = createExtents(builder, group);
    shape.subgroupSize = limits.subgroupSize;
  }

  /// Fails, at the op, where the configuration can't be had.
  FailureOr<MatrixShape> find() {
    auto loops = findContractionLoops(op);
    auto sizes = getGroupTileSizes(group);
    auto staging = getStaging(op, *shape.instruction);
    auto order = getConfigured(op, lowering_config::kOrder, 1);
    if (failed(loops) || failed(sizes) || failed(staging) || failed(order))
      return failure();
    shape.staging = *staging;
    shape.k = loops->depth;
    const MatrixInstruction &instruction = *shape.instruction;
    shape.rows = {.instruction = shape.instruction.numRows(),
                  .operand = loops->lhs};
    shape.columns = {.instruction = shape.instruction.numColumns(),
                     .operand = loops->rhs};
    if (failed(setAxis(shape.rows, loops->rows, loops->allRows, *sizes)) ||
        failed(
            setAxis(shape.columns, loops->columns, loops->allColumns, *sizes)))
      return failure();
    findOuterLoops();
    // Groups of rows divide the number of blocks, if that is known.
    shape.order = *order;
    if (!ShapedType::isDynamic(shape.rows.extent))
      shape.order = commonPowerOfTwo(
          {int64_t(llvm::divideCeil(shape.rows.extent, shape.rows.block))},
          *order);
    shape.depth = sizes->reduction[shape.k] ? sizes->reduction[shape.k]
                                            : instruction.k * 2;
    if (failed(checkTile(op, lowering_config::kReduction, shape.depth, shape.k,
                         "instruction", instruction.k)) ||
        failed(checkThreads(op, shape.numThreads(), limits)) ||
        (instruction.family == MatrixFamily::tcgen05 &&
         failed(checkTensorMemory())))
      return failure();
    return std::move(shape);
  }

private:
  LogicalResult checkTensorMemory() {
    constexpr int64_t mostSums = TensorMemory::rows * TensorMemory::columns;
    if (shape.rows.block * shape.columns.block > mostSums)
      return op.emitOpError()
             << "has a 'workgroup' tile of " << shape.rows.block << " x "
             << shape.columns.block << ", but tensor memory has " << mostSums
             << " sums; use a smaller tile";
    return checkTile(op, lowering_config::kWorkgroup, shape.columns.block,
                     shape.columns.dims.back(), "instruction",
                     TensorMemory::columnStep);
  }

  void findOuterLoops() {
    auto iterators = op.getIteratorTypesArray();
    for (unsigned dim = 0; dim < group.extents.size(); ++dim)
      if (!llvm::is_contained(shape.rows.dims, dim) &&
          !llvm::is_contained(shape.columns.dims, dim) && dim != shape.k)
        (linalg::isReductionIterator(iterators[dim]) ? shape.outerReduced
                                                     : shape.outerParallel)
            .push_back(dim);
  }

  /// Returns true if a tile along one loop would be partly empty, and positions
  /// over all of them can be divided by known extents.
  bool mergesLoops(ArrayRef<unsigned> all, unsigned tiled, int64_t block) {
    int64_t extent = group.extents[tiled];
    return all.size() > 1 && !ShapedType::isDynamic(extent) &&
           extent % block != 0 &&
           llvm::none_of(all.drop_front(), [&](unsigned loop) {
             return ShapedType::isDynamic(group.extents[loop]);
           });
  }

  LogicalResult setAxis(MatrixAxis &axis, unsigned tiled,
                        ArrayRef<unsigned> all, const TileSizes &sizes) {
    axis.subgroup =
        sizes.subgroup[tiled] ? sizes.subgroup[tiled] : axis.instruction * 2;
    axis.block =
        sizes.workgroup[tiled] ? sizes.workgroup[tiled] : axis.subgroup * 2;
    if (mergesLoops(all, tiled, axis.block))
      axis.dims.assign(all.begin(), all.end());
    else
      axis.dims = {tiled};
    axis.extent = 1;
    for (unsigned dim : axis.dims) {
      axis.sizes.push_back(shape.sizes[dim]);
      axis.lastExtent = group.extents[dim];
      axis.extent = ShapedType::isDynamic(axis.extent) ||
                            ShapedType::isDynamic(axis.lastExtent)
                        ? ShapedType::kDynamic
                        : axis.extent * axis.lastExtent;
    }
    ThreadCode code(builder, op.getLoc());
    axis.size = code.multiply(axis.sizes);
    return success(
        succeeded(checkTile(op, lowering_config::kSubgroup, axis.subgroup,
                            tiled, "instruction", axis.instruction)) &&
        succeeded(checkTile(op, lowering_config::kWorkgroup, axis.block, tiled,
                            "subgroup", axis.subgroup)));
  }

  OpBuilder &builder;
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
        columns(shape.columns), limits(limits), products(createProducts()) {}

  LogicalResult emit(OpBuilder &builder) {
    ThreadCode host(builder, op.getLoc());
    OpFoldResult rowBlocks = rows.numBlocks(host),
                 columnBlocks = columns.numBlocks(host);
    SmallVector<OpFoldResult> grid;
    for (unsigned dim : shape.outerParallel)
      grid.push_back(shape.sizes[dim]);
    grid.push_back(host.multiply({rowBlocks, columnBlocks}));
    KernelLaunch kernel(host.b, op.getLoc(), host.multiply(grid),
                        shape.numThreads());
    ThreadCode &code = kernel.code;
    SmallVector<Value> block = code.delinearize(kernel.workgroup, grid);
    outer.assign(group.extents.size(), Value());
    for (auto [dim, index] : llvm::zip(shape.outerParallel, block))
      outer[dim] = index;
    auto [rowBlock, columnBlock] =
        placeInPlane(code, block.back(), rowBlocks, columnBlocks);
    firstRow = code.multiply(rowBlock, rows.block);
    firstColumn = code.multiply(columnBlock, columns.block);
    lane = code.remainder(kernel.thread, shape.subgroupSize);
    SmallVector<Value> subgroup =
        code.delinearize(code.divide(kernel.thread, shape.numLanes()),
                         {rows.numSubgroups(), columns.numSubgroups()});
    rowStart = code.multiply(subgroup[0], rows.subgroup);
    columnStart = code.multiply(subgroup[1], columns.subgroup);
    uint32_t together = shape.instruction->subgroups;
    rowOfSums = code.multiply(
        code.remainder(code.divide(kernel.thread, shape.subgroupSize),
                       together),
        shape.instruction->m / together);

    if (failed(reserveShared(kernel, op, products->getSharedBytes(), limits,
                             products->getAlignment())))
      return failure();
    products->prepare(kernel,
                      {lane, rowStart, columnStart, shape.subgroupSize});
    sumUp(kernel);
    finish(code);
    return success();
  }

private:
  /// Returns the row and the column of a workgroup among those of a plane:
  /// `order` rows run together, column by column. The last rows are fewer if
  /// their number is known only at run time.
  std::pair<Value, Value> placeInPlane(ThreadCode &code, Value number,
                                       OpFoldResult rowBlocks,
                                       OpFoldResult columnBlocks) {
    auto knownRows = getConstantIntValue(rowBlocks);
    if (knownRows) {
      SmallVector<OpFoldResult> extents = {
          code.b.getIndexAttr(*knownRows / shape.order), columnBlocks,
          code.b.getIndexAttr(shape.order)};
      SmallVector<Value> place = code.delinearize(number, extents);
      return {code.add(code.multiply(place[0], shape.order), place[2]),
              place[1]};
    }
    OpFoldResult order = code.b.getIndexAttr(shape.order);
    SmallVector<Value> place = code.delinearize(
        number, {rowBlocks, code.multiply({order, columnBlocks})});
    Value firstRow = code.multiply(place[0], shape.order);
    Value others =
        arith::SubIOp::create(code.b, code.index(rowBlocks), firstRow);
    OpFoldResult together =
        code.b.createOrFold<arith::MinUIOp>(others, code.index(order));
    SmallVector<Value> within =
        code.delinearize(place[1], {columnBlocks, together});
    return {code.add(firstRow, within[1]), within[0]};
  }

  /// Returns true if the operand's rows in memory run along the axis, not along
  /// k.
  bool runsAlongSide(const MatrixAxis &axis) {
    return rowLoop(op.getMatchingIndexingMap(axis.operand)) == axis.dims.back();
  }

  std::unique_ptr<TileProducts> createProducts() {
    ProductTiles tiles = {.rows = rows.block,
                          .columns = columns.block,
                          .depth = shape.depth,
                          .subgroupRows = rows.subgroup,
                          .subgroupColumns = columns.subgroup,
                          .leftAlongSide = runsAlongSide(rows),
                          .rightAlongSide = runsAlongSide(columns),
                          .staging = shape.staging};
    switch (shape.instruction->family) {
    case MatrixFamily::wgmma:
      return createWarpgroupProducts(*shape.instruction, tiles);
    case MatrixFamily::tcgen05:
      return createTensorMemoryProducts(*shape.instruction, tiles);
    default:
      return createFragmentProducts(shape.instruction, tiles);
    }
  }

  //===--------------------------------------------------------------------===//
  // Tiles of the operands
  //===--------------------------------------------------------------------===//

  OperandCopy makeCopy(KernelLaunch &kernel, const MatrixAxis &axis) {
    const SharedTile &tile =
        &axis == &rows ? products->leftTile() : products->rightTile();
    return makeOperandCopy(kernel, axis.operand->get(),
                           op.getMatchingIndexingMap(axis.operand), tile,
                           {axis.dims, axis.sizes, axis.block},
                           {{shape.k}, {shape.sizes[shape.k]}, shape.depth},
                           shape.numThreads(), shape.staging.stages);
  }

  /// Returns where the tiles of one step over k begin in the operand.
  SmallVector<Value> startsAt(ThreadCode &code, OpOperand &operand,
                              Value step) {
    SmallVector<Value> indices = code.delinearize(step, stepExtents);
    SmallVector<Value> starts = outer;
    // Copies divide the positions themselves.
    for (const MatrixAxis *axis : {&rows, &columns})
      for (unsigned dim : axis->dims)
        starts[dim] = dim != axis->dims.back() ? code.index(0)
                      : axis == &rows          ? firstRow
                                               : firstColumn;
    for (auto [dim, index] : llvm::zip(shape.outerReduced, indices))
      starts[dim] = index;
    starts[shape.k] = code.multiply(indices.back(), shape.depth);
    SmallVector<Value> own;
    for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults())
      own.push_back(starts[cast<AffineDimExpr>(result).getPosition()]);
    return own;
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  void sumUp(KernelLaunch &kernel) {
    ThreadCode &code = kernel.code;
    OperandCopy left = makeCopy(kernel, rows),
                right = makeCopy(kernel, columns);
    for (unsigned dim : shape.outerReduced)
      stepExtents.push_back(shape.sizes[dim]);
    stepExtents.push_back(code.countTiles(shape.sizes[shape.k], shape.depth));
    auto staged = [&](const MatrixAxis &axis, const OperandCopy &copy) {
      return StagedOperand{copy, [&](Value step) {
                             return startsAt(code, *axis.operand, step);
                           }};
    };
    OperandPipeline pipeline(code, {staged(rows, left), staged(columns, right)},
                             shape.staging);
    OpFoldResult steps = code.multiply(stepExtents);
    SmallVector<Value> first;
    for (size_t tile = 0; products->carriesSums() && tile < numTiles(); ++tile)
      first.push_back(getFirstSums(code, tile));
    SmallVector<Value> last = pipeline.run(
        steps, first,
        [&](Value step, Value stage, ValueRange sums,
            function_ref<void()> moveNext) {
          return products->add(left, right, step, stage, sums, moveNext);
        });
    products->finish(steps, last);
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  size_t numTiles() const { return rows.numTiles() * columns.numTiles(); }

  /// Returns what the sums of a tile begin with.
  Value getFirstSums(ThreadCode &code, size_t tile) {
    Type element =
        cast<MemRefType>(op.getDpsInits().front().getType()).getElementType();
    const Source &init = group.ops.front().inits.front();
    if (init.kind == Source::Kind::constant)
      return code.splat(init.value, shape.instruction->sums.size());
    AffineMap map = getMapInGroupSpace(
        group.ops.front(), *op.getDpsInitOperand(0), group.extents.size());
    SmallVector<Value> pieces;
    forPoints(code, tile, [&](Value condition, int64_t, const Points &points) {
      Value piece =
          code.valueIf(condition, code.valueType(element, points.width),
                       [&] { return loadAt(code, init.value, map, points); });
      // Slices have equal width, whatever the number of columns.
      for (int64_t i = 0; i < points.width; ++i)
        pieces.push_back(code.slice(piece, i, 1));
    });
    return code.concatenate(pieces);
  }

  /// Returns the sums of a tile, to which it adds what they did not begin with.
  Value getSums(ThreadCode &code, size_t tile) {
    Value sums = products->getSums(tile);
    const Source &init = group.ops.front().inits.front();
    if (products->carriesSums() ||
        (init.kind == Source::Kind::constant &&
         (matchPattern(init.value, m_AnyZeroFloat()) ||
          matchPattern(init.value, m_Zero()))))
      return sums;
    return combine(code, findCombiner(op), sums, getFirstSums(code, tile));
  }

  void finish(ThreadCode &code) {
    for (size_t tile = 0; tile < numTiles(); ++tile) {
      Value sums = getSums(code, tile);
      forPoints(code, tile,
                [&](Value condition, int64_t first, const Points &points) {
                  code.doIf(condition, [&] {
                    emitEpilogue(code, group,
                                 code.slice(sums, first, points.width), points);
                  });
                });
    }
    products->release();
  }

  Value laneAlong(ThreadCode &code, const FragmentDimension &dimension) {
    return FragmentLoad::laneAlong(code, lane, dimension, shape.subgroupSize);
  }

  /// Calls `emit` with the points of the sums of one instruction's tile, and
  /// the number of the first of them among this lane's sums.
  void forPoints(ThreadCode &code, size_t tile,
                 function_ref<void(Value, int64_t, const Points &)> emit) {
    const OrientedInstruction &instruction = shape.instruction;
    int64_t run = instruction.columnsOfSums().elements;
    int64_t tileRow = int64_t(tile) / columns.numTiles() * rows.instruction,
            tileColumn =
                int64_t(tile) % columns.numTiles() * columns.instruction;
    Value row = code.add(
        code.add(firstRow, rowStart),
        code.add(rowOfSums, laneAlong(code, instruction.rowsOfSums())));
    Value column = code.add(
        code.add(firstColumn, columnStart),
        code.multiply(laneAlong(code, instruction.columnsOfSums()), run));
    Points points;
    points.indices = outer;
    points.along = columns.dims.back();
    // Trailing elements may lie beyond the last column, but no access straddles
    // it.
    points.width = commonPowerOfTwo({columns.lastExtent}, run);
    instruction.forRuns([&](int64_t first, int64_t ofRow, int64_t ofColumn) {
      Value rowOfRun = code.add(row, tileRow + ofRow);
      rows.place(code, rowOfRun, points.indices);
      for (int64_t i = 0; i < run; i += points.width) {
        Value columnOfRun = code.add(column, tileColumn + ofColumn + i);
        columns.place(code, columnOfRun, points.indices);
        Value condition;
        for (auto [axis, position] :
             {std::pair(&rows, rowOfRun), {&columns, columnOfRun}})
          if (axis->isGuarded())
            condition =
                code.both(condition, code.isBelow(position, axis->size));
        emit(condition, first + i, points);
      }
    });
  }

  const LaunchGroup &group;
  linalg::LinalgOp op;
  const MatrixShape &shape;
  const MatrixAxis &rows, &columns;
  const WorkgroupLimits &limits;
  const std::unique_ptr<TileProducts> products;

  // State of the kernel under construction.
  SmallVector<Value> outer; ///< indices, by dimension; null for k and its likes
  Value lane, firstRow, firstColumn; ///< of the workgroup
  Value rowStart, columnStart;       ///< of the subgroup, in its tile
  Value rowOfSums; ///< first of the subgroup, in the instruction's tile
  SmallVector<OpFoldResult>
      stepExtents; ///< of the reduced dimensions, in tiles
};

} // namespace

LogicalResult tonno::emitMatrixProduct(OpBuilder &builder,
                                       const LaunchGroup &group,
                                       const WorkgroupLimits &limits,
                                       const MatrixInstruction &instruction) {
  OpBuilder::InsertionGuard guard(builder);
  auto shape = MatrixShapeFinder(builder, group, limits, instruction).find();
  if (failed(shape))
    return failure();
  return MatrixKernel(group, *shape, limits).emit(builder);
}
