//===- The choice among the best ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Finals.h"

#include "FakeSampler.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::Lt;

namespace {

/// Entrants whose logarithms of seconds are given, on a machine with noise,
/// drift and layouts as of NoisySampler.
class Field : public Sampler {
public:
  Field(std::vector<double> logs, double noise, uint64_t seed)
      : logs(std::move(logs)), noise(noise), generator(seed),
        placements(this->logs.size()) {}

  Result<double, Failure> sample(size_t entrant) override {
    samples.push_back(entrant);
    if (failAt && samples.size() > *failAt)
      return Failure{Status::fault, "scripted"};
    double drift = 0.1 * std::sin(0.013 * static_cast<double>(samples.size()));
    return 1e-3 * std::exp(logs[entrant] + placements[entrant] + drift +
                           noise * normal(generator));
  }
  Result<void, Failure> redraw() override {
    ++redraws;
    for (double &placement : placements)
      placement = 0.005 * normal(generator);
    return {};
  }
  Result<void, Failure> reload() override {
    ADD_FAILURE() << "the finals keep what is loaded";
    return {};
  }

  std::vector<double> logs;
  double noise;
  std::mt19937_64 generator;
  std::normal_distribution<double> normal;
  std::vector<double> placements;
  std::vector<size_t> samples;
  size_t redraws = 0;
  std::optional<size_t> failAt;
};

std::vector<size_t> ranking(const std::vector<Finalist> &finalists) {
  std::vector<size_t> candidates;
  for (const Finalist &finalist : finalists)
    candidates.push_back(finalist.candidate);
  return candidates;
}

std::vector<Finalist> choose(Field &field, ProtocolOptions options = {}) {
  auto finalists = chooseByHalving(field, field.logs.size() - 1, options, 1);
  EXPECT_TRUE(finalists.ok());
  return *finalists;
}

} // namespace

TEST(Finals, RankWhatIsFarApart) {
  Field field({0, 0.3, -0.2, 0.1, -0.1}, 0.01, 1);
  auto finalists = choose(field);
  EXPECT_THAT(ranking(finalists), ElementsAre(1, 3, 2, 0));
  EXPECT_EQ(finalists[0].behind, 0);
  EXPECT_NEAR(finalists[1].behind, 0.1, 0.02);
  EXPECT_NEAR(finalists[3].behind, 0.5, 0.02);
}

TEST(Finals, FindTwoPercentAmongManyUnderNoiseAndDrift) {
  size_t found = 0;
  constexpr size_t sessions = 40;
  for (uint64_t seed = 0; seed < sessions; ++seed) {
    std::vector<double> logs(33, 0.0);
    logs[1 + seed % 32] = -0.02;
    Field field(std::move(logs), 0.03, seed);
    found += choose(field).front().candidate == seed % 32;
  }
  EXPECT_GE(found, sessions - 1);
}

TEST(Finals, WhoeverIsClearlyBehindLeavesAtTheNextLook) {
  std::vector<double> logs(9, 0.0);
  logs[5] = 0.5;
  Field field(std::move(logs), 0.03, 1);
  auto finalists = choose(field);
  EXPECT_EQ(finalists.back().candidate, 4u);
  EXPECT_LT(finalists.back().rounds, 16u);
  // The others stay until the stage is decided.
  EXPECT_GT(finalists[6].rounds, finalists.back().rounds);
}

TEST(Finals, OneCandidateNeedsNoRounds) {
  Field field({0, 0.1}, 0.01, 1);
  auto finalists = choose(field);
  EXPECT_THAT(ranking(finalists), ElementsAre(0));
  EXPECT_EQ(finalists[0].rounds, 0u);
  EXPECT_TRUE(field.samples.empty());
}

TEST(Finals, SamplesGoToThoseWhoAreLeft) {
  std::vector<double> logs(17);
  for (size_t i = 1; i < logs.size(); ++i)
    logs[i] = 0.004 * static_cast<double>(i);
  Field field(std::move(logs), 0.02, 1);
  auto finalists = choose(field);
  EXPECT_EQ(finalists.front().candidate, 0u);
  EXPECT_LT(finalists.back().rounds, finalists.front().rounds);
  EXPECT_LT(field.samples.size(), 17 * finalists.front().rounds);
}

TEST(Finals, EachRoundIsInAnotherOrderAndEveryFourthOnAnotherLayout) {
  Field field({0, 0, 0, 0}, 0.02, 1);
  ProtocolOptions options;
  options.warmupSeconds = 0.0001; // one launch
  auto finalists = choose(field, options);
  size_t rounds = finalists.front().rounds;
  EXPECT_EQ(field.redraws, (rounds + 3) / 4);
  std::vector<size_t> first(field.samples.begin() + 1,
                            field.samples.begin() + 5),
      second(field.samples.begin() + 5, field.samples.begin() + 9);
  EXPECT_THAT(first, testing::UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_THAT(second, testing::UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_NE(first, second);
}

TEST(Finals, EqualCandidatesEndAtTheMostRounds) {
  Field field(std::vector<double>(9, 0.0), 0.5, 1);
  auto finalists = choose(field);
  EXPECT_EQ(finalists.size(), 8u);
  EXPECT_EQ(finalists.front().rounds, ProtocolOptions().maxFinalRounds);
}

TEST(Finals, SlowCandidatesEndAtTheSeconds) {
  Field field(std::vector<double>(9, std::log(1e3)), 0.5, 1); // 1 s a launch
  auto finalists = choose(field);
  EXPECT_EQ(finalists.size(), 8u);
  EXPECT_THAT(finalists.front().rounds, Lt(8u));
}

TEST(Finals, WithoutTimeThereAreTwoRounds) {
  Field field({0, 0.3, 0.2, 0.1}, 0.01, 1);
  ProtocolOptions options;
  options.finalsSeconds = 0;
  auto finalists = choose(field, options);
  EXPECT_THAT(ranking(finalists), ElementsAre(2, 1, 0));
  EXPECT_EQ(finalists.front().rounds, 2u);
}

TEST(Finals, FailureOfASampleIsTheirs) {
  Field field({0, 0.1, 0.2}, 0.01, 1);
  field.failAt = 7;
  auto finalists = chooseByHalving(field, 2, {}, 1);
  ASSERT_FALSE(finalists.ok());
  EXPECT_EQ(finalists.error().status, Status::fault);
}
