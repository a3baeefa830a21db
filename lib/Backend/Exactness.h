//===- What of a kernel can be compared how -------------------------------===//
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

/// Whether a function makes integers of integers, without rounding. What is not
/// known here is taken to round.
bool isExact(mlir::func::FuncOp function);

/// Returns true if it compares floating-point numbers, or rounds them to
/// integers or,
/// on the way, to types of up to 8 bits: then its results jump where an
/// argument lies at a boundary.
bool hasSteps(mlir::func::FuncOp function);

/// Whether an exact function only moves, adds, multiplies and takes the larger,
/// so that its results grow with the magnitudes of what it gets.
bool isSumOfProducts(mlir::func::FuncOp function);

/// Whether an exact function may multiply what it has computed, element by
/// element, so that its results' roundings are in no proportion to their size.
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
bool passesOnElements(mlir::LoopLikeOpInterface loop);

/// Whether fast-math flags leave open what becomes of what is not finite.
bool isFinite(mlir::func::FuncOp function);

/// Whether they leave open the sign of zero.
bool hasAnyZero(mlir::func::FuncOp function);

/// Whether they leave open in which order it computes, or how precisely.
bool isRelaxed(mlir::func::FuncOp function);

/// The most terms that are summed up into one number, as loops and ops tell.
uint64_t reductionLength(mlir::func::FuncOp function);

/// Returns true if each iteration may add to what the one before has left.
bool accumulates(mlir::LoopLikeOpInterface loop);

/// What of a loop's initial values its iterations compute with, each of what
/// the one before has left: not what they only write, each its own part.
llvm::SmallVector<mlir::Value> accumulatedInits(mlir::LoopLikeOpInterface loop);

/// In which type, and of how many terms, a function's least precise results
/// are.
struct SumPrecision {
  ElementType accumulator = ElementType::f32;
  uint64_t length = 1;
  double roundoff = 0; ///< half the distance of 1 to the next number
};

/// The narrowest type in which sums are held, with the longest sum; or, where
/// other arithmetic in a narrower type rounds more than that, its type, with
/// one term.
SumPrecision sumPrecision(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_EXACTNESS_H
