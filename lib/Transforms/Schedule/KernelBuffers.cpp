//===- KernelBuffers.cpp - Arguments and results as buffers ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tonno {
#define GEN_PASS_DEF_KERNELBUFFERSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

namespace {

/// The buffer of a value that enters or leaves a kernel; null if it has none.
MemRefType bufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.hasStaticShape()
               ? MemRefType::get(tensor.getShape(), tensor.getElementType())
               : MemRefType();
  return type.isIntOrFloat() ? MemRefType::get({}, type) : MemRefType();
}

/// Gives ops that would write into `value`, which is read-only, a copy of it.
/// The copy's `tensor.empty` then becomes the result's own buffer.
void copyWhereDestination(OpBuilder &builder, Value value) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(user);
    auto loop = dyn_cast<LoopLikeOpInterface>(user);
    bool isDestination =
        (destinationStyle && destinationStyle.isDpsInit(&use)) ||
        (loop && llvm::any_of(loop.getInitsMutable(),
                              [&](OpOperand &init) { return &init == &use; }));
    if (!isDestination)
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    builder.setInsertionPoint(user);
    Value empty = tensor::EmptyOp::create(
        builder, user->getLoc(), type.getShape(), type.getElementType());
    // A linalg.copy would be folded to what it copies.
    use.set(bufferization::MaterializeInDestinationOp::create(
                builder, user->getLoc(), value, empty)
                .getResult());
  }
}

LogicalResult makeBuffers(func::FuncOp kernel) {
  SmallVector<Type> buffers;
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes())) {
    MemRefType buffer = bufferType(type);
    if (!buffer)
      return kernel.emitError()
             << "kernel '" << kernel.getName() << "' takes or returns " << type
             << "; only tensors of static shape and scalars have a buffer";
    buffers.push_back(buffer);
  }
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has more than one block";

  Block &body = kernel.getBody().front();
  OpBuilder builder(&body, body.begin());
  Location loc = kernel.getLoc();
  unsigned numArguments = body.getNumArguments();
  for (unsigned i = 0; i < numArguments; ++i) {
    BlockArgument argument = body.getArgument(i);
    Type type = argument.getType();
    argument.setType(buffers[i]);
    builder.setInsertionPointToStart(&body);
    Operation *value;
    if (isa<RankedTensorType>(type))
      value = bufferization::ToTensorOp::create(builder, loc, type, argument,
                                                /*restrict=*/true);
    else
      value = memref::LoadOp::create(builder, loc, argument);
    argument.replaceAllUsesExcept(value->getResult(0), value);
    if (isa<RankedTensorType>(type))
      copyWhereDestination(builder, value->getResult(0));
  }

  auto terminator = cast<func::ReturnOp>(body.getTerminator());
  builder.setInsertionPoint(terminator);
  for (auto [i, result] : llvm::enumerate(terminator.getOperands())) {
    BlockArgument buffer = body.addArgument(buffers[numArguments + i], loc);
    if (isa<RankedTensorType>(result.getType())) {
      auto write = bufferization::MaterializeInDestinationOp::create(
          builder, loc, result, buffer);
      write.setRestrict(true);
      write.setWritable(true);
    } else {
      memref::StoreOp::create(builder, loc, result, buffer);
    }
  }
  terminator->setOperands({});
  // Attributes of results would end on the wrong arguments.
  kernel.removeResAttrsAttr();
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(builder.getFunctionType(buffers, {}));
  return success();
}

struct KernelBuffers : tonno::impl::KernelBuffersPassBase<KernelBuffers> {
  using KernelBuffersPassBase::KernelBuffersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool chosen = kernel.empty() ? function.isPublic()
                                   : function.getName() == kernel.getValue();
      if (chosen && !function.isExternal() && failed(makeBuffers(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
