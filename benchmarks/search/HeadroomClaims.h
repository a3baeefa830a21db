//===- Claims of what is left, and what was truly left --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_SEARCH_HEADROOMCLAIMS_H
#define BENCHMARKS_SEARCH_HEADROOMCLAIMS_H

#include "tonno/Search/Recording.h"
#include "tonno/Space/LegalSpace.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// A claim of boundRemainingGain in a session on a recorded space.
struct HeadroomClaim {
  size_t trials = 0; ///< before it
  std::optional<double> claim;
  double left = 0; ///< gain of the space's best over the session's
};

/// Replays sessions on a recorded space of which every point is known, and asks
/// for claims.
class HeadroomClaims {
public:
  explicit HeadroomClaims(const Recording &recording);

  /// Returns a claim after each of these numbers of trials, in ascending order,
  /// that a session of the strategy and the seed reaches.
  Result<std::vector<HeadroomClaim>>
  replaySession(const std::string &strategy, std::span<const size_t> checked,
                uint64_t seed) const;

private:
  const Recording &recording;
  std::shared_ptr<const LegalSpace> legal;
  double optimum; ///< seconds of the best point
};

} // namespace tonno

#endif // BENCHMARKS_SEARCH_HEADROOMCLAIMS_H
