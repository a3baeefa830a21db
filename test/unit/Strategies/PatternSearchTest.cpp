//===- The moves that were published --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PatternSearch.h"

#include "ConstrainedSpaces.h"
#include "Search/Spaces.h"

#include <gmock/gmock.h>

using namespace tonno;

/// Returns a space of two block sizes, a knob of two numbers, warps, and
/// layouts.
static SearchSpace kernelSpace() {
  return constrained({{"BM", powersOfTwo(8, 1024)},
                      {"BN", powersOfTwo(8, 1024)},
                      {"stages", {1, 2}},
                      {"num_warps", powersOfTwo(1, 32)},
                      {"layout", {"a", "b", "c"}}},
                     {"BM * BN <= 65536"});
}

static double timeOf(const Configuration &point) {
  double time = 1;
  for (uint32_t index : point.indices)
    time += index;
  return time;
}

static void answerAtTimes(SearchStrategy &strategy,
                          const std::vector<Configuration> &points) {
  for (const Configuration &point : points) {
    Trial trial = trialOf(point, timeOf(point));
    strategy.observe({&trial, 1});
  }
}

/// Returns the `count` best points.
static std::vector<Configuration> bestOf(std::vector<Configuration> points,
                                         size_t count) {
  std::ranges::sort(points, {}, [](const Configuration &point) {
    return std::pair(timeOf(point), point);
  });
  points.resize(count);
  return points;
}

/// Returns the difference in rank of each knob.
static std::vector<uint32_t> steps(const Configuration &one,
                                   const Configuration &other) {
  std::vector<uint32_t> steps;
  for (size_t knob = 0; knob < one.indices.size(); ++knob)
    steps.push_back(std::max(one.indices[knob], other.indices[knob]) -
                    std::min(one.indices[knob], other.indices[knob]));
  return steps;
}

TEST(PatternSearch, FirstGenerationIsTheNeighboursOfTheBest) {
  SearchSpace space = kernelSpace();
  PatternSearch search(listLegal(space), 3);
  std::vector<Configuration> population = search.propose(1000);
  ASSERT_EQ(population.size(), 100u);
  answerAtTimes(search, population);

  std::set<Configuration> expected;
  for (const Configuration &copy : bestOf(population, 5))
    for (uint64_t i = 0; i < space.size(); ++i) {
      Configuration point = space.at(i);
      std::vector<uint32_t> away = steps(copy, point);
      uint32_t changed = 0;
      for (uint32_t knob = 0; knob < 5; ++knob) {
        changed += away[knob] > 0;
        if (knob < 4 && away[knob] > 1)
          changed = 9; // numbers go by one step
      }
      bool areBlocks = away[0] == 1 && away[1] == 1;
      if (space.isLegal(point) && (changed == 1 || (changed == 2 && areBlocks)))
        expected.insert(point);
    }
  for (const Configuration &point : population)
    expected.erase(point);
  std::vector<Configuration> next = search.propose(1000);
  EXPECT_TRUE(std::set<Configuration>(next.begin(), next.end()) == expected);
}

TEST(PatternSearch, EndsWhenNoNeighbourIsBetter) {
  SearchSpace space = kernelSpace();
  PatternSearch search(listLegal(space), 3);
  size_t trials = 0;
  bool foundBest = false;
  while (true) {
    std::vector<Configuration> points = search.propose(1000);
    if (points.empty())
      break;
    trials += points.size();
    answerAtTimes(search, points);
    foundBest |= std::ranges::count(points, space.at(0)) > 0;
  }
  EXPECT_TRUE(foundBest); // the time has one valley
  EXPECT_LT(trials, space.size() / 2);
}

TEST(PatternSearch, LateResultsCountStill) {
  // One copy at 20 of 0..40, where less is better: its neighbours are 19 and
  // 21.
  SearchSpace space = spaceOf({41});
  PatternSearch::Options options;
  options.initial = 1;
  options.copies = 1;
  for (uint64_t seed = 0;; ++seed) {
    PatternSearch search(listLegal(space), seed, options);
    std::vector<Configuration> first = search.propose(1);
    if (first.front() != space.at(20))
      continue;
    answerAtTimes(search, first);
    std::vector<Configuration> near = search.propose(10);
    ASSERT_EQ(near.size(), 2u);
    std::ranges::sort(near);
    answerAtTimes(search, {near[1]});
    // 19 is not known yet: while it is awaited, points are drawn.
    std::vector<Configuration> filler = search.propose(1);
    ASSERT_EQ(filler.size(), 1u);
    answerAtTimes(search, {near[0], filler[0]});
    EXPECT_THAT(search.propose(1), testing::ElementsAre(space.at(18)));
    break;
  }
}

