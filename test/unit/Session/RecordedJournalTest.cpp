//===- Journals as recorded spaces ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/RecordedJournal.h"
#include "tonno/Cache/Journal.h"
#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>
#include <zlib.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class RecordedJournalTest : public testing::Test {
protected:
  void SetUp() override { begin("a", "matmul"); }

  void begin(const std::string &session, const std::string &kernel) {
    SearchSpace space({{"BM", {64, 16, 32}, 0}, {"V", {false, true}, 0}});
    ASSERT_TRUE(
        journal()
            ->begin(session,
                    {{"kernel", kernel}, {"device", "host"}, {"space", space}})
            .ok());
  }
  void add(const std::string &session, const Json &values, Status status,
           double ratio, double baseline = 2) {
    JournaledTrial trial;
    trial.record.values = values;
    trial.record.status = status;
    if (status == Status::ok || status == Status::pruned) {
      double seconds = ratio * (baseline == 0 ? 3 : baseline);
      trial.record.measurement = Measurement{
          {6, seconds, seconds, seconds, seconds}, {}, ratio, {ratio, ratio}};
      if (baseline > 0)
        trial.record.measurement->baselineSeconds = {6, baseline, baseline,
                                                     baseline, baseline};
    }
    trial.compileSeconds = 0.25;
    trial.runSeconds = 0.5;
    ASSERT_TRUE(journal()->add(session, trial).ok());
  }
  std::unique_ptr<Journal> journal() {
    auto opened = Journal::open(file, [](const std::string &) {});
    EXPECT_TRUE(opened.ok());
    return std::move(*opened);
  }
  std::vector<Recording> recordings() {
    auto read = readRecordings(file);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read ? std::move(*read) : std::vector<Recording>();
  }

  TemporaryDirectory directory;
  std::filesystem::path file = directory / "journal.jsonl";
};

} // namespace

TEST_F(RecordedJournalTest, HasWhatASessionTried) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  add("a", {{"BM", 16}, {"V", true}}, Status::ok, 0.5, 2.2); // a slower moment
  add("a", {{"BM", 16}, {"V", false}}, Status::pruned, 1.5);
  add("a", {{"BM", 64}, {"V", true}}, Status::wrong, 0);
  add("a", {{"BM", 32}, {"V", true}}, Status::contended, 0);
  add("a", {{"BM", 32}, {"V", true}}, Status::lost, 0);
  std::vector<Recording> read = recordings();
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].name(), "matmul__host");
  std::vector<Knob> knobs = {{"BM", {16, 64}, 1}, {"V", {false, true}, 0}};
  EXPECT_EQ(read[0].space().knobs(), knobs);
  RecordedCost cost = {0.25, 0.5, 0};
  std::vector<RecordedTrial> trials = {{{{1, 0}}, Status::ok, 2, cost},
                                       {{{0, 1}}, Status::ok, 1, cost},
                                       {{{0, 0}}, Status::ok, 3, cost},
                                       {{{1, 1}}, Status::wrong, 0, cost}};
  EXPECT_EQ(read[0].trials(), trials);
  EXPECT_EQ(read[0].disturbed(), 2u);
}

TEST_F(RecordedJournalTest, WithoutABaselineTimesStandForThemselves) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1, 0);
  EXPECT_EQ(recordings()[0].bestSeconds(), 3);
}

TEST_F(RecordedJournalTest, SessionsAreRecordingsSinceTheyLastBegan) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  begin("b", "softmax");
  add("b", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  begin("a", "matmul");
  add("a", {{"BM", 16}, {"V", true}}, Status::ok, 0.5);
  std::vector<Recording> read = recordings();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].bestSeconds(), 1);
  EXPECT_EQ(read[0].trials().size(), 1u);
  EXPECT_EQ(read[1].name(), "softmax__host");
}

TEST_F(RecordedJournalTest, AKilledWritersLastLineIsLeftOutADamagedOneIsNot) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  add("a", {{"BM", 16}, {"V", false}}, Status::ok, 1);
  std::string text = *readFile(file);
  EXPECT_EQ(
      parseJournal(text.substr(0, text.size() - 5))->at(0).trials().size(), 1u);
  text[text.find("compile_seconds") + 18] ^= 1;
  EXPECT_THAT(parseJournal(text).error().message,
              AllOf(HasSubstr("line 2"), HasSubstr("checksum")));
}

TEST_F(RecordedJournalTest, ALineWithoutAnEndIsNoted) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  add("a", {{"BM", 16}, {"V", false}}, Status::ok, 1);
  std::string text = *readFile(file);
  EXPECT_THAT(parseJournal(text)->at(0).notes(), testing::IsEmpty());
  text.resize(text.size() - 5);
  EXPECT_THAT(parseJournal(text)->at(0).notes(),
              testing::ElementsAre(AllOf(HasSubstr("line 3 is incomplete"),
                                         HasSubstr("left out"))));
  // Within its first line it is a journal still, and none of another format.
  writeText(file, text.substr(0, 100));
  EXPECT_THAT(readRecordings(file).error().message,
              AllOf(HasSubstr("no complete line"), HasSubstr("line 1")));
}

