//===- Where results are computed -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Returns true if the op computes into the operand's buffer.
bool isDestination(mlir::OpOperand &use);

/// Writes what a loop yields back to where it came from, as a kernel has no new
/// memory for each iteration: of an scf.while what keeps its position, of an
/// scf.if in its branches if nothing reads that later. Leaves what is computed
/// there.
void keepCarried(mlir::func::FuncOp kernel);

/// Drops write-backs of what is computed there by now and read nowhere else.
/// Copies what a loop writes over first although it is read.
void dropKept(mlir::func::FuncOp kernel);

/// Creates a `bufferization.alloc_tensor` that copies the tensor `value`.
mlir::Value copyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value);

/// Gives `use` a copy of its tensor in an empty one, which may become a
/// result's buffer. A linalg.copy would be folded to what it copies.
void copyIntoEmpty(mlir::OpBuilder &builder, mlir::OpOperand &use);

/// Writes `value` into the memory of `place`; returns what is then there.
mlir::Value writeInto(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::Value place);

/// Calls `visit` for each block that an scf.for or scf.while hands tensors to:
/// with its arguments, the operands that become them, of which there may be
/// more or fewer, and the op that has these.
void forEachHandingOn(
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
void separateInits(mlir::func::FuncOp kernel);

/// The same for copies into empty tensors, which CSE may have made one.
void separateCopies(mlir::func::FuncOp kernel);

/// Copies what branches yield of different tensors from outside, as
/// bufferisation takes each to be written over where one is.
void separateBranches(mlir::func::FuncOp kernel);

/// Repeats fills and copies tensors so that no two results of the kernel are
/// computed in the same memory, which becomes the buffer of one.
void separateResults(mlir::func::FuncOp kernel);

/// Makes each `linalg.map` that reads its init a generic op: upstream takes the
/// init for only written, and never copies it.
mlir::LogicalResult generalizeReadingMaps(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
