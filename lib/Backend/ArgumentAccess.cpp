//===- What a kernel does to buffers --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArgumentAccess.h"

#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tonno;

namespace {

struct Effects {
  bool reads = false, writes = false;

  bool any() const { return reads || writes; }
  Effects &operator|=(Effects other) {
    reads |= other.reads;
    writes |= other.writes;
    return *this;
  }
};

} // namespace

/// What `op` itself does to the buffer that it gets as `value`; what ops in its
/// regions do is theirs.
static Effects effectsOn(Operation *op, Value value) {
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
    return {true, read.getWritable()};
  // Of whoever has the address, nothing is known.
  if (isa<memref::ExtractAlignedPointerAsIndexOp, UnrealizedConversionCastOp>(
          op))
    return {true, true};
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    bool isKnown = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return {!isKnown, !isKnown};
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  interface.getEffects(instances);
  Effects effects;
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (instance.getValue() && instance.getValue() != value)
      continue;
    if (isa<MemoryEffects::Read>(instance.getEffect()))
      effects.reads = true;
    else
      effects.writes = true;
  }
  return effects;
}

/// Whether `view` has all of the elements of the buffer `whole`.
static bool isWhole(Value view, Value whole) {
  while (view != whole) {
    Operation *op = view.getDefiningOp();
    if (!isa_and_nonnull<memref::CastOp, memref::TransposeOp,
                         memref::ExpandShapeOp, memref::CollapseShapeOp,
                         memref::AssumeAlignmentOp>(op))
      return false;
    view = op->getOperand(0);
  }
  return true;
}

static bool areZero(ValueRange indices) {
  return llvm::all_of(indices, [](Value index) {
    return getConstantIntValue(index) == int64_t{0};
  });
}

/// Whether `op` writes each element of `buffer`, one of its operands, and reads
/// none.
static bool overwrites(Operation *op, OpOperand &buffer) {
  auto type = cast<MemRefType>(buffer.get().getType());
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.isDpsInit(&buffer))
      return false;
    AffineMap map = structured.getMatchingIndexingMap(&buffer);
    return map.isProjectedPermutation() && !readsElements(structured, buffer);
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return &buffer == &copy.getTargetMutable();
  if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
    return &buffer == &write.getDestMutable();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &buffer == &store.getMemrefMutable() && type.getNumElements() == 1;
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return &buffer == &store.getBaseMutable() && areZero(store.getIndices()) &&
           store.getVectorType().getShape() == type.getShape();
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return &buffer == &write.getBaseMutable() && !write.getMask() &&
           write.getPermutationMap().isIdentity() &&
           areZero(write.getIndices()) &&
           write.getVectorType().getShape() == type.getShape();
  return false;
}

/// Whether all of `argument` is overwritten before anything else touches it.
static bool isOverwrittenFirst(Value argument, Block &entry,
                               const llvm::DenseSet<OpOperand *> &touches) {
  for (Operation &op : entry) {
    SmallVector<OpOperand *> inside;
    for (OpOperand *touch : touches)
      if (op.isAncestor(touch->getOwner()))
        inside.push_back(touch);
    if (!inside.empty())
      return inside.size() == 1 && inside.front()->getOwner() == &op &&
             isWhole(inside.front()->get(), argument) &&
             overwrites(&op, *inside.front());
  }
  return false;
}

static Access accessOf(BlockArgument argument,
                       const BufferViewFlowAnalysis &flow) {
  Effects effects;
  llvm::DenseSet<OpOperand *> touches;
  for (Value alias : flow.resolve(argument))
    for (OpOperand &use : alias.getUses()) {
      Effects found = effectsOn(use.getOwner(), alias);
      if (found.any())
        touches.insert(&use);
      effects |= found;
    }
  if (!effects.writes)
    return Access::read;
  return isOverwrittenFirst(argument, *argument.getOwner(), touches)
             ? Access::write
             : Access::read_write;
}

SmallVector<Access> tonno::findArgumentAccess(func::FuncOp kernel) {
  BufferViewFlowAnalysis flow(kernel);
  SmallVector<Access> accesses;
  for (BlockArgument argument : kernel.getArguments())
    accesses.push_back(isa<MemRefType>(argument.getType())
                           ? accessOf(argument, flow)
                           : Access::read);
  return accesses;
}
