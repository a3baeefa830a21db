//===- Reductions over rows of tiles --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Payload.h"
#include "ThreadReduction.h"
#include "TileKernel.h"

#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tonno;

SmallVector<Value>
TileKernel::forChunks(ArrayRef<Value> carried,
                      function_ref<SmallVector<Value>(ValueRange)> emit) {
  ThreadCode &code = kernel->code;
  auto loop =
      scf::ForOp::create(code.b, code.index(0), code.index(shape.numChunks()),
                         code.index(1), ValueRange(carried));
  OpBuilder::InsertionGuard guard(code.b);
  code.b.setInsertionPointToStart(loop.getBody());
  // What is computed in the loop can't be seen behind it.
  Known before = known;
  chunk = code.multiply(loop.getInductionVar(), shape.block(*shape.reduced));
  SmallVector<Value> yielded = emit(loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(code.b, yielded);
  chunk = nullptr;
  known = std::move(before);
  return SmallVector<Value>(loop.getResults());
}

/// Adds what is in registers, or one chunk, to the sums of this thread's rows.
SmallVector<Value> TileKernel::addChunk(size_t op, ArrayRef<Value> sums) {
  ThreadCode &code = kernel->code;
  SmallVector<Value> next(sums);
  for (auto [row, sum] : llvm::zip_equal(allSteps(/*ofRow=*/true), next))
    for (int64_t i = 0; i < numSteps(*group.reduced); ++i) {
      Steps steps = row;
      steps[*group.reduced] = i;
      SmallVector<Value> elements = elementsOf(op, steps);
      elements.back() = sum;
      Value added =
          emitPayload(code, group.ops[op].op, elements, shape.width).front();
      Value condition = isInside(steps, /*ofRow=*/false);
      sum = condition ? arith::SelectOp::create(code.b, condition, added, sum)
                      : added;
    }
  return next;
}

/// Combines the lanes of this thread, the threads of the row, and what the sum
/// began with.
Value TileKernel::finishSum(size_t op, const Steps &row, Value sum) {
  ThreadCode &code = kernel->code;
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
    // By the thread that will store the sum: nobody else may read any more.
    Value isFirst = code.both(code.isEqual(threads[reduced], 0),
                              isInside(row, /*ofRow=*/true));
    Points points = pointsAt(row, /*ofRow=*/true);
    Value first = code.valueIf(isFirst, sum.getType(), [&] {
      return loadAt(code, init.value, mapOf(member, operand), points);
    });
    Value withFirst = combine(code, combiner, sum, first);
    sum = arith::SelectOp::create(code.b, isFirst, withFirst, sum);
  }
  ThreadRow threadRow{shape.threads[reduced], shape.threadStride(reduced),
                      threads[reduced], shape.numThreads()};
  sum = combineRow(*kernel, threadRow, limits.subgroupSize, combiner, sum);
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

void TileKernel::reduce(size_t op) {
  ThreadCode &code = kernel->code;
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
