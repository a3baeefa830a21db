//===- How precisely a candidate must compute -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_ARITHMETIC_H
#define TONNO_RUNTIME_ARITHMETIC_H

#include "tonno/Core/Problem.h"

namespace tonno {

/// The precision in which a candidate's sums are formed at least.
struct Arithmetic {
  double roundoff; ///< half the distance of 1 to the next number
  /// Up to which all integers, and all sums and products of them, are exact.
  double largestInteger;
  bool hasNarrowRange = false; ///< f16's: beyond 65504 is infinity

  /// What the IR says.
  static Arithmetic of(ElementType accumulator);

  /// What OracleOptions::allowLowerPrecision makes of it: the precision of the
  /// kernel's narrowest floating-point input, f32's being that of tf32 where
  /// sums are of f32, and f64's that of f32. Never more precise than the IR.
  static Arithmetic lowered(ElementType accumulator,
                            const Signature &signature);
};

} // namespace tonno

#endif // TONNO_RUNTIME_ARITHMETIC_H
