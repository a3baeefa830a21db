//===- A trial's samples: paired, pruned, enough --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Protocol.h"

#include "FakeSampler.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;

/// Half a millisecond of warm-up is one launch of a millisecond; there may be
/// enough samples to see when more are taken.
static ProtocolOptions trialOptions() {
  ProtocolOptions options;
  options.maxSamples = 20;
  options.warmupSeconds = 0.0005;
  return options;
}

/// The baseline takes 1 ms; the candidate's ratios follow one another.
static ScriptedSampler withRatios(std::vector<double> ratios) {
  return ScriptedSampler([=, n = size_t(0)](size_t entrant, size_t i) mutable {
    bool isWarmUp = i < 2;
    if (entrant == baselineEntrant || isWarmUp)
      return 1e-3;
    return 1e-3 * ratios[n++ % ratios.size()];
  });
}

static PairedMeasurement measure(Sampler &sampler,
                                 double incumbentHigh = INFINITY) {
  auto measured = measurePaired(sampler, trialOptions(), incumbentHigh);
  EXPECT_TRUE(measured.ok());
  return *measured;
}

TEST(MeasurePaired, SteadySamplesStopAtTheFirstLook) {
  ScriptedSampler sampler = withRatios({0.8});
  PairedMeasurement result = measure(sampler);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.measurement.seconds.n, 6u);
  EXPECT_EQ(result.measurement.baselineSeconds.n, 6u);
  EXPECT_DOUBLE_EQ(result.measurement.ratio, 0.8);
  EXPECT_DOUBLE_EQ(result.measurement.seconds.median, 0.8e-3);
  EXPECT_DOUBLE_EQ(result.measurement.baselineSeconds.median, 1e-3);
}

TEST(MeasurePaired, UnsteadySamplesStopAtTheMost) {
  ScriptedSampler sampler = withRatios({0.8, 1.2});
  PairedMeasurement result = measure(sampler);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.measurement.seconds.n, 20u);
}

namespace {
/// Launches of a microsecond, each of which costs a millisecond: of restoring,
/// say.
class CostlySampler : public ScriptedSampler {
public:
  CostlySampler() : ScriptedSampler([](size_t, size_t) { return 1e-6; }) {}
  double clockSeconds() const override {
    return 17 + 1e-3 * static_cast<double>(entrants.size());
  }
};
} // namespace

TEST(WarmUp, EndsByTheClock) {
  CostlySampler sampler;
  auto least = warmUp(sampler, baselineEntrant, 0.0055);
  ASSERT_TRUE(least.ok());
  EXPECT_EQ(*least, 1e-6);
  EXPECT_EQ(sampler.entrants.size(), 6u);
}

TEST(MeasurePaired, EndsByTheClock) {
  CostlySampler sampler;
  ProtocolOptions hurried = trialOptions();
  hurried.trialSeconds = 0.0075;
  hurried.minSamples = 20;
  auto measured = measurePaired(sampler, hurried, INFINITY);
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured->measurement.seconds.n, 4u);
}

TEST(MeasurePaired, IntervalIsThatOfThreeSigma) {
  std::vector<double> ratios;
  for (int i = 0; i < 20; ++i)
    ratios.push_back(1 + 0.1 * ((i * 7) % 20)); // 1.0 ... 2.9, mixed
  ScriptedSampler sampler = withRatios(ratios);
  Interval interval = measure(sampler).measurement.ratioInterval;
  EXPECT_NEAR(interval.low, 1.2, 1e-9); // the third from either end
  EXPECT_NEAR(interval.high, 2.7, 1e-9);
}

TEST(MeasurePaired, ClearlySlowerIsPrunedAfterThree) {
  ScriptedSampler sampler = withRatios({1.51});
  PairedMeasurement result = measure(sampler, 1.0);
  EXPECT_EQ(result.status, Status::pruned);
  EXPECT_EQ(result.measurement.seconds.n, 3u);
  EXPECT_NEAR(result.measurement.ratio, 1.51, 1e-9); // the lower bound is kept
}

