//===- Tests for the coverage of claims of what is left -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/HeadroomClaims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace tonno;

namespace {

/// Claims of sessions on the smallest recorded space. Random search leaves
/// something: the ensemble finds the best of its 207 points, where any claim
/// holds. `tonno-benchmark-headroom` has the ensemble and 16 spaces.
class HeadroomClaimsTest : public testing::Test {
protected:
  static constexpr uint64_t seeds = 300;
  /// Probability of an alarm if each claim holds with 95 %.
  static constexpr double risk = 0.01;

  static void SetUpTestSuite() {
    auto recording =
        readRecording(TONNO_SMALL_RECORDINGS "/matmul__128.csv.gz");
    ASSERT_TRUE(recording.ok()) << recording.error().message;
    HeadroomClaims claims(*recording);
    constexpr size_t checked[] = {60, 90, 120};
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      auto session = claims.replaySession("random", checked, seed);
      ASSERT_TRUE(session.ok()) << session.error().message;
      for (const HeadroomClaim &each : *session)
        if (each.claim)
          claimed.push_back(each);
    }
  }
  static void TearDownTestSuite() { claimed.clear(); }

  /// Returns the number of claims that hold if each is multiplied by a factor.
  static size_t countHolding(double factor) {
    return static_cast<size_t>(
        std::ranges::count_if(claimed, [&](const HeadroomClaim &each) {
          return each.left <= factor * *each.claim;
        }));
  }

  /// Returns the probability that at most this many claims hold if each holds
  /// with 95 %: the lower tail of the binomial distribution.
  static double computeTail(size_t holding) {
    double n = static_cast<double>(claimed.size()), tail = 0;
    for (size_t i = 0; i <= holding; ++i) {
      double k = static_cast<double>(i);
      tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) -
                       std::lgamma(n - k + 1) + k * std::log(0.95) +
                       (n - k) * std::log(0.05));
    }
    return tail;
  }

  inline static std::vector<HeadroomClaim> claimed;
};

} // namespace

TEST_F(HeadroomClaimsTest, HoldAsOftenAsTheyState) {
  ASSERT_GE(claimed.size(), 100u);
  EXPECT_GT(computeTail(countHolding(1)), risk)
      << countHolding(1) << " of " << claimed.size() << " hold";
  size_t withSomethingLeft = static_cast<size_t>(std::ranges::count_if(
      claimed, [](const HeadroomClaim &each) { return each.left > 0; }));
  EXPECT_GE(withSomethingLeft, claimed.size() / 4) << "else any claim holds";
}

/// The number of sessions suffices to see a claim that is too small.
TEST_F(HeadroomClaimsTest, HalfOfEachHoldsLessOften) {
  EXPECT_LT(computeTail(countHolding(0.5)), risk)
      << countHolding(0.5) << " of " << claimed.size() << " hold";
}
