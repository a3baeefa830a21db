//===- Launches with a thread for each point ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "Schedule/GPU/Epilogue.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/KernelSizes.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tonno;

static constexpr int64_t threadsPerWorkgroup = 256;

/// Threads that keep a GPU busy; with fewer, each gets one point.
static constexpr int64_t enoughThreads = enoughWorkgroups * threadsPerWorkgroup;

/// Points for which the most that a thread takes leave enough threads.
static constexpr int64_t enoughPoints = 1024 * enoughThreads;

/// Emits a launch with a thread for each point of an array of these extents.
static void
launchPoints(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> extents,
             function_ref<void(ThreadCode &, ArrayRef<Value>)> emit) {
  OpBuilder::InsertionGuard guard(builder);
  ThreadCode host(builder, loc);
  OpFoldResult points = host.multiply(extents);
  auto known = getConstantIntValue(points);
  if (known == 0)
    return;
  int64_t threads =
      std::min(known.value_or(threadsPerWorkgroup), threadsPerWorkgroup);
  KernelLaunch kernel(host.b, loc, host.countTiles(points, threads), threads);
  ThreadCode &code = kernel.code;
  Value point =
      code.add(code.multiply(kernel.workgroup, threads), kernel.thread);
  Value condition =
      isKnownMultiple(points, threads) ? Value() : code.isBelow(point, points);
  code.doIf(condition, [&] { emit(code, code.delinearize(point, extents)); });
}

namespace {

/// Writes what one thread does of an op of any form, and of the ops that use
/// its results.
class PointCode {
public:
  /// A thread has some points along the results' rows, of one row or several.
  PointCode(ThreadCode &code, const LaunchGroup &group,
            ArrayRef<OpFoldResult> extents, SmallVector<Points> rows)
      : code(code), group(group), member(group.ops.front()), op(member.op),
        extents(extents), rows(std::move(rows)) {
    op.getReductionDims(reduced);
  }

  void emit() {
    for (unsigned loop : reduced)
      setLoop(loop, code.index(0));
    if (!hasResultsAtPoints(member))
      return reduceInMemory();
    SmallVector<Value> results = reduce();
    for (auto [i, points] : llvm::enumerate(rows))
      emitEpilogue(code, group, ofRow(results, i), points);
  }

private:
  void setLoop(unsigned loop, Value index) {
    for (Points &points : rows)
      points.indices[loop] = index;
  }

  /// Returns the part of the values, as many for each row, that a row has.
  ArrayRef<Value> ofRow(ArrayRef<Value> values, size_t row) {
    size_t each = values.size() / rows.size();
    return values.slice(row * each, each);
  }

  Value load(OpOperand &operand, const Points &points) {
    if (!isa<MemRefType>(operand.get().getType()))
      return code.splat(operand.get(), points.width);
    return loadAt(code, operand.get(), op.getMatchingIndexingMap(&operand),
                  points);
  }

  /// Returns the elements of the inputs and inits, null for those not read;
  /// those of inits are the sums, if there are some.
  SmallVector<Value> loadElements(ArrayRef<Value> sums, const Points &points) {
    SmallVector<Value> elements;
    for (OpOperand &operand : op->getOpOperands())
      if (op.isDpsInit(&operand) && !sums.empty())
        elements.push_back(
            sums[operand.getOperandNumber() - op.getNumDpsInputs()]);
      else
        elements.push_back(op.payloadUsesValueFromOperand(&operand)
                               ? load(operand, points)
                               : Value());
    return elements;
  }

