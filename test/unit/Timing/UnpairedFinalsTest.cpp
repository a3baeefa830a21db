//===- Finals among candidates whose medians overlap ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Unpaired.h"

#include "FakeSampler.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

using namespace tonno;
using testing::ElementsAre;
using testing::SizeIs;

namespace {

constexpr double anyTime = std::numeric_limits<double>::infinity();

/// Times of candidates beside a process on every core: half of the samples, or
/// more of long ones, have to wait for it.
class BusySampler : public Sampler {
public:
  BusySampler(std::vector<double> seconds, uint64_t seed)
      : seconds(std::move(seconds)), generator(seed) {}

  Result<double, Failure> sample(size_t entrant) override {
    double taken = seconds[entrant - firstCandidate];
    double waits = taken / slice;
    std::uniform_real_distribution<double> uniform;
    while (uniform(generator) < waits)
      taken += slice;
    return taken * (1 + 0.02 * uniform(generator));
  }
  Result<void, Failure> redraw() override { return {}; }
  Result<void, Failure> reload() override { return {}; }

  static constexpr double slice = 4e-3;
  std::vector<double> seconds;

private:
  std::mt19937_64 generator;
};

/// Samples one candidate of another sampler as its only one.
class OneOf : public Sampler {
public:
  OneOf(Sampler &sampler, size_t candidate)
      : sampler(sampler), candidate(candidate) {}
  Result<double, Failure> sample(size_t) override {
    return sampler.sample(firstCandidate + candidate);
  }
  Result<void, Failure> redraw() override { return {}; }
  Result<void, Failure> reload() override { return {}; }

private:
  Sampler &sampler;
  size_t candidate;
};

std::vector<Finalist> play(Sampler &sampler,
                           const std::vector<std::vector<double>> &samples,
                           double seconds = anyTime, uint64_t seed = 1,
                           const UnpairedFinalsOptions &options = {}) {
  auto ranking = playUnpairedFinals(sampler, samples, options, seconds, seed);
  EXPECT_TRUE(ranking.ok());
  return *ranking;
}

/// Returns whose turn it was in each round of `size` samples.
std::vector<std::vector<size_t>> getRounds(const ScriptedSampler &sampler,
                                           size_t size) {
  std::vector<std::vector<size_t>> rounds;
  for (size_t i = 0; i < sampler.entrants.size(); ++i) {
    if (i % size == 0)
      rounds.emplace_back();
    rounds.back().push_back(sampler.entrants[i]);
  }
  return rounds;
}

std::vector<size_t> getOrder(const std::vector<Finalist> &ranking) {
  std::vector<size_t> order;
  for (const Finalist &each : ranking)
    order.push_back(each.candidate);
  return order;
}

} // namespace

TEST(UnpairedFinals, FastestRunsContendWithTheBestEstimate) {
  std::vector<UnpairedRange> candidates = {{5, {1.4, 9}}, {2, {1.9, 2.1}},
                                           {7, {1.2, 9}}, {3, {1.3, 9}},
                                           {9, {1.1, 9}}, {4, {1.5, 9}}};
  EXPECT_THAT(findContenders(candidates, 4), ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(findOverlapping(candidates, 4), ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(findOverlapping({}, 4), ElementsAre());
}

TEST(UnpairedFinals, OnlyOverlappingCandidatesPlay) {
  // The first is the best; the second has run as fast as its slowest sample.
  std::vector<UnpairedRange> candidates = {
      {1, {0.9, 1.2}}, {2, {1.2, 3}}, {3, {1.19, 4}}, {4, {2, 5}}};
  EXPECT_THAT(findOverlapping(candidates, 4), ElementsAre(0, 2));
}

TEST(UnpairedFinals, ContendersNeverComeBack) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> uniform;
  for (int session = 0; session < 200; ++session) {
    std::vector<UnpairedRange> all, kept;
    for (int i = 0; i < 12; ++i) {
      double fastest = uniform(generator);
      UnpairedRange added = {fastest + uniform(generator),
                             {fastest, fastest + 2}};
      all.push_back(added);
      kept.push_back(added);
      std::vector<UnpairedRange> left;
      for (size_t each : findContenders(kept, 4))
        left.push_back(kept[each]);
      kept = left;
    }
    std::vector<size_t> contenders = findContenders(all, 4);
    ASSERT_THAT(contenders, SizeIs(4));
    for (size_t i = 0; i < contenders.size(); ++i)
      EXPECT_EQ(all[contenders[i]].interval.low, kept[i].interval.low);
  }
}

TEST(UnpairedFinals, RangeIsOfAllRunsAndOfTheMedian) {
  ScriptedSampler sampler(
      [](size_t, size_t n) { return std::vector<double>{0.5, 3, 1, 2}.at(n); });
  UnpairedOptions options;
  options.warmup = 2;
  auto measured = measureUnpaired(sampler, options, 8, UnpairedLimits(),
                                  [](auto) { return false; });
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured->range().estimate, 2);
  EXPECT_EQ(measured->range().interval.low, 0.5);
  EXPECT_EQ(measured->range().interval.high, 3);
  EXPECT_EQ(measured->samplingSeconds, 14.5);
  EXPECT_THAT(measured->samples, ElementsAre(3, 1, 2));
}

