//===- Strategies on recorded spaces --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_REPLAYGRID_H
#define TONNO_SEARCH_REPLAYGRID_H

#include "tonno/Search/LegalSpace.h"
#include "tonno/Search/ReplayScore.h"

#include <functional>
#include <memory>

namespace tonno {

/// A recording as strategies see it.
struct ReplaySpace {
  const Recording &recording;
  std::shared_ptr<const LegalSpace> legal; ///< its points
};

/// A way to search, under a name. May be called from several threads at once.
struct ReplayStrategy {
  std::string name;
  std::function<Result<std::unique_ptr<SearchStrategy>>(const ReplaySpace &,
                                                        uint64_t seed)>
      create;
};

/// Those that createStrategy knows by these names; an unknown one is an Error,
/// as are none.
Result<std::vector<ReplayStrategy>>
namedStrategies(std::span<const std::string> names);

struct ReplayGridOptions {
  ReplayOptions replay; ///< but for its seed: that of the run is used
  size_t seeds = 30;
  uint64_t firstSeed = 1;
  unsigned threads = 1; ///< only proposingSeconds depends on them
};

/// An Error where there is nothing to run, or nothing pending, and where the
/// noise is none: for users' numbers.
Result<void> checkReplayOptions(const ReplayGridOptions &options);

/// By strategy, recording and seed.
using ReplayGrid = std::vector<std::vector<std::vector<RunScore>>>;

/// Runs each strategy on each recording with each seed. The first Error, in
/// this order, names strategy, recording and seed.
Result<ReplayGrid> replayGrid(std::span<const Recording> recordings,
                              std::span<const ReplayStrategy> strategies,
                              const ReplayGridOptions &options);

} // namespace tonno

#endif // TONNO_SEARCH_REPLAYGRID_H
