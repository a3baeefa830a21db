//===- Loops that threads share -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/SharedLoop.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

/// Whether iterations of the loop write different elements.
static bool writesApart(linalg::LinalgOp op, unsigned loop) {
  AffineExpr index = getAffineDimExpr(loop, op.getContext());
  return linalg::isParallelIterator(op.getIteratorTypesArray()[loop]) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return llvm::is_contained(
               op.getMatchingIndexingMap(&init).getResults(), index);
         });
}

/// The first that has `least` for each thread; empty: an iteration.
static std::optional<unsigned> findLoop(linalg::LinalgOp op,
                                        ArrayRef<int64_t> order,
                                        ArrayRef<int64_t> least,
                                        int64_t threads) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned i = 0; i < op.getNumLoops(); ++i) {
    unsigned loop = order.empty() ? i : static_cast<unsigned>(order[i]);
    int64_t tile = least.empty() ? 1 : std::max<int64_t>(least[loop], 1);
    if (writesApart(op, loop) && extents[loop] / threads >= tile)
      return loop;
  }
  return std::nullopt;
}

FailureOr<unsigned> tonno::sharedLoop(linalg::LinalgOp op,
                                      ArrayRef<int64_t> order,
                                      ArrayRef<int64_t> least,
                                      int64_t threads) {
  if (sharedLoopAround(op))
    return op.emitOpError() << "is to be shared by " << threads
                            << " threads, but is computed by one of those that "
                               "share what it is a part of";
  std::optional<unsigned> loop = findLoop(op, order, least, threads);
  if (!loop)
    loop = findLoop(op, order, /*least=*/{}, threads);
  if (!loop)
    return op.emitOpError() << "is to be shared by " << threads
                            << " threads, but has no parallel loop of so many "
                               "iterations";
  return *loop;
}

bool tonno::canBeShared(linalg::LinalgOp op, int64_t threads) {
  return findLoop(op, /*order=*/{}, /*least=*/{}, threads).has_value();
}

void tonno::markShared(scf::ForallOp loop, int64_t threads) {
  loop->setAttr(TonnoDialect::kThreads,
                Builder(loop.getContext()).getI64IntegerAttr(threads));
}

int64_t tonno::threadsOf(scf::ForallOp loop) {
  auto threads = loop->getAttrOfType<IntegerAttr>(TonnoDialect::kThreads);
  return threads ? threads.getInt() : 1;
}

scf::ForallOp tonno::sharedLoopAround(Operation *op) {
  auto loop = op->getParentOfType<scf::ForallOp>();
  while (loop && threadsOf(loop) == 1)
    loop = loop->getParentOfType<scf::ForallOp>();
  return loop;
}

Value tonno::numberOfIteration(OpBuilder &builder, scf::ForallOp loop,
                               Value iteration) {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value distance = arith::SubIOp::create(
      builder, loc, iteration, constant(loop.getStaticLowerBound().front()));
  return arith::DivUIOp::create(builder, loc, distance,
                                constant(loop.getStaticStep().front()));
}
