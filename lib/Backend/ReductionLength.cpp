//===- Lengths of a kernel's reductions -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exactness.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

using Values = llvm::DenseSet<Value>;

static uint64_t product(ArrayRef<int64_t> extents,
                        function_ref<bool(size_t)> counts) {
  uint64_t result = 1;
  for (auto [i, extent] : llvm::enumerate(extents))
    if (counts(i) && !ShapedType::isDynamic(extent))
      result *= uint64_t(extent);
  return result;
}

/// Returns the number of terms that one run of `op` sums into one number.
static uint64_t ownLength(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    auto kinds = structured.getIteratorTypesArray();
    return product(structured.getStaticLoopRanges(), [&](size_t i) {
      return kinds[i] == utils::IteratorType::reduction;
    });
  }
  if (auto contract = dyn_cast<vector::ContractionOp>(op)) {
    auto kinds = contract.getIteratorTypesArray();
    SmallVector<int64_t> extents;
    contract.getIterationBounds(extents);
    return product(extents, [&](size_t i) {
      return kinds[i] == vector::IteratorType::reduction;
    });
  }
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return product(reduction.getSourceVectorType().getShape(), [&](size_t i) {
      return reduction.isReducedDim(int64_t(i));
    });
  if (auto reduction = dyn_cast<vector::ReductionOp>(op))
    return reduction.getSourceVectorType().getNumElements();
  return 1;
}

/// Returns the op whose sum `op` accumulates into; null if there is none.
static Operation *findAccumulatedSum(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  bool adds =
      structured && structured.getNumReductionLoops() > 0 &&
      structured.hasPureTensorSemantics() && structured.getNumDpsInits() == 1 &&
      structured.payloadUsesValueFromOperand(structured.getDpsInitOperand(0));
  return adds ? structured.getDpsInits()[0].getDefiningOp<linalg::LinalgOp>()
              : nullptr;
}

/// Returns the number of terms of `op`'s sum and of the sums that it
/// accumulates into.
static uint64_t chainLength(Operation *op) {
  uint64_t length = ownLength(op);
  while ((op = findAccumulatedSum(op)) && ownLength(op) != 1)
    length += ownLength(op);
  return length;
}

/// Returns the values derived from a loop's induction variables: indices, and
/// slices and views at these indices.
static Values collectIndexDerivedValues(LoopLikeOpInterface loop) {
  Values positions;
  SmallVector<Value> pending =
      loop.getLoopInductionVars().value_or(SmallVector<Value>());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!positions.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      bool isPart = isa<ViewLikeOpInterface, tensor::ExtractSliceOp>(user);
      for (Value result : user->getResults())
        if (isPart || result.getType().isIndex())
          pending.push_back(result);
    }
  }
  return positions;
}

/// Returns true if `op` may accumulate into the same elements in each
/// iteration.
static bool writesInPlace(Operation *op, const Values &positions) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return llvm::any_of(structured.getDpsInitsMutable(), [&](OpOperand &init) {
      return structured.payloadUsesValueFromOperand(&init) &&
             !positions.contains(init.get());
    });
  bool writes =
      isa<memref::StoreOp, affine::AffineWriteOpInterface, vector::StoreOp,
          vector::TransferWriteOp, tensor::InsertOp, tensor::InsertSliceOp>(op);
  return writes && llvm::none_of(op->getOperands(), [&](Value operand) {
           return positions.contains(operand);
         });
}

/// Returns true if a linalg op reads a loop-carried tensor or buffer, or a
/// slice of it at a position that is loop-invariant.
static bool isReadByLinalgOp(Value carried, const Values &positions) {
  Values seen;
  SmallVector<Value> pending = {carried};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (positions.contains(value) || !seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto structured = dyn_cast<linalg::LinalgOp>(user)) {
        if (structured.payloadUsesValueFromOperand(&use))
          return true;
      } else if (isa<ViewLikeOpInterface, tensor::ExtractSliceOp,
                     tensor::CastOp>(user)) {
        pending.push_back(user->getResult(0));
      } else if (auto inner = dyn_cast<LoopLikeOpInterface>(user)) {
        if (BlockArgument argument = inner.getTiedLoopRegionIterArg(&use))
          pending.push_back(argument);
      }
    }
  }
  return false;
}

