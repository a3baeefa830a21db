//===- What a prior expects to be the fastest, without trials -------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_PREDICTFASTEST_H
#define TONNO_PRIOR_PREDICTFASTEST_H

#include "tonno/Prior/Prior.h"
#include "tonno/Space/LegalSpace.h"

#include <optional>

namespace tonno {

struct PredictedConfiguration {
  Configuration configuration;
  double speedup; ///< over the default, as expected
};

/// Returns the configuration that the sources expect to be the fastest, if they
/// are confident that it is faster than the default, and one of them has the
/// same ops at sizes of its own; else none. A prior that is not calibrated is
/// confident of nothing.
std::optional<PredictedConfiguration>
predictFastest(std::shared_ptr<const LegalSpace> space, const Prior &prior,
               PriorTask task, uint64_t seed);

} // namespace tonno

#endif // TONNO_PRIOR_PREDICTFASTEST_H
