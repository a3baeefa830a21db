//===- Elementwise ops and reductions on a GPU ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/GPU/ThreadCode.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace tonno;

namespace {

/// Distribution over threads of elementwise ops and reductions over one
/// dimension. Thread t has points t, t + threads, ... of each tile of a
/// dimension, `width` contiguous ones along the dimension `along`.
struct TileShape {
  SmallVector<int64_t> extents;    ///< of the space, some dynamic
  SmallVector<OpFoldResult> sizes; ///< the same, as values
  std::optional<unsigned> reduced;
  unsigned along = 0;
  int64_t width = 1;
  SmallVector<int64_t> threads; ///< along each dimension
  /// Number of points of a thread in a workgroup's tile, by dimension.
  SmallVector<int64_t> steps;

  /// Fails, at an op, where the configuration can't be had.
  static FailureOr<TileShape> find(OpBuilder &builder, const LaunchGroup &group,
                                   const WorkgroupLimits &limits);

  int64_t numThreads() const { return computeProduct(threads); }
  /// Returns the points of the workgroup's tile along a dimension.
  int64_t block(unsigned dim) const {
    return threads[dim] * steps[dim] * (dim == along ? width : 1);
  }
  /// Returns the number of workgroups along each dimension.
  SmallVector<OpFoldResult> grid(ThreadCode &code) const {
    return llvm::map_to_vector(
        llvm::seq<unsigned>(extents.size()), [&](unsigned dim) {
          return dim == reduced ? OpFoldResult(code.b.getIndexAttr(1))
                                : code.countTiles(sizes[dim], block(dim));
        });
  }
  bool isGuarded(unsigned dim) const {
    return !isKnownMultiple(sizes[dim], block(dim));
  }
  /// Returns the number of parts of the reduced dimension that are processed
  /// one by one; none if it is known only at run time.
  std::optional<int64_t> numChunks() const {
    if (!reduced)
      return 1;
    if (ShapedType::isDynamic(extents[*reduced]))
      return std::nullopt;
    return llvm::divideCeil(extents[*reduced], block(*reduced));
  }
  /// Returns the dimensions in the order of thread numbers, the fastest last.
  SmallVector<unsigned> threadOrder() const {
    auto order = llvm::to_vector(llvm::seq<unsigned>(extents.size()));
    std::rotate(order.begin() + along, order.begin() + along + 1, order.end());
    return order;
  }
  /// Returns the distance of thread numbers of neighbours along `dim`.
  int64_t threadStride(unsigned dim) const {
    SmallVector<unsigned> order = threadOrder();
    int64_t stride = 1;
    for (; order.back() != dim; order.pop_back())
      stride *= threads[order.back()];
    return stride;
  }
};

/// Threads of a workgroup that combine one value each.
struct ThreadRow {
  int64_t count = 1;      ///< threads of a row
  int64_t stride = 1;     ///< of their numbers
  Value position;         ///< of this thread in its row
  int64_t numThreads = 1; ///< of the workgroup
};

} // namespace

/// More would be no loop any more, but a book.
static constexpr int64_t maxPointsPerThread = 256;

