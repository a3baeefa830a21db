//===- Tests for a search with a proposer ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ProposerSearch.h"

#include "Spaces.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tonno;

namespace {

/// Searches 30 x 30 points, of which (20, 20) is the fastest.
class ProposerSearchTest : public testing::Test {
protected:
  static Trial measure(const Configuration &point) {
    double off = std::abs(static_cast<double>(point.indices[0]) - 20) +
                 std::abs(static_cast<double>(point.indices[1]) - 20);
    return trialOf(point, 1 + off);
  }

  ProposerSearch createSearch(ProposerSearch::Proposer proposer,
                              uint64_t seed = 0) const {
    return {std::move(proposer), createEnsembleSearch(legal, seed), seed};
  }

  /// Returns how many of the first trials the proposer proposed.
  size_t countExternal(ProposerSearch search, size_t trials) const {
    size_t external = 0;
    std::set<std::vector<uint32_t>> seen;
    for (size_t i = 0; i < trials; ++i) {
      std::vector<Configuration> proposed = search.propose(1);
      EXPECT_EQ(proposed.size(), 1U);
      EXPECT_TRUE(seen.insert(proposed.front().indices).second);
      external += search.explain(proposed.front()) == "by the proposer";
      Trial trial = measure(proposed.front());
      search.observe({&trial, 1});
    }
    return external;
  }

  /// Returns the points of rows (i, 0), (i, 1), ... in the order of `rows`.
  static std::vector<Configuration> rows(std::vector<uint32_t> rows) {
    std::vector<Configuration> points;
    for (uint32_t row : rows)
      for (uint32_t column = 0; column < 30; ++column)
        points.push_back({{row, column}});
    return points;
  }

  std::shared_ptr<const LegalSpace> legal = listLegal(spaceOf({30, 30}));
};

} // namespace

TEST_F(ProposerSearchTest, AGoodProposerHasUpToHalf) {
  size_t external = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<Configuration> near;
    for (uint32_t row = 18; row < 23; ++row)
      for (uint32_t column = 18; column < 23; ++column)
        near.push_back({{row, column}});
    size_t count = countExternal(
        createSearch([&](std::span<const Trial>) { return near; }, seed), 40);
    EXPECT_LE(count, 20U);
    external += count;
  }
  EXPECT_GE(external, 80U); // of 400
}

TEST_F(ProposerSearchTest, ABadProposerHasLittle) {
  size_t external = 0;
  for (uint64_t seed = 0; seed < 10; ++seed)
    external += countExternal(
        createSearch([&](std::span<const Trial>) { return rows({0, 1, 2}); },
                     seed),
        40);
  EXPECT_LE(external, 60U); // of 400
  EXPECT_GE(external, 10U);
}

TEST_F(ProposerSearchTest, AProposerWithoutNewPointsIsAskedLessAndLess) {
  size_t asked = 0;
  auto proposer = [&](std::span<const Trial>) {
    ++asked;
    return std::vector<Configuration>();
  };
  EXPECT_EQ(countExternal(createSearch(proposer), 80), 0U);
  EXPECT_GE(asked, 3U);
  EXPECT_LE(asked, 6U);
}

TEST_F(ProposerSearchTest, TheProposerKnowsAllTrials) {
  size_t most = 0;
  auto proposer = [&](std::span<const Trial> trials) {
    most = std::max(most, trials.size());
    return std::vector<Configuration>{
        {{static_cast<uint32_t>(trials.size() % 30), 20}}};
  };
  countExternal(createSearch(proposer), 60);
  EXPECT_GE(most, 40U);
}

TEST_F(ProposerSearchTest, IsDeterministic) {
  auto run = [&] {
    ProposerSearch search =
        createSearch([&](std::span<const Trial>) { return rows({20, 3}); }, 7);
    std::vector<Configuration> proposed;
    for (size_t i = 0; i < 30; ++i) {
      proposed.push_back(search.propose(1).front());
      Trial trial = measure(proposed.back());
      search.observe({&trial, 1});
    }
    return proposed;
  };
  EXPECT_EQ(run(), run());
}
