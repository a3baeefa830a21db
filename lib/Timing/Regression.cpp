//===- The test for regressions -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Regression.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tonno;

RegressionVerdict tonno::judgeRegression(const Comparison &oldOverNew,
                                         const ProtocolOptions &options) {
  if (oldOverNew.rounds < options.minRounds)
    return RegressionVerdict::undecided;
  if (oldOverNew.verdict == Verdict::faster)
    return RegressionVerdict::slower;
  // Out of time, or of rounds, a test has excluded nothing.
  return std::log(oldOverNew.speedupInterval.high) < options.tieCeiling
             ? RegressionVerdict::holds
             : RegressionVerdict::undecided;
}

std::optional<RegressionVerdict>
tonno::concludeTests(std::span<const Comparison> oldOverNew,
                     const ProtocolOptions &options) {
  using enum RegressionVerdict;
  if (oldOverNew.size() == 1 &&
      judgeRegression(oldOverNew.front(), options) == holds &&
      oldOverNew.front().speedup <= 1)
    return holds;
  for (RegressionVerdict verdict : {slower, holds}) {
    auto count =
        std::ranges::count_if(oldOverNew, [&](const Comparison &comparison) {
          return judgeRegression(comparison, options) == verdict;
        });
    if (count > 1)
      return verdict;
  }
  if (oldOverNew.size() < 3)
    return std::nullopt;
  return undecided;
}

/// Log slow-down that a test excludes before it ends with `holds`. With
/// tuning's 0.8 %, equal code takes several times as many rounds.
static constexpr double excludedSlowDown = 0.015;

/// Returns the normal quantile that is exceeded with this probability.
static double computeUpperQuantile(double probability) {
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    bool isExceededMore =
        std::erfc(middle / std::numbers::sqrt2) / 2 > probability;
    (isExceededMore ? low : high) = middle;
  }
  return low;
}

ProtocolOptions tonno::makeRegressionProtocol(ProtocolOptions options,
                                              double risk) {
  options.fasterZ = computeUpperQuantile(risk);
  options.tieCeiling = excludedSlowDown;
  return options;
}