/// Returns a default tile: 256 threads with 16 bytes each along rows.
static TileSizes defaultSizes(const LaunchGroup &group, const TileShape &shape,
                              int64_t vector) {
  size_t numDims = group.extents.size();
  TileSizes sizes;
  for (auto *level :
       {&sizes.workgroup, &sizes.reduction, &sizes.subgroup, &sizes.thread})
    level->assign(numDims, 1);
  int64_t threads = 256;
  auto take = [&](unsigned dim, int64_t perThread) {
    int64_t extent = ShapedType::isDynamic(group.extents[dim])
                         ? threads * perThread
                         : group.extents[dim];
    int64_t wanted =
        llvm::bit_ceil(uint64_t(llvm::divideCeil(extent, uint64_t(perThread))));
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

/// Gives threads, if none has a tile, equal shares of a subgroup's tile: along
/// rows, vectors as long as there are enough.
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

/// Points of a workgroup's tile, if none is given, along rows whose length is
/// known only at run time; along other such dimensions it has one.
static constexpr int64_t blockOfAnyRow = 256;

FailureOr<TileShape> TileShape::find(OpBuilder &builder,
                                     const LaunchGroup &group,
                                     const WorkgroupLimits &limits) {
  linalg::LinalgOp op = group.ops.front().op;
  TileShape shape;
  shape.extents = group.extents;
  shape.sizes = createExtents(builder, group);
  shape.reduced = group.reduced;
  shape.along = findContiguousDim(group.extents, group.accesses);
  auto sizes = getGroupTileSizes(group);
  if (failed(sizes))
    return failure();
  int64_t smallest = 8;
  for (const SpaceAccess &access : group.accesses)
    smallest = std::min(smallest, getElementBytes(access.type));
  int64_t mostVector = 16 / smallest;
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
    if (!ShapedType::isDynamic(extent))
      block = block == 0 ? extent : std::min(block, extent);
    else if (block == 0)
      block = dim == shape.reduced || dim == shape.along ? blockOfAnyRow : 1;
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
           << " threads in a workgroup, which is limited to " << limits.threads;
  if (points > maxPointsPerThread)
    return op.emitOpError()
           << "has tiles that give each thread " << points
           << " points, which is more than " << maxPointsPerThread;
  return shape;
}

/// Returns how many threads exchange values by shuffles, 1 for none.
static int64_t shuffleWidth(const ThreadRow &row, int64_t subgroupSize,
                            Type type) {
  bool isShuffled =
      isa<FloatType, IntegerType>(type) && getElementBytes(type) <= 4;
  if (!isShuffled || row.stride != 1)
    return 1;
  if (row.count % subgroupSize == 0)
    return subgroupSize;
  bool isAligned =
      llvm::has_single_bit(uint64_t(row.count)) && row.count < subgroupSize;
  return isAligned ? row.count : 1;
}

/// Combines the values of a row's threads, one of each `share` threads, through
/// shared memory.
static Value combineShared(KernelLaunch &kernel, const ThreadRow &row,
                           int64_t share, Operation *combiner, Value value) {
  ThreadCode &code = kernel.code;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type element = getElementTypeOrSelf(value.getType());
  int64_t width = vector ? vector.getNumElements() : 1;
  int64_t numSlots = row.numThreads / share;
  Value shared = kernel.addShared({numSlots, width}, element);
  Value slot = code.divide(kernel.thread, share);
  Value isFirst = share == 1
                      ? Value()
                      : code.isEqual(code.remainder(kernel.thread, share), 0);
  int64_t bytes = width * getElementBytes(element);
  code.doIf(isFirst,
            [&] { code.store(value, shared, {slot, code.index(0)}, bytes); });
  code.barrier();
  // The slots of a row are adjacent, or `stride` apart.
  int64_t count = row.count / share;
  Value position = code.divide(row.position, share);
  Value base =
      arith::SubIOp::create(code.b, slot, code.multiply(position, row.stride));
  Value sum;
  for (int64_t i = 0; i < count; ++i) {
    Value part = code.load(
        shared, {code.add(base, i * row.stride), code.index(0)}, width, bytes);
    sum = sum ? combine(code, combiner, sum, part) : part;
  }
  return sum;
}

/// Combines the values of a row's threads and gives the result to each of them,
/// within a subgroup by shuffles, between subgroups through shared memory.
static Value combineRow(KernelLaunch &kernel, const ThreadRow &row,
                        int64_t subgroupSize, Operation *combiner,
                        Value value) {
  if (row.count == 1)
    return value;
  int64_t width = shuffleWidth(row, subgroupSize, value.getType());
  for (int64_t bits = width / 2; bits > 0; bits /= 2)
    value = combine(kernel.code, combiner, value,
                    kernel.code.shuffle(value, bits, subgroupSize));
  if (row.count == width)
    return value;
  return combineShared(kernel, row, width, combiner, value);
}

/// Elements of a row that a thread keeps in registers.
static constexpr int64_t maxKept = 64;

namespace {

/// Writes one group of elementwise ops and reductions over one dimension.
/// Values are computed where they are first wanted, and kept in registers.
class TileKernel {
public:
  TileKernel(ThreadCode &host, const LaunchGroup &group, const TileShape &shape,
             const WorkgroupLimits &limits)
      : group(group), shape(shape), limits(limits), grid(shape.grid(host)),
        kernel(host.b, host.b.getLoc(), host.multiply(grid),
               shape.numThreads()),
        code(kernel.code) {}

  LogicalResult emit() {
    int64_t kept = shape.width;
    for (int64_t steps : shape.steps)
      kept *= steps;
    std::optional<int64_t> chunks = shape.numChunks();
    isStreaming = !chunks || (*chunks > 1 && kept * *chunks > maxKept);
    begin();
    stageTransposedOperands();
    if (!isStreaming)
      preloadInputs();
    for (size_t i = 0; i < group.ops.size(); ++i)
      if (isReduction(i))
        reduce(i);
    if (group.reduced)
      storeResults(/*ofRows=*/true);
    if (isStreaming)
      forChunks({}, [&](ValueRange) {
        storeResults(/*ofRows=*/false);
        return SmallVector<Value>();
      });
    else
      storeResults(/*ofRows=*/false);
    linalg::LinalgOp op = group.ops.front().op;
    if (kernel.sharedBytes() > limits.sharedBytes)
      return op.emitOpError()
             << "has tiles that need " << kernel.sharedBytes()
             << " bytes of shared memory, of which a workgroup has "
             << limits.sharedBytes;
    return success();
  }

private:
  /// A thread's step along each dimension; in registers, those along the
  /// reduced one count on over its chunks, and are 0 for a row.
  using Steps = SmallVector<int64_t>;

  /// A tile in shared memory.
  struct Staged {
    Value source, shared;
    AffineMap map;   ///< of the source
    AffineMap local; ///< of the shared tile
  };

  /// Returns true if the operand is contiguous along another than `along`.
  bool isCrosswise(AffineMap map) const {
    if (map.getNumResults() == 0 || !map.isFunctionOfDim(shape.along))
      return false;
    unsigned last = cast<AffineDimExpr>(map.getResults().back()).getPosition();
    return last != shape.along && shape.block(last) > 1 &&
           shape.block(shape.along) > 1;
  }

  /// Copies the workgroup's tile into shared memory, rows contiguous.
  void stage(Value source, AffineMap map) {
    MLIRContext *context = map.getContext();
    TileCopy copy;
    copy.source = source;
    copy.thread = kernel.thread;
    copy.numThreads = shape.numThreads();
    SmallVector<int64_t> extents;
    SmallVector<AffineExpr> layout, local;
    SmallVector<Value> tileStarts;
    AffineExpr alongRows;
    for (auto [d, result] : llvm::enumerate(map.getResults())) {
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      copy.tile.push_back(shape.block(dim));
      copy.isGuarded.push_back(shape.isGuarded(dim));
      tileStarts.push_back(starts[dim]);
      AffineExpr coordinate = getAffineDimExpr(d, context);
      if (dim == shape.along) {
        alongRows = coordinate;
        continue;
      }
      layout.push_back(coordinate);
      local.push_back(result);
      extents.push_back(shape.block(dim));
    }
    layout.push_back(alongRows);
    local.push_back(getAffineDimExpr(shape.along, context));
    // Odd, so that a column's elements are in different banks.
    extents.push_back(shape.block(shape.along) | 1);
    copy.shared = kernel.addShared(extents, getElementTypeOrSelf(source));
    copy.layout = AffineMap::get(copy.tile.size(), 0, layout, context);
    copy.store(code, copy.load(code, tileStarts));
    staged.push_back({source, copy.shared, map,
                      AffineMap::get(group.extents.size(), 0, local, context)});
  }

  /// Stages tiles of operands whose rows run along another dimension in shared
  /// memory, so that neighbouring threads read neighbouring elements.
  void stageTransposedOperands() {
    if (group.reduced)
      return;
    llvm::SmallDenseSet<Value> written;
    for (const GroupedOp &member : group.ops) {
      linalg::LinalgOp op = member.op;
      written.insert(op.getDpsInits().begin(), op.getDpsInits().end());
    }
    for (const GroupedOp &member : group.ops)
      for (auto [i, input] : llvm::enumerate(member.inputs)) {
        if (input.kind != Source::Kind::memory || written.contains(input.value))
          continue;
        AffineMap map = getOperandMap(member, i);
        if (isCrosswise(map) && !findStaged(input.value, map))
          stage(input.value, map);
      }
    if (!staged.empty())
      code.barrier();
  }

  const Staged *findStaged(Value source, AffineMap map) const {
    const auto *found = llvm::find_if(staged, [&](const Staged &one) {
      return one.source == source && one.map == map;
    });
    return found == staged.end() ? nullptr : found;
  }

  /// Runs `emit` for each chunk of rows that don't fit into registers.
  SmallVector<Value>
  forChunks(ArrayRef<Value> carried,
            function_ref<SmallVector<Value>(ValueRange)> emit) {
    OpFoldResult chunks = code.countTiles(shape.sizes[*shape.reduced],
                                          shape.block(*shape.reduced));
    auto loop = scf::ForOp::create(code.b, code.index(0), code.index(chunks),
                                   code.index(1), ValueRange(carried));
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(loop.getBody());
    // Values computed in the loop do not dominate its end.
    Known before = known;
    chunk = code.multiply(loop.getInductionVar(), shape.block(*shape.reduced));
    SmallVector<Value> yielded = emit(loop.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(code.b, yielded);
    chunk = nullptr;
    known = std::move(before);
    return SmallVector<Value>(loop.getResults());
  }

  /// Adds the elements in registers, or those of one chunk, to the sums of this
  /// thread's rows.
  SmallVector<Value> addChunk(size_t op, ArrayRef<Value> sums) {
    SmallVector<Value> next(sums);
    for (auto [row, sum] : llvm::zip_equal(allSteps(/*ofRow=*/true), next))
      for (int64_t i = 0; i < numSteps(*group.reduced); ++i) {
        Steps steps = row;
        steps[*group.reduced] = i;
        SmallVector<Value> elements = loadOperandValues(op, steps);
        elements.back() = sum;
        Value added =
            emitPayload(code, group.ops[op].op, elements,
                        pointsAt(steps, /*ofRow=*/false), group.ops[op].dims)
                .front();
        Value condition = isInside(steps, /*ofRow=*/false);
        sum = condition ? arith::SelectOp::create(code.b, condition, added, sum)
                        : added;
      }
    return next;
  }

  /// Combines the lanes, the threads of the row, and the init.
  Value finishSum(size_t op, const Steps &row, Value sum) {
    const GroupedOp &member = group.ops[op];
    linalg::LinalgOp linalgOp = member.op;
    Operation *combiner = findCombiner(linalgOp);
    unsigned reduced = *group.reduced;
    if (reduced == shape.along && shape.width > 1) {
      Value all = code.slice(sum, 0, 1);
      for (int64_t lane = 1; lane < shape.width; ++lane)
        all = combine(code, combiner, all, code.slice(sum, lane, 1));
      sum = all;
    }
    const Source &init = member.inits.front();
    size_t operand = member.inputs.size();
    if (init.kind == Source::Kind::memory) {
      // The thread that will store the sum loads the init: no other thread may
      // read the element any more.
      Value isFirst = code.both(code.isEqual(threads[reduced], 0),
                                isInside(row, /*ofRow=*/true));
      Points points = pointsAt(row, /*ofRow=*/true);
      Value first = code.valueIf(isFirst, sum.getType(), [&] {
        return loadAt(code, init.value, getOperandMap(member, operand), points);
      });
      Value withFirst = combine(code, combiner, sum, first);
      sum = arith::SelectOp::create(code.b, isFirst, withFirst, sum);
    }
    ThreadRow threadRow{shape.threads[reduced], shape.threadStride(reduced),
                        threads[reduced], shape.numThreads()};
    sum = combineRow(kernel, threadRow, limits.subgroupSize, combiner, sum);
    if (init.kind == Source::Kind::memory)
      return sum;
    Attribute value;
    if (matchPattern(init.value, m_Constant(&value)) &&
        value == *arith::getNeutralElement(combiner))
      return sum;
    Value first = init.kind == Source::Kind::constant
                      ? init.value
                      : resultAt(init.op, init.output, row);
    if (first.getType() != sum.getType())
      first = code.splat(first, shape.width);
    return combine(code, combiner, sum, first);
  }

  void reduce(size_t op) {
    Operation *combiner = findCombiner(group.ops[op].op);
    TypedAttr neutral = *arith::getNeutralElement(combiner);
    SmallVector<Steps> rows = allSteps(/*ofRow=*/true);
    SmallVector<Value> sums(
        rows.size(),
        code.constant(neutral, code.valueType(neutral.getType(), shape.width)));
    if (isStreaming)
      sums = forChunks(sums, [&](ValueRange current) {
        return addChunk(op, SmallVector<Value>(current));
      });
    else
      sums = addChunk(op, sums);
    for (auto [row, sum] : llvm::zip_equal(rows, sums))
      known.results[{op, 0, row}] = finishSum(op, row, sum);
  }

  bool isReduction(size_t op) const {
    linalg::LinalgOp linalgOp = group.ops[op].op;
    return linalgOp.getNumReductionLoops() != 0;
  }

  bool isRow(const GroupedOp &member) const {
    return group.reduced && !llvm::is_contained(member.dims, *group.reduced);
  }

  int64_t getAccessWidth(bool ofRow) const {
    return ofRow && shape.reduced == shape.along ? 1 : shape.width;
  }

  int64_t numSteps(unsigned dim) const {
    return dim == shape.reduced && !isStreaming
               ? shape.steps[dim] * *shape.numChunks()
               : shape.steps[dim];
  }

  SmallVector<Steps> allSteps(bool ofRow) const {
    SmallVector<Steps> all = {{}};
    for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
      int64_t count = ofRow && dim == shape.reduced ? 1 : numSteps(dim);
      SmallVector<Steps> longer;
      for (const Steps &steps : all)
        for (int64_t i = 0; i < count; ++i) {
          longer.push_back(steps);
          longer.back().push_back(i);
        }
      all = std::move(longer);
    }
    return all;
  }

  AffineMap getOperandMap(const GroupedOp &member, size_t operand) const {
    return getMapInGroupSpace(member, member.op->getOpOperand(operand),
                              group.extents.size());
  }

  Points pointsAt(const Steps &steps, bool ofRow) {
    Points points;
    points.along = shape.along;
    points.width = getAccessWidth(ofRow);
    for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
      int64_t width = dim == shape.along ? shape.width : 1;
      Value within = code.multiply(
          code.add(threads[dim], steps[dim] * shape.threads[dim]), width);
      Value start = dim == shape.reduced ? chunk : starts[dim];
      points.indices.push_back(start ? code.add(start, within) : within);
    }
    return points;
  }

  Value isInside(const Steps &steps, bool ofRow) {
    Value &condition = known.conditions[{steps, ofRow}];
    if (condition)
      return condition;
    Points points = pointsAt(steps, ofRow);
    for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
      bool isGuarded = shape.isGuarded(dim);
      if (dim == shape.reduced) {
        if (ofRow)
          continue;
        if (!isStreaming) {
          int64_t width = dim == shape.along ? shape.width : 1;
          isGuarded = (steps[dim] + 1) * shape.threads[dim] * width >
                      shape.extents[dim];
        }
      }
      if (isGuarded)
        condition = code.both(
            condition, code.isBelow(points.indices[dim], shape.sizes[dim]));
    }
    return condition;
  }

  Value getOrCreateLoad(const GroupedOp &member, size_t operand,
                        const Steps &steps) {
    Value buffer = member.op->getOperand(operand);
    AffineMap map = getOperandMap(member, operand);
    bool ofRow = group.reduced && !map.isFunctionOfDim(*group.reduced);
    Steps place = steps;
    if (ofRow)
      place[*group.reduced] = 0;
    for (auto &[source, sourceMap, at, value] : known.loads)
      if (source == buffer && sourceMap == map && at == place)
        return value;
    Points points = pointsAt(place, ofRow);
    Type element = getElementTypeOrSelf(buffer);
    Value value;
    if (const Staged *tile = findStaged(buffer, map)) {
      for (unsigned dim = 0; dim < shape.extents.size(); ++dim)
        points.indices[dim] = code.multiply(
            code.add(threads[dim], place[dim] * shape.threads[dim]),
            dim == shape.along ? shape.width : 1);
      value = loadAt(code, tile->shared, tile->local, points);
    } else {
      value = code.valueIf(isInside(place, ofRow),
                           code.valueType(element, points.width),
                           [&] { return loadAt(code, buffer, map, points); });
    }
    known.loads.push_back({buffer, map, place, value});
    return value;
  }

  Value valueAt(const GroupedOp &member, size_t operand, const Steps &steps) {
    size_t numInputs = member.inputs.size();
    const Source &source = operand < numInputs
                               ? member.inputs[operand]
                               : member.inits[operand - numInputs];
    int64_t width = getAccessWidth(isRow(member));
    auto widened = [&](Value value) {
      return isa<VectorType>(value.getType()) ? value
                                              : code.splat(value, width);
    };
    switch (source.kind) {
    case Source::Kind::constant:
      return widened(source.value);
    case Source::Kind::result:
      return widened(resultAt(source.op, source.output, steps));
    case Source::Kind::memory:
      return widened(getOrCreateLoad(member, operand, steps));
    }
    llvm_unreachable("unknown kind of source");
  }

  SmallVector<Value> loadOperandValues(size_t op, const Steps &steps) {
    const GroupedOp &member = group.ops[op];
    linalg::LinalgOp linalgOp = member.op;
    SmallVector<Value> elements;
    for (OpOperand &operand : linalgOp->getOpOperands()) {
      bool isSum = isReduction(op) && linalgOp.isDpsInit(&operand);
      bool isUsed = linalgOp.payloadUsesValueFromOperand(&operand);
      elements.push_back(
          isSum || !isUsed
              ? Value()
              : valueAt(member, operand.getOperandNumber(), steps));
    }
    return elements;
  }

  Value resultAt(size_t op, unsigned output, const Steps &steps) {
    Steps place = steps;
    if (isReduction(op) || isRow(group.ops[op]))
      place[*group.reduced] = 0;
    if (auto found = known.results.find({op, output, place});
        found != known.results.end())
      return found->second;
    SmallVector<Value> values =
        emitPayload(code, group.ops[op].op, loadOperandValues(op, place),
                    pointsAt(place, isRow(group.ops[op])), group.ops[op].dims);
    for (auto [i, value] : llvm::enumerate(values))
      known.results[{op, i, place}] = value;
    return values[output];
  }

  /// Loads all inputs that are certainly used before any value is waited for.
  void preloadInputs() {
    for (const GroupedOp &member : group.ops) {
      linalg::LinalgOp op = member.op;
      for (auto [i, input] : llvm::enumerate(member.inputs))
        if (input.kind == Source::Kind::memory &&
            op.payloadUsesValueFromOperand(&op->getOpOperand(i)))
          for (const Steps &steps : allSteps(isRow(member)))
            getOrCreateLoad(member, i, steps);
    }
  }

  /// Stores the results of rows, or those of all other points.
  void storeResults(bool ofRows) {
    struct Stored {
      size_t op;
      unsigned output;
      Steps steps;
      Value value;
    };
    SmallVector<Stored> all;
    for (auto [op, member] : llvm::enumerate(group.ops)) {
      bool isOfRow = isReduction(op) || isRow(member);
      if (isOfRow != ofRows)
        continue;
      for (auto [output, isStored] : llvm::enumerate(member.isStored))
        if (isStored)
          for (const Steps &steps : allSteps(isOfRow))
            all.push_back(
                {op, unsigned(output), steps, resultAt(op, output, steps)});
    }
    for (const Stored &one : all) {
      const GroupedOp &member = group.ops[one.op];
      Value condition = isInside(one.steps, ofRows);
      if (ofRows && shape.threads[*group.reduced] > 1)
        condition =
            code.both(condition, code.isEqual(threads[*group.reduced], 0));
      Points points = pointsAt(one.steps, ofRows);
      size_t operand = member.inputs.size() + one.output;
      code.doIf(condition, [&] {
        storeAt(code, one.value, member.op->getOperand(operand),
                getOperandMap(member, operand), points);
      });
    }
  }

  void begin() {
    SmallVector<unsigned> order = shape.threadOrder();
    auto perDim = llvm::map_to_vector(
        order, [&](unsigned dim) { return shape.threads[dim]; });
    SmallVector<Value> block = code.delinearize(kernel.workgroup, grid);
    for (unsigned dim = 0; dim < shape.extents.size(); ++dim)
      starts.push_back(code.multiply(block[dim], shape.block(dim)));
    threads.resize(order.size());
    for (auto [dim, coordinate] :
         llvm::zip_equal(order, code.delinearize(kernel.thread, perDim)))
      threads[dim] = coordinate;
  }

  const LaunchGroup &group;
  const TileShape &shape;
  const WorkgroupLimits &limits;
  bool isStreaming = false; ///< rows are too long for registers

  SmallVector<OpFoldResult> grid; ///< workgroups along each dimension
  KernelLaunch kernel;
  ThreadCode &code;
  SmallVector<Value> threads; ///< coordinates, by dimension
  SmallVector<Value> starts;  ///< of the workgroup's tile
  Value chunk; ///< where the chunk at hand starts, when streaming

  /// Values computed so far that dominate the insertion point.
  struct Known {
    std::map<std::tuple<size_t, unsigned, Steps>, Value> results;
    SmallVector<std::tuple<Value, AffineMap, Steps, Value>> loads;
    std::map<std::pair<Steps, bool>, Value> conditions;
  };
  Known known;
  SmallVector<Staged> staged;
};

} // namespace

LogicalResult tonno::emitTiles(OpBuilder &builder, const LaunchGroup &group,
                               const WorkgroupLimits &limits) {
  OpBuilder::InsertionGuard guard(builder);
  auto shape = TileShape::find(builder, group, limits);
  if (failed(shape))
    return failure();
  ThreadCode host(builder, group.ops.front().op->getLoc());
  return TileKernel(host, group, *shape, limits).emit();
}
