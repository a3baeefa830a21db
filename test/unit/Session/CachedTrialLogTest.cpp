//===- Tests for cached trials --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/CachedTrialLog.h"

#include "Engine/Fakes.h"
#include "MemoryStore.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class CachedTrialLogTest : public testing::Test, protected TuneObserver {
protected:
  void record(const Trial &trial, const Trial *) override { ++told; }
  void warn(const std::string &message) override {
    warnings.push_back(message);
  }

  static Trial trialWith(Status status) {
    Trial trial;
    trial.configuration = {{4}};
    trial.status = status;
    trial.message = "because";
    trial.artifactHash = "fe";
    if (status == Status::ok || status == Status::pruned)
      trial.measurement = measuredAs(0.5).measurement;
    return trial;
  }

  SearchSpace space = tenPoints();
  ProblemIdentity identity;
  MemoryStore store;
  CachedTrialLog log = CachedTrialLog(store, identity, space, *this);
  TrialLogs logs = TrialLogs({this, &log});
  int told = 0;
  std::vector<std::string> warnings;
};

} // namespace

TEST_F(CachedTrialLogTest, RecallsFailuresThatLast) {
  EXPECT_FALSE(log.recall({{4}}).has_value());
  logs.record(trialWith(Status::wrong), nullptr);
  auto trial = log.recall({{4}});
  ASSERT_TRUE(trial.has_value());
  EXPECT_EQ(trial->configuration, (Configuration{{4}}));
  EXPECT_EQ(trial->status, Status::wrong);
  EXPECT_EQ(trial->artifactHash, "fe");
  EXPECT_THAT(trial->message, HasSubstr("because"));
  EXPECT_FALSE(log.recall({{5}}).has_value());
}

TEST_F(CachedTrialLogTest, KeepsTimesButDoesNotRecallThem) {
  for (Status status : {Status::ok, Status::pruned}) {
    logs.record(trialWith(status), nullptr);
    EXPECT_EQ(store.records.size(), 1u);
    EXPECT_FALSE(log.recall({{4}}).has_value());
  }
}

TEST_F(CachedTrialLogTest, RecallsWhatFailedSince) {
  logs.record(trialWith(Status::ok), nullptr);
  log.amend(trialWith(Status::wrong));
  ASSERT_TRUE(log.recall({{4}}).has_value());
  EXPECT_EQ(log.recall({{4}})->status, Status::wrong);
  EXPECT_EQ(told, 1);
}

TEST_F(CachedTrialLogTest, WhatIsThereIsNotWrittenAgain) {
  for (int i = 0; i < 3; ++i)
    logs.record(trialWith(Status::ok), nullptr);
  EXPECT_EQ(store.writes, 1);
  EXPECT_EQ(told, 3);
  logs.record(trialWith(Status::wrong), nullptr);
  EXPECT_EQ(store.writes, 2);
}

TEST_F(CachedTrialLogTest, EachStatusIsKeptAndRecalledIfItLasts) {
  for (size_t i = 0; i <= static_cast<size_t>(Status::lost); ++i) {
    auto status = static_cast<Status>(i);
    store.records.clear();
    logs.record(trialWith(status), nullptr);
    EXPECT_EQ(store.records.size(), isLasting(status) ? 1u : 0u)
        << toString(status);
    bool isTime = status == Status::ok || status == Status::pruned;
    EXPECT_EQ(log.recall({{4}}).has_value(), isLasting(status) && !isTime)
        << toString(status);
  }
  EXPECT_EQ(told, static_cast<int>(Status::lost) + 1);
}

TEST_F(CachedTrialLogTest, TransientOutcomeInAStoreIsNotBelieved) {
  // Another version may have stored such outcomes.
  for (Status status : {Status::compile_timeout, Status::out_of_memory,
                        Status::hang, Status::contended, Status::lost}) {
    store.records[identity.trialKey(space.values({{4}}))] =
        TrialRecord::of(trialWith(status), space);
    EXPECT_FALSE(log.recall({{4}}).has_value()) << toString(status);
  }
}

TEST_F(CachedTrialLogTest, RecordThatDoesNotDecodeIsAMiss) {
  store.records[identity.trialKey(space.values({{4}}))] = {{"status", 5}};
  EXPECT_FALSE(log.recall({{4}}).has_value());
}

TEST_F(CachedTrialLogTest, WarnsOnceOfAStoreThatFails) {
  store.fails = true;
  logs.record(trialWith(Status::ok), nullptr);
  logs.record(trialWith(Status::wrong), nullptr);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("the disk is full")));
  EXPECT_EQ(told, 2);
}
