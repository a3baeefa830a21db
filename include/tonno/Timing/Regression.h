//===- The test for regressions -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TIMING_REGRESSION_H
#define TONNO_TIMING_REGRESSION_H

#include "tonno/Timing/Protocol.h"

#include <optional>
#include <span>

namespace tonno {

/// The conclusion of a test whether new code is slower than old code.
enum class RegressionVerdict {
  holds,     ///< a slow-down of 1.5 % is excluded
  slower,    ///< by more than the test's floor
  undecided, ///< neither was shown in the time or the rounds of the test
};

/// The test is compareWithBaseline with exchanged sides: the old code as the
/// candidate, the new code as the baseline. A `faster` old code is a
/// regression, and the speedup of the old code is the new code's slow-down.
RegressionVerdict judgeRegression(const Comparison &oldOverNew,
                                  const ProtocolOptions &options);

/// Returns the conclusion of tests of the same binaries, each in a process of
/// its own; none if another test is needed. A first test is enough if it holds
/// and measured no slow-down, otherwise two of at most three must agree: where
/// a process places code and data shifts all its times, so that a test of equal
/// code may find percents, and one of slower code nothing.
std::optional<RegressionVerdict>
concludeTests(std::span<const Comparison> oldOverNew,
              const ProtocolOptions &options);

/// Returns the protocol whose test takes this risk to report code as slower
/// that is slower by the test's floor, 0.5 %, at each of its looks. For equal
/// code the risk is far less. It ends sooner than that of tuning: once a
/// slow-down of 1.5 % is excluded, so that one of 2 % is hardly ever missed.
ProtocolOptions makeRegressionProtocol(ProtocolOptions options, double risk);

/// The risks that `makeRegressionProtocol` takes.
inline constexpr double leastRisk = 1e-9, mostRisk = 0.1;
inline constexpr double usualRisk = 0.001;

} // namespace tonno

#endif // TONNO_TIMING_REGRESSION_H
