//===- Insert software prefetches -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {
#define GEN_PASS_DEF_PREFETCHPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Size in bytes of a cache line.
static constexpr int64_t lineBytes = 64;
/// More would not wait in a cache of the second level until it is used.
static constexpr int64_t mostBytes = 1 << 16;
/// Fewest operations per load that hide memory latency; a loop with fewer is
/// bound by memory, with or without prefetches.
static constexpr int64_t leastOpsForEachLoad = 8;

namespace {

/// A vector of a buffer that loops read or write.
struct Access {
  Operation *op;
  VectorType type;
  Value base;
  SmallVector<Value> indices;
  BlockArgument buffer;
  /// Between the buffer and the access, from there on.
  SmallVector<memref::SubViewOp> views;
  /// Around the access, from within.
  SmallVector<scf::ForOp> loops;

  int64_t bytes() const {
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }

  /// Returns true if each of the loops changes the address.
  bool isIndexedByEachLoop() {
    return llvm::all_of(loops, [&](scf::ForOp loop) {
      Value iteration = loop.getInductionVar();
      return llvm::is_contained(indices, iteration) ||
             llvm::any_of(views, [&](memref::SubViewOp view) {
               return llvm::is_contained(view.getOffsets(), iteration);
             });
    });
  }
};

} // namespace

/// Returns the access if the op reads or writes whole cache lines of a kernel's
/// buffer.
static std::optional<Access> accessBy(Operation *op, func::FuncOp function) {
  Access access;
  access.op = op;
  llvm::TypeSwitch<Operation *>(op).Case<vector::LoadOp, vector::StoreOp>(
      [&](auto transfer) {
        access.type = transfer.getVectorType();
        access.base = transfer.getBase();
        access.indices = llvm::to_vector(transfer.getIndices());
      });
  if (!access.type)
    return std::nullopt;
  Value source = access.base;
  while (auto view = source.getDefiningOp<memref::SubViewOp>()) {
    access.views.push_back(view);
    source = view.getSource();
  }
  // Buffers of dynamic shapes are cast to them.
  if (auto cast = source.getDefiningOp<memref::ReinterpretCastOp>())
    source = cast.getSource();
  access.buffer = dyn_cast<BlockArgument>(source);
  if (!access.buffer || access.buffer.getOwner() != &function.front())
    return std::nullopt;
  for (Operation *around = op->getParentOp(); around != function;
       around = around->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(around);
    if (!loop && isa<scf::IfOp, scf::IndexSwitchOp>(around))
      break;
    if (!loop)
      return std::nullopt;
    access.loops.push_back(loop);
  }
  // The width of an index is unknown here.
  if (access.loops.empty() || !access.type.getElementType().isIntOrFloat() ||
      access.bytes() % lineBytes != 0 || !access.isIndexedByEachLoop())
    return std::nullopt;
  return access;
}

/// Returns true if the body computes enough per load to hide a prefetch.
static bool canHidePrefetch(Block &body) {
  int64_t operations = 0, loads = 0;
  for (Operation &op : body)
    if (isa<vector::LoadOp>(op))
      ++loads;
    else if (isa<arith::ArithFastMathInterface>(op))
      ++operations;
  return operations >= leastOpsForEachLoad * std::max<int64_t>(loads, 1);
}

/// Returns the outermost loop with iterations that read no more than the
/// prefetch limit. Returns null if it is the innermost one, whose addresses the
/// hardware predicts.
static scf::ForOp findPrefetchLoop(Access &access) {
  int64_t bytes = access.bytes();
  scf::ForOp found;
  for (auto [loop, around] :
       llvm::zip(access.loops, llvm::drop_begin(access.loops))) {
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->getSExtValue() > mostBytes / bytes)
      break;
    bytes *= trips->getSExtValue();
    found = around;
  }
  return found;
}

/// Emits prefetches of the cache lines of `access`, with the mapped induction
/// variables.
static void createPrefetches(ImplicitLocOpBuilder &builder, Access &access,
                             IRMapping &mapping) {
  for (memref::SubViewOp view : llvm::reverse(access.views))
    builder.clone(*view, mapping);
  SmallVector<Value> indices;
  for (Value index : access.indices)
    indices.push_back(mapping.lookupOrDefault(index));
  int64_t perLine = lineBytes * 8 / access.type.getElementTypeBitWidth();
  Value first = indices.back();
  for (int64_t line = 0; line < access.bytes() / lineBytes; ++line) {
    Value distance = arith::ConstantIndexOp::create(builder, line * perLine);
    indices.back() = arith::AddIOp::create(builder, first, distance);
    memref::PrefetchOp::create(
        builder, mapping.lookupOrDefault(access.base), indices,
        /*isWrite=*/isa<vector::StoreOp>(access.op), /*localityHint=*/3,
        /*isDataCache=*/true);
  }
}

