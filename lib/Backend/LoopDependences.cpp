//===- Loop-carried dependences through buffers ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exactness.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

namespace {

struct BufferAccess {
  Value buffer;
  /// Operands and map that say where in it; none of all of it.
  SmallVector<Value> position;
  Attribute map;

  bool operator==(const BufferAccess &) const = default;

  /// Returns the buffer that the accessed one is a view of.
  Value root() const {
    Value value = buffer;
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    return value;
  }
};

struct Accesses {
  SmallVector<BufferAccess> reads, writes;
  bool areKnown = true;

  void add(Operation *op);

private:
  static BufferAccess at(Operation *op, unsigned buffer) {
    return {op->getOperand(buffer),
            llvm::to_vector(op->getOperands().drop_front(buffer + 1)),
            op->getAttr(affine::AffineLoadOp::getMapAttrStrName())};
  }
};

} // namespace

void Accesses::add(Operation *op) {
  auto isBuffer = [](Value value) {
    return isa<BaseMemRefType>(value.getType());
  };
  if (isa<memref::LoadOp, affine::AffineReadOpInterface, vector::LoadOp,
          vector::TransferReadOp>(op)) {
    reads.push_back(at(op, 0));
  } else if (isa<memref::StoreOp, affine::AffineWriteOpInterface,
                 vector::StoreOp, vector::TransferWriteOp>(op)) {
    writes.push_back(at(op, 1));
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    for (Value input : structured.getDpsInputs())
      reads.push_back({input, {}, {}});
    for (Value init : structured.getDpsInits())
      writes.push_back({init, {}, {}});
  } else if (!isa<ViewLikeOpInterface, LoopLikeOpInterface, memref::DeallocOp>(
                 op) &&
             !isMemoryEffectFree(op)) {
    areKnown &= llvm::none_of(op->getOperands(), isBuffer);
  }
}

/// Returns true if nothing reads a tensor that a loop carries: elements are
/// only inserted.
static bool isOnlyWritten(Value carried) {
  return llvm::all_of(carried.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto insert = dyn_cast<tensor::InsertOp>(user))
      return isOnlyWritten(insert.getResult());
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
      return use.get() == insert.getDest() && isOnlyWritten(insert.getResult());
    if (auto inner = dyn_cast<LoopLikeOpInterface>(user)) {
      BlockArgument argument = inner.getTiedLoopRegionIterArg(&use);
      return argument && isOnlyWritten(argument);
    }
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

bool tonno::hasLoopCarriedElements(LoopLikeOpInterface loop) {
  for (BlockArgument carried : loop.getRegionIterArgs())
    if (isa<TensorType>(carried.getType()) &&
        !isa<scf::ForallOp>(loop.getOperation()) && !isOnlyWritten(carried))
      return true;
  Accesses accesses;
  loop->walk([&](Operation *op) { accesses.add(op); });
  if (!accesses.areKnown)
    return true;
  // A buffer allocated inside the loop lives for one iteration.
  return llvm::any_of(accesses.writes, [&](const BufferAccess &write) {
    Value root = write.root();
    return loop.isDefinedOutsideOfLoop(root) &&
           llvm::any_of(accesses.reads, [&](const BufferAccess &read) {
             return read.root() == root && read != write;
           });
  });
}
