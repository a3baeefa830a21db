//===- Strategies with other options --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/Variants.h"

#include "Search/RecordedFiles.h"

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

/// Returns a line of `points` points, the best in the middle.
static Recording valley(int points) {
  std::string text = "a,time_ms\n";
  for (int i = 0; i < points; ++i)
    text += std::to_string(i) + "," +
            std::to_string(10 + std::abs(i - points / 2)) + "\n";
  return accepted(text);
}

/// Returns the number of trials that the variant makes in a space of 300
/// points.
static size_t trialsOf(const std::string &name) {
  auto variant = variantOf(name);
  EXPECT_TRUE(variant.ok()) << variant.error().message;
  std::vector<Recording> recordings = {valley(300)};
  auto grid =
      replayGrid(recordings, {&*variant, 1}, {.replay = {}, .seeds = 1});
  EXPECT_TRUE(grid.ok()) << grid.error().message;
  return (*grid)[0][0][0].trials;
}

TEST(Variants, RestartsGoOnUntilNothingIsLeft) {
  for (std::string name : {"pattern", "lfbo-pattern", "lfbo-tree"}) {
    EXPECT_LT(trialsOf(name), 250u) << name;
    EXPECT_EQ(trialsOf(name + "+restarts"), 300u) << name;
  }
}

TEST(Variants, ASmallStartEndsSooner) {
  EXPECT_LT(trialsOf("pattern+start=5+copies=1"), trialsOf("pattern") / 2);
  EXPECT_LT(trialsOf("pattern+start=5+copies=1+generations=1"), 9u);
}

/// Returns the first points that it tries, one after another.
static std::vector<Configuration> pathOf(const std::string &name,
                                         size_t count) {
  Recording recording = valley(300);
  ReplaySpace space = {recording,
                       LegalSpace::of(recording.space(), recording.points())};
  auto strategy = variantOf(name)->create(space, 1);
  std::vector<Configuration> path;
  while (path.size() < count) {
    path.push_back((*strategy)->propose(1).front());
    Trial trial;
    trial.configuration = path.back();
    trial.measurement.emplace().ratio =
        recording.trials()[*recording.find(path.back())].seconds;
    (*strategy)->observe({&trial, 1});
  }
  return path;
}

TEST(Variants, OfTheEnsembleAreWhatTheySay) {
  std::vector<Configuration> usual = pathOf("ensemble", 50);
  EXPECT_EQ(pathOf("ensemble+start=8+batch=8+random=0.04", 50), usual);
  EXPECT_EQ(pathOf("ensemble+models=forest/classifier/process", 50), usual);
  for (const char *changed :
       {"ensemble+start=20", "ensemble+batch=1", "ensemble+random=0.5",
        "ensemble+models=forest/classifier", "ensemble+models=boosted",
        "ensemble+models=forest/process", "ensemble+models=process"})
    EXPECT_NE(pathOf(changed, 50), usual) << changed;
}

TEST(Variants, WithoutChangesAreTheNamedOnes) {
  EXPECT_EQ(variantOf("lfbo-tree+restarts")->name, "lfbo-tree+restarts");
  std::vector<std::string> names = {"forest", "genetic+restarts+start=10"};
  EXPECT_EQ(variantsOf(names)->at(1).name, names[1]);
}

TEST(Variants, WhatIsUnknownIsAnError) {
  EXPECT_THAT(variantOf("guessing").error().message,
              AllOf(HasSubstr("'guessing'"), HasSubstr("lfbo-tree")));
  EXPECT_THAT(variantOf("guessing+restarts").error().message,
              HasSubstr("'guessing+restarts'"));
  EXPECT_THAT(variantOf("random+restarts").error().message,
              HasSubstr("'random' has no variants"));
  for (const char *name :
       {"pattern+start=0", "pattern+start=", "pattern+start=1x",
        "pattern+start=-1", "pattern+restarts=2", "pattern+haste",
        "genetic+start=1", "lfbo-tree+copies=0", "ensemble+models=",
        "ensemble+models=forest/oracle", "ensemble+random=1.5",
        "ensemble+batch=0", "ensemble+start=0", "pattern+"})
    EXPECT_THAT(variantOf(name).error().message,
                HasSubstr("'" + std::string(name) + "'"));
  EXPECT_FALSE(variantsOf({}).ok());
}
