//===- Destination buffers of tensors -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Returns true if the op computes into the operand's buffer.
bool isDestination(mlir::OpOperand &use);

/// Returns the operand in whose buffer `value` is computed; null if the buffer
/// is new.
mlir::OpOperand *getDestinationOperand(mlir::Value value);

/// Writes loop-carried values back into their iter_args, so that a kernel needs
/// no new buffer in each iteration: for scf.while, values that keep their
/// position; for scf.if, in its branches unless the buffer is read later.
/// Values that are already computed there are left:
///
///   scf.yield %v
///
/// becomes
///
///   %w = bufferization.materialize_in_destination %v in %iter_arg
///   scf.yield %w
void writeBackIterArgs(mlir::func::FuncOp kernel);

/// Removes the write-backs that `writeBackIterArgs` added where the value is
/// already computed in its destination buffer and not read elsewhere. Copies
/// tensors that a loop overwrites although they are read.
void removeRedundantWriteBacks(mlir::func::FuncOp kernel);

/// Creates a `bufferization.alloc_tensor` that copies the tensor `value`.
mlir::Value copyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value);

/// Copies the operand into an empty tensor, which may become a result's buffer.
/// A linalg.copy would be folded:
///
///   linalg.generic outs(%t : tensor<8xf32>)
///
/// becomes
///
///   %e = tensor.empty() : tensor<8xf32>
///   %c = bufferization.materialize_in_destination %t in %e
///   linalg.generic outs(%c : tensor<8xf32>)
void copyIntoEmpty(mlir::OpBuilder &builder, mlir::OpOperand &use);

/// Writes `value` into the buffer of `place`; returns the resulting tensor.
mlir::Value writeInto(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::Value place);

/// Calls `visit` for each block of an scf.for or scf.while that receives
/// tensors: with its arguments, the operands that are forwarded to them,
/// possibly more or fewer, and the terminator.
void forEachForwardingTerminator(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Block::BlockArgListType,
                            llvm::MutableArrayRef<mlir::OpOperand>,
                            mlir::Operation *)>
        visit);

/// Gives each result its own init tensor. Two results that share one would
/// share its buffer:
///
///   %r:2 = linalg.generic outs(%e, %e : tensor<8xf32>, tensor<8xf32>)
///
/// becomes
///
///   %f = tensor.empty() : tensor<8xf32>
///   %r:2 = linalg.generic outs(%e, %f : tensor<8xf32>, tensor<8xf32>)
void cloneSharedInits(mlir::func::FuncOp kernel);

/// Fills tensors that are written over, yielded or returned, and constants of
/// one number: as a constant, each of their elements would be in the binary,
/// and would be copied.
///
///   %r = linalg.matmul ins(%a, %b) outs(%zeros)
///
/// becomes
///
///   %e = tensor.empty() : tensor<8x8xf32>
///   %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>)
///   %r = linalg.matmul ins(%a, %b) outs(%f)
void fillConstantDestinations(mlir::func::FuncOp kernel);

/// Gives ops that have nothing in common `tensor.empty` and `linalg.fill` ops
/// of their own, as `tonno-duplicate-inits` does.
void duplicateInits(mlir::func::FuncOp function);

/// Separates copies into empty tensors, which CSE may have merged.
void cloneSharedDestinations(mlir::func::FuncOp kernel);

/// Copies what branches yield of different tensors from outside, as
/// bufferisation takes each to be written over where one is.
void copyYieldedOuterTensors(mlir::func::FuncOp kernel);

/// Repeats fills and copies tensors so that no two results of the kernel are
/// computed in the same memory, which becomes the buffer of one.
void separateResultBuffers(mlir::func::FuncOp kernel);

/// Makes each `linalg.map` that reads its init a generic op: upstream takes the
/// init for only written, and never copies it.
mlir::LogicalResult generalizeReadingMaps(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
