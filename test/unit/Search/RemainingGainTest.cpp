//===- Tests for claims of what is left -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RemainingGain.h"
#include "tonno/Space/Random.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// Some points of a space with two knobs of 16 options were tried.
class RemainingGainTest : public testing::Test {
protected:
  static SearchSpace makeSpace() {
    Knob a{"A", {}, 0}, b{"B", {}, 0};
    for (int option = 0; option < 16; ++option) {
      a.options.push_back(option);
      b.options.push_back(option);
    }
    return SearchSpace({a, b});
  }

  void tryPoints(size_t count, double (*ratio)(uint32_t a, uint32_t b)) {
    Random random(1);
    std::vector<Configuration> points = *legal->list();
    for (size_t i = 0; i < count; ++i) {
      std::swap(points[i], points[i + random.below(points.size() - i)]);
      Trial &trial = trials.emplace_back();
      trial.configuration = points[i];
      trial.measurement.emplace();
      trial.measurement->ratio =
          ratio(points[i].indices[0], points[i].indices[1]);
    }
  }

  std::optional<double> claim() const {
    return boundRemainingGain(*legal, trials, /*seed=*/0);
  }

  std::shared_ptr<const LegalSpace> legal = LegalSpace::create(makeSpace());
  std::vector<Trial> trials;
};

double flat(uint32_t a, uint32_t) { return 1.0 + a / 500.0; }
/// A model of the trials can't know the time of the others.
double rough(uint32_t a, uint32_t b) {
  return 1.0 + ((a * 2654435761u) ^ (b * 40503u)) % 97 / 20.0;
}

} // namespace

TEST_F(RemainingGainTest, APredictableSpaceHasLittleLeft) {
  tryPoints(leastTrialsForClaim, flat);
  auto gain = claim();
  ASSERT_TRUE(gain);
  EXPECT_GE(*gain, 0);
  EXPECT_LT(*gain, 0.02);
}

TEST_F(RemainingGainTest, NothingIsClaimedAfterFewTrials) {
  tryPoints(leastTrialsForClaim - 1, flat);
  EXPECT_FALSE(claim());
}

TEST_F(RemainingGainTest, NothingIsClaimedOfAnUnpredictableSpace) {
  tryPoints(leastTrialsForClaim, rough);
  EXPECT_FALSE(claim());
}

TEST_F(RemainingGainTest, NothingIsLeftWhereEverythingWasTried) {
  tryPoints(256, rough);
  EXPECT_EQ(claim(), 0);
}

/// Trials that were not run are no evidence.
TEST_F(RemainingGainTest, TrialsThatWereNotRunDoNotCount) {
  tryPoints(leastTrialsForClaim, flat);
  trials.back().status = Status::bounded;
  trials.back().measurement.reset();
  trials.back().ratioBound = 3;
  EXPECT_FALSE(claim());
}

TEST_F(RemainingGainTest, AClaimIsTheSameForASeed) {
  tryPoints(leastTrialsForClaim, flat);
  EXPECT_EQ(claim(), claim());
}
