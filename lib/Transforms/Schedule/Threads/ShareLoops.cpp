//===- Distribute parallel loops over threads -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Threads/ShareLoops.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Outlining/FunctionOutliner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_SHARELOOPSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if iterations of the loop write disjoint elements.
static bool hasDisjointWrites(linalg::LinalgOp op, unsigned loop) {
  AffineExpr index = getAffineDimExpr(loop, op.getContext());
  return linalg::isParallelIterator(op.getIteratorTypesArray()[loop]) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return llvm::is_contained(
               op.getMatchingIndexingMap(&init).getResults(), index);
         });
}

/// Returns how well tiles fill the equal parts of a loop; lower is better.
static int rateTiles(int64_t part, int64_t tile) {
  if (tile == 0 || part < tile)
    return 2;
  return part % tile == 0 ? 0 : 1;
}

/// Returns the loop with the shortest time of the slowest thread; among those
/// about as short, the one with the best tiles, or else the first.
static std::optional<unsigned>
findLoop(linalg::LinalgOp op, ArrayRef<int64_t> order, ArrayRef<int64_t> tiles,
         int64_t threads, llvm::function_ref<double(unsigned)> dividedShare) {
  constexpr double tolerance = 0.03;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> found;
  double shortest = 0;
  int best = 0;
  for (unsigned i = 0; i < op.getNumLoops(); ++i) {
    unsigned loop = order.empty() ? i : static_cast<unsigned>(order[i]);
    int64_t extent = extents[loop];
    bool isDynamic = ShapedType::isDynamic(extent);
    if (!hasDisjointWrites(op, loop) || (!isDynamic && extent < threads))
      continue;
    // One thread computes the rest; parts of dynamic loops are about equal.
    int64_t most = extent / threads + extent % threads;
    double slowest = isDynamic ? 1. / threads : double(most) / extent;
    double divided = dividedShare ? dividedShare(loop) : 1;
    double time = 1 - divided + divided * slowest;
    int rating = isDynamic ? 1
                           : rateTiles(extent / threads,
                                       tiles.empty() ? 1 : tiles[loop]);
    bool isBetter = !found || time < shortest * (1 - tolerance) ||
                    (time < shortest * (1 + tolerance) && rating < best);
    if (!isBetter)
      continue;
    found = loop;
    shortest = time;
    best = rating;
  }
  return found;
}

FailureOr<unsigned>
tonno::sharedLoop(linalg::LinalgOp op, ArrayRef<int64_t> order,
                  ArrayRef<int64_t> tiles, int64_t threads,
                  llvm::function_ref<double(unsigned)> dividedShare) {
  if (getEnclosingSharedLoop(op))
    return op.emitOpError()
           << "has 'threads' = " << threads
           << ", but is part of a loop that threads share already";
  auto loop = findLoop(op, order, tiles, threads, dividedShare);
  if (!loop)
    return op.emitOpError()
           << "has 'threads' = " << threads
           << ", but no parallel loop of at least " << threads << " iterations";
  return *loop;
}

bool tonno::canBeShared(linalg::LinalgOp op, int64_t threads) {
  return findLoop(op, /*order=*/{}, /*tiles=*/{}, threads, {}).has_value();
}

bool tonno::isWorthSharing(double iterations) {
  // A team takes one to ten microseconds, an elementwise op about as long.
  return iterations >= 1 << 15;
}

void tonno::markShared(scf::ForallOp loop, int64_t threads) {
  loop->setAttr(TonnoDialect::kThreads,
                Builder(loop.getContext()).getI64IntegerAttr(threads));
}

int64_t tonno::getNumThreads(scf::ForallOp loop) {
  auto threads = loop->getAttrOfType<IntegerAttr>(TonnoDialect::kThreads);
  return threads ? threads.getInt() : 1;
}

scf::ForallOp tonno::getEnclosingSharedLoop(Operation *op) {
  auto loop = op->getParentOfType<scf::ForallOp>();
  while (loop && getNumThreads(loop) == 1)
    loop = loop->getParentOfType<scf::ForallOp>();
  return loop;
}

