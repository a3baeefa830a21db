//===- Attention on matrix units ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "Schedule/GPU/Epilogue.h"
#include "Schedule/GPU/FragmentLoad.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/GPU/MatrixOps.h"
#include "Schedule/GPU/OperandPipeline.h"
#include "Schedule/GPU/PointValues.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Distribution of attention over workgroups and subgroups: each subgroup has
/// whole rows.
struct AttentionShape {
  AttentionShape(const MatrixInstruction &instruction,
                 const MatrixInstruction &summing)
      : instruction(instruction), summing(summing) {}

  OrientedInstruction instruction;
  /// The same with k as the lanes hold sums along the keys.
  OrientedInstruction summing;
  int64_t rows = 0, subgroupRows = 0; ///< of a workgroup, of a subgroup
  int64_t keys = 0;                   ///< of a step
  int64_t depth = 0, columns = 0;     ///< all of them, in whole instructions
  Staging staging;
  int64_t subgroupSize = 0;
  SmallVector<OpFoldResult> sizes; ///< of the scores' space
  SmallVector<OpFoldResult> productSizes;

  int64_t numThreads() const { return rows / subgroupRows * subgroupSize; }
  int64_t numRowTiles() const { return subgroupRows / instruction.numRows(); }
  int64_t numKeyTiles() const { return keys / instruction.numColumns(); }
  int64_t numColumnTiles() const { return columns / instruction.numColumns(); }
  /// Rows of an instruction's tile that a lane has sums of.
  int64_t rowsOfTile() const { return instruction.rowsOfSums().outer; }
  int64_t numRows() const { return numRowTiles() * rowsOfTile(); }
};

/// Finds the shape of one attention.
class AttentionShapeFinder {
public:
  AttentionShapeFinder(OpBuilder &builder, const Attention &attention,
                       const WorkgroupLimits &limits,
                       const MatrixInstruction &instruction,
                       const MatrixInstruction &summing)
      : attention(attention), op(attention.product.ops.front().op),
        limits(limits), shape(instruction, summing) {
    shape.sizes = createExtents(builder, attention.scores);
    shape.productSizes = createExtents(builder, attention.product);
    shape.subgroupSize = limits.subgroupSize;
  }

  /// Fails, at the second product, where the configuration can't be had.
  FailureOr<AttentionShape> find() {
    auto sizes = getGroupTileSizes(attention.product);
    auto staging = getStaging(op, *shape.instruction);
    if (failed(sizes) || failed(staging))
      return failure();
    shape.staging = *staging;
    int64_t numRows = shape.instruction.numRows(), k = shape.instruction->k;
    int64_t numColumns = shape.instruction.numColumns();
    auto orElse = [](int64_t size, int64_t standard) {
      return size ? size : standard;
    };
    shape.subgroupRows = orElse(sizes->subgroup[attention.rows], numRows);
    shape.rows =
        orElse(sizes->workgroup[attention.rows], shape.subgroupRows * 4);
    int64_t ofKeys = std::max<int64_t>(numColumns, k);
    shape.keys = orElse(sizes->reduction[attention.summed], ofKeys * 2);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      for (int64_t size :
           {sizes->workgroup[loop], sizes->subgroup[loop], sizes->thread[loop]})
        if (size > 1 && loop != attention.rows)
          return op.emitOpError()
                 << "has a tile of " << size << " along loop " << loop
                 << "; with 'softmax', use 0 or 1 on all loops but "
                 << attention.rows;
    auto depth = getConstantIntValue(shape.sizes[attention.depth]);
    auto columns = getConstantIntValue(shape.productSizes[attention.columns]);
    if (!depth || !columns)
      return op.emitOpError()
             << "has 'softmax', but the length of a key or a value is known "
                "only at run time; remove the key";
    shape.depth = llvm::alignTo(*depth, std::max<int64_t>(k, 8));
    shape.columns = llvm::alignTo(*columns, std::max<int64_t>(numColumns, 8));
    if (failed(checkTile(op, lowering_config::kSubgroup, shape.subgroupRows,
                         attention.rows, "instruction", numRows)) ||
        failed(checkTile(op, lowering_config::kWorkgroup, shape.rows,
                         attention.rows, "subgroup", shape.subgroupRows)) ||
        failed(checkTile(op, lowering_config::kReduction, shape.keys,
                         attention.summed, "instruction", ofKeys)) ||
        failed(checkThreads(op, shape.numThreads(), limits)))
      return failure();
    return std::move(shape);
  }

private:
  const Attention &attention;
  linalg::LinalgOp op;
  const WorkgroupLimits &limits;
  AttentionShape shape;
};

