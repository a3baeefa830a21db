//===- Tests for stored decisions -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/DecisionStore.h"

#include "Engine/Fakes.h"
#include "MemoryStore.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

class DecisionStoreTest : public testing::Test {
protected:
  static DecisionRecord decided(int x, Verdict verdict, uint64_t trials) {
    DecisionRecord decision;
    decision.values = {{"X", x}};
    decision.comparison = *comparedAs(verdict, 1.5).comparison;
    decision.trials = trials;
    return decision;
  }
  void keep(const DecisionRecord &decision) {
    EXPECT_TRUE(storeDecision(store, question, decision).ok());
  }
  int valueOf(const std::string &key) {
    auto found = findDecision(store, key, space, [](const auto &) {});
    return found ? found->values.at("X").get<int>() : -1;
  }

  SearchSpace space = tenPoints();
  ProblemIdentity identity;
  DecisionQuestion question = {identity, space, {{"strategy", "random"}}};
  std::string own = identity.decisionKey(space, question.search);
  std::string latest = identity.latestKey(space);
  MemoryStore store;
};

} // namespace

TEST_F(DecisionStoreTest, LaterDecisionReplacesTheLatest) {
  keep(decided(3, Verdict::faster, 60));
  EXPECT_EQ(valueOf(latest), 3);
  keep(decided(4, Verdict::faster, 2));
  EXPECT_EQ(valueOf(latest), 4);
  keep(decided(0, Verdict::tie, 60));
  EXPECT_EQ(valueOf(latest), 0);
  EXPECT_EQ(valueOf(own), 0);
}

TEST_F(DecisionStoreTest, ShortSearchThatFoundNothingRefutesNoLongerOne) {
  keep(decided(3, Verdict::faster, 60));
  keep(decided(0, Verdict::tie, 1));
  EXPECT_EQ(valueOf(latest), 3);
  EXPECT_EQ(valueOf(own), 0);
}

TEST_F(DecisionStoreTest, RecordOfAnotherSpaceIsReplaced) {
  store.records[latest] = decided(10, Verdict::faster, 60); // X ends at 9
  keep(decided(0, Verdict::tie, 1));
  EXPECT_EQ(valueOf(latest), 0);
}

TEST_F(DecisionStoreTest, RecordsStateTheQuestionsThatTheirKeysHash) {
  keep(decided(3, Verdict::faster, 60));
  EXPECT_EQ(store.records.size(), 2u);
  for (const auto &[key, record] : store.records)
    EXPECT_EQ(computeKey(record.at(questionMember)), key);
  EXPECT_EQ(store.records[latest][questionMember]["search"], latestSearch);
}

TEST_F(DecisionStoreTest, FailureOfTheStoreIsTold) {
  store.fails = true;
  EXPECT_FALSE(
      storeDecision(store, question, decided(3, Verdict::faster, 60)).ok());
}