Value tonno::createIterationOrdinal(OpBuilder &builder, scf::ForallOp loop,
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

/// Outlines the body of a parallel loop into a function. As an OpenMP region,
/// the body would receive its arguments in a struct and lose the attributes of
/// the kernel's arguments:
///
///   scf.forall (%i) in (4) { body(%i, %buffer) }
///
/// becomes
///
///   omp.parallel { omp.wsloop { func.call @part(%i, %buffer) } }
///
/// The function takes the number of its part, then `arguments`.
static FailureOr<func::FuncOp> outlinePart(func::FuncOp kernel,
                                           scf::ForallOp loop,
                                           SymbolTable &symbols,
                                           SmallVector<Value> &arguments) {
  FunctionOutliner outliner(kernel, loop, loop->getRegions());
  if (Type type = outliner.findUnpassable())
    return loop.emitError() << "cannot pass a value of type " << type
                            << " to the outlined parallel region";
  ImplicitLocOpBuilder builder(loop.getLoc(), kernel.getContext());
  IRMapping inside;
  func::FuncOp part = outliner.create((kernel.getName() + ".part").str(),
                                      builder.getI64Type(), symbols, inside);
  builder.setInsertionPointToEnd(&part.front());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value number = arith::IndexCastOp::create(builder, builder.getIndexType(),
                                            part.getArgument(0));
  Value distance = arith::MulIOp::create(
      builder, number, constant(loop.getStaticStep().front()));
  Value iteration = arith::AddIOp::create(
      builder, distance, constant(loop.getStaticLowerBound().front()));
  inside.map(loop.getInductionVars().front(), iteration);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, inside);
  func::ReturnOp::create(builder);
  arguments = outliner.arguments();
  return part;
}

/// Creates a team of threads, each of which calls `part` with its iterations.
static void createTeam(ImplicitLocOpBuilder builder, int64_t threads,
                       func::FuncOp part, ValueRange arguments) {
  auto i64 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, value, 64);
  };
  omp::ParallelOperands team;
  team.numThreads = arith::ConstantIntOp::create(builder, threads, 32);
  auto parallel = omp::ParallelOp::create(builder, team);
  builder.createBlock(&parallel.getRegion());
  omp::WsloopOperands sharing;
  sharing.nowait = builder.getUnitAttr(); // the team ends here
  auto loop = omp::WsloopOp::create(builder, sharing);
  omp::TerminatorOp::create(builder);

  builder.setInsertionPoint(parallel);
  omp::LoopNestOperands bounds;
  bounds.loopLowerBounds = {i64(0)};
  bounds.loopUpperBounds = {i64(threads)};
  bounds.loopSteps = {i64(1)};
  bounds.collapseNumLoops = builder.getI64IntegerAttr(1);
  builder.createBlock(&loop.getRegion());
  auto nest = omp::LoopNestOp::create(builder, bounds);
  Block *body = builder.createBlock(&nest.getRegion(), {},
                                    {builder.getI64Type()}, {builder.getLoc()});
  SmallVector<Value> operands = {body->getArgument(0)};
  llvm::append_range(operands, arguments);
  func::CallOp::create(builder, part, operands);
  omp::YieldOp::create(builder);
}

namespace {

struct ShareLoops : tonno::impl::ShareLoopsPassBase<ShareLoops> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      int64_t most = 1;
      for (auto loop : collectOps<scf::ForallOp>(function)) {
        if (getNumThreads(loop) == 1)
          continue;
        if (failed(share(function, loop, symbols)))
          return signalPassFailure();
        most = std::max(most, getNumThreads(loop));
        loop.erase();
      }
      if (most > 1)
        function->setAttr(TonnoDialect::kThreads,
                          Builder(&getContext()).getI64IntegerAttr(most));
    }
  }

  LogicalResult share(func::FuncOp function, scf::ForallOp loop,
                      SymbolTable &symbols) {
    SmallVector<Value> arguments;
    auto part = outlinePart(function, loop, symbols, arguments);
    if (failed(part))
      return failure();
    createTeam({loop.getLoc(), loop.getOperation()}, getNumThreads(loop), *part,
               arguments);
    return success();
  }
};

} // namespace
