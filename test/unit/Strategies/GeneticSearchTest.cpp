//===- Children, and expected improvement ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GeneticSearch.h"
#include "tonno/Search/Forest.h"
#include "ForestSearch.h"

#include "ConstrainedSpaces.h"
#include "Search/Spaces.h"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

using namespace tonno;
using testing::SizeIs;

static void answer(SearchStrategy &strategy,
                   const std::vector<Configuration> &points) {
  std::vector<Trial> trials;
  for (const Configuration &point : points)
    trials.push_back(trialOf(point, 1.0 + point.indices[0]));
  strategy.observe(trials);
}

TEST(GeneticSearch, ChildrenHaveTheirParentsKnobs) {
  GeneticSearch::Options options;
  options.mutation = 1000000000;
  options.strangers = 0;
  GeneticSearch search(listLegal(spaceOf({9, 9, 9, 9})), 1, options);
  std::vector<Configuration> parents = search.propose(1000);
  ASSERT_THAT(parents, SizeIs(26));
  answer(search, parents);
  std::vector<Configuration> children = search.propose(1000);
  EXPECT_GT(children.size(), 10u);
  for (const Configuration &child : children) {
    bool isCrossed = false;
    for (const Configuration &one : parents)
      for (const Configuration &other : parents)
        for (size_t from = 0; from <= 4; ++from) {
          Configuration crossed = one;
          for (size_t knob = from; knob < 4; ++knob)
            crossed.indices[knob] = other.indices[knob];
          isCrossed |= crossed == child;
        }
    EXPECT_TRUE(isCrossed);
  }
}

TEST(GeneticSearch, IllegalChildrenBecomeLegal) {
  // Parents on a diagonal: nearly every child is beside it.
  SearchSpace space =
      constrained({{"a", upTo(60)}, {"b", upTo(60)}}, {"a == b"});
  GeneticSearch search(listLegal(space), 1);
  for (int generation = 0; generation < 3; ++generation) {
    std::vector<Configuration> points = search.propose(1000);
    for (const Configuration &point : points)
      EXPECT_TRUE(space.isLegal(point));
    answer(search, points);
  }
}

TEST(ForestSearch, BeginsAtRandomAndThenImproves) {
  SearchSpace space = spaceOf({64, 8, 8});
  ForestSearch search(listLegal(space), 2);
  std::vector<Configuration> first = search.propose(20);
  answer(search, first);
  double sum = 0, later = 0;
  for (const Configuration &point : first)
    sum += point.indices[0] / 20.0;
  EXPECT_NEAR(sum, 31.5, 12);
  for (int i = 0; i < 20; ++i) {
    std::vector<Configuration> next = search.propose(1);
    later += next.front().indices[0] / 20.0;
    answer(search, next);
  }
  EXPECT_LT(later, 12);
}

TEST(ForestSearch, AvoidsWhatFails) {
  // The first knob's upper half would be best, and fails.
  ForestSearch search(listLegal(spaceOf({16, 16, 4})), 2);
  size_t failed = 0;
  for (int i = 0; i < 150; ++i)
    for (const Configuration &point : search.propose(1)) {
      bool fails = point.indices[0] >= 8;
      failed += i >= 50 && fails;
      Trial trial =
          trialOf(point, fails ? std::nullopt
                               : std::optional(2.0 - (point.indices[0] / 16.0) +
                                               (point.indices[1] / 10.0)));
      search.observe({&trial, 1});
    }
  EXPECT_LT(failed, 40u); // of 100; half of random points would
}

TEST(ExpectedImprovement, IsTheMeanOfWhatIsAbove) {
  for (double mean : {-2.0, 0.0, 0.7})
    for (double deviation : {0.1, 1.0}) {
      double sum = 0, step = deviation / 1000;
      for (int i = 0; i < 16000; ++i) {
        double z = (i - 8000) / 1000.0, value = mean + (z * deviation);
        sum += step * std::max(0.0, value - 0.3) * std::exp(-z * z / 2) /
               deviation / std::sqrt(2 * std::numbers::pi);
      }
      EXPECT_NEAR(expectedImprovement(mean, deviation, 0.3), sum, 1e-5);
    }
}