TEST(UnpairedFinals, RoundsRunEachCandidateOnceInChangingOrder) {
  ScriptedSampler sampler([](size_t, size_t) { return 1.0; });
  auto ranking = play(sampler, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  auto rounds = getRounds(sampler, 3);
  EXPECT_THAT(rounds, SizeIs(UnpairedFinalsOptions().maxRounds));
  std::set<size_t> firsts;
  for (std::vector<size_t> round : rounds) {
    firsts.insert(round.front());
    std::ranges::sort(round);
    EXPECT_THAT(round, ElementsAre(1, 2, 3));
  }
  EXPECT_THAT(firsts, SizeIs(3));
  // A tie leaves the order as it was.
  EXPECT_THAT(getOrder(ranking), ElementsAre(0, 1, 2));
  EXPECT_EQ(ranking.front().rounds, UnpairedFinalsOptions().maxRounds);
  EXPECT_EQ(ranking.back().behind, 0);
}

TEST(UnpairedFinals, SeedDecidesTheOrder) {
  auto order = [](uint64_t seed) {
    ScriptedSampler sampler([](size_t, size_t) { return 1.0; });
    play(sampler, {{1}, {1}, {1}}, anyTime, seed);
    return sampler.entrants;
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
}

TEST(UnpairedFinals, FastestSamplesRankNotTheMedian) {
  // Two samples of three wait for others; the second candidate's wait longer.
  ScriptedSampler sampler([](size_t entrant, size_t n) {
    double taken = entrant == 1 ? 2.7 : 1.5;
    return n % 3 == 0 ? taken : taken + (entrant == 1 ? 2 : 9);
  });
  auto ranking = play(sampler, {{2.7, 4.7, 4.7}, {10.5, 10.5, 10.5}});
  EXPECT_THAT(getOrder(ranking), ElementsAre(1, 0));
  EXPECT_NEAR(ranking.back().behind, std::log(2.7 / 1.5), 1e-9);
}

TEST(UnpairedFinals, OneLuckySampleDoesNotDecide) {
  // A tenth of a percent faster once, else a tenth slower.
  ScriptedSampler sampler([](size_t entrant, size_t n) {
    return entrant == 1 ? 1.0 : n == 20 || n == 21 ? 0.999 : 1.1;
  });
  auto ranking = play(sampler, {{1, 1, 1.2}, {1.1, 1.1, 1.15}});
  EXPECT_THAT(getOrder(ranking), ElementsAre(0, 1));
}

TEST(UnpairedFinals, SamplesOfTheTrialsCount) {
  ScriptedSampler sampler([](size_t, size_t) { return 5.0; });
  UnpairedFinalsOptions options;
  options.maxRounds = 1;
  auto ranking = play(sampler, {{4, 5, 6}, {2, 5, 6}}, anyTime, 1, options);
  EXPECT_THAT(getOrder(ranking), ElementsAre(1, 0));
}

TEST(UnpairedFinals, ClearlySlowerCandidatesLeave) {
  ScriptedSampler sampler(
      [](size_t entrant, size_t) { return static_cast<double>(entrant); });
  // The third one was once as fast as the leader usually is.
  auto ranking = play(sampler, {{1, 1, 3}, {2, 2, 9}, {1, 9, 9}});
  EXPECT_THAT(getOrder(ranking), ElementsAre(0, 2, 1));
  EXPECT_EQ(ranking[2].rounds, UnpairedFinalsOptions().roundsToLeave);
  EXPECT_EQ(sampler.count(2), UnpairedFinalsOptions().roundsToLeave);
  EXPECT_EQ(sampler.count(3), UnpairedFinalsOptions().maxRounds);
}

TEST(UnpairedFinals, AWinnerEndsThem) {
  ScriptedSampler sampler(
      [](size_t entrant, size_t) { return static_cast<double>(entrant); });
  play(sampler, {{1, 2.5, 3}, {2, 2, 2}});
  EXPECT_THAT(sampler.entrants,
              SizeIs(2 * UnpairedFinalsOptions().roundsToLeave));
}

TEST(UnpairedFinals, RoundsEndWithinTheSeconds) {
  for (double seconds : {6.0, 7.9, 12.5}) {
    ScriptedSampler sampler([](size_t, size_t) { return 1.0; });
    play(sampler, {{1}, {1}, {1}}, seconds);
    EXPECT_EQ(sampler.entrants.size(), 3 * static_cast<size_t>(seconds / 3));
  }
}

TEST(UnpairedFinals, NoTimeLeavesTheOrder) {
  ScriptedSampler sampler([](size_t, size_t) { return 1.0; });
  // The last one has the fastest samples, but not the least median.
  auto ranking = play(sampler, {{2, 2, 2}, {1, 3, 3}}, 4.9);
  EXPECT_TRUE(sampler.entrants.empty());
  EXPECT_THAT(getOrder(ranking), ElementsAre(0, 1));
  EXPECT_EQ(ranking.front().rounds, 0U);
}

TEST(UnpairedFinals, FailureEndsThem) {
  ScriptedSampler sampler([](size_t, size_t) { return 1.0; });
  sampler.failAt = 4;
  std::vector<std::vector<double>> samples = {{1}, {1}};
  auto ranking =
      playUnpairedFinals(sampler, samples, UnpairedFinalsOptions(), 99, 1);
  ASSERT_FALSE(ranking.ok());
  EXPECT_EQ(ranking.error().status, Status::fault);
  EXPECT_THAT(sampler.entrants, SizeIs(4));
}

// The case that finals are for: six candidates beside a process on every core.
TEST(UnpairedFinals, FindTheBestOnABusyMachine) {
  std::vector<double> seconds = {2.6e-3, 2.7e-3,  1.46e-3,
                                 2.8e-3, 2.65e-3, 2.75e-3};
  size_t rightByMedian = 0, right = 0;
  constexpr size_t best = 2, sweeps = 600;
  for (uint64_t seed = 0; seed < sweeps; ++seed) {
    BusySampler sampler(seconds, seed);
    std::vector<UnpairedMeasurement> measured;
    double sampling = 0;
    for (size_t i = 0; i < seconds.size(); ++i) {
      OneOf alone(sampler, i);
      UnpairedOptions options;
      options.shortWarmup = 2;
      measured.push_back(
          *measureUnpaired(alone, options, *alone.sample(firstCandidate),
                           UnpairedLimits(), [](auto) { return false; }));
      sampling += measured.back().samplingSeconds;
    }
    std::vector<UnpairedRange> ranges;
    for (const UnpairedMeasurement &each : measured)
      ranges.push_back(each.range());
    std::vector<size_t> finalists =
        findOverlapping(ranges, UnpairedFinalsOptions().maxCandidates);
    rightByMedian += finalists.front() == best;
    std::vector<std::vector<double>> samples;
    std::vector<double> left;
    for (size_t each : finalists) {
      samples.push_back(measured[each].samples);
      left.push_back(seconds[each]);
    }
    sampler.seconds = left;
    auto ranking = play(sampler, samples, sampling, seed);
    right += finalists[ranking.front().candidate] == best;
  }
  EXPECT_LT(rightByMedian, sweeps * 85 / 100);
  EXPECT_GE(right, sweeps * 58 / 60);
}
