//===- Records found without their keys -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MadeCaches.h"

#include <fstream>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using CacheDirectoryTest = MadeCaches;

TEST_F(CacheDirectoryTest, VisitsKindsInTheOrderOfKeys) {
  addTrial("a", makeTrial(8, Status::ok));
  addTrial("a", makeTrial(16, Status::wrong));
  addDecision("a", makeDecision(8, Verdict::faster, 60));
  std::vector<std::string> keys;
  auto collect = [&](const StoredRecord &stored) {
    keys.push_back(stored.key);
    EXPECT_EQ(stored.kind, RecordKind::trial);
    return true;
  };
  EXPECT_EQ(open("a").visit({RecordKind::trial}, collect, warn), 2u);
  EXPECT_THAT(keys, SizeIs(2));
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  EXPECT_THAT(readAll("a"), SizeIs(4));
}

TEST_F(CacheDirectoryTest, LatestDecisionIsAKindOfItsOwn) {
  Json record = makeDecision(8, Verdict::faster, 60);
  EXPECT_EQ(classifyRecord(record), RecordKind::decision);
  record[questionMember] = makeIdentity().latestQuestion(makeSpace({8}));
  EXPECT_EQ(classifyRecord(record), RecordKind::latest);
}

TEST_F(CacheDirectoryTest, ProblemsAreToldWithAndWithoutFeatures) {
  ProblemRecord problem = {makeIdentity()};
  EXPECT_EQ(classifyRecord(Json(problem)), RecordKind::problem);
  problem.features.ops.push_back({"contraction", 32, {}, {}});
  EXPECT_EQ(classifyRecord(Json(problem)), RecordKind::problem);
  EXPECT_EQ(classifyRecord(Json(makeTrial(8, Status::ok))), RecordKind::trial);
}

TEST_F(CacheDirectoryTest, EndsWhereTheVisitorHasEnough) {
  addTrial("a", makeTrial(8, Status::ok));
  addTrial("a", makeTrial(16, Status::ok));
  int visited = 0;
  open("a").visit(
      {}, [&](const StoredRecord &) { return ++visited < 2; }, warn);
  EXPECT_EQ(visited, 2);
}

TEST_F(CacheDirectoryTest, DamagedRecordIsLeftOutWithAWarning) {
  std::string key = addDecision("a", makeDecision(8, Verdict::faster, 60));
  std::ofstream(getRecordPath(directory / "a", key)) << "{\"comparison\": 1}";
  EXPECT_THAT(readAll("a"), SizeIs(0));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("is damaged")));
}

TEST_F(CacheDirectoryTest, KeysAreFoundByTheirFirstDigits) {
  std::string key = addDecision("a", makeDecision(8, Verdict::faster, 60));
  EXPECT_EQ(*open("a").resolveKey(key.substr(0, 6)), key);
  EXPECT_THAT(open("a").resolveKey("zz").error().message,
              HasSubstr("at least 4"));
  EXPECT_THAT(open("a")
                  .resolveKey(std::string(6, key[0] == '0' ? '1' : '0'))
                  .error()
                  .message,
              HasSubstr("has no record"));
}

TEST_F(CacheDirectoryTest, MissingDirectoryIsAnErrorWithARemedy) {
  EXPECT_THAT(CacheDirectory::open(directory / "none").error().message,
              HasSubstr("--cache-dir"));
}

TEST_F(CacheDirectoryTest, ADamagedConflictDoesNotHideTheRecord) {
  std::string key = addDecision("a", makeDecision(8, Verdict::faster, 60));
  std::ofstream(getConflictPath(directory / "a", key, "abc")) << "x";
  auto records = open("a").read(key, warn);
  ASSERT_TRUE(records.ok());
  EXPECT_THAT(*records, SizeIs(1));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("cache prune --damaged")));
}

TEST_F(CacheDirectoryTest, ALargeRecordIsNotRead) {
  std::string key = addDecision("a", makeDecision(8, Verdict::faster, 60));
  const auto path = getRecordPath(directory / "a", key);
  std::filesystem::resize_file(path, mostRecordBytes + 1);
  EXPECT_FALSE(open("a").read(key, warn).ok());
  EXPECT_THAT(open("a").findDamaged(), ElementsAre(path));
}