TEST_F(RecordedJournalTest, LinesMayHaveOtherEndsAndEmptyOnesBetween) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  std::string text;
  for (char each : "\n" + *readFile(file))
    text += each == '\n' ? "\r\n" : std::string(1, each);
  writeText(file, text);
  EXPECT_EQ(recordings().at(0).trials().size(), 1u);
  EXPECT_TRUE(isJournalText(text));
  EXPECT_EQ(readJournalText(text).damaged, 0u);
}

TEST_F(RecordedJournalTest, MayBeCompressed) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  gzFile compressed = gzopen((directory / "j.gz").c_str(), "wb");
  std::string text = *readFile(file);
  gzwrite(compressed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(compressed);
  auto read = readRecordings(directory / "j.gz");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->at(0).name(), "matmul__host");
}

TEST_F(RecordedJournalTest, WhatFailedWhenItWasTestedHasFailed) {
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  add("a", {{"BM", 16}, {"V", false}}, Status::ok, 0.5);
  TrialRecord failed;
  failed.values = {{"BM", 16}, {"V", false}};
  failed.status = Status::wrong;
  ASSERT_TRUE(journal()->amend("a", failed).ok());
  std::vector<Recording> read = recordings();
  EXPECT_EQ(read[0].trials()[1].status, Status::wrong);
  EXPECT_EQ(read[0].bestSeconds(), 2);
  failed.values = {{"BM", 32}, {"V", false}};
  ASSERT_TRUE(journal()->amend("a", failed).ok());
  EXPECT_THAT(readRecordings(file).error().message,
              AllOf(HasSubstr("line 5"), HasSubstr("unknown trial")));
}

TEST_F(RecordedJournalTest, TimesThatWereDisturbedAreNoted) {
  JournaledTrial trial;
  trial.record.values = {{"BM", 64}, {"V", false}};
  trial.record.measurement = Measurement{{20, 1, 1, 1, 1}, {}, 1, {0.95, 1.04}};
  ASSERT_TRUE(journal()->add("a", trial).ok());
  EXPECT_THAT(recordings()[0].notes(), testing::IsEmpty());
  trial.record.values["BM"] = 16;
  trial.record.measurement->ratioInterval = {0.8, 1.3};
  ASSERT_TRUE(journal()->add("a", trial).ok());
  // The precision of a pruned candidate's time does not matter.
  trial.record.values["BM"] = 32;
  trial.record.status = Status::pruned;
  ASSERT_TRUE(journal()->add("a", trial).ok());
  EXPECT_THAT(recordings()[0].notes(),
              testing::ElementsAre(
                  HasSubstr("at least 10 % uncertain: 1 of the times")));
}

TEST_F(RecordedJournalTest, WhatSaysNothingIsAnError) {
  EXPECT_THAT(readRecordings(file).error().message,
              AllOf(HasSubstr(file.string()), HasSubstr("matmul__host"),
                    HasSubstr("no entries")));
  add("a", {{"BM", 64}, {"V", false}}, Status::fault, 1);
  EXPECT_THAT(readRecordings(file).error().message,
              HasSubstr("no configuration is valid"));
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, 1);
  EXPECT_THAT(readRecordings(file).error().message,
              AllOf(HasSubstr("line 3"), HasSubstr("another outcome")));
  begin("a", "matmul");
  add("a", {{"BM", 64}, {"V", false}}, Status::ok, -1);
  EXPECT_THAT(readRecordings(file).error().message,
              AllOf(HasSubstr("line 5"), HasSubstr("'seconds.min' is -2")));
  EXPECT_THAT(parseJournal("").error().message, HasSubstr("no sessions"));
  for (const Json &line : {Json{{"session", "b"}, {"trial", Json::object()}},
                           Json{{"begin", Json::object()}},
                           Json{{"session", "b"}, {"begin", Json::object()}}})
    EXPECT_THAT(parseJournal(sealLine(line) + "\n").error().message,
                HasSubstr("line 1"));
}

TEST_F(RecordedJournalTest, OtherFilesAreReadToo) {
  writeText(directory / "x.csv", "a,time_ms\n1,2\n");
  auto read = readRecordings(directory / "x.csv");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->at(0).name(), "x");
  EXPECT_FALSE(readRecordings(directory / "none").ok());
  writeText(directory / "x.csv", "a\n");
  EXPECT_FALSE(readRecordings(directory / "x.csv").ok());
}
