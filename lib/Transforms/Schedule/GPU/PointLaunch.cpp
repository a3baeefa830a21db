//===- Launches with a thread for each point ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/KernelSizes.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tonno;

static constexpr int64_t threadsPerWorkgroup = 256;

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

/// Writes what one thread does of an op of any form.
class PointCode {
public:
  PointCode(ThreadCode &code, const GroupedOp &member,
            ArrayRef<OpFoldResult> extents)
      : code(code), member(member), op(member.op), extents(extents) {}

  void emit(ArrayRef<Value> point) {
    SmallVector<unsigned> parallel, reduced;
    op.getParallelDims(parallel);
    op.getReductionDims(reduced);
    loops.assign(op.getNumLoops(), Value());
    for (auto [loop, index] : llvm::zip(parallel, point))
      loops[loop] = index;
    for (unsigned loop : reduced)
      loops[loop] = code.index(0);
    initialize();
    OpBuilder::InsertionGuard guard(code.b);
    for (unsigned loop : reduced) {
      auto nest = scf::ForOp::create(code.b, code.index(0),
                                     code.index(extents[loop]), code.index(1));
      code.b.setInsertionPointToStart(nest.getBody());
      loops[loop] = nest.getInductionVar();
    }
    emitBody();
  }

private:
  SmallVector<Value> createOperandIndices(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<Value> indices;
    for (AffineExpr result : map.getResults())
      indices.push_back(getValueOrCreateConstantIndexOp(
          code.b, op.getLoc(),
          affine::makeComposedFoldedAffineApply(
              code.b, op.getLoc(), AffineMap::get(map.getNumDims(), 0, result),
              getAsOpFoldResult(loops))));
    return indices;
  }

  /// Stores the constant inits of the outputs.
  void initialize() {
    for (auto [i, init] : llvm::enumerate(member.inits)) {
      OpOperand &output = *op.getDpsInitOperand(i);
      if (init.kind == Source::Kind::constant &&
          isa<MemRefType>(output.get().getType()))
        code.store(init.value, output.get(), createOperandIndices(output), 0);
    }
  }

  void emitBody() {
    Block &body = op->getRegion(0).front();
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (argument.use_empty())
        continue;
      bool isBuffer = isa<MemRefType>(operand.get().getType());
      mapping.map(argument, isBuffer
                                ? code.load(operand.get(),
                                            createOperandIndices(operand), 1, 0)
                                : operand.get());
    }
    for (Operation &nested : body.without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested))
        mapping.map(index.getResult(), loops[index.getDim()]);
      else
        code.b.clone(nested, mapping);
    }
    for (auto [i, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      OpOperand &output = *op.getDpsInitOperand(i);
      code.store(mapping.lookupOrDefault(value), output.get(),
                 createOperandIndices(output), 0);
    }
  }

  ThreadCode &code;
  const GroupedOp &member;
  linalg::LinalgOp op;
  ArrayRef<OpFoldResult> extents; ///< of its loops
  SmallVector<Value> loops;       ///< by number
};

} // namespace

void tonno::emitPoints(OpBuilder &builder, const LaunchGroup &group) {
  const GroupedOp &member = group.ops.front();
  linalg::LinalgOp op = member.op;
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<OpFoldResult> all = createExtents(builder, group), extents;
  for (unsigned loop : parallel)
    extents.push_back(all[loop]);
  launchPoints(builder, op.getLoc(), extents,
               [&](ThreadCode &code, ArrayRef<Value> point) {
                 PointCode(code, member, all).emit(point);
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
