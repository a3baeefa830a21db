//===- Integers from the whole range of their type ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_ANYINTEGERS_H
#define TONNO_LIB_RUNTIME_ORACLE_ANYINTEGERS_H

#include "tonno/Runtime/InputData.h"

#include <string_view>

namespace tonno {

/// A way to fill buffers with integers of any size. What code for smaller ones
/// does wrong shows with some of them alone: a sum in fewer bits where all
/// terms are large, a comparison in another type where they are close together.
enum class IntegerData {
  mixed,       ///< of any length, ends of the range, powers of two, neighbours
  lines,       ///< each line of the last dimension in one of the ways below
  linesAcross, ///< each line of the first dimension
  least,       ///< all the least number
  largest,     ///< all the largest
  allOnes,     ///< all bits set
  ends,        ///< the least or the largest, at random
  clustered,   ///< large, and close together
  consecutive, ///< each number once, from below 0 on
};

inline constexpr IntegerData allIntegerData[] = {
    IntegerData::mixed, IntegerData::lines,     IntegerData::linesAcross,
    IntegerData::least, IntegerData::largest,   IntegerData::allOnes,
    IntegerData::ends,  IntegerData::clustered, IntegerData::consecutive,
};

std::string_view toString(IntegerData data);

/// Fills each input of integer type for which `given` has no numbers; the
/// others get those.
BufferContents drawAnyIntegers(const Signature &signature, const Values &given,
                               IntegerData data, std::mt19937_64 &generator);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_ANYINTEGERS_H
