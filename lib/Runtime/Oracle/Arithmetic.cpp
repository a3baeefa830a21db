//===- How precisely a candidate must compute -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Arithmetic.h"
#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/InputData.h"

using namespace tonno;

/// tf32 has f16's significand and f32's exponents.
static constexpr double tensorFloatRoundoff = 0x1p-11;

Arithmetic Arithmetic::of(ElementType accumulator) {
  return {unitRoundoff(accumulator), largestExactInteger(accumulator),
          accumulator == ElementType::f16};
}

/// The class below that of sums in `accumulator` whose inputs are of `type`.
static Arithmetic classOf(ElementType type, ElementType accumulator) {
  if (type == ElementType::f64)
    return Arithmetic::of(ElementType::f32);
  if (type == ElementType::f32 && accumulator != ElementType::f64)
    // Not 2^24: a sum may be a factor of the next product.
    return {tensorFloatRoundoff, 1 / tensorFloatRoundoff};
  return Arithmetic::of(type);
}

Arithmetic Arithmetic::lowered(ElementType accumulator,
                               const Signature &signature) {
  Arithmetic lowest = of(accumulator);
  for (const BufferSpec &buffer : signature) {
    if (!isInput(buffer) || !isFloatingPoint(buffer.elementType))
      continue;
    Arithmetic arithmetic = classOf(buffer.elementType, accumulator);
    arithmetic.hasNarrowRange |= lowest.hasNarrowRange;
    if (arithmetic.roundoff > lowest.roundoff)
      lowest = arithmetic;
  }
  return lowest;
}
