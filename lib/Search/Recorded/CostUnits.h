//===- What measuring took, in seconds ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_COSTUNITS_H
#define TONNO_LIB_SEARCH_COSTUNITS_H

#include "tonno/Search/Recording.h"

#include <optional>
#include <vector>

namespace tonno {

/// What a Kernel Tuner file, or a T4 file made of one, says of the cost of one
/// entry: in milliseconds, but that `compile` may be in seconds.
struct StatedCost {
  RecordedCost cost;
  std::optional<double> clock; ///< in seconds, when it ended
};

/// The unit of compiling, in seconds; `stated` is what the file says of all
/// times. Kernel Tuner wrote `compile_time` in seconds, later in milliseconds,
/// and no file of its says which; nor do T4 files made of those, which state
/// milliseconds for all. So where that is stated, or nothing, and entries have
/// timestamps, it is the one of both with which costs explain best how far
/// these are apart, by the median of the ratios. Where they tell nothing, it is
/// what is stated; and if nothing is, seconds if the median of what took time
/// at all is below 10, since no compiler of kernels answers within 10 ms.
double compileUnit(const std::vector<StatedCost> &costs,
                   std::optional<double> stated);

/// "2023-01-26 01:05:09.730633+00:00", or with T, as seconds of some epoch;
/// none if it is not of that form.
std::optional<double> parseTimestamp(const std::string &text);

/// The factor to seconds of a unit of time as files write it, also misspelt as
/// "miliseconds"; none if it is not known.
std::optional<double> secondsPerUnit(const std::string &unit);

} // namespace tonno

#endif // TONNO_LIB_SEARCH_COSTUNITS_H
