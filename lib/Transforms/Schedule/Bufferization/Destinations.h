//===- Where results are computed -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Whether what is computed goes into the operand's memory.
bool isDestination(mlir::OpOperand &use);

/// What a loop hands on to its next iteration goes back to where it came from:
/// a kernel has no new memory for each iteration. Of an scf.while, so does what
/// is handed on in its own position. What an scf.if yields goes back in its
/// branches where that is read by nothing later. What is certain to be computed
/// there is left as it is, whatever loops come to be around it.
void keepCarried(mlir::func::FuncOp kernel);

/// Drops that of what is computed there by now, where nothing else is read:
/// nothing can be written over itself. Where something is, a loop that writes
/// there begins with a copy.
void dropKept(mlir::func::FuncOp kernel);

/// Creates a `bufferization.alloc_tensor` that copies the tensor `value`.
mlir::Value copyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value);

/// Of an op's results, each is begun with a tensor of its own: one that two are
/// begun with would become the buffer of both.
void separateInits(mlir::func::FuncOp kernel);

/// The same of copies into empty tensors, which are written in place even where
/// another has become the same expression.
void separateCopies(mlir::func::FuncOp kernel);

/// Branches that hand on different tensors hand on copies of those from
/// outside: bufferisation takes what may lie in one place or another to be
/// written over where either is.
void separateBranches(mlir::func::FuncOp kernel);

/// No two results of the kernel are computed in the same memory: what one is
/// begun with becomes its buffer, where the other would be written over. Fills
/// are repeated for that, and other tensors copied.
void separateResults(mlir::func::FuncOp kernel);

/// Makes each `linalg.map` whose payload reads what its result begins with a
/// generic op. Upstream takes a map's destination for one that is only written,
/// and copies nothing into a buffer of its own.
mlir::LogicalResult generalizeReadingMaps(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_BUFFERIZATION_DESTINATIONS_H