SmallVector<Value> tonno::accumulatedInits(LoopLikeOpInterface loop) {
  SmallVector<Value> inits;
  // The iterations of a parallel one get the same.
  if (isa<scf::ForallOp>(loop.getOperation()))
    return inits;
  Values positions = collectIndexDerivedValues(loop);
  for (auto [init, carried] :
       llvm::zip(loop.getInits(), loop.getRegionIterArgs()))
    if (!isa<ShapedType>(init.getType()) || isa<VectorType>(init.getType()) ||
        isReadByLinalgOp(carried, positions))
      inits.push_back(init);
  return inits;
}

bool tonno::isAccumulating(LoopLikeOpInterface loop) {
  if (auto parallel = dyn_cast<scf::ParallelOp>(loop.getOperation());
      parallel && !parallel.getInitVals().empty())
    return true;
  if (llvm::any_of(accumulatedInits(loop),
                   [](Value init) { return !init.getType().isIndex(); }))
    return true;
  Values positions = collectIndexDerivedValues(loop);
  return anyOp(loop,
               [&](Operation *op) { return writesInPlace(op, positions); });
}

static uint64_t tripCount(LoopLikeOpInterface loop, uint64_t otherwise) {
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
  auto steps = loop.getLoopSteps();
  if (!lower || !upper || !steps)
    return otherwise;
  uint64_t count = 1;
  for (auto [from, to, step] : llvm::zip_equal(*lower, *upper, *steps)) {
    auto first = getConstantIntValue(from), end = getConstantIntValue(to);
    auto stride = getConstantIntValue(step);
    bool isKnown = first && end && stride && *stride > 0;
    count *= isKnown ? std::max<int64_t>(
                           1, llvm::divideCeilSigned(*end - *first, *stride))
                     : otherwise;
  }
  return count;
}

/// Returns the largest extent of an argument, which bounds loops of unknown
/// length.
static uint64_t largestExtent(func::FuncOp function) {
  int64_t largest = 1;
  for (Type type : function.getArgumentTypes())
    if (auto shaped = dyn_cast<ShapedType>(type))
      for (int64_t extent : shaped.getShape())
        largest = std::max(largest, extent);
  return uint64_t(largest);
}

static bool sums(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, vector::FMAOp,
             vector::OuterProductOp, vector::ContractionOp, vector::ReductionOp,
             vector::MultiDimReductionOp, linalg::LinalgOp>(op);
}

uint64_t tonno::reductionLength(func::FuncOp function) {
  llvm::DenseMap<Operation *, uint64_t> lengths; // of loops that accumulate
  uint64_t largest = largestExtent(function);
  function.walk([&](LoopLikeOpInterface loop) {
    lengths[loop] = isAccumulating(loop) ? tripCount(loop, largest) : 1;
  });

  // Lanes are summed up where a loop over vectors has ended.
  uint64_t longest = 1, lanes = 1;
  function.walk([&](Operation *op) {
    if (!sums(op) || isa<linalg::LinalgOp>(op->getParentOp()))
      return;
    uint64_t length = chainLength(op);
    bool inLoop = false;
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp())
      if (auto loop = lengths.find(parent);
          loop != lengths.end() && loop->second > 1) {
        length *= loop->second;
        inLoop = true;
      }
    if (!inLoop && isa<vector::ReductionOp, vector::MultiDimReductionOp>(op))
      lanes = std::max(lanes, length);
    else
      longest = std::max(longest, length);
  });
  return longest * lanes;
}
