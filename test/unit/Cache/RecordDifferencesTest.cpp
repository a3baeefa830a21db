//===- Reasons of misses --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/RecordDifferences.h"

#include "MadeCaches.h"

#include <limits>

using namespace tonno;
using testing::ElementsAre;

using RecordDifferencesTest = MadeCaches;

static std::vector<std::string>
getFields(const std::vector<FieldDifference> &differences) {
  std::vector<std::string> fields;
  for (const FieldDifference &each : differences)
    fields.push_back(each.field);
  return fields;
}

static Json ask(const ProblemIdentity &identity, const SearchSpace &space) {
  return identity.decisionQuestion(space, {{"trials", 60}});
}

TEST_F(RecordDifferencesTest, NamedListsAreComparedByName) {
  Json left = {{"space",
                {{"knobs",
                  {{{"name", "BM"}, {"options", {1, 2}}},
                   {{"name", "BN"}, {"options", {1}}}}}}}};
  Json right = {{"space",
                 {{"knobs",
                   {{{"name", "BN"}, {"options", {1}}},
                    {{"name", "BM"}, {"options", {1}}}}}}}};
  EXPECT_THAT(getFields(compareFields(left, right)),
              ElementsAre("space.knobs.BM.options"));
  EXPECT_THAT(compareFields(left, left), testing::IsEmpty());
}

TEST_F(RecordDifferencesTest, NoLimitIsNullInRecords) {
  Json asked = {{"seconds", std::numeric_limits<double>::infinity()}};
  EXPECT_TRUE(compareFields({{"seconds", nullptr}}, asked).empty());
  EXPECT_EQ(compareFields({{"seconds", 60.0}}, asked).size(), 1u);
}

TEST_F(RecordDifferencesTest, NearestDecisionHasTheFewestOtherFields) {
  addDecision("a", makeDecision(8, Verdict::faster, 60), makeIdentity("other"));
  addDecision("a", makeDecision(8, Verdict::faster, 60),
              makeIdentity("kernel", "gpu", "tonno 2"));
  std::string near = addDecision("a", makeDecision(8, Verdict::faster, 60),
                                 makeIdentity("kernel", "gpu"));
  MissReport report = findNearestDecision(
      open("a"), "mm", ask(makeIdentity(), makeSpace({8, 16})), warn);
  EXPECT_EQ(report.compared, 3u);
  ASSERT_TRUE(report.nearest);
  EXPECT_EQ(report.nearest->decision.key, near);
  ASSERT_THAT(getFields(report.nearest->differences), ElementsAre("device"));
  EXPECT_EQ(*report.nearest->differences[0].left, "gpu");
  EXPECT_EQ(*report.nearest->differences[0].right, "cpu");
}

TEST_F(RecordDifferencesTest, OptionsAreNamedByTheirKnob) {
  addDecision("a", makeDecision(8, Verdict::faster, 60));
  MissReport report = findNearestDecision(
      open("a"), "mm", ask(makeIdentity(), makeSpace({8, 16, 32})), warn);
  ASSERT_TRUE(report.nearest);
  EXPECT_THAT(getFields(report.nearest->differences),
              ElementsAre("space.knobs.BM.options"));
  EXPECT_EQ(describeQuestionField("space.knobs.BM.options"),
            "knobs and their options");
}

TEST_F(RecordDifferencesTest, DecisionsWithoutQuestionAreCounted) {
  insert("a", std::string(64, 'a'), makeDecision(8, Verdict::tie, 60));
  MissReport report = findNearestDecision(
      open("a"), "mm", ask(makeIdentity(), makeSpace({8})), warn);
  EXPECT_EQ(report.withoutQuestion, 1u);
  EXPECT_FALSE(report.nearest);
}

TEST_F(RecordDifferencesTest, AKernelOfTheNameIsNearerThanAnotherOne) {
  DecisionRecord other = makeDecision(8, Verdict::faster, 60);
  other.kernel = "other";
  addDecision("a", other, makeIdentity("other"));
  std::string near = addDecision("a", makeDecision(8, Verdict::faster, 60),
                                 makeIdentity("before", "gpu", "tonno 2"));
  MissReport report = findNearestDecision(
      open("a"), "mm", ask(makeIdentity(), makeSpace({8})), warn);
  ASSERT_TRUE(report.nearest);
  EXPECT_EQ(report.nearest->decision.key, near);
}

TEST_F(RecordDifferencesTest, OptionsThatWereNotKnownCountAsOff) {
  addDecision("a", makeDecision(8, Verdict::faster, 60));
  Json asked = ask(makeIdentity(), makeSpace({8, 16}));
  asked["policy"]["later"] = false;
  asked["policy"]["other"] = true;
  MissReport report = findNearestDecision(open("a"), "mm", asked, warn);
  ASSERT_TRUE(report.nearest);
  EXPECT_THAT(getFields(report.nearest->differences),
              ElementsAre("policy.other"));
}
