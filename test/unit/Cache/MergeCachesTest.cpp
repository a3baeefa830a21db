//===- Merges do not depend on their order --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/MergeCaches.h"

#include "MadeCaches.h"

#include <algorithm>

using namespace tonno;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

class MergeCachesTest : public MadeCaches {
protected:
  MergeReport merge(const std::vector<std::string> &sources,
                    const std::string &target) {
    auto merger = CacheMerger::open(directory / target, warn);
    EXPECT_TRUE(merger.ok());
    for (const std::string &source : sources)
      EXPECT_TRUE(merger->merge(open(source), warn).ok());
    return merger->report();
  }
};

} // namespace

TEST_F(MergeCachesTest, AddsWhatIsMissing) {
  addTrial("a", makeTrial(8, Status::ok));
  addTrial("b", makeTrial(16, Status::ok));
  MergeReport report = merge({"a", "b"}, "into");
  EXPECT_EQ(report.added, 3u);
  EXPECT_EQ(report.equal, 1u); // the problem
  EXPECT_THAT(report.conflicts, IsEmpty());
  EXPECT_THAT(readAll("into"), SizeIs(3));
}

TEST_F(MergeCachesTest, SecondMergeChangesNothing) {
  addTrial("a", makeTrial(8, Status::ok));
  addDecision("a", makeDecision(8, Verdict::faster, 60));
  merge({"a"}, "into");
  auto before = readAll("into");
  MergeReport report = merge({"a"}, "into");
  EXPECT_EQ(report.equal, 3u);
  EXPECT_EQ(report.added + report.replaced + report.kept, 0u);
  EXPECT_EQ(readAll("into"), before);
}

TEST_F(MergeCachesTest, DisagreementStaysVisible) {
  std::string key = addDecision("a", makeDecision(8, Verdict::faster, 60));
  addDecision("b", makeDecision(16, Verdict::faster, 400));
  MergeReport report = merge({"a", "b"}, "into");
  EXPECT_THAT(report.conflicts, ElementsAre(key));
  auto records = open("into").read(key, warn);
  ASSERT_THAT(*records, SizeIs(2));
  EXPECT_EQ(records->at(0).record["values"]["BM"], 16); // of more trials
  EXPECT_TRUE(records->at(1).isConflict);
  EXPECT_EQ(records->at(1).record["values"]["BM"], 8);
}

TEST_F(MergeCachesTest, OtherTimesAreNoDisagreement) {
  addTrial("a", makeTrial(8, Status::ok, 1e-3));
  addTrial("b", makeTrial(8, Status::ok, 2e-3));
  EXPECT_THAT(merge({"a", "b"}, "into").conflicts, IsEmpty());
  EXPECT_THAT(readAll("into"), SizeIs(2));
}

// A busy machine measures less.
TEST_F(MergeCachesTest, TheHighestPeaksStayWithoutAConflict) {
  auto add = [&](const std::string &name, double macs) {
    DevicePeaks peaks;
    peaks.macs = macs;
    insert(name, computeKey({{"peaks", 1}}),
           {{"peaks", peaks}, {"device", "cpu"}});
  };
  add("a", 5e10);
  add("b", 6e10);
  add("c", 3e10);
  EXPECT_THAT(merge({"a", "b", "c"}, "into").conflicts, IsEmpty());
  auto records = open("into").read(computeKey({{"peaks", 1}}), warn);
  ASSERT_THAT(*records, SizeIs(1));
  EXPECT_EQ(records->at(0).record["peaks"]["macs_per_second"], 6e10);
}

TEST_F(MergeCachesTest, EveryOrderGivesTheSameCache) {
  addDecision("a", makeDecision(8, Verdict::faster, 60));
  addDecision("b", makeDecision(16, Verdict::faster, 60));
  addDecision("c", makeDecision(8, Verdict::tie, 400));
  addDecision("d", makeDecision(8, Verdict::faster, 61));
  addTrial("a", makeTrial(8, Status::ok, 1e-3));
  addTrial("b", makeTrial(8, Status::wrong));
  addTrial("c", makeTrial(8, Status::ok, 2e-3));
  std::vector<std::string> order = {"a", "b", "c", "d"};
  std::map<std::string, std::string> first;
  int number = 0;
  do {
    std::string target = "into" + std::to_string(number++);
    // Through a cache of two, as teams do.
    merge({order[0], order[1]}, target + "-half");
    merge({target + "-half", order[2], order[3]}, target);
    if (number == 1)
      first = readAll(target);
    EXPECT_EQ(readAll(target), first) << testing::PrintToString(order);
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(number, 24);
  // The decisions have three answers, the trials two.
  EXPECT_THAT(first, SizeIs(6));
}

TEST_F(MergeCachesTest, DamagedRecordIsReplaced) {
  std::string key = addDecision("a", makeDecision(8, Verdict::faster, 60));
  addDecision("into", makeDecision(16, Verdict::faster, 60));
  std::filesystem::resize_file(getRecordPath(directory / "into", key), 50);
  EXPECT_EQ(merge({"a"}, "into").added, 1u);
  EXPECT_EQ(readAll("into"), readAll("a"));
  EXPECT_THAT(warnings, SizeIs(1));
}

TEST_F(MergeCachesTest, CacheIsNotMergedIntoItself) {
  addTrial("a", makeTrial(8, Status::ok));
  auto merger = CacheMerger::open(directory / "a", warn);
  EXPECT_FALSE(merger->merge(open("a"), warn).ok());
}