  /// Returns the results of each row, summed up in registers.
  SmallVector<Value> reduce() {
    SmallVector<Value> sums;
    for (const Points &points : rows)
      for (auto [init, operand] :
           llvm::zip_equal(member.inits, op.getDpsInitsMutable()))
        sums.push_back(init.kind == Source::Kind::constant
                           ? code.splat(init.value, points.width)
                       : !reduced.empty() ||
                               op.payloadUsesValueFromOperand(&operand)
                           ? load(operand, points)
                           : Value());
    SmallVector<scf::ForOp> nest;
    for (unsigned loop : reduced) {
      nest.push_back(scf::ForOp::create(code.b, code.index(0),
                                        code.index(extents[loop]),
                                        code.index(1), sums));
      code.b.setInsertionPointToStart(nest.back().getBody());
      setLoop(loop, nest.back().getInductionVar());
      sums = llvm::to_vector_of<Value>(nest.back().getRegionIterArgs());
    }
    SmallVector<unsigned> loops =
        llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops()));
    SmallVector<Value> results;
    for (auto [i, points] : llvm::enumerate(rows))
      llvm::append_range(
          results, emitPayload(code, op, loadElements(ofRow(sums, i), points),
                               points, loops));
    for (scf::ForOp loop : llvm::reverse(nest)) {
      scf::YieldOp::create(code.b, results);
      code.b.setInsertionPointAfter(loop);
      results = llvm::to_vector_of<Value>(loop.getResults());
    }
    return results;
  }

  void store(Value value, OpOperand &output) {
    storeAt(code, value, output.get(), op.getMatchingIndexingMap(&output),
            rows.front());
  }

  /// Emits loops that read and write the results in memory, as their places may
  /// depend on all loops, or inputs may be in the same buffer.
  void reduceInMemory() {
    Points &point = rows.front();
    for (auto [init, output] :
         llvm::zip_equal(member.inits, op.getDpsInitsMutable()))
      if (init.kind == Source::Kind::constant)
        store(init.value, output);
    OpBuilder::InsertionGuard guard(code.b);
    for (unsigned loop : reduced) {
      auto nest = scf::ForOp::create(code.b, code.index(0),
                                     code.index(extents[loop]), code.index(1));
      code.b.setInsertionPointToStart(nest.getBody());
      setLoop(loop, nest.getInductionVar());
    }
    Block &body = op->getRegion(0).front();
    IRMapping mapping;
    for (auto [argument, element] :
         llvm::zip_equal(body.getArguments(), loadElements({}, point)))
      if (element)
        mapping.map(argument, element);
    for (Operation &nested : body.without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested))
        mapping.map(index.getResult(), point.indices[index.getDim()]);
      else
        code.b.clone(nested, mapping);
    }
    for (auto [output, value] : llvm::zip_equal(
             op.getDpsInitsMutable(), body.getTerminator()->getOperands()))
      store(mapping.lookupOrDefault(value), output);
  }

  ThreadCode &code;
  const LaunchGroup &group;
  const GroupedOp &member; ///< the first
  linalg::LinalgOp op;
  ArrayRef<OpFoldResult> extents; ///< of its loops
  SmallVector<Points> rows;
  SmallVector<unsigned> reduced;
};

/// Points that a thread takes along the last two loops of a result.
struct PointsOfThread {
  int64_t width = 1; ///< along a row
  int64_t rows = 1;
};

} // namespace

/// Returns true if the operand has the elements along a loop side by side, or
/// one element for all.
static bool isSideBySide(AffineMap map, unsigned loop) {
  if (!map.isFunctionOfDim(loop))
    return true;
  return map.getResults().back() == getAffineDimExpr(loop, map.getContext()) &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr result) {
           return result.isFunctionOfDim(loop);
         });
}

/// Returns how many points a thread takes: along a row as many as one access
/// has, if all operands allow it; and as many rows as share elements of sliding
/// windows. Enough workgroups must be left.
static PointsOfThread choosePoints(const LaunchGroup &group,
                                   ArrayRef<unsigned> parallel) {
  constexpr int64_t mostRows = 4;
  linalg::LinalgOp op = group.ops.front().op;
  if (parallel.empty() || !hasResultsAtPoints(group.ops.front()))
    return {};
  unsigned loop = parallel.back();
  int64_t narrowest = 16; // bytes of an element
  int64_t points = 1;
  for (const SpaceAccess &access : group.accesses) {
    if (!isSideBySide(access.map, loop))
      return {};
    if (access.map.isFunctionOfDim(loop))
      narrowest = std::min(narrowest, getElementBytes(access.type));
  }
  PointsOfThread each;
  each.width = commonPowerOfTwo({group.extents[loop]}, 16 / narrowest);
  for (unsigned dim : parallel)
    points = ShapedType::isDynamic(group.extents[dim])
                 ? enoughPoints
                 : std::min(enoughPoints, points * group.extents[dim]);
  auto shrink = [&](int64_t &number) {
    while (number > 1 && points / each.width / each.rows < enoughThreads)
      number /= 2;
  };
  shrink(each.width);
  if (parallel.size() > 1 && movesSlidingWindow(op, parallel.end()[-2]))
    each.rows = commonPowerOfTwo({group.extents[parallel.end()[-2]]}, mostRows);
  shrink(each.rows);
  return each;
}

