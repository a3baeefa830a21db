//===- A session that was cut short is not lost ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/SessionJournal.h"

#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

class SessionJournalTest : public testing::Test {
protected:
  Result<SessionJournal> open(bool resume = false) {
    return open({"", directory.path()}, resume);
  }
  Result<SessionJournal> open(const JournalLocation &place, bool resume) {
    warnings.clear();
    return SessionJournal::open(
        place, "s", "matmul", resume,
        [this](const std::string &message) { warnings.push_back(message); });
  }

  /// Begins a session that stops after `trials` trials without an end record.
  void cutShort(int trials) {
    auto journal = open();
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->begin({{"trials", trials}}).ok());
    for (int x = 0; x < trials; ++x)
      ASSERT_TRUE(journal->journal()->add("s", trialOf(x)).ok());
  }
  static JournaledTrial trialOf(int x) {
    JournaledTrial trial;
    trial.record.values = {{"X", x}};
    trial.record.status = Status::wrong;
    return trial;
  }

  TemporaryDirectory directory;
  std::filesystem::path file = directory / "s.jsonl";
  std::string before = directory / "s.jsonl.before";
  std::vector<std::string> warnings;
};

} // namespace

TEST_F(SessionJournalTest, SessionThatWasCutShortIsKeptByTheNext) {
  cutShort(5);
  ASSERT_TRUE(open()->begin(Json::object()).ok());
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("after 5 trials"),
                                          HasSubstr("'--journal=" + before))));
  // The warning's advice works.
  auto resumed = open({before, ""}, /*resume=*/true);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  ASSERT_NE(resumed->past(), nullptr);
  EXPECT_THAT(resumed->past()->trials, SizeIs(5));
  // Resuming without it continues the next session.
  EXPECT_THAT(open(/*resume=*/true)->past()->trials, IsEmpty());
}

TEST_F(SessionJournalTest, OneThatHasComeToAnEndIsNotKept) {
  cutShort(5);
  ASSERT_TRUE(open(/*resume=*/true)
                  ->end("question", DecisionRecord(), Json::object())
                  .ok());
  ASSERT_TRUE(open()->begin(Json::object()).ok());
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(before));
}

TEST_F(SessionJournalTest, WhatIsNotEvenBegunLosesNothing) {
  cutShort(5);
  ASSERT_TRUE(open().ok()); // and ends, since the reference does not compile
  EXPECT_THAT(open(/*resume=*/true)->past()->trials, SizeIs(5));
}

TEST_F(SessionJournalTest, WhatCannotBeKeptStaysWhereItIs) {
  cutShort(5);
  std::string kept = *readFile(file);
  std::filesystem::create_directories(std::filesystem::path(before) / "x");
  {
    auto next = open();
    EXPECT_FALSE(next->begin(Json::object()).ok()); // which the user hears
    ASSERT_TRUE(next->journal()->add("s", trialOf(7)).ok());
  }
  EXPECT_TRUE(readFile(file)->starts_with(kept));
  EXPECT_THAT(open(/*resume=*/true)->past()->trials, SizeIs(1));
}

TEST_F(SessionJournalTest, WhatAKilledOneWasWritingIsCleanedUp) {
  std::string killed = before + ".tmp.1", other = directory / "other.tmp.1";
  ASSERT_TRUE(writeFileAtomically(killed, "half").ok());
  ASSERT_TRUE(writeFileAtomically(other, "not ours").ok());
  auto living = AtomicFile::create(before);
  ASSERT_TRUE(open().ok());
  EXPECT_FALSE(std::filesystem::exists(killed));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(living->commit().ok());
}

TEST_F(SessionJournalTest, SessionThatEndedWithAnErrorIsNotOffered) {
  cutShort(5);
  {
    auto journal = open(/*resume=*/true);
    ASSERT_TRUE(journal->journal()->fail("s", "no candidate ran").ok());
  }
  ASSERT_TRUE(open().ok());
  EXPECT_THAT(warnings, IsEmpty());
}