TEST(LfboPatternSearch, SelectsATenthOfNeighboursWithinTheRadius) {
  LfboPatternSearch search(listLegal(kernelSpace()), 3);
  std::vector<Configuration> population = search.propose(1000);
  ASSERT_EQ(population.size(), 100u);
  answerAtTimes(search, population);
  std::vector<Configuration> copies = bestOf(population, 5);
  std::vector<Configuration> next = search.propose(1000);
  EXPECT_GE(next.size(), 15u);
  EXPECT_LE(next.size(), 150u);
  for (const Configuration &point : next) {
    bool isNear = false;
    for (const Configuration &copy : copies) {
      std::vector<uint32_t> away = steps(copy, point);
      // One block size may differ by up to two; the other, like all knobs, by
      // one.
      uint32_t others = (away[2] > 0) + (away[4] > 0);
      bool oneBlock = std::min(away[0], away[1]) <= 1;
      others += std::min(away[0], away[1]) > 0;
      isNear |= away[0] <= 2 && away[1] <= 2 && oneBlock && away[3] <= 2 &&
                others <= 2;
    }
    EXPECT_TRUE(isNear);
  }
}

TEST(LfboTreeSearch, MovesAllKnobsThatDecide) {
  // From the second generation on, points differ in several knobs, not just in
  // one of them by many steps.
  SearchSpace space = spaceOf({32, 32, 32});
  LfboTreeSearch::Options options = LfboTreeSearch::published();
  options.pattern.copies = 1;
  options.radius = 20;
  LfboTreeSearch search(listLegal(space), 2, options);
  Configuration current;
  for (int generation = 0; generation < 3; ++generation) {
    std::vector<Configuration> drawn = search.propose(1000);
    ASSERT_GE(drawn.size(), 3u);
    size_t jumps = 0;
    for (const Configuration &point : drawn) {
      std::vector<uint32_t> away =
          steps(point, generation > 0 ? current : point);
      jumps += std::ranges::count_if(
                   away, [](uint32_t each) { return each > 1; }) > 1;
    }
    EXPECT_EQ(jumps > 0, generation == 2) << jumps;
    answerAtTimes(search, drawn);
    current = bestOf(drawn, 1).front();
  }
}

static std::vector<std::optional<double>>
ratiosOf(std::initializer_list<double> ratios) {
  return {ratios.begin(), ratios.end()};
}

TEST(LfboClassifier, NeedsTwoClasses) {
  Rows<uint8_t> rows(1, 3);
  LfboClassifier classifier;
  std::vector<std::optional<double>> failed(3);
  EXPECT_FALSE(classifier.fit(rows, failed, 1));
  EXPECT_FALSE(classifier.fit(rows, ratiosOf({2, 2, 2}), 1));
  EXPECT_TRUE(classifier.fit(rows, ratiosOf({2, 2, 3}), 1));
  failed[1] = 2;
  EXPECT_TRUE(classifier.fit(rows, failed, 1));
}

TEST(LfboClassifier, UnitsDoNotMatter) {
  Rows<uint8_t> rows(1, 60);
  std::vector<std::optional<double>> seconds, microseconds;
  for (uint8_t i = 0; i < 60; ++i) {
    rows[i][0] = (i * 7) % 60;
    seconds.push_back((i + 1) * 0x1p-20);
    microseconds.push_back(i + 1);
  }
  auto one = LfboClassifier().fit(rows, seconds, 1)->predict(rows);
  auto other = LfboClassifier().fit(rows, microseconds, 1)->predict(rows);
  for (size_t i = 0; i < 60; ++i)
    EXPECT_EQ(one[i].mean, other[i].mean);
}

TEST(LfboClassifier, TellsTheBestTenthFromOthersAndFailures) {
  Rows<uint8_t> rows(1, 40);
  std::vector<std::optional<double>> ratios;
  for (uint8_t i = 0; i < 40; ++i) {
    rows[i][0] = i;
    ratios.push_back(i < 30 ? std::optional(1.0 + i) : std::nullopt);
  }
  std::optional<Forest> forest = LfboClassifier().fit(rows, ratios, 1);
  ASSERT_TRUE(forest);
  std::vector<Forest::Prediction> good = forest->predict(rows);
  EXPECT_GT(good[0].mean, 0.8); // 0.1 * 29 = 2.9: the first three
  EXPECT_GT(good[1].mean, 0.5);
  EXPECT_LT(good[5].mean, 0.1);
  EXPECT_LT(good[39].mean, 0.01);
}
