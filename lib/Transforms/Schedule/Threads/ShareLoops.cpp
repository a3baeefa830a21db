//===- Distribute parallel loops over threads -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Threads/ShareLoops.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"

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
    if (!hasDisjointWrites(op, loop) || extent < threads)
      continue;
    // One thread computes the rest.
    int64_t most = extent / threads + extent % threads;
    double slowest = double(most) / extent;
    double divided = dividedShare ? dividedShare(loop) : 1;
    double time = 1 - divided + divided * slowest;
    int rating = rateTiles(extent / threads, tiles.empty() ? 1 : tiles[loop]);
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

/// Returns true if a value of this type, or the pointer of a buffer, can be
/// passed alone: a buffer needs a static shape and layout without offset.
static bool isPassedWithoutMetadata(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  if (!memory)
    return type.isIntOrIndexOrFloat() || isa<VectorType>(type);
  int64_t offset;
  SmallVector<int64_t> strides;
  return memory.hasStaticShape() &&
         succeeded(memory.getStridesAndOffset(strides, offset)) &&
         offset == 0 && !llvm::is_contained(strides, ShapedType::kDynamic);
}

namespace {

/// Outlines the body of a parallel loop into a function. As an OpenMP region,
/// the body would receive its arguments in a struct and lose the attributes of
/// the kernel's arguments:
///
///   scf.forall (%i) in (4) { body(%i, %buffer) }
///
/// becomes
///
///   omp.parallel { omp.wsloop { func.call @part(%i, %buffer) } }
class PartOutliner {
public:
  PartOutliner(func::FuncOp kernel, scf::ForallOp loop)
      : kernel(kernel), loop(loop),
        builder(loop.getLoc(), kernel.getContext()) {}

  /// Outlines the body into a function that takes the number of its part, then
  /// `arguments`.
  FailureOr<func::FuncOp> outline(SymbolTable &symbols) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    for (Value value : used)
      collect(value);
    passViewMetadata();
    auto part = createFunction(symbols);
    if (failed(part))
      return failure();
    Block *entry = part->addEntryBlock();
    builder.setInsertionPointToStart(entry);
    IRMapping inside;
    inside.map(arguments, entry->getArguments().drop_front());
    for (auto [value, view] : views) {
      inside.map(value, builder.clone(*view, inside)->getResult(0));
      view.erase();
    }
    for (Operation *op : repeated)
      builder.clone(*op, inside);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, value);
    };
    Value number = arith::IndexCastOp::create(builder, builder.getIndexType(),
                                              entry->getArgument(0));
    Value distance = arith::MulIOp::create(
        builder, number, constant(loop.getStaticStep().front()));
    Value iteration = arith::AddIOp::create(
        builder, distance, constant(loop.getStaticLowerBound().front()));
    inside.map(loop.getInductionVars().front(), iteration);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, inside);
    func::ReturnOp::create(builder);
    return part;
  }

  SmallVector<Value> arguments;

private:
  /// Collects the values from outside that the body uses. Pure ops are cloned
  /// into the outlined function, above all views, because only pointers are
  /// passed; all other values become arguments.
  void collect(Value value) {
    if (!seen.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op || !isPure(op) || op->getNumRegions() != 0) {
      arguments.push_back(value);
      return;
    }
    for (Value operand : op->getOperands())
      collect(operand);
    if (!llvm::is_contained(repeated, op))
      repeated.push_back(op);
  }

  /// Passes dynamic offsets, sizes and strides of views beside the pointer.
  void passViewMetadata() {
    builder.setInsertionPoint(loop);
    for (Value value : std::exchange(arguments, {})) {
      auto type = dyn_cast<MemRefType>(value.getType());
      if (!type || !type.isStrided() || isPassedWithoutMetadata(type)) {
        arguments.push_back(value);
        continue;
      }
      auto parts = memref::ExtractStridedMetadataOp::create(builder, value);
      auto view = memref::ReinterpretCastOp::create(
          builder, type, parts.getBaseBuffer(),
          parts.getConstifiedMixedOffset(), parts.getConstifiedMixedSizes(),
          parts.getConstifiedMixedStrides());
      llvm::append_range(arguments, view->getOperands());
      views.emplace_back(value, view);
    }
  }

  FailureOr<func::FuncOp> createFunction(SymbolTable &symbols) {
    SmallVector<Type> types = {builder.getI64Type()};
    for (Value argument : arguments) {
      if (!isPassedWithoutMetadata(argument.getType()))
        return loop.emitError()
               << "cannot pass a value of type " << argument.getType()
               << " to the outlined parallel region";
      types.push_back(argument.getType());
    }
    auto part =
        func::FuncOp::create(loop.getLoc(), (kernel.getName() + ".part").str(),
                             FunctionType::get(kernel.getContext(), types, {}));
    part.setPrivate();
    part->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(kernel.getContext(), LLVM::Linkage::Internal));
    // Inlined, it would lose what its arguments promise.
    part->setAttr("passthrough",
                  builder.getArrayAttr({builder.getStringAttr("noinline")}));
    symbols.insert(part, std::next(Block::iterator(kernel)));
    setArgumentAttrs(part);
    return part;
  }

  /// Copies the attributes of the kernel's buffers to the outlined function,
  /// non-temporal stores included.
  void setArgumentAttrs(func::FuncOp part) {
    auto buffers = getKernelBuffers(kernel);
    for (auto [i, value] : llvm::enumerate(arguments)) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!buffers || !argument || argument.getOwner() != &kernel.front() ||
          argument.getArgNumber() >= buffers->size())
        continue;
      const KernelBuffer &buffer = (*buffers)[argument.getArgNumber()];
      unsigned position = i + 1; // behind the number of the part
      setBufferArgumentAttrs(part, position, buffer);
      if (buffer.isStreamed)
        part.setArgAttr(position, TonnoDialect::kStream, builder.getUnitAttr());
    }
  }

  func::FuncOp kernel;
  scf::ForallOp loop;
  ImplicitLocOpBuilder builder;
  /// Ops cloned into the outlined function, in order.
  SmallVector<Operation *> repeated;
  /// Buffers of which the outlined function has views, and the casts that
  /// rebuild them from its arguments.
  SmallVector<std::pair<Value, memref::ReinterpretCastOp>> views;
  llvm::DenseSet<Value> seen;
};

} // namespace

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
    PartOutliner outliner(function, loop);
    auto part = outliner.outline(symbols);
    if (failed(part))
      return failure();
    createTeam({loop.getLoc(), loop.getOperation()}, getNumThreads(loop), *part,
               outliner.arguments);
    return success();
  }
};

} // namespace
