//===- Tests for the ensemble search --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EnsembleSearch.h"
#include "tonno/Search/SearchStrategy.h"

#include "Spaces.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {
/// A search whose candidates are observed as they are proposed.
struct Watched {
  Watched(EnsembleSearch search, double (*ratioOf)(const Configuration &))
      : search(std::move(search)), ratioOf(ratioOf) {}

  /// Runs until the search ends by itself, or after `most` trials. Returns the
  /// number of trials.
  size_t run(size_t most) {
    for (; trials < most; ++trials) {
      std::vector<Configuration> next = search.propose(1);
      if (next.empty())
        break;
      double ratio = ratioOf(next.front());
      best = std::min(best, ratio);
      Trial trial = trialOf(next.front(), ratio);
      search.observe({&trial, 1});
    }
    return trials;
  }

  EnsembleSearch search;
  double (*ratioOf)(const Configuration &);
  size_t trials = 0;
  double best = 1e9;
};
} // namespace

static EnsembleSearch over(const std::vector<size_t> &sizes,
                           EnsembleSearch::Options options = {}) {
  return EnsembleSearch(LegalSpace::create(spaceOf(sizes)), 1, options);
}

/// Returns a time with its minimum 1 in the middle of eight knobs of eight
/// options.
static double bowl(const Configuration &point) {
  double sum = 0;
  for (uint32_t index : point.indices)
    sum += std::abs(static_cast<double>(index) - 4);
  return 1 + sum / 8;
}

/// Returns a time that decreases with each call.
static double falling(const Configuration &) {
  static double last = 1;
  return last *= 0.99;
}

static const std::vector<size_t> wide(8, 8);

TEST(EnsembleSearch, ConvergesOnceNothingBetterIsExpected) {
  Watched watched(over(wide), bowl);
  size_t trials = watched.run(1000);
  EXPECT_EQ(watched.best, 1);
  EXPECT_LT(trials, 400u);
  EXPECT_GE(trials, EnsembleSearch::Options().patience);
  EXPECT_TRUE(watched.search.hasConverged());
}

TEST(EnsembleSearch, GoesOnWhileItFindsBetterPoints) {
  Watched watched(over(wide), falling);
  EXPECT_EQ(watched.run(300), 300u);
  EXPECT_FALSE(watched.search.hasConverged());
}

TEST(EnsembleSearch, HasNotConvergedWhereAllWasTried) {
  Watched watched(over({3, 4}), bowl);
  watched.run(100);
  EXPECT_TRUE(watched.search.propose(1).empty());
  EXPECT_FALSE(watched.search.hasConverged());
}

TEST(EnsembleSearch, GoesOnWhereAllIsAlikeOnlyForItsPatience) {
  EnsembleSearch::Options options;
  options.patience = 40;
  Watched watched(over(wide, options),
                  [](const Configuration &) { return 1.; });
  EXPECT_LT(watched.run(1000), 80u);
}

TEST(EnsembleSearch, GoesOnWhileEverythingFails) {
  EnsembleSearch search = over(wide);
  for (size_t i = 0; i < 200; ++i) {
    std::vector<Configuration> next = search.propose(1);
    ASSERT_EQ(next.size(), 1u);
    Trial trial = trialOf(next.front(), std::nullopt);
    search.observe({&trial, 1});
  }
  EXPECT_FALSE(search.hasConverged());
}

TEST(EnsembleSearch, SaysWhyItProposes) {
  EnsembleSearch search = over(wide);
  std::vector<Configuration> first = search.propose(1);
  EXPECT_EQ(search.explain(first.front()), "far from all before");
  Watched watched(over(wide), bowl);
  watched.run(40);
  std::vector<Configuration> next = watched.search.propose(20);
  size_t ranked = 0;
  for (const Configuration &point : next) {
    std::string reason = watched.search.explain(point);
    EXPECT_THAT(reason, testing::Not(IsEmpty()));
    ranked += testing::Value(reason, AllOf(HasSubstr("forest ranks it"),
                                           HasSubstr("classifier ranks it"),
                                           HasSubstr("process ranks it")));
  }
  EXPECT_GT(ranked, 10u);
  EXPECT_THAT(watched.search.explain(Configuration{{0, 0, 0, 0, 0, 0, 0, 1}}),
              IsEmpty());
}

TEST(EnsembleSearch, ConvergesBehindStartingPoints) {
  StartingPoints search({Configuration{std::vector<uint32_t>(8, 3)}},
                        std::make_unique<EnsembleSearch>(over(wide)));
  for (size_t i = 0; !search.hasConverged(); ++i) {
    ASSERT_LT(i, 400u);
    std::vector<Configuration> next = search.propose(1);
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(search.explain(next.front()) == "a starting point", i == 0);
    Trial trial = trialOf(next.front(), bowl(next.front()));
    search.observe({&trial, 1});
  }
  EXPECT_TRUE(search.propose(1).empty());
}

/// A flat function leaves nothing to expect, a bowl does at first.
TEST(EnsembleSearch, StatesTheGainThatItExpects) {
  Watched flat(over({8, 8, 8}), [](const Configuration &) { return 1.0; });
  EXPECT_FALSE(flat.search.expectedGain());
  flat.run(40);
  ASSERT_TRUE(flat.search.expectedGain());
  EXPECT_LT(*flat.search.expectedGain(), 0.01);
  Watched steep(over({8, 8, 8, 8, 8, 8, 8, 8}), bowl);
  steep.run(16);
  ASSERT_TRUE(steep.search.expectedGain());
  EXPECT_GT(*steep.search.expectedGain(), *flat.search.expectedGain());
}
