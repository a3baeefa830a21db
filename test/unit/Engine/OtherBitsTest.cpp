//===- Tests for sessions that require the default's bits -----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::ElementsAre;

namespace {

/// Candidates from 5 on give other bits; 9 is the fastest of all.
class OtherBitsTest : public TuningSessionTest {
protected:
  OtherBitsTest() {
    opened.oracle.bits = Bits::same;
    opened.sameAs = *compiled(0).artifact;
    runner.measure = [this](int x) {
      RunResult result = measuredAs((10 - x) / 10.0);
      if (x < 5)
        return result;
      if (runner.requests.back().acceptsOtherBits) {
        timed.push_back(x);
        result.message = "another order of summation";
        return result;
      }
      result = failedAs(Status::different_bits, "bits");
      // The single launch of 7 was disturbed.
      result.verifiedSeconds = x == 7 ? 1 : (10 - x) * 1e-4;
      return result;
    };
  }

  std::vector<int> timed;
};

} // namespace

TEST_F(OtherBitsTest, TheFastestAreTimedAfterTheTest) {
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.chosen.indices.at(0), 4u);
  EXPECT_EQ(outcome.trials.at(9).status, Status::different_bits);
  EXPECT_EQ(outcome.trials.at(9).verifiedSeconds, 1e-4);
  EXPECT_THAT(timed, ElementsAre(9, 8, 6, 5));
  ASSERT_TRUE(outcome.otherBits.has_value());
  EXPECT_EQ(outcome.otherBits->candidates, 5u);
  EXPECT_EQ(outcome.otherBits->timed, 4u);
  EXPECT_EQ(*outcome.otherBits->values, Json({{"X", 9}}));
  EXPECT_NEAR(outcome.otherBits->speedup.ratio, 10, 1e-9);
  EXPECT_EQ(outcome.otherBits->needs, "another order of summation");
  EXPECT_TRUE(outcome.phaseSeconds.contains(SessionPhase::other_bits));
}

TEST_F(OtherBitsTest, OneThatIsWrongOrSlowerGainsNothing) {
  runner.measure = [this](int x) {
    if (!runner.requests.back().acceptsOtherBits && x >= 5) {
      RunResult result = failedAs(Status::different_bits, "bits");
      result.verifiedSeconds = 1e-4;
      return result;
    }
    return x == 5   ? failedAs(Status::wrong, "on the other inputs")
           : x >= 5 ? measuredAs(0.7)
                    : measuredAs((10 - x) / 10.0);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.chosen.indices.at(0), 4u);
  ASSERT_TRUE(outcome.otherBits.has_value());
  EXPECT_EQ(outcome.otherBits->timed, 4u);
  EXPECT_FALSE(outcome.otherBits->values.has_value());
}

TEST_F(OtherBitsTest, NoneIsTimedWhereAllAreTheSameOrFree) {
  runner.measure = [](int x) { return measuredAs((10 - x) / 10.0); };
  EXPECT_FALSE(run().otherBits.has_value());
  opened.sameAs.reset();
  EXPECT_FALSE(run().phaseSeconds.contains(SessionPhase::other_bits));
}
