//===- Tests for choices from fronts --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/FrontChoice.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

FrontPoint point(const char *name, double speedup, uint64_t code,
                 uint64_t workspace) {
  FrontPoint point;
  point.values = {{"X", name}};
  point.artifactHash = name;
  point.comparison.speedup = speedup;
  point.usage.codeBytes = code;
  point.usage.workspaceBytes = workspace;
  return point;
}

const std::vector<FrontPoint> front = {
    point("fast", 2, 4000, 1000), point("near", 1.95, 2000, 1000),
    point("lean", 1.5, 1000, 500), point("default", 1, 800, 500),
    point("bare", 0.5, 100, 0)};

/// Returns the name of the chosen point, or the error.
std::string choose(const char *rule) {
  auto choice = FrontChoice::parse(rule);
  if (!choice)
    return choice.error().message;
  auto chosen = choice->choose(front);
  return chosen ? (*chosen)->artifactHash : chosen.error().message;
}

} // namespace

TEST(FrontChoiceTest, OrdersByWhatIsLeast) {
  EXPECT_EQ(choose("least time"), "fast");
  EXPECT_EQ(choose("least code-size"), "bare");
  EXPECT_EQ(choose("workspace <= 500B, time <= 1x, least workspace"), "lean")
      << "the least time counts last";
  EXPECT_EQ(choose("time <= 1x, least workspace, least code-size"), "default");
}

TEST(FrontChoiceTest, MeetsConditions) {
  EXPECT_EQ(choose("time within 1.05x, least code-size"), "near");
  EXPECT_EQ(choose("  time within 1.01x ,least code-size "), "fast");
  EXPECT_EQ(choose("code-size <= 1kB"), "lean");
  EXPECT_EQ(choose("code-size within 10x"), "lean");
  EXPECT_EQ(choose("time <= 0.6x, least code-size"), "near");
}

TEST(FrontChoiceTest, StatesWhatNoPointMeets) {
  EXPECT_EQ(choose("code-size <= 10"),
            "no configuration of the front meets 'code-size <= 10'");
  EXPECT_EQ(choose("time <= 0.6x, code-size <= 500"),
            "no configuration of the front meets 'code-size <= 500' and the "
            "others");
  EXPECT_EQ(choose("least registers"),
            "the registers of {\"X\":\"fast\"} is unknown");
}

TEST(FrontChoiceTest, RefusesOtherText) {
  for (const char *rule : {"", "fast", "least", "time within 0.9x",
                           "time within 1.05", "least time, , least time"})
    EXPECT_THAT(choose(rule), HasSubstr("chooses nothing")) << rule;
  EXPECT_THAT(choose("least size"), HasSubstr("unknown resource 'size'"));
  EXPECT_THAT(choose("size <= 1"), HasSubstr("unknown resource 'size'"));
  EXPECT_THAT(choose("time <= 1ms"), HasSubstr("no multiple"));
}

TEST(FrontChoiceTest, APointBecomesTheDecision) {
  DecisionRecord decision;
  decision.objective = {Resource::code_size, 4000, 800};
  decision.remainingGain = 0.1;
  auto choice = FrontChoice::parse("least code-size");
  ASSERT_TRUE(choice.ok());
  EXPECT_FALSE(choice->apply(decision).ok()) << "there is no front";
  decision.front = front;
  ASSERT_TRUE(choice->apply(decision).ok());
  EXPECT_EQ(decision.values, front[4].values);
  EXPECT_EQ(decision.artifactHash, "bare");
  EXPECT_EQ(decision.comparison.speedup, 0.5);
  EXPECT_EQ(decision.objective->used, 100u);
  EXPECT_FALSE(decision.remainingGain);
}
