//===- Worth of a prior ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_PRIORTEST_H
#define TONNO_PRIOR_PRIORTEST_H

#include "tonno/Prior/LearnPrior.h"

namespace tonno {

/// Fractions of a recording's optimum that searches reached: means over seeds.
struct PriorScore {
  std::string recording;
  size_t sources = 0;   ///< related ones that the prior was learnt from
  double first = 0;     ///< of the first proposal
  double withPrior = 0; ///< after the trials
  double withoutPrior = 0;
  double goalWithPrior = 0; ///< trials to within 5 % of the optimum
  double goalWithoutPrior = 0;
  /// Fraction of the default, which the recording has first; 1 if it failed.
  double defaultFraction = 1;
  double choiceFraction = 1;  ///< of what `predictFastest` chooses
  double expectedSpeedup = 1; ///< of the choice over the default
};

/// Labels that a prior is taught, to show the cost of wrong ones.
enum class PriorLabels {
  measured,
  shuffled, ///< the losses of a source, in another order
  opposite, ///< the best are taught to be the worst
};

struct PriorTestOptions {
  size_t trials = 8;
  size_t seeds = 10;
  /// Leaves out the recordings of the same kernel on other devices, too; else
  /// those of other kernels stay, and those of the same kernel on others.
  bool leavesKernelOut = false;
  PriorLabels labels = PriorLabels::measured;
  /// Searches take this many trials at most to come within 5 % of the optimum;
  /// 0: that is not asked.
  size_t goalTrials = 0;
};

/// Searches each recording with a prior that was learnt from the others.
Result<std::vector<PriorScore>> testPrior(std::span<const Recording> recordings,
                                          const PriorTestOptions &options);

} // namespace tonno

#endif // TONNO_PRIOR_PRIORTEST_H
