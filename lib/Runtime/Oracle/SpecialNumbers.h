//===- Numbers that are not tame ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_SPECIALNUMBERS_H
#define TONNO_LIB_RUNTIME_ORACLE_SPECIALNUMBERS_H

#include "InputData.h"

#include <string_view>

namespace tonno {

/// How much of a type's range may be drawn.
enum class FloatRange {
  whole,    ///< what is not finite, too
  finite,   ///< all that is
  moderate, ///< magnitudes from 2^-30 to 2^30
};

/// Fills each input of floating-point type for which `given` has no numbers:
/// with finite ones of any magnitude, and what stands at a boundary of
/// something; or, with `areEnds`, half of it tame and half zeros, what is
/// hardly more, and what is not finite. The others get those; integers are
/// drawn as for the real-valued pass.
Values drawSpecial(const Signature &signature, const Values &given,
                   FloatRange range, bool areEnds, std::mt19937_64 &generator);

/// Puts a few numbers that are not tame into one buffer of tame data: one in
/// each of some lines of the last dimension, all of which together can't
/// overflow where they are added. Some other lines become negative, tiny,
/// far below zero, equal, zero, or, in the whole range, infinite. `number` says
/// what comes first.
void addSpecial(const BufferSpec &buffer, std::vector<double> &values,
                FloatRange range, size_t number, std::mt19937_64 &generator);

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

#endif // TONNO_LIB_RUNTIME_ORACLE_SPECIALNUMBERS_H
