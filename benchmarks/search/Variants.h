//===- Strategies with other options --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_VARIANTS_H
#define TONNO_BENCHMARKS_SEARCH_VARIANTS_H

#include "tonno/Search/Replay.h"
#include "tonno/Strategies/Strategies.h"

namespace tonno {

/// Returns the strategy of a name that createStrategy knows, with changes to
/// its options, if any: "lfbo-tree+restarts+start=20". Strategies that end
/// early may begin again, knowing what they tried; the initial population may
/// be smaller than published.
///
/// | strategy                         | changes                             |
/// | -------------------------------- | ----------------------------------- |
/// | pattern, lfbo-pattern, lfbo-tree | restarts, start=, copies=,          |
/// |                                  | generations=                        |
/// | genetic                          | restarts, start=                    |
/// | ensemble                         | start=, random=, batch=, models= of |
/// |                                  | forest, classifier, process and     |
/// |                                  | boosted, with / between             |
/// | all                              | bounds, bound-noise=, ahead=: as of |
/// |                                  | StaticUse                           |
///
/// An unknown name or change is an Error that says what there is.
Result<ReplayStrategy> variantOf(const std::string &name);

/// Returns the variants with these names, at least one.
Result<std::vector<ReplayStrategy>>
variantsOf(std::span<const std::string> names);

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_VARIANTS_H
