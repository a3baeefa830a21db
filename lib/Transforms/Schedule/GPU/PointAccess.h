//===- Elements at a point of the space -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_POINTACCESS_H
#define TONNO_LIB_SCHEDULE_GPU_POINTACCESS_H

#include "KernelGroup.h"
#include "ThreadCode.h"

namespace tonno {

/// Consecutive points of a group's space along one dimension.
struct Points {
  llvm::SmallVector<mlir::Value> indices; ///< of the first, by dimension
  unsigned along = 0;                     ///< the dimension
  int64_t width = 1;                      ///< how many, a power of two
};

/// An operand's map with the group's dimensions for the op's loops.
mlir::AffineMap mapInSpace(const GroupedOp &member, mlir::OpOperand &operand,
                           size_t numDims);

/// The elements that a map gives for some points, a scalar if it is one point.
mlir::Value loadAt(ThreadCode &code, mlir::Value buffer, mlir::AffineMap map,
                   const Points &points);
void storeAt(ThreadCode &code, mlir::Value value, mlir::Value buffer,
             mlir::AffineMap map, const Points &points);

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_POINTACCESS_H
