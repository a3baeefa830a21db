//===- How much better an untried configuration may be --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_REMAININGGAIN_H
#define TONNO_SEARCH_REMAININGGAIN_H

#include "tonno/Core/Trial.h"
#include "tonno/Space/LegalSpace.h"

#include <memory>
#include <optional>
#include <span>

namespace tonno {

/// Trials before which nothing is claimed.
inline constexpr size_t leastTrialsForClaim = 60;
/// The largest claim: larger ones hold less often.
inline constexpr double largestClaim = 0.1;

/// Returns the most that the best legal point is faster than the best trial, as
/// a share: the tail of a forest's prediction, mean + 2 standard deviations,
/// over all legal points. On recorded spaces, at least 95 %
/// of the claims hold (`tonno-benchmark-headroom`).
///
/// Returns none, since such a claim would not be calibrated, after few trials,
/// if the tail is long, and if the legal points are too many to predict.
std::optional<double> boundRemainingGain(const LegalSpace &space,
                                         std::span<const Trial> trials,
                                         uint64_t seed);

} // namespace tonno

#endif // TONNO_SEARCH_REMAININGGAIN_H