void tonno::emitPoints(OpBuilder &builder, const LaunchGroup &group) {
  linalg::LinalgOp op = group.ops.front().op;
  SmallVector<unsigned> parallel = getLoopsInResultOrder(op);
  PointsOfThread each = choosePoints(group, parallel);
  SmallVector<OpFoldResult> all = createExtents(builder, group), extents;
  for (unsigned loop : parallel)
    extents.push_back(all[loop]);
  auto divide = [&](size_t fromLast, int64_t by) {
    if (by > 1)
      extents.end()[-fromLast] =
          builder.getIndexAttr(group.extents[parallel.end()[-fromLast]] / by);
  };
  divide(1, each.width);
  divide(2, each.rows);
  launchPoints(
      builder, op.getLoc(), extents,
      [&](ThreadCode &code, ArrayRef<Value> indices) {
        Points first{SmallVector<Value>(op.getNumLoops()),
                     parallel.empty() ? 0 : parallel.back(), each.width};
        for (auto [loop, index] : llvm::zip_equal(parallel, indices))
          first.indices[loop] = index;
        if (each.width > 1)
          first.indices[first.along] =
              code.multiply(first.indices[first.along], each.width);
        SmallVector<Points> rows(each.rows, first);
        if (each.rows > 1)
          for (auto [i, row] : llvm::enumerate(rows)) {
            Value &index = row.indices[parallel.end()[-2]];
            index = code.add(code.multiply(index, each.rows), int64_t(i));
          }
        PointCode(code, group, all, std::move(rows)).emit();
      });
}

/// Returns true if a parallel loop can become a launch: its extents are known
/// or the kernel's sizes give them, and it has no reductions and no allocations
/// in its body.
static bool canLaunch(Operation *op) {
  auto loop = dyn_cast<scf::ParallelOp>(op);
  if (!loop || loop.getNumReductions() != 0 || anyOp(loop, [](Operation *op) {
        return isa<memref::AllocOp, memref::AllocaOp>(op);
      }))
    return false;
  KernelSizes sizes(loop->getParentOfType<func::FuncOp>());
  for (auto [low, high, step] : llvm::zip_equal(
           loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    auto first = getConstantIntValue(low);
    if (!first || !getConstantIntValue(step))
      return false;
    if (!getConstantIntValue(high) && (*first != 0 || !sizes.express(high)))
      return false;
  }
  return true;
}

/// Returns the iterations of each dimension of the loop.
static SmallVector<OpFoldResult> createIterations(ThreadCode &host,
                                                  scf::ParallelOp loop) {
  SmallVector<OpFoldResult> iterations;
  for (auto [low, high, step] : llvm::zip_equal(
           loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    int64_t first = *getConstantIntValue(low), by = *getConstantIntValue(step);
    if (auto end = getConstantIntValue(high))
      iterations.push_back(host.b.getIndexAttr(
          std::max<int64_t>(0, llvm::divideCeilSigned(*end - first, by))));
    else
      iterations.push_back(host.countTiles(high, by));
  }
  return iterations;
}

static void emitParallel(OpBuilder &builder, scf::ParallelOp loop) {
  ThreadCode host(builder, loop.getLoc());
  launchPoints(
      host.b, loop.getLoc(), createIterations(host, loop),
      [&](ThreadCode &code, ArrayRef<Value> point) {
        IRMapping mapping;
        for (auto [variable, coordinate, low, step] :
             llvm::zip_equal(loop.getInductionVars(), point,
                             loop.getLowerBound(), loop.getStep()))
          mapping.map(
              variable,
              code.add(code.multiply(coordinate, *getConstantIntValue(step)),
                       *getConstantIntValue(low)));
        for (Operation &op : loop.getBody()->without_terminator())
          code.b.clone(op, mapping);
      });
}

/// Checks that no op outside of `ops` uses their values.
static LogicalResult checkNothingEscapes(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    for (Operation *user : op->getUsers())
      if (llvm::none_of(
              ops, [&](Operation *other) { return other->isAncestor(user); }))
        return op->emitError() << "'" << op->getName()
                               << "' computes a value that other launches use; "
                                  "write it into a buffer";
  return success();
}

LogicalResult tonno::emitOthers(OpBuilder &builder, ArrayRef<Operation *> ops) {
  if (failed(checkNothingEscapes(ops)))
    return failure();
  while (!ops.empty()) {
    if (isa<gpu::LaunchOp>(ops.front())) {
      // The launch was written by the user.
      builder.clone(*ops.front());
      ops = ops.drop_front();
      continue;
    }
    if (canLaunch(ops.front())) {
      emitParallel(builder, cast<scf::ParallelOp>(ops.front()));
      ops = ops.drop_front();
      continue;
    }
    const auto *end = llvm::find_if(ops, [](Operation *op) {
      return isa<gpu::LaunchOp>(op) || canLaunch(op);
    });
    auto alone = ops.take_front(end - ops.begin());
    launchPoints(builder, ops.front()->getLoc(), {},
                 [&](ThreadCode &code, ArrayRef<Value>) {
                   IRMapping mapping;
                   for (Operation *op : alone)
                     code.b.clone(*op, mapping);
                 });
    ops = ops.drop_front(alone.size());
  }
  return success();
}
