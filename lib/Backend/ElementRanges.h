//===- Bounds of integers in tensors ---------- ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_ELEMENTRANGES_H
#define TONNO_LIB_BACKEND_ELEMENTRANGES_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Bounds the integers that a kernel without calls computes, whatever its
/// arguments hold: upstream's analysis of ranges, followed through tensors,
/// each of which has the range of its elements.
class ElementRanges {
public:
  explicit ElementRanges(mlir::func::FuncOp kernel);

  /// Returns true if `value`, or each of its elements, is at least 0 and less
  /// than `extent`.
  bool isWithin(mlir::Value value, int64_t extent);

private:
  mlir::DataFlowSolver solver;
  bool isAnalysed;
};

} // namespace tonno

#endif // TONNO_LIB_BACKEND_ELEMENTRANGES_H
