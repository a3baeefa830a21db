// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PriorSearch.h"
#include "Prior/MadeSources.h"

#include <gtest/gtest.h>

#include <set>

using namespace tonno;

namespace {

/// Searches the space of `makeSource`'s tiles, whose times are `computeLoss`.
class PriorSearchTest : public testing::Test {
protected:
  PriorSearch createSearch(std::vector<PriorSource> sources, uint64_t seed = 0,
                           std::string chip = "a") {
    Prior prior;
    prior.name = "made";
    prior.sources = std::move(sources);
    return {legal, prior,
            makePriorTask(legal->space(), makeProduct(512), std::move(chip)),
            createEnsembleSearch(legal, seed), seed};
  }

  Trial measure(const Configuration &point) const {
    const std::vector<Knob> &knobs = legal->space().knobs();
    Trial trial;
    trial.configuration = point;
    trial.measurement.emplace();
    trial.measurement->ratio =
        std::exp(computeLoss(knobs[1].options[point.indices[1]].get<double>(),
                             knobs[0].options[point.indices[0]].get<double>()));
    return trial;
  }

  /// Returns the trials until the best tile is found.
  size_t countTrials(PriorSearch search) const {
    for (size_t i = 1;; ++i) {
      std::vector<Configuration> proposed = search.propose(1);
      if (proposed.empty())
        return 100;
      Trial trial = measure(proposed.front());
      if (trial.measurement->ratio == 1)
        return i;
      search.observe({&trial, 1});
    }
  }

  // Not in the order of their names.
  std::shared_ptr<const LegalSpace> legal = LegalSpace::create(
      SearchSpace({{"NR", {4, 8, 16, 32, 64}}, {"MR", {1, 2, 4, 8, 16, 32}}}));
};

} // namespace

TEST_F(PriorSearchTest, FindsTheBestAtOnceThatSourcesKnow) {
  size_t first = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    first += countTrials(createSearch({makeSource("256", 256)}, seed)) <= 2;
  EXPECT_GE(first, 15U);
}

TEST_F(PriorSearchTest, AMisleadingPriorIsNotBelievedForLong) {
  size_t with = 0, without = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    with += countTrials(
        createSearch({makeSource("256", 256, "a", /*isOpposite=*/true)}, seed));
    without += countTrials(createSearch({}, seed));
  }
  EXPECT_LE(with, without * 3 / 2);
}

TEST_F(PriorSearchTest, BelievesTheChipThatTellsTheTruth) {
  size_t all = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    all += countTrials(createSearch({makeSource("b", 256, "b", true),
                                     makeSource("c", 256, "c", true),
                                     makeSource("d", 256, "d")},
                                    seed));
  EXPECT_LE(all, 20U * 8);
}

TEST_F(PriorSearchTest, ProposesNothingTwiceAndAllInTheEnd) {
  PriorSearch search = createSearch({makeSource("256", 256)});
  std::set<Configuration> seen;
  while (true) {
    std::vector<Configuration> proposed = search.propose(4);
    if (proposed.empty())
      break;
    for (const Configuration &point : proposed) {
      EXPECT_TRUE(seen.insert(point).second);
      Trial trial = measure(point);
      search.observe({&trial, 1});
    }
  }
  EXPECT_EQ(seen.size(), 30U);
}

TEST_F(PriorSearchTest, SaysWhatItProposedAndHowMuch) {
  PriorSearch search = createSearch({makeSource("256", 256)});
  EXPECT_TRUE(search.knowsKernel());
  std::vector<Configuration> proposed = search.propose(10);
  ASSERT_EQ(proposed.size(), 10U);
  EXPECT_EQ(*search.proposed(), 8U);
  EXPECT_EQ(search.explain(proposed.front()),
            "expected to be the best, by all sources of made");
  EXPECT_EQ(search.explain(proposed.back()), "far from all before");
}

TEST_F(PriorSearchTest, WithoutARelatedSourceIsTheOtherStrategyAtFirst) {
  PriorSearch search = createSearch({});
  EXPECT_FALSE(search.knowsKernel());
  std::vector<Configuration> proposed = search.propose(1);
  ASSERT_EQ(proposed.size(), 1U);
  EXPECT_EQ(search.explain(proposed.front()), "far from all before");
  EXPECT_EQ(*search.proposed(), 0U);
}
