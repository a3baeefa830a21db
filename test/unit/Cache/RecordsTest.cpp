//===- Keys and records ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Records.h"

#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::SizeIs;

static ProblemIdentity someIdentity() {
  return {
      "abc",           "x86_64-unknown-linux-gnu", "znver4", "+avx2", "llvm",
      "AMD EPYC 9654", Json{{"max_samples", 20}}};
}

static SearchSpace spaceWith(const std::vector<Option> &options) {
  return SearchSpace({{"BM", options, 0}});
}

static const Json search = {{"strategy", "random"}, {"budget_trials", 60}};

/// Returns copies of the identity, each with another member changed.
static std::vector<ProblemIdentity> neighbours() {
  std::vector<ProblemIdentity> all;
  for (std::string ProblemIdentity::*member :
       {&ProblemIdentity::kernelHash, &ProblemIdentity::triple,
        &ProblemIdentity::chip, &ProblemIdentity::features,
        &ProblemIdentity::backend, &ProblemIdentity::device}) {
    ProblemIdentity identity = someIdentity();
    identity.*member += "x";
    all.push_back(identity);
  }
  ProblemIdentity identity = someIdentity();
  identity.policy["max_samples"] = 21;
  all.push_back(identity);
  return all;
}

TEST(ProblemIdentity, KeysAreHashesAndStable) {
  std::string key = someIdentity().trialKey({{"BM", 64}});
  EXPECT_THAT(key, SizeIs(64));
  EXPECT_EQ(key, someIdentity().trialKey({{"BM", 64}}));
}

TEST(ProblemIdentity, EveryMemberChangesBothKeys) {
  std::set<std::string> trials = {someIdentity().trialKey({{"BM", 64}})};
  std::set<std::string> decisions = {
      someIdentity().decisionKey(spaceWith({64}), search)};
  for (const ProblemIdentity &identity : neighbours()) {
    trials.insert(identity.trialKey({{"BM", 64}}));
    decisions.insert(identity.decisionKey(spaceWith({64}), search));
  }
  EXPECT_THAT(trials, SizeIs(8));
  EXPECT_THAT(decisions, SizeIs(8));
}

TEST(ProblemIdentity, MembersDoNotRunIntoEachOther) {
  ProblemIdentity one = someIdentity(), other = someIdentity();
  one.triple = "ab", one.chip = "c";
  other.triple = "a", other.chip = "bc";
  EXPECT_NE(one.trialKey({}), other.trialKey({}));
}

TEST(ProblemIdentity, ValuesChangeTheTrialKey) {
  ProblemIdentity identity = someIdentity();
  std::set<std::string> keys = {
      identity.trialKey({{"BM", 64}}), identity.trialKey({{"BM", 32}}),
      identity.trialKey({{"BM", "64"}}), identity.trialKey({{"BN", 64}})};
  EXPECT_THAT(keys, SizeIs(4));
}

TEST(ProblemIdentity, AddingAnOptionKeepsTrialsButNotDecisions) {
  ProblemIdentity identity = someIdentity();
  SearchSpace before = spaceWith({32, 64});
  SearchSpace after = spaceWith({16, 32, 64});
  // The point BM = 64, by its index in either space.
  EXPECT_EQ(identity.trialKey(before.values({{1}})),
            identity.trialKey(after.values({{2}})));
  EXPECT_NE(identity.decisionKey(before, search),
            identity.decisionKey(after, search));
}

TEST(ProblemIdentity, DefaultAndSearchChangeTheDecisionKey) {
  ProblemIdentity identity = someIdentity();
  SearchSpace first({{"BM", {32, 64}, 0}}), second({{"BM", {32, 64}, 1}});
  EXPECT_NE(identity.decisionKey(first, search),
            identity.decisionKey(second, search));
  Json longer = search;
  longer["budget_trials"] = 400;
  EXPECT_NE(identity.decisionKey(first, search),
            identity.decisionKey(first, longer));
}

