// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/LearnPrior.h"
#include "tonno/Prior/PriorTest.h"
#include "tonno/Prior/ShippedPrior.h"
#include "Prior/MadeSources.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tonno;

TEST(LearnPrior, IsTheSameInAnyOrder) {
  std::vector<PriorSource> sources = {makeSource("256", 256),
                                      makeSource("512", 512)};
  std::string text = formatPrior(learnPrior(sources));
  std::ranges::reverse(sources);
  EXPECT_EQ(formatPrior(learnPrior(sources)), text);
}

TEST(LearnPrior, TextIsReadBack) {
  Prior prior = learnPrior({makeSource("256", 256)});
  auto read = parsePrior(formatPrior(prior), "made");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "made");
  EXPECT_EQ(formatPrior(*read), formatPrior(prior));
}

TEST(LearnPrior, KeepsTheBestPointsAndTheLimitOfBytes) {
  LearnOptions options;
  options.pointsPerSource = 12;
  Prior prior = learnPrior({makeSource("256", 256)}, options);
  ASSERT_EQ(prior.sources.front().points.size(), 12U);
  EXPECT_EQ(prior.sources.front().points.front().loss, 0);
  options.pointsPerSource = 30;
  options.mostBytes = 1200;
  EXPECT_LE(formatPrior(learnPrior({makeSource("256", 256)}, options)).size(),
            1200U);
}

TEST(LearnPrior, OfOneKernelOnOneChipTheLargerRecordingCounts) {
  PriorSource smaller = makeSource("smaller", 256);
  smaller.points.resize(3);
  Prior prior = learnPrior({smaller, makeSource("larger", 256)});
  ASSERT_EQ(prior.sources.size(), 1U);
  EXPECT_EQ(prior.sources.front().name, "larger");
}

TEST(LearnPrior, IntervalsHoldForSimilarKernelsOnly) {
  std::vector<PriorSource> similar, different;
  for (int64_t size : {128, 256, 512, 1024}) {
    similar.push_back(makeSource(std::to_string(size), size));
    different.push_back(
        makeSource(std::to_string(size), size, "a", size % 512 == 0));
  }
  double of = learnPrior(similar).coverage;
  EXPECT_GE(of, leastCoverage);
  EXPECT_EQ(learnPrior({makeSource("alone", 256)}).coverage, 0);
}

TEST(LearnPrior, RefusesWhatIsNoPrior) {
  EXPECT_FALSE(parsePrior("{}", "x"));
  EXPECT_FALSE(parsePrior("[]", "x"));
  Prior prior;
  prior.sources = {makeSource("256", 256)};
  prior.sources.front().points.front().values.pop_back();
  auto read = parsePrior(formatPrior(prior), "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "a point of '256' has 1 values for 2 knobs");
  prior.sources.front().points.front() = {{1, 2}, 5};
  EXPECT_FALSE(parsePrior(formatPrior(prior), "x"));
}

TEST(LearnPrior, TheShippedOneIsCalibrated) {
  auto shipped = findShippedPrior("x86_64");
  ASSERT_TRUE(shipped);
  EXPECT_GE(shipped->sources.size(), 12U);
  EXPECT_GE(shipped->coverage, leastCoverage);
  EXPECT_FALSE(findShippedPrior("riscv64"));
}
