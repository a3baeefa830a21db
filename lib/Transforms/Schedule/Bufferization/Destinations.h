//===- Where results are computed -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Whether what is computed goes into the operand's memory.
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

/// Of an op's results, each is begun with a tensor of its own: one that two are
/// begun with would become the buffer of both.
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
