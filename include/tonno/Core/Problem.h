//===- The reference of a kernel ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_PROBLEM_H
#define TONNO_CORE_PROBLEM_H

#include "tonno/Core/Artifact.h"

#include <optional>

namespace tonno {

/// The most by which `Problem::nudged` moves a result, relative to it: far over
/// the roundings of f64.
inline constexpr double roundingNudge = 1e-6;

/// Returns the relative change of the nth rounded operation: of either sign,
/// never small, and distinct for each n, so that changes do not cancel.
double computeRoundingNudge(unsigned n);

/// The results that every candidate of one kernel must compute, and the
/// tolerances; made once by the compiler, used by the oracle.
struct Problem {
  /// The kernel without schedule, in f64 (floating point) or exact integers.
  /// Its buffers match the candidates' one to one, floating-point ones widened.
  Artifact reference;

  /// The longest chain of additions into one output element: K of a matmul. 0
  /// if unknown, for inexact kernels; then the oracle estimates it.
  uint64_t reductionLength = 1;

  /// True if the operations are + - * min max compare select and casts only:
  /// small integer inputs give exactly representable results, which can be
  /// compared bit for bit.
  bool exact = false;

  /// The precision in which the IR says that sums are formed.
  ElementType accumulator = ElementType::f32;

  /// True if the operations are +, * and max only: then the results on the
  /// inputs' magnitudes bound every intermediate value, and determine the
  /// widest integers that stay exact.
  bool sumsOfProducts = false;

  /// True if the kernel compares or rounds floating-point numbers, such as in a
  /// quantisation: near a boundary, either result is right.
  bool hasSteps = false;

  /// True for an exact kernel that may multiply computed values element by
  /// element: a large factor makes the error of the result large, whatever the
  /// result's size.
  bool multipliesResults = false;

  /// True if matrix instructions may cut sums off toward zero: then roundings
  /// add up instead of cancelling.
  bool mayTruncateSums = false;

  /// True if the kernel is defined for all integers: inputs may take any value
  /// of their element type.
  bool takesAnyIntegers = false;

  /// True if the kernel computes with floating-point numbers, even if only
  /// between integers.
  bool computesReals = true;

  /// True if each result depends on single elements: a change of one element
  /// leaves all other results unchanged.
  bool isElementwise = false;

  /// True if fast-math flags leave results on infinities and NaNs undefined.
  bool isFinite = false;

  /// Others leave open the sign of zero, and so of an infinity.
  bool hasAnyZero = false;

  /// Others leave open in which order it computes, or how precisely.
  bool isRelaxed = false;

  /// The reference computes in the candidates' own types, so that its results
  /// are as far off as theirs may be.
  bool isRounded = false;

  /// The kernels that it consists of were verified by themselves: results on
  /// one set of inputs suffice.
  bool isVerifiedInParts = false;

  /// The candidate is the reference itself, which is timed only: its results
  /// need no bounds, for which the reference would run tens of times.
  bool isOwnReference = false;

  /// The reference with its rounded operations changed by up to
  /// `roundingNudge`, if that moves results in another way than nudged inputs
  /// do.
  std::optional<Artifact> nudged = {};

  /// References of a kernel with steps, off by some roundings of the type that
  /// it computes in, in several combinations of signs. Numbers that are at a
  /// boundary whatever the inputs are, such as integers, are on either side.
  std::vector<Artifact> besideSteps = {};

  /// The kernel without schedule in its own types, which shows overflows of
  /// intermediate values. Undefined conversions to integers give another result
  /// than in the reference.
  std::optional<Artifact> plain = {};
};

void mapFields(JsonFields &fields, Problem &problem);

} // namespace tonno

#endif // TONNO_CORE_PROBLEM_H