/// Values of a lane that each step of keys updates.
struct RowState {
  SmallVector<Value> sums;   ///< of the second product, by tile
  SmallVector<Value> maxima; ///< by row
  SmallVector<Value> totals; ///< of this lane's powers, by row

  static RowState of(ValueRange values, size_t numSums) {
    size_t numRows = (values.size() - numSums) / 2;
    return {llvm::to_vector(values.take_front(numSums)),
            llvm::to_vector(values.slice(numSums, numRows)),
            llvm::to_vector(values.take_back(numRows))};
  }

  SmallVector<Value> getValues() const {
    SmallVector<Value> values = sums;
    llvm::append_range(values, maxima);
    llvm::append_range(values, totals);
    return values;
  }
};

/// Scores of adjacent keys in one row.
struct ScorePiece {
  size_t tile = 0, row = 0; ///< of the subgroup's tiles, of the lane's rows
  Points points;            ///< in the scores' space
  Value isKey;              ///< null: all of them are keys
  PointValues values;
};

/// Writes one attention: a workgroup has some rows of queries, and goes over
/// all keys. Scores and powers are in registers; as sums they are distributed
/// over the lanes as factors of the next product must be.
class AttentionKernel {
public:
  AttentionKernel(OpBuilder &builder, const Attention &attention,
                  const AttentionShape &shape, const WorkgroupLimits &limits)
      : attention(attention), softmax(*attention.softmax),
        scores(attention.scores), product(attention.product),
        op(product.ops.front().op), shape(shape), limits(limits),
        host(builder, op.getLoc()), grid(createGrid()),
        kernel(host.b, op.getLoc(), host.multiply(grid), shape.numThreads()),
        code(kernel.code),
        queryFragments(*shape.instruction, shape.instruction.rows(), shape.rows,
                       shape.depth,
                       runsAlong(scores, *attention.query, attention.queries)),
        keyFragments(*shape.instruction, shape.instruction.columns(),
                     shape.keys, shape.depth,
                     runsAlong(scores, *attention.key, attention.keys)),
        valueFragments(*shape.summing, shape.summing.columns(), shape.columns,
                       shape.keys,
                       runsAlong(product, *attention.value, attention.columns),
                       /*inOrder=*/true) {}

  LogicalResult emit() {
    begin();
    int64_t stages = shape.staging.stages;
    if (failed(reserveShared(kernel, op,
                             queryFragments.getSharedBytes(/*stages=*/1) +
                                 keyFragments.getSharedBytes(stages) +
                                 valueFragments.getSharedBytes(stages),
                             limits)))
      return failure();
    loadQueries();
    finish(forKeys());
    return success();
  }

private:
  using Fragments = SmallVector<SmallVector<Value>>;

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  bool isOuter(unsigned dim) const {
    return dim != attention.queries && dim != attention.keys &&
           dim != attention.depth;
  }

  /// Returns the workgroups along the outer dimensions, and the rows' blocks.
  SmallVector<OpFoldResult> createGrid() {
    SmallVector<OpFoldResult> extents;
    for (auto [dim, size] : llvm::enumerate(shape.sizes))
      if (isOuter(dim))
        extents.push_back(size);
    extents.push_back(
        host.countTiles(shape.sizes[attention.queries], shape.rows));
    return extents;
  }

