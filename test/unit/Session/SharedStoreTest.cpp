//===- A local store in front of a shared one -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedStore.h"
#include "tonno/Cache/Records.h"
#include "tonno/Core/Hash.h"

#include <gmock/gmock.h>
#include <map>
#include <vector>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A store in memory that outlives its owner's copy, with its requests.
struct CountedStore {
  std::map<std::string, Json> records;
  std::vector<std::string> requests;
};

class StoreView : public RecordStore {
public:
  explicit StoreView(CountedStore &store) : store(store) {}

  std::optional<Json> find(const std::string &key) override {
    store.requests.push_back("find " + key.substr(0, 4));
    auto found = store.records.find(key);
    return found == store.records.end() ? std::nullopt
                                        : std::optional(found->second);
  }
  Result<void> insert(const std::string &key, const Json &record) override {
    store.requests.push_back("insert " + key.substr(0, 4));
    store.records[key] = record;
    return {};
  }

private:
  CountedStore &store;
};

class SharedStoreTest : public testing::Test {
protected:
  std::unique_ptr<SharedStore> open(bool isReadOnly = false) {
    return std::make_unique<SharedStore>(
        std::make_unique<StoreView>(own), std::make_unique<StoreView>(shared),
        isReadOnly,
        [this](const std::string &message) { warnings.push_back(message); });
  }

  static Json makeQuestion(const std::string &device) {
    return {{"device", device}, {"search", {{"trials", 60}}}};
  }
  static Json makeDecision(const Json &question) {
    DecisionRecord decision;
    decision.values = {{"BM", 8}};
    Json record = decision;
    record[questionMember] = question;
    return record;
  }

  Json question = makeQuestion("cpu");
  std::string key = computeKey(question);
  Json decision = makeDecision(question);
  CountedStore own, shared;
  std::vector<std::string> warnings;
};

} // namespace

TEST_F(SharedStoreTest, MissIsReadThroughAndKept) {
  shared.records[key] = decision;
  EXPECT_EQ(open()->find(key), decision);
  EXPECT_EQ(own.records[key], decision);
  shared.requests.clear();
  EXPECT_EQ(open()->find(key), decision);
  EXPECT_THAT(shared.requests, IsEmpty()); // the copy was read
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(SharedStoreTest, MissIsAskedForOnce) {
  auto store = open();
  EXPECT_FALSE(store->find(key));
  EXPECT_FALSE(store->find(key));
  EXPECT_EQ(shared.requests.size(), 1u);
  ASSERT_TRUE(store->insert(key, decision).ok());
  EXPECT_EQ(store->find(key), decision);
}

TEST_F(SharedStoreTest, RecordsOfOtherQuestionsAreMisses) {
  Json foreign = makeDecision(makeQuestion("another cpu"));
  Json without = decision;
  without.erase(questionMember);
  Json damaged = decision;
  damaged["comparison"] = "faster";
  TrialRecord trial;
  trial.values = {{"BM", 8}};
  for (const Json &record :
       {foreign, without, damaged, Json(trial), Json(3), Json{{"peaks", {}}}}) {
    shared.records[key] = record;
    EXPECT_FALSE(open()->find(key)) << record;
    EXPECT_THAT(own.records, IsEmpty()) << record;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("answers another question")));
    warnings.clear();
  }
}

TEST_F(SharedStoreTest, OnlyWhatOtherMachinesNeedIsInserted) {
  auto store = open();
  TrialRecord trial;
  trial.values = {{"BM", 8}};
  const std::string best = sha256("best"), other = sha256("other");
  ASSERT_TRUE(store->insert(key, decision).ok());
  ASSERT_TRUE(store->insert(best, {{"best", {{{"BM", 8}}}}}).ok());
  ASSERT_TRUE(store->insert(other, trial).ok());
  EXPECT_EQ(own.records.size(), 3u);
  EXPECT_EQ(shared.records.size(), 2u);
  EXPECT_FALSE(shared.records.contains(other));
}

TEST_F(SharedStoreTest, ReadOnlyStoreInsertsNothing) {
  ASSERT_TRUE(open(/*isReadOnly=*/true)->insert(key, decision).ok());
  EXPECT_THAT(shared.requests, IsEmpty());
}

TEST_F(SharedStoreTest, LocalRecordsCauseNoRequest) {
  auto store = open();
  EXPECT_FALSE(store->local().find(key));
  ASSERT_TRUE(store->local().insert(key, decision).ok());
  EXPECT_THAT(shared.requests, IsEmpty());
}
