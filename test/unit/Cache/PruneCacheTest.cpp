//===- Removal by age, device and versions --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/PruneCache.h"
#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/FileDate.h"

#include "MadeCaches.h"

#include <fstream>

using namespace tonno;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

class PruneCacheTest : public MadeCaches {
protected:
  PruneReport prune(const PruneConditions &conditions, bool isDry = false) {
    auto report = pruneCache(open("a"), conditions, isDry, warn);
    EXPECT_TRUE(report.ok());
    return *report;
  }
};

} // namespace

TEST_F(PruneCacheTest, RemovesOfADevice) {
  addTrial("a", makeTrial(8, Status::ok), makeIdentity("k", "old cpu"));
  addTrial("a", makeTrial(8, Status::ok), makeIdentity("k", "new cpu"));
  addDecision("a", makeDecision(8, Verdict::faster, 60),
              makeIdentity("k", "old cpu"));
  EXPECT_EQ(prune({.device = "old cpu"}, /*isDry=*/true).removed, 3u);
  EXPECT_THAT(readAll("a"), SizeIs(5));
  PruneReport report = prune({.device = "old cpu"});
  EXPECT_EQ(report.removed, 3u);
  EXPECT_EQ(report.left, 2u);
  EXPECT_THAT(readAll("a"), SizeIs(2));
}

TEST_F(PruneCacheTest, RemovesOfVersions) {
  addTrial("a", makeTrial(8, Status::ok), makeIdentity("k", "cpu", "tonno 1"));
  addTrial("a", makeTrial(8, Status::ok), makeIdentity("k", "cpu", "tonno 2"));
  EXPECT_EQ(prune({.madeBy = "tonno 1"}).removed, 2u);
  EXPECT_THAT(readAll("a"), SizeIs(2));
}

TEST_F(PruneCacheTest, RemovesOldOnesButNoProblemThatOthersName) {
  addTrial("a", makeTrial(8, Status::ok));
  addTrial("a", makeTrial(16, Status::ok));
  std::string old = makeIdentity().trialKey({{"BM", 8}});
  for (const std::string &key : {old, makeIdentity().problemKey()})
    setFileDate(getRecordPath(directory / "a", key), "2001-01-01T00:00:00Z");
  PruneReport report = prune({.olderThanSeconds = 86400});
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(report.left, 2u);
  EXPECT_TRUE(open("a").findProblem(makeIdentity().problemKey()).has_value());
}

TEST_F(PruneCacheTest, UnknownOriginStays) {
  insert("a", makeIdentity().bestKey(), {{"best", Json::array()}});
  PruneReport report = prune({.device = "cpu"});
  EXPECT_EQ(report.removed, 0u);
  EXPECT_EQ(report.unknown, 1u);
}

TEST_F(PruneCacheTest, RemovesOfAKind) {
  insert("a", makeIdentity().bestKey(), {{"best", Json::array()}});
  insert("a", computeKey({{"peaks", 1}}),
         {{"peaks", Json::object()}, {"device", "cpu"}});
  EXPECT_EQ(prune({.device = "other"}).removed, 0u);
  PruneReport report = prune({.kind = RecordKind::peaks});
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(report.left, 1u);
}

TEST_F(PruneCacheTest, ConditionsAreNeeded) {
  auto report = pruneCache(open("a"), {}, false, warn);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("--older-than"));
}

TEST(ParseAge, TakesUnitsAndNothingElse) {
  EXPECT_EQ(*parseAge("90s"), 90);
  EXPECT_EQ(*parseAge("1.5h"), 5400);
  EXPECT_EQ(*parseAge("2w"), 14 * 86400);
  for (const char *wrong : {"", "30", "d", "30dd", "-3d", "nand", "30 d"})
    EXPECT_FALSE(parseAge(wrong).ok()) << wrong;
}

TEST_F(PruneCacheTest, RemovesDamagedFilesAlone) {
  std::string whole = addDecision("a", makeDecision(8, Verdict::faster, 60));
  addTrial("a", makeTrial(8, Status::ok));
  std::string torn = makeIdentity().trialKey({{"BM", 8}});
  const auto path = getRecordPath(directory / "a", torn);
  const auto conflict = getConflictPath(directory / "a", whole, "abc");
  auto corrupt = path;
  corrupt += corruptEnding;
  for (const auto &file : {path, conflict, corrupt})
    std::ofstream(file) << "x";
  EXPECT_EQ(prune({.olderThanSeconds = 86400, .damaged = true}).left, 3u);
  EXPECT_EQ(prune({.damaged = true}, /*isDry=*/true).removed, 3u);
  EXPECT_TRUE(exists(path));
  EXPECT_EQ(prune({.damaged = true}).removed, 3u);
  for (const auto &file : {path, conflict, corrupt})
    EXPECT_FALSE(exists(file));
  EXPECT_TRUE(exists(getRecordPath(directory / "a", whole)));
  auto report =
      pruneCache(open("a"), {.device = "cpu", .damaged = true}, false, warn);
  EXPECT_THAT(report.error().message, HasSubstr("neither kind"));
}
