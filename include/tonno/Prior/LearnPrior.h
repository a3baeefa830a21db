//===- Learning a prior from recordings -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_LEARNPRIOR_H
#define TONNO_PRIOR_LEARNPRIOR_H

#include "tonno/Prior/Prior.h"
#include "tonno/Search/Recording.h"

#include <span>

namespace tonno {

struct LearnOptions {
  /// Points that are kept of each source: a third the best, the others drawn.
  size_t pointsPerSource = 120;
  size_t mostBytes = 500000; ///< of the file; fewer points are kept if need be
};

/// Returns what a prior knows of a recording: all its points.
PriorSource makePriorSource(const Recording &recording);
std::vector<PriorSource>
makePriorSources(std::span<const Recording> recordings);

/// Learns a prior: keeps some points of each source, and chooses the scales
/// that make the losses of all of them most likely. Of sources with the same
/// task, the one with most points counts. Deterministic.
Prior learnPrior(std::vector<PriorSource> sources, const LearnOptions &options);
inline Prior learnPrior(std::vector<PriorSource> sources) {
  return learnPrior(std::move(sources), LearnOptions());
}

} // namespace tonno

#endif // TONNO_PRIOR_LEARNPRIOR_H