TEST(MeasurePaired, OneGoodSampleSavesFromPruning) {
  ScriptedSampler sampler = withRatios({2, 1.4, 2});
  EXPECT_EQ(measure(sampler, 1.0).status, Status::ok);
}

TEST(MeasurePaired, PruningIsRelativeToTheIncumbent) {
  ScriptedSampler fast = withRatios({0.8}), slow = withRatios({0.8});
  EXPECT_EQ(measure(fast, 0.6).status, Status::ok);
  EXPECT_EQ(measure(slow, 0.5).status, Status::pruned);
}

TEST(MeasurePaired, NothingIsPrunedWithoutIncumbent) {
  ScriptedSampler sampler = withRatios({100});
  EXPECT_EQ(measure(sampler).status, Status::ok);
}

TEST(MeasurePaired, ClearlyWorseStopsEarly) {
  // Too wide to stop for itself, but all of it over the incumbent.
  ScriptedSampler racing = withRatios({1.1, 1.3}),
                  alone = withRatios({1.1, 1.3});
  EXPECT_EQ(measure(racing, 1.0).measurement.seconds.n, 6u);
  EXPECT_EQ(measure(alone, 1.2).measurement.seconds.n, 20u);
}

TEST(MeasurePaired, RatiosAreOfNeighboursInTime) {
  // The clock's speed changes tenfold between pairs, for both sides.
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> logs(0, 2.3);
  double factor = 1;
  ScriptedSampler sampler([&](size_t entrant, size_t) {
    if (entrant == baselineEntrant)
      factor = std::exp(logs(generator));
    return factor * (entrant == firstCandidate ? 0.8e-3 : 1e-3);
  });
  PairedMeasurement result = measure(sampler);
  EXPECT_NEAR(result.measurement.ratio, 0.8, 1e-9);
  EXPECT_NEAR(result.measurement.ratioInterval.halfWidth(), 0, 1e-9);
}

TEST(MeasurePaired, RatioIsRightUnderNoiseAndDrift) {
  int right = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    NoisySampler sampler({.speedup = 1.25, .layout = 0, .drift = 0.3}, seed);
    Measurement m = measure(sampler).measurement;
    right += std::fabs(m.ratio - 0.8) < 0.03;
  }
  // The median of 6 to 20 ratios with 2.8 % noise errs by 1 % or so.
  EXPECT_GE(right, 290);
}

TEST(MeasurePaired, WarmsBothSidesUpUntimed) {
  ProtocolOptions warm = trialOptions();
  warm.warmupSeconds = 0.0045; // five launches of the baseline, one of its own
  size_t launches = 0;
  ScriptedSampler sampler(
      [&](size_t, size_t) { return ++launches <= 6 ? 1e-3 : 2e-3; });
  auto measured = measurePaired(sampler, warm, INFINITY);
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(sampler.count(firstCandidate), 1 + measured->measurement.seconds.n);
  EXPECT_EQ(sampler.count(baselineEntrant),
            5 + measured->measurement.baselineSeconds.n);
  EXPECT_EQ(measured->measurement.seconds.min, 2e-3);
  EXPECT_EQ(measured->measurement.baselineSeconds.min, 2e-3);
}

TEST(MeasurePaired, FailuresPassThrough) {
  for (size_t at : {0, 1, 2, 3, 9}) { // warm-up, baseline, candidate
    ScriptedSampler sampler = withRatios({0.8, 1.2});
    sampler.failAt = at;
    auto measured = measurePaired(sampler, trialOptions(), INFINITY);
    ASSERT_FALSE(measured.ok()) << at;
    EXPECT_EQ(measured.error().status, Status::fault);
    EXPECT_EQ(measured.error().message, "scripted");
  }
}

TEST(MedianRatioCriterion, LooksOnlyNowAndThen) {
  ProtocolOptions some = trialOptions();
  MedianRatioCriterion criterion(some, INFINITY);
  // One outlier: the interval excludes it from 11 samples on, and is computed
  // after 6, 8, 10, 12.
  criterion.add(2);
  for (int n = 2; n <= 11; ++n) {
    criterion.add(1);
    EXPECT_FALSE(criterion.done()) << n;
  }
  criterion.add(1);
  EXPECT_TRUE(criterion.done());
}

