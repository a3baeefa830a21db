//===- Exactness of kernels -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_EXACTNESS_H
#define TONNO_LIB_BACKEND_EXACTNESS_H

#include "tonno/Core/LaunchPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tonno {

/// Returns true if `holds` of `root` or of an op in its regions.
bool anyOp(mlir::Operation *root,
           llvm::function_ref<bool(mlir::Operation *)> holds);

/// Returns true if a function maps integers to integers without rounding.
/// Unknown ops are taken to round.
bool isExact(mlir::func::FuncOp function);

/// Returns true if it compares floating-point numbers, or rounds them to
/// integers or,
/// on the way, to types of up to 8 bits: then its results jump where an
/// argument lies at a boundary.
bool hasSteps(mlir::func::FuncOp function);

/// Returns true if an exact function only moves, adds, multiplies and takes the
/// maximum, so that its results grow with the magnitudes of its inputs.
bool isSumOfProducts(mlir::func::FuncOp function);

/// Returns true if an exact function may multiply computed values element by
/// element, so that the rounding errors of its results are not bounded by the
/// results' size.
bool multipliesResults(mlir::func::FuncOp function);

/// Returns true if a function has integers in its arguments, and results that
/// are defined whatever these are, but for those that are positions in buffers,
/// whose data is declared. Conversions of floating-point numbers that have no
/// result are left to Problem::plain.
bool takesAnyIntegers(mlir::func::FuncOp function);

/// Returns true if it has a floating-point number, if only between integers.
bool computesReals(mlir::func::FuncOp function);

/// Returns true if each result depends on a few elements of the arguments,
/// whatever these hold: nothing is summed up, by ops or from one iteration of a
/// loop to the next.
bool isElementwise(mlir::func::FuncOp function);

/// Returns true if an iteration may read elements that another one has written,
/// as r[i] = r[i - 1] + a[i] does.
bool hasLoopCarriedElements(mlir::LoopLikeOpInterface loop);

/// Returns true if fast-math flags exclude infinities or NaNs.
bool isFinite(mlir::func::FuncOp function);

/// Returns true if fast-math flags leave the sign of zero open.
bool hasAnyZero(mlir::func::FuncOp function);

/// Returns true if fast-math flags leave the order or the precision of
/// operations open.
bool isRelaxed(mlir::func::FuncOp function);

/// Returns true if an op reads or writes reals of less than 32 bits.
bool hasNarrowReals(mlir::func::FuncOp function);

/// Returns the largest number of terms of a sum, derived from loops and ops.
uint64_t reductionLength(mlir::func::FuncOp function);

/// Returns true if each iteration may accumulate into the previous one's
/// result.
bool isAccumulating(mlir::LoopLikeOpInterface loop);

/// Returns the init operands that a loop accumulates into: each iteration
/// computes with the value of the previous one. Excludes inits of which each
/// iteration writes its own part only.
llvm::SmallVector<mlir::Value> accumulatedInits(mlir::LoopLikeOpInterface loop);

/// The type and the number of terms of a function's least precise results.
struct SumPrecision {
  ElementType accumulator = ElementType::f32;
  uint64_t length = 1;
  double roundoff = 0; ///< half the distance of 1 to the next number
};

/// Returns the narrowest type of accumulators, with the longest sum; or, if
/// other arithmetic in a narrower type has a larger rounding error, that type
/// with one term.
SumPrecision sumPrecision(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_EXACTNESS_H