  void begin() {
    SmallVector<Value> block = code.delinearize(kernel.workgroup, grid);
    outer.assign(shape.sizes.size(), Value());
    size_t next = 0;
    for (unsigned dim = 0; dim < outer.size(); ++dim)
      if (isOuter(dim))
        outer[dim] = block[next++];
    outer[attention.queries] = code.multiply(block.back(), shape.rows);
    lane = code.remainder(kernel.thread, shape.subgroupSize);
    firstRow = code.multiply(code.divide(kernel.thread, shape.subgroupSize),
                             shape.subgroupRows);
  }

  /// Returns true if the operand's rows in memory run along the dimension.
  static bool runsAlong(const LaunchGroup &group, OpOperand &operand,
                        unsigned dim) {
    return rowLoop(getMap(group, operand)) == dim;
  }

  static AffineMap getMap(const LaunchGroup &group, OpOperand &operand) {
    return getMapInGroupSpace(group.ops.front(), operand, group.extents.size());
  }

  /// Returns the operand's indices for some of its group's space.
  static SmallVector<Value> project(AffineMap map, ArrayRef<Value> indices) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr result) {
      return indices[cast<AffineDimExpr>(result).getPosition()];
    });
  }

  FragmentLoad::Context getContext(const OperandCopy &copy, Value stage,
                                   Value start, int64_t numFragments) {
    return {.memory = copy.shared,
            .firstRow = copy.firstRow(code, stage),
            .lane = lane,
            .start = start,
            .subgroupSize = shape.subgroupSize,
            .numFragments = numFragments};
  }

  Value laneAlong(const FragmentDimension &dimension) {
    return FragmentLoad::laneAlong(code, lane, dimension, shape.subgroupSize);
  }

  /// Returns the index of a lane's row among the queries.
  Value getQuery(size_t row) {
    int64_t tile = int64_t(row) / shape.rowsOfTile(),
            part = int64_t(row) % shape.rowsOfTile();
    const FragmentDimension &rows = shape.instruction.rowsOfSums();
    return code.add(
        code.add(code.add(outer[attention.queries], firstRow), laneAlong(rows)),
        tile * shape.instruction.numRows() + part * rows.lanes);
  }

  Value isQuery(Value query) {
    return isKnownMultiple(shape.sizes[attention.queries], shape.rows)
               ? Value()
               : code.isBelow(query, shape.sizes[attention.queries]);
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// Loads the fragments of all queries, which stay in registers.
  void loadQueries() {
    OperandCopy copy = makeOperandCopy(
        kernel, attention.query->get(), getMap(scores, *attention.query),
        queryFragments.tile(),
        {{attention.queries}, {shape.sizes[attention.queries]}, shape.rows},
        {{attention.depth}, {shape.sizes[attention.depth]}, shape.depth},
        shape.numThreads(), /*stages=*/1);
    SmallVector<Value> starts = outer;
    starts[attention.depth] = code.index(0);
    copy.store(code,
               copy.load(code,
                         project(getMap(scores, *attention.query), starts),
                         nullptr),
               code.index(0));
    code.barrier();
    FragmentLoad::Context context =
        getContext(copy, code.index(0), firstRow, shape.numRowTiles());
    for (int64_t k = 0; k < shape.depth / shape.instruction->k;
         k += queryFragments.numAtOnce())
      llvm::append_range(queries, queryFragments.load(code, context, k));
  }

  SmallVector<Value> createZeros(int64_t numTiles) {
    auto type = VectorType::get(int64_t(shape.instruction->sums.size()),
                                code.b.getF32Type());
    return SmallVector<Value>(shape.numRowTiles() * numTiles, code.zero(type));
  }

  SmallVector<Value> computeScores(const OperandCopy &keys, Value stage) {
    SmallVector<Value> sums = createZeros(shape.numKeyTiles());
    FragmentLoad::Context context =
        getContext(keys, stage, code.index(0), shape.numKeyTiles());
    for (int64_t k = 0; k < shape.depth / shape.instruction->k;
         k += keyFragments.numAtOnce())
      for (auto [i, ofKeys] :
           llvm::enumerate(keyFragments.load(code, context, k)))
        shape.instruction.addProducts(code, queries[k + i], ofKeys, sums);
    return sums;
  }

  /// Returns the powers as factors of the second product: by instruction along
  /// the keys, then by tile along the rows.
  Fragments makeFactors(ArrayRef<Value> powers) {
    int64_t ofTile = int64_t(shape.summing->sums.size()),
            ofFactor = int64_t(shape.summing.rows().size());
    Type type = getElementTypeOrSelf(attention.value->get().getType());
    Fragments factors(shape.keys / shape.summing->k);
    for (int64_t r = 0; r < shape.numRowTiles(); ++r) {
      SmallVector<Value> narrow;
      for (Value power :
           powers.slice(r * shape.numKeyTiles(), shape.numKeyTiles()))
        narrow.push_back(arith::TruncFOp::create(
            code.b, VectorType::get(ofTile, type), power));
      for (auto [k, ofStep] : llvm::enumerate(factors)) {
        int64_t start = int64_t(k) * ofFactor;
        if (ofFactor <= ofTile) {
          ofStep.push_back(
              code.slice(narrow[start / ofTile], start % ofTile, ofFactor));
          continue;
        }
        ofStep.push_back(code.concatenate(
            ArrayRef(narrow).slice(start / ofTile, ofFactor / ofTile)));
      }
    }
    return factors;
  }

  //===--------------------------------------------------------------------===//
  // Softmax
  //===--------------------------------------------------------------------===//

  /// Returns the lane's scores of a step, in the order of the sums.
  std::vector<ScorePiece> getPieces(ArrayRef<Value> sums, Value start) {
    std::vector<ScorePiece> pieces;
    const FragmentDimension &ofKeys = shape.instruction.columnsOfSums();
    int64_t run = ofKeys.elements;
    int64_t width = commonPowerOfTwo({scores.extents[attention.keys]}, run);
    Value firstKey = code.add(start, code.multiply(laneAlong(ofKeys), run));
    bool isGuarded = !isKnownMultiple(shape.sizes[attention.keys], shape.keys);
    for (auto [tile, sum] : llvm::enumerate(sums))
      shape.instruction.forRuns([&, tile = tile, sum = sum](
                                    int64_t first, int64_t row, int64_t key) {
        size_t ofLane = tile / shape.numKeyTiles() * shape.rowsOfTile() +
                        row / shape.instruction.rowsOfSums().lanes;
        for (int64_t i = 0; i < run; i += width) {
          Points points;
          points.indices = outer;
          points.indices[attention.queries] = getQuery(ofLane);
          points.indices[attention.keys] =
              code.add(firstKey, tile % shape.numKeyTiles() *
                                         shape.instruction.numColumns() +
                                     key + i);
          points.along = attention.keys;
          points.width = width;
          Value isKey = isGuarded ? code.isBelow(points.indices[attention.keys],
                                                 shape.sizes[attention.keys])
                                  : Value();
          Value isInside =
              code.both(isQuery(points.indices[attention.queries]), isKey);
          pieces.push_back({tile, ofLane, points, isKey,
                            PointValues(code, scores, points, isInside)});
          pieces.back().values.setResult(0, code.slice(sum, first + i, width));
        }
      });
    return pieces;
  }

  Value createInfinity(Type type) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    return code.constant(
        code.b.getFloatAttr(element,
                            APFloat::getInf(element.getFloatSemantics(),
                                            /*Negative=*/true)),
        type);
  }

  /// Returns the value where the condition holds, and -inf elsewhere.
  Value orInfinity(Value condition, Value value) {
    return condition ? code.b.createOrFold<arith::SelectOp>(
                           condition, value, createInfinity(value.getType()))
                     : value;
  }

  Value isInfinite(Value value) {
    return arith::CmpFOp::create(code.b, arith::CmpFPredicate::OEQ, value,
                                 createInfinity(value.getType()));
  }

  Value extend(Value value) {
    Type type = code.b.getF32Type();
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      type = vector.clone(type);
    return value.getType() == type ? value
                                   : arith::ExtFOp::create(code.b, type, value);
  }

  /// Combines the elements of a vector.
  Value combineElements(Operation *combiner, Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    Value all = code.slice(value, 0, 1);
    for (int64_t i = 1; vector && i < vector.getNumElements(); ++i)
      all = combine(code, combiner, all, code.slice(value, i, 1));
    return all;
  }

  /// Combines the values of the lanes that have the other keys of a row.
  Value combineLanes(Operation *combiner, Value value) {
    const FragmentDimension &ofKeys = shape.instruction.columnsOfSums();
    for (uint32_t bits = ofKeys.laneStride;
         bits < ofKeys.laneStride * ofKeys.lanes; bits *= 2)
      value = combine(code, combiner, value,
                      code.shuffle(value, bits, shape.subgroupSize));
    return value;
  }

  Operation *getCombiner(size_t reduction) const {
    return findCombiner(scores.ops[reduction].op);
  }

  Type getSumType(size_t reduction) const {
    linalg::LinalgOp member = scores.ops[reduction].op;
    return getElementTypeOrSelf(member.getDpsInits().front().getType());
  }

  PointValues getRowValues(size_t row, Value maximum) {
    Points points;
    points.indices = outer;
    points.indices[attention.queries] = getQuery(row);
    points.along = attention.keys;
    PointValues values(code, scores, points,
                       isQuery(points.indices[attention.queries]));
    values.setResult(softmax.maximum, maximum);
    return values;
  }

  /// Returns the power for a difference of exponent and shift, by the chip's
  /// instruction: factors of the second product are rounded to 16 bits.
  Value exponentiate(Value exponent, Value shift) {
    Value difference = arith::SubFOp::create(code.b, exponent, shift);
    double factor = softmax.factor;
    if (isa<math::ExpOp>(softmax.power))
      factor *= llvm::numbers::log2e;
    if (factor != 1)
      difference = arith::MulFOp::create(
          code.b, difference,
          code.constant(code.b.getF32FloatAttr(static_cast<float>(factor)),
                        difference.getType()));
    return math::Exp2Op::create(code.b, difference, arith::FastMathFlags::afn);
  }

  SmallVector<Value> findMaxima(MutableArrayRef<ScorePiece> pieces,
                                ArrayRef<Value> before) {
    Operation *combiner = getCombiner(softmax.maximum);
    SmallVector<Value> maxima(before.size());
    for (ScorePiece &piece : pieces) {
      Value term = orInfinity(piece.isKey, piece.values.get(softmax.term));
      Value &most = maxima[piece.row];
      most = most ? combine(code, combiner, most, term) : term;
    }
    for (auto [most, earlier] : llvm::zip_equal(maxima, before)) {
      most = combineLanes(combiner, combineElements(combiner, most));
      most = combine(code, combiner, earlier, most);
    }
    return maxima;
  }

  /// Returns the state after the scores of one step, whose powers it appends,
  /// but without their products.
  RowState update(const RowState &before, MutableArrayRef<ScorePiece> pieces,
                  SmallVectorImpl<Value> &powers) {
    RowState after = before;
    after.maxima = findMaxima(pieces, before.maxima);
    SmallVector<Value> shifts, factors;
    for (auto [most, earlier] : llvm::zip_equal(after.maxima, before.maxima)) {
      // Rows without a score above -inf have sums of zero.
      Value shift = extend(most);
      shift = arith::SelectOp::create(code.b, isInfinite(most),
                                      code.zero(shift.getType()), shift);
      factors.push_back(exponentiate(extend(earlier), shift));
      shifts.push_back(shift);
    }
    Operation *combiner = getCombiner(softmax.sum);
    SmallVector<Value> totals(shifts.size());
    SmallVector<SmallVector<Value>> byTile(shape.numRowTiles() *
                                           shape.numKeyTiles());
    for (ScorePiece &piece : pieces) {
      Value exponent =
          orInfinity(piece.isKey, extend(piece.values.get(softmax.exponent)));
      Value power = exponentiate(
          exponent, code.splat(shifts[piece.row], piece.points.width));
      byTile[piece.tile].push_back(power);
      Value &total = totals[piece.row];
      total = total ? combine(code, combiner, total, power) : power;
    }
    for (ArrayRef<Value> ofTile : byTile)
      powers.push_back(code.concatenate(ofTile));
    for (auto [row, total] : llvm::enumerate(totals)) {
      Value sum = combineElements(combiner, total);
      Value earlier =
          arith::MulFOp::create(code.b, before.totals[row], factors[row]);
      after.totals[row] = combine(code, combiner, earlier, sum);
    }
    scale(after.sums, factors);
    return after;
  }

  /// Multiplies the tiles of the second product by a factor for each row.
  void scale(MutableArrayRef<Value> sums, ArrayRef<Value> factors) {
    int64_t perRow = shape.numColumnTiles();
    for (auto [tile, sum] : llvm::enumerate(sums)) {
      size_t first = tile / perRow * shape.rowsOfTile();
      SmallVector<Value> elements(shape.instruction->sums.size());
      shape.instruction.forRuns([&](int64_t start, int64_t row, int64_t) {
        Value factor =
            factors[first + row / shape.instruction.rowsOfSums().lanes];
        for (uint32_t i = 0; i < shape.instruction.columnsOfSums().elements;
             ++i)
          elements[start + i] = factor;
      });
      Value wide = llvm::all_equal(elements)
                       ? code.splat(elements.front(), int64_t(elements.size()))
                       : code.concatenate(elements);
      sum = arith::MulFOp::create(code.b, sum, wide);
    }
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  /// Returns the first step in which keys have a share of the workgroup's
  /// queries, null for 0, and the number of steps from there.
  std::pair<Value, OpFoldResult> findSteps() {
    OpFoldResult all = code.countTiles(shape.sizes[attention.keys], shape.keys);
    Value zero = code.index(0), firstQuery = outer[attention.queries], first;
    // Keys before the first one are in its step.
    auto getStep = [&](Value key) {
      Value bounded = arith::MaxSIOp::create(code.b, key, zero);
      return code.divide(bounded, shape.keys);
    };
    if (softmax.firstKey)
      first = getStep(code.add(firstQuery, *softmax.firstKey));
    if (!softmax.lastKey && !first)
      return {nullptr, all};
    Value end = code.index(all);
    if (softmax.lastKey) {
      // The end of the step that has the last query's last key.
      Value lastKey = code.add(firstQuery, shape.rows - 1 + *softmax.lastKey);
      Value behind = getStep(code.add(lastKey, shape.keys));
      end = arith::MinSIOp::create(code.b, end, behind);
    }
    if (!first)
      return {nullptr, end};
    Value count = arith::SubIOp::create(code.b, end, first);
    return {first, arith::MaxSIOp::create(code.b, count, zero).getResult()};
  }

  /// Returns the state after all keys.
  RowState forKeys() {
    AffineMap keyMap = getMap(scores, *attention.key),
              valueMap = getMap(product, *attention.value);
    OperandCopy keys = makeOperandCopy(
        kernel, attention.key->get(), keyMap, keyFragments.tile(),
        {{attention.keys}, {shape.sizes[attention.keys]}, shape.keys},
        {{attention.depth}, {shape.sizes[attention.depth]}, shape.depth},
        shape.numThreads(), shape.staging.stages);
    OperandCopy values = makeOperandCopy(
        kernel, attention.value->get(), valueMap, valueFragments.tile(),
        {{attention.columns},
         {shape.productSizes[attention.columns]},
         shape.columns},
        {{attention.summed},
         {shape.productSizes[attention.summed]},
         shape.keys},
        shape.numThreads(), shape.staging.stages);
    auto [firstStep, steps] = findSteps();
    auto getFirstKey = [&, firstStep = firstStep](Value step) {
      return code.multiply(firstStep ? code.add(firstStep, step) : step,
                           shape.keys);
    };
    OperandPipeline pipeline(code,
                             {{keys,
                               [&](Value step) {
                                 SmallVector<Value> starts = outer;
                                 starts[attention.keys] = getFirstKey(step);
                                 starts[attention.depth] = code.index(0);
                                 return project(keyMap, starts);
                               }},
                              {values,
                               [&](Value step) {
                                 SmallVector<Value> starts =
                                     getProductIndices();
                                 starts[attention.summed] = getFirstKey(step);
                                 starts[attention.columns] = code.index(0);
                                 return project(valueMap, starts);
                               }}},
                             shape.staging);
    RowState first;
    first.sums = createZeros(shape.numColumnTiles());
    Type ofMaximum = getSumType(softmax.maximum);
    first.maxima.assign(shape.numRows(), createInfinity(ofMaximum));
    first.totals.assign(shape.numRows(), code.zero(code.b.getF32Type()));
    size_t numSums = first.sums.size();
    SmallVector<Value> last = pipeline.run(
        steps, first.getValues(),
        [&](Value step, Value stage, ValueRange carried,
            function_ref<void()> moveNext) {
          moveNext();
          SmallVector<Value> sums = computeScores(keys, stage), powers;
          std::vector<ScorePiece> pieces = getPieces(sums, getFirstKey(step));
          RowState state =
              update(RowState::of(carried, numSums), pieces, powers);
          FragmentLoad::Context context =
              getContext(values, stage, code.index(0), shape.numColumnTiles());
          for (auto [k, factors] : llvm::enumerate(makeFactors(powers)))
            shape.summing.addProducts(
                code, factors, valueFragments.load(code, context, k).front(),
                state.sums);
          return state.getValues();
        });
    return RowState::of(last, numSums);
  }

  /// Returns the workgroup's indices in the product's space; null for others.
  SmallVector<Value> getProductIndices() const {
    return llvm::map_to_vector(
        attention.scoresDims, [&](std::optional<unsigned> dim) {
          return dim && isOuter(*dim) ? outer[*dim] : Value();
        });
  }

  /// Scales the sums, applies the epilogue and stores the results.
  void finish(RowState state) {
    if (softmax.scale) {
      SmallVector<Value> factors;
      Operation *combiner = getCombiner(softmax.sum);
      for (auto [row, total] : llvm::enumerate(state.totals)) {
        Value maximum = state.maxima[row];
        if (softmax.factor != 1)
          maximum = arith::MulFOp::create(
              code.b, maximum,
              code.constant(
                  code.b.getF32FloatAttr(static_cast<float>(softmax.factor)),
                  maximum.getType()));
        PointValues values = getRowValues(row, maximum);
        Value sum = combineLanes(combiner, total);
        Type ofSum = getSumType(softmax.sum);
        if (ofSum != sum.getType())
          sum = arith::TruncFOp::create(code.b, ofSum, sum);
        values.setResult(softmax.sum, sum);
        Value factor = extend(values.get(*softmax.scale));
        if (softmax.divides)
          factor = arith::DivFOp::create(
              code.b,
              code.constant(code.b.getF32FloatAttr(1.0F), factor.getType()),
              factor);
        factors.push_back(factor);
      }
      scale(state.sums, factors);
    }
    for (auto [tile, sum] : llvm::enumerate(state.sums))
      store(tile, sum);
  }

  void store(size_t tile, Value sum) {
    const OrientedInstruction &instruction = shape.instruction;
    int64_t run = instruction.columnsOfSums().elements;
    OpFoldResult columns = shape.productSizes[attention.columns];
    Points points;
    points.indices = getProductIndices();
    points.along = attention.columns;
    points.width = commonPowerOfTwo({product.extents[attention.columns]}, run);
    Value firstColumn =
        code.multiply(laneAlong(instruction.columnsOfSums()), run);
    instruction.forRuns([&](int64_t first, int64_t row, int64_t column) {
      Value query =
          getQuery(tile / shape.numColumnTiles() * shape.rowsOfTile() +
                   row / instruction.rowsOfSums().lanes);
      points.indices[attention.rows] = query;
      for (int64_t i = 0; i < run; i += points.width) {
        Value at =
            code.add(firstColumn, int64_t(tile) % shape.numColumnTiles() *
                                          instruction.numColumns() +
                                      column + i);
        points.indices[attention.columns] = at;
        Value isColumn = isKnownMultiple(columns, shape.columns)
                             ? Value()
                             : code.isBelow(at, columns);
        code.doIf(code.both(isQuery(query), isColumn), [&] {
          emitEpilogue(code, product, code.slice(sum, first + i, points.width),
                       points);
        });
      }
    });
  }

  const Attention &attention;
  const OnlineSoftmax &softmax;
  const LaunchGroup &scores, &product;
  linalg::LinalgOp op;
  const AttentionShape &shape;
  const WorkgroupLimits &limits;

  // State of the kernel under construction.
  ThreadCode host;
  SmallVector<OpFoldResult> grid;
  KernelLaunch kernel;
  ThreadCode &code;
  const FragmentLoad queryFragments, keyFragments, valueFragments;
  SmallVector<Value> outer; ///< indices in the scores' space; null for others
  Value lane, firstRow;     ///< of the subgroup in the workgroup's tile
  Fragments queries;        ///< by instruction along the depth, by tile
};

} // namespace