TEST(MedianRatioCriterion, TwoPercentAreOfTheRatio) {
  // Between 0.196 and 0.204 a ratio of 0.2 differs by 4 %, though by 0.008.
  ProtocolOptions some = trialOptions();
  MedianRatioCriterion criterion(some, std::numeric_limits<double>::infinity());
  for (int n = 1; n < 20; ++n) {
    criterion.add(n % 2 ? 0.19 : 0.21);
    EXPECT_FALSE(criterion.done()) << n;
  }
  criterion.add(0.2);
  EXPECT_TRUE(criterion.done());
}

TEST(ProtocolOptions, ComeBackFromJson) {
  // Every member differs from its default and from the others.
  Json json = ProtocolOptions();
  int next = 1000;
  for (Json &value : json)
    value = value.is_string()         ? Json("warm")
            : value.is_number_float() ? Json(next++ + 0.5)
                                      : Json(next++);
  auto back = decode<ProtocolOptions>(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(Json(*back), json);
  // All of them are in records' keys.
  EXPECT_EQ(json.size() * 8, sizeof(ProtocolOptions));
  json.erase("race_factor");
  EXPECT_FALSE(decode<ProtocolOptions>(json).ok());
}

/// Measures a trial of long launches with these ratios, the first of which is
/// that of the first pair.
static PairedMeasurement measureLong(std::vector<double> ratios,
                                     double incumbentHigh) {
  ScriptedSampler sampler([=, n = size_t(0)](size_t entrant, size_t) mutable {
    return entrant == baselineEntrant ? 1.0 : ratios[n++ % ratios.size()];
  });
  auto measured = measurePaired(sampler, ProtocolOptions(), incumbentHigh,
                                TrialLength::longLaunches);
  EXPECT_TRUE(measured.ok());
  // There is no warm-up, and each sample counts.
  const Measurement &found = measured->measurement;
  EXPECT_EQ(sampler.entrants.size(), found.seconds.n + found.baselineSeconds.n);
  return *measured;
}

TEST(TakesLead, WhatIsClearlyBelowTheLastLeader) {
  Measurement measured;
  measured.ratioInterval = {0.9, 0.96};
  EXPECT_TRUE(becomesIncumbent(measured, INFINITY, ProtocolOptions()));
  EXPECT_TRUE(becomesIncumbent(measured, 1, ProtocolOptions()));
  EXPECT_FALSE(becomesIncumbent(measured, 0.98, ProtocolOptions()));
}

TEST(MeasureLongLaunches, TwiceAsSlowIsPrunedAfterAPair) {
  PairedMeasurement result = measureLong({2.1}, 1);
  EXPECT_EQ(result.status, Status::pruned);
  EXPECT_EQ(result.measurement.seconds.n, 1u);
  EXPECT_EQ(measureLong({1.9}, 1).status, Status::ok);
}

TEST(MeasureLongLaunches, ClearlySlowerEndsAfterTwoPairs) {
  PairedMeasurement result = measureLong({1.04, 1.2}, 1);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.measurement.seconds.n, 2u);
  EXPECT_EQ(measureLong({1.2, 1.02}, 1).measurement.seconds.n, 3u);
}

TEST(MeasureLongLaunches, OthersTakeThreeSamples) {
  EXPECT_EQ(measureLong({0.9, 0.901}, 1).measurement.seconds.n, 3u);
  EXPECT_EQ(measureLong({0.9, 1.1}, INFINITY).measurement.seconds.n, 3u);
}

TEST(MeasureLongLaunches, TheFirstTwoShareASampleOfTheBaseline) {
  for (auto [ratio, samples] : {std::pair(2.1, 1u), {1.2, 1u}, {0.9, 2u}})
    EXPECT_EQ(measureLong({ratio}, 1).measurement.baselineSeconds.n, samples)
        << ratio;
}