TEST(ProblemIdentity, LatestDecisionIsFoundHoweverItWasTimed) {
  ProblemIdentity identity = someIdentity();
  identity.policy = {{"protocol", {{"cache_state", "cold"}}}, {"oracle", 3}};
  SearchSpace space = spaceWith({64});
  ProblemIdentity warm = identity, stricter = identity;
  warm.policy["protocol"]["cache_state"] = "warm";
  stricter.policy["oracle"] = 4;
  EXPECT_NE(identity.decisionKey(space, search),
            warm.decisionKey(space, search));
  EXPECT_EQ(identity.latestKey(space), warm.latestKey(space));
  EXPECT_NE(identity.latestKey(space), stricter.latestKey(space));
}

TEST(ProblemIdentity, BytesThatAreNoTextHaveKeysOfTheirOwn) {
  ProblemIdentity one = someIdentity(), other = someIdentity();
  one.device = "\xE9", other.device = "\xE8"; // printed, they are the same
  EXPECT_THAT(one.trialKey({}), SizeIs(64));
  EXPECT_NE(one.trialKey({}), other.trialKey({}));
  EXPECT_NE(one.decisionKey(spaceWith({64}), search),
            other.decisionKey(spaceWith({64}), search));
}

TEST(IsLasting, TransientOutcomesAreNoFacts) {
  // Every status: a new one belongs to one of the two.
  const std::map<Status, bool> lasts = {{Status::ok, true},
                                        {Status::pruned, true},
                                        {Status::bounded, false},
                                        {Status::over_limit, true},
                                        {Status::compile_error, true},
                                        {Status::compile_timeout, false},
                                        {Status::compile_crash, true},
                                        {Status::load_error, true},
                                        {Status::unlaunchable, true},
                                        {Status::out_of_memory, false},
                                        {Status::fault, true},
                                        {Status::hang, false},
                                        {Status::wrong, true},
                                        {Status::out_of_bounds, true},
                                        {Status::nondeterministic, true},
                                        {Status::different_bits, true},
                                        {Status::contended, false},
                                        {Status::lost, false}};
  ASSERT_THAT(lasts, SizeIs(static_cast<size_t>(Status::lost) + 1));
  for (auto [status, expected] : lasts)
    EXPECT_EQ(isLasting(status), expected) << toString(status);
}

TEST(TrialRecord, HoldsTheTrialByValue) {
  Trial trial;
  trial.configuration = {{1}};
  trial.status = Status::wrong;
  trial.message = "off by one";
  trial.usage.codeBytes = 7;
  trial.artifactHash = "fe";
  TrialRecord record = TrialRecord::of(trial, spaceWith({32, 64}));
  auto back = decode<TrialRecord>(Json::parse(Json(record).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->values, Json({{"BM", 64}}));
  EXPECT_EQ(back->status, Status::wrong);
  EXPECT_EQ(back->message, "off by one");
  EXPECT_EQ(back->usage, trial.usage);
  EXPECT_EQ(back->artifactHash, "fe");
  EXPECT_FALSE(back->measurement.has_value());
}

TEST(TrialRecord, KeepsTheMeasurement) {
  Trial trial;
  trial.configuration = {{0}};
  trial.measurement = Measurement{{3, 1, 1, 2, 3}, {3, 1, 1, 2, 3}, 0.5, {}};
  TrialRecord record = TrialRecord::of(trial, spaceWith({32}));
  auto back = decode<TrialRecord>(Json(record));
  ASSERT_TRUE(back.ok());
  ASSERT_TRUE(back->measurement.has_value());
  EXPECT_EQ(back->measurement->ratio, 0.5);
}

TEST(DecisionRecord, ComesBack) {
  DecisionRecord record;
  record.values = {{"BM", 64}};
  record.artifactHash = "fe";
  record.comparison.speedup = 2;
  record.trials = 60;
  record.seed = ~uint64_t(0);
  record.strategy = "random";
  record.versions = "tonno 0.1.0";
  auto back = decode<DecisionRecord>(Json::parse(Json(record).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(Json(*back), Json(record));
  EXPECT_EQ(back->seed, ~uint64_t(0));
  EXPECT_FALSE(decode<DecisionRecord>({{"values", {}}}).ok());
}
