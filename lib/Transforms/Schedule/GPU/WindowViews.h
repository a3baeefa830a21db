//===- Convolutions as contractions ----------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_WINDOWVIEWS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_WINDOWVIEWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tonno {

/// An axis of a view of an operand: a loop's steps along the operand's axis.
struct WindowAxis {
  unsigned axis = 0; ///< of the operand
  int64_t step = 1;  ///< in elements of that axis
  unsigned loop = 0;
  int64_t times = 1; ///< that the view is as long as the loop
};

/// A contraction of overlapping views.
struct WindowContraction {
  mlir::linalg::LinalgOp op; ///< null if there is none
  /// Loop of the convolution that goes on in the one behind it, if any does.
  std::optional<unsigned> mergedLoop;
};

/// Makes a contraction of a convolution, with the same payload and discardable
/// attributes, if tiles of its operands pay in shared memory. Its operands are
/// what `makeView` returns for each input with windows.
///
/// The loops are the same but for few channels: of windows that have them side
/// by side with pixels, pixels and channels become one loop. Keeps other ops.
WindowContraction makeWindowContraction(
    mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
    llvm::function_ref<mlir::Value(mlir::Value, llvm::ArrayRef<WindowAxis>)>
        makeView);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_WINDOWVIEWS_H