/// Returns true if the address of `access` can be computed before `place`, for
/// another iteration of the innermost loop.
static bool isKnownAt(Operation *place, Access &access,
                      const DominanceInfo &dominance) {
  scf::ForOp loop = access.loops.front();
  auto isKnown = [&](Value value) {
    return value == loop.getInductionVar() ||
           llvm::is_contained(access.views, value.getDefiningOp()) ||
           dominance.properlyDominates(value, place);
  };
  return llvm::all_of(access.indices, isKnown) && isKnown(access.base) &&
         llvm::all_of(access.views, [&](memref::SubViewOp view) {
           return llvm::all_of(view->getOperands(), isKnown);
         });
}

/// Emits prefetches of the elements that `reading` reads in the next iteration
/// of `loop`.
static void prefetchNextIteration(Access &reading, scf::ForOp loop) {
  ImplicitLocOpBuilder builder(reading.op->getLoc(), reading.op);
  Value iteration = loop.getInductionVar();
  Value next = arith::AddIOp::create(builder, iteration, loop.getStep());
  Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                        next, loop.getUpperBound());
  IRMapping mapping;
  mapping.map(iteration,
              arith::SelectOp::create(builder, isThere, next, iteration));
  createPrefetches(builder, reading, mapping);
}

/// Returns the number of steps of `later` in one step of `now`, or 0 unless
/// `later` follows `now` in the same block and covers the same iterations.
static int64_t countStepsPerIteration(scf::ForOp now, scf::ForOp later) {
  std::optional<int64_t> large = getConstantIntValue(now.getStep()),
                         small = getConstantIntValue(later.getStep());
  if (now->getBlock() != later->getBlock() || !now->isBeforeInBlock(later) ||
      now.getLowerBound() != later.getLowerBound() ||
      now.getUpperBound() != later.getUpperBound() || !large || !small ||
      *large % *small != 0)
    return 0;
  return *large / *small;
}

namespace {

struct Prefetch : tonno::impl::PrefetchPassBase<Prefetch> {
  void runOnOperation() override {
    // A loop's reads of a buffer, in its last inner loop that computes much.
    llvm::MapVector<std::pair<Operation *, Value>, SmallVector<Access>> places;
    SmallVector<Access> writings;
    getOperation().walk([&](Operation *op) {
      std::optional<Access> access = accessBy(op, getOperation());
      if (!access)
        return;
      if (isa<vector::StoreOp>(op)) {
        writings.push_back(std::move(*access));
        return;
      }
      scf::ForOp loop = findPrefetchLoop(*access);
      if (!loop || !canHidePrefetch(*op->getBlock()))
        return;
      SmallVector<Access> &found = places[{loop, access->buffer}];
      if (!found.empty() && found.back().op->getBlock() != op->getBlock())
        found.clear();
      found.push_back(std::move(*access));
    });
    const auto &dominance = getAnalysis<DominanceInfo>();
    for (auto &[place, readings] : places) {
      for (Access &writing : writings)
        if (isKnownAt(readings.front().op, writing, dominance))
          prefetchForWrite(writing, readings.front());
      for (Access &reading : readings)
        prefetchNextIteration(reading, cast<scf::ForOp>(place.first));
    }
  }

  /// Emits prefetches for writing of the lines that a later loop fills, while
  /// this loop computes.
  static void prefetchForWrite(Access &writing, Access &reading) {
    scf::ForOp now = reading.loops.front(), later = writing.loops.front();
    ImplicitLocOpBuilder builder(writing.op->getLoc(), reading.op);
    for (int64_t step = 0, count = countStepsPerIteration(now, later);
         step < count; ++step) {
      Value distance = arith::ConstantIndexOp::create(
          builder, step * *getConstantIntValue(later.getStep()));
      IRMapping mapping;
      mapping.map(
          later.getInductionVar(),
          arith::AddIOp::create(builder, now.getInductionVar(), distance));
      createPrefetches(builder, writing, mapping);
    }
  }
};

} // namespace