std::optional<MatrixInstruction>
tonno::chainInstruction(const MatrixInstruction &instruction) {
  // Narrower factors would be rounded too coarsely before they are scaled.
  if (getByteSize(instruction.operand) != 2)
    return std::nullopt;
  OrientedInstruction oriented(instruction);
  const FragmentDimension &rows = oriented.rowsOfSums(),
                          &keys = oriented.columnsOfSums();
  const Fragment &factor = oriented.rows();
  uint32_t ofFactor = factor.depth.outer * factor.depth.elements,
           ofTile = keys.outer * keys.elements;
  bool isSame =
      rows.outer == factor.side.outer && rows.lanes == factor.side.lanes &&
      rows.laneStride == factor.side.laneStride && rows.elements == 1 &&
      factor.side.elements == 1 && keys.lanes == factor.depth.lanes &&
      keys.laneStride == factor.depth.laneStride;
  // Rows alternate within a tile.
  if (!isSame || (rows.outer > 1 && keys.outer > 1) ||
      ofFactor % keys.elements != 0 ||
      (ofFactor % ofTile != 0 && ofTile % ofFactor != 0) ||
      (rows.outer > 1 && ofFactor % ofTile != 0))
    return std::nullopt;
  MatrixInstruction summing = instruction;
  FragmentDimension depth = {.outer = ofFactor / keys.elements,
                             .lanes = keys.lanes,
                             .laneStride = keys.laneStride,
                             .elements = keys.elements};
  // ldmatrix has an order of its own.
  if (instruction.family == MatrixFamily::mmaSync &&
      (depth.outer != factor.depth.outer ||
       depth.elements != factor.depth.elements))
    return std::nullopt;
  summing.lhs.depth = summing.rhs.depth = depth;
  return summing;
}

LogicalResult tonno::emitAttention(OpBuilder &builder,
                                   const Attention &attention,
                                   const WorkgroupLimits &limits,
                                   const MatrixInstruction &instruction) {
  OpBuilder::InsertionGuard guard(builder);
  auto summing = chainInstruction(instruction);
  linalg::LinalgOp op = attention.product.ops.front().op;
  if (!summing)
    return op.emitOpError()
           << "has 'softmax', but the sums of '" << StringRef(instruction.name)
           << "' are not distributed over lanes as its factors are; use "
              "another instruction, or remove the key";
  auto shape =
      AttentionShapeFinder(builder, attention, limits, instruction, *summing)
          .find();
  if (failed(shape))
    return failure();
  return AttentionKernel(builder, attention, *shape, limits).emit();
}
