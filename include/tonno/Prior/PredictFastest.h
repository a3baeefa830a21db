//===- Prediction of the fastest configuration, without trials ------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_PREDICTFASTEST_H
#define TONNO_PRIOR_PREDICTFASTEST_H

#include "tonno/Prior/Prior.h"
#include "tonno/Space/SearchSpace.h"

#include <optional>
#include <vector>

namespace tonno {

struct PredictedConfiguration {
  Configuration configuration;
  double speedup; ///< over the default, as expected
};

/// Returns the configuration that the sources expect to be the fastest, if they
/// are confident that it is faster than the default, and one of them has the
/// same ops at sizes of its own; else none. A prior that is not calibrated is
/// confident of nothing. Chooses among `points`, or among all legal points of
/// the space if these are none.
std::optional<PredictedConfiguration>
predictFastest(const SearchSpace &space, const Prior &prior, PriorTask task,
               uint64_t seed, std::vector<Configuration> points = {});

} // namespace tonno

#endif // TONNO_PRIOR_PREDICTFASTEST_H
