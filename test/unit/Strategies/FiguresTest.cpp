//===- Tests for figures of the search ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/Figures.h"
#include "search/Variants.h"

#include "Search/RecordedFiles.h"
#include "TemporaryDirectory.h"

#include <cmath>

using namespace tonno;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::StartsWith;

/// Returns a bowl of 16 by 16 points whose best is at (a, 5).
static Recording bowl(const std::string &name, int best) {
  std::string text = "a,b,time_ms,cost_ms\n";
  for (int a = 0; a < 16; ++a)
    for (int b = 0; b < 16; ++b)
      text += std::to_string(a) + "," + std::to_string(b) + "," +
              std::to_string(5 + std::hypot(a - best, b - 5)) + ",100\n";
  return *parseCsvFile(text, name);
}

/// Returns the figures that compare these strategies. Runs shared by several
/// tests are made once.
static std::vector<Figure> figuresWith(const std::vector<std::string> &names) {
  static const TemporaryDirectory kept;
  std::vector<Recording> recordings = {bowl("bowl__one", 9),
                                       bowl("bowl__other", 10)};
  ReplayGridOptions options = {.replay = {.trials = 60}, .seeds = 3};
  auto strategies = variantsOf(names);
  KeptRuns runs(kept.path());
  auto grid = runs.run(recordings, *strategies, options);
  EXPECT_TRUE(grid.ok()) << grid.error().message;
  ReplayReport clean = summarize(recordings, *strategies, options, *grid);
  auto figures =
      figuresOf(recordings, *strategies, options, runs, *grid, clean);
  EXPECT_TRUE(figures.ok()) << figures.error().message;
  return figures ? *figures : std::vector<Figure>();
}

/// Returns the value of the figure with this prefix, as far as it is a number.
static double valueOf(const std::vector<Figure> &figures,
                      const std::string &what) {
  for (const Figure &figure : figures)
    if (figure.what.starts_with(what))
      return std::strtod(figure.value.c_str(), nullptr);
  ADD_FAILURE() << "no figure " << what;
  return NAN;
}

TEST(Figures, CompareWithTheBestOfAllOthers) {
  std::vector<Figure> figures =
      figuresWith({"ensemble", "random", "pattern", "forest"});
  for (const char *goal : {"5 %", "1 %"})
    EXPECT_THAT(figures, Contains(Field(&Figure::what,
                                        AllOf(StartsWith("trials to within " +
                                                         std::string(goal)),
                                              HasSubstr("(forest)")))));
  std::vector<Figure> swapped =
      figuresWith({"forest", "random", "ensemble", "pattern"});
  double ours = valueOf(figures, "trials to within 5 %");
  EXPECT_NEAR(ours * valueOf(swapped, "trials to within 5 %"), 1, 0.03);
  // All cost the same: the ratio of seconds is that of trials.
  std::vector<Figure> two = figuresWith({"ensemble", "pattern"});
  EXPECT_EQ(valueOf(two, "trials to within 5 %"),
            valueOf(two, "recorded seconds to within 5 %"));
  EXPECT_LE(valueOf(two, "final time, ours / pattern"), 1);
}

TEST(Figures, AreOfOurs) {
  std::vector<Figure> figures = figuresWith({"ensemble", "random", "pattern"});
  EXPECT_GT(valueOf(figures, "mean fraction of the optimum after 50"), 0.9);
  EXPECT_GT(valueOf(figures, "the same with 3 % noise,"), 0.85);
  EXPECT_GT(valueOf(figures, "the same with 3 % noise and finals,"), 0.85);
  EXPECT_LT(valueOf(figures, "worst space, trials"), 1);
  EXPECT_LT(valueOf(figures, "loss at 64 pending against 1, after 50"), 25);
  EXPECT_GT(valueOf(figures, "proposing, of a trial"), 0);
  // The other's best are one step away from this one's.
  double warm = valueOf(figures, "warm start from a sibling");
  EXPECT_GT(warm, 0.8);
  EXPECT_NEAR((valueOf(figures, "bowl__one from bowl__other") +
               valueOf(figures, "bowl__other from bowl__one")) /
                  2,
              warm, 0.0011);
  EXPECT_THAT(printFigures(figures),
              HasSubstr("| what | measured | must reach | aim for |"));
}

TEST(Figures, WithoutOthersTheyAreLeftOut) {
  for (const Figure &figure : figuresWith({"ensemble"}))
    EXPECT_THAT(figure.what, testing::Not(HasSubstr("ours /")));
}
