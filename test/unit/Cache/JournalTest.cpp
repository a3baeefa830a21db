//===- Lines are there whole or not at all --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Journal.h"
#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

class JournalTest : public testing::Test {
protected:
  std::unique_ptr<Journal> open() {
    auto journal = Journal::open(file, [this](const std::string &message) {
      warnings.push_back(message);
    });
    EXPECT_TRUE(journal.ok()) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }
  static JournaledTrial trialOf(int x) {
    JournaledTrial trial;
    trial.record.values = {{"X", x}};
    trial.record.status = x == 2 ? Status::wrong : Status::ok;
    trial.record.message = x == 2 ? "\xff is no UTF-8" : "";
    trial.record.measurement = Measurement{
        {6, 1, 2, 3, 4}, {6, 1, 2, 3, 4}, 0.1 * x, {0.05 * x, 1. / 3}};
    trial.record.artifactHash = "fe";
    trial.compileSeconds = 0.1;
    trial.runSeconds = 0.2;
    trial.seconds = 0.3 * x;
    return trial;
  }
  /// Makes a new file: some file systems write one that is cut to nothing and
  /// filled again to the disk at once.
  void placeJournal(const std::string &text) const {
    std::filesystem::remove(file);
    writeText(file, text);
  }
  /// Writes a session "a" of three trials.
  std::string writeThree() {
    auto journal = open();
    EXPECT_TRUE(journal->begin("a", {{"kernel", "matmul"}}).ok());
    for (int x : {1, 2, 3})
      EXPECT_TRUE(journal->add("a", trialOf(x)).ok());
    journal.reset();
    return *readFile(file);
  }
  std::string writeThreeAnew() {
    std::filesystem::remove(file);
    return writeThree();
  }
  std::vector<int> trialsOf(const Journal &journal, const char *session) {
    std::vector<int> values;
    if (const JournaledSession *known = journal.find(session))
      for (const JournaledTrial &trial : known->trials)
        values.push_back(trial.record.values.at("X").get<int>());
    return values;
  }

  TemporaryDirectory directory;
  std::filesystem::path file = directory / "session.jsonl";
  std::vector<std::string> warnings;
};

} // namespace

TEST_F(JournalTest, TellsWhatWasWritten) {
  writeThree();
  auto journal = open();
  const JournaledSession *session = journal->find("a");
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->about.at("kernel"), "matmul");
  ASSERT_THAT(session->trials, SizeIs(3));
  const JournaledTrial &trial = session->trials[2];
  EXPECT_EQ(trial.record.measurement->ratio, 0.1 * 3); // to the last bit
  EXPECT_EQ(trial.record.measurement->ratioInterval.high, 1. / 3);
  EXPECT_EQ(trial.seconds, 0.3 * 3);
  EXPECT_EQ(trial.compileSeconds, 0.1);
  EXPECT_EQ(trial.runSeconds, 0.2);
  EXPECT_EQ(session->trials[1].record.status, Status::wrong);
  EXPECT_FALSE(session->decision.has_value());
  EXPECT_EQ(journal->find("b"), nullptr);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(JournalTest, KeepsSeveralSessionsAndTheirEnds) {
  auto journal = open();
  for (const char *session : {"a", "b"})
    ASSERT_TRUE(journal->begin(session, Json::object()).ok());
  ASSERT_TRUE(journal->add("b", trialOf(1)).ok());
  ASSERT_TRUE(journal->add("a", trialOf(3)).ok());
  DecisionRecord decision;
  decision.kernel = "matmul";
  ASSERT_TRUE(journal->end("b", "question", decision).ok());
  journal.reset();
  journal = open();
  EXPECT_THAT(trialsOf(*journal, "a"), ElementsAre(3));
  EXPECT_THAT(trialsOf(*journal, "b"), ElementsAre(1));
  EXPECT_FALSE(journal->find("a")->decision.has_value());
  EXPECT_EQ(journal->find("b")->decision->kernel, "matmul");
  EXPECT_EQ(journal->find("b")->decisionKey, "question");
}

TEST_F(JournalTest, TellsWhatHasFailedSince) {
  writeThree();
  TrialRecord failed = trialOf(3).record;
  failed.status = Status::wrong;
  ASSERT_TRUE(open()->amend("a", failed).ok());
  auto journal = open();
  const JournaledSession *session = journal->find("a");
  ASSERT_THAT(session->trials, SizeIs(3));
  EXPECT_EQ(session->trials[2].record.status, Status::ok); // as it was then
  ASSERT_THAT(session->amended, SizeIs(1));
  EXPECT_EQ(session->amended[0].status, Status::wrong);
  EXPECT_EQ(session->amended[0].values, failed.values);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(JournalTest, ANewBeginningForgetsWhatWasBefore) {
  writeThree();
  auto journal = open();
  ASSERT_TRUE(journal->begin("a", Json::object()).ok());
  ASSERT_TRUE(journal->add("a", trialOf(4)).ok());
  journal.reset();
  EXPECT_THAT(trialsOf(*open(), "a"), ElementsAre(4));
  EXPECT_TRUE(open()->clear().ok());
  EXPECT_EQ(*readFile(file), "");
}

TEST_F(JournalTest, WhereverItWasCutOffWholeLinesAreThere) {
  const std::string text = writeThree();
  for (size_t size = 0; size <= text.size(); ++size) {
    std::string cut = text.substr(0, size);
    placeJournal(cut);
    auto lines = static_cast<size_t>(std::ranges::count(cut, '\n'));
    auto journal = open();
    EXPECT_THAT(trialsOf(*journal, "a"), SizeIs(lines ? lines - 1 : 0));
    // The journal continues as if the truncated lines had never been there.
    ASSERT_TRUE(journal->begin("b", Json::object()).ok());
    ASSERT_TRUE(journal->add("b", trialOf(5)).ok());
    journal.reset();
    EXPECT_THAT(trialsOf(*open(), "b"), ElementsAre(5));
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(JournalTest, NoDamagedByteGoesUnseen) {
  const std::string text = writeThree();
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] ^= 0x10;
    placeJournal(damaged);
    warnings.clear();
    auto journal = open();
    EXPECT_THAT(trialsOf(*journal, "a"), SizeIs(testing::Lt(3))) << at;
    if (at + 1 < text.size()) // else it is a last line without an end
      EXPECT_THAT(warnings, ElementsAre(HasSubstr("damaged lines"))) << at;
  }
}

TEST_F(JournalTest, LineOfAnotherSchemaOrShapeIsLeftOut) {
  std::string text = writeThree();
  auto isWhole = [&](const std::string &line) {
    placeJournal(text + line + "\n");
    return trialsOf(*open(), "a").size() == 3;
  };
  for (const char *line :
       {"null", "[]", "{}", "{\"session\":5}",
        "{\"session\":\"a\",\"check\":\"0000000000000000\"}"})
    EXPECT_TRUE(isWhole(line)) << line;
  EXPECT_THAT(warnings, SizeIs(5));
  EXPECT_TRUE(isWhole("")); // no line is no damage
  EXPECT_THAT(warnings, SizeIs(5));
}

TEST_F(JournalTest, BelongsToOneProcess) {
  auto journal = open();
  auto second = Journal::open(file, [](const std::string &) {});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another session is writing"));
  journal.reset();
  EXPECT_NE(open(), nullptr);
}

TEST_F(JournalTest, FileOfSomebodyElseIsLeftAsItIs) {
  for (const std::string &text :
       {std::string("x"), std::string("\n"), std::string("one\ntwo"),
        std::string("{\"begin\":1}"), std::string("{\"begin\":{}}\n"),
        std::string(1000, '\0'), std::string("one\n{\"begin\":{")}) {
    placeJournal(text);
    auto journal = Journal::open(file, [](const std::string &) {});
    ASSERT_FALSE(journal.ok()) << text;
    EXPECT_THAT(journal.error().message, HasSubstr("not a journal of tonno"));
    EXPECT_EQ(*readFile(file), text);
  }
  // A foreign note appended to ours only loses the note.
  std::string ours = writeThreeAnew();
  placeJournal("note\n" + ours);
  EXPECT_THAT(trialsOf(*open(), "a"), SizeIs(3));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 damaged lines")));
}

TEST_F(JournalTest, PathThatCannotBeWrittenIsAnError) {
  auto journal =
      Journal::open(directory / "no" / "such", [](const std::string &) {});
  ASSERT_FALSE(journal.ok());
  EXPECT_THAT(journal.error().message, HasSubstr("cannot write the journal"));
}

TEST_F(JournalTest, FullDiskLeavesNoHalfLine) {
  size_t whole = writeThree().size();
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    rlimit limit = {whole + 100, whole + 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto added = open()->add("a", trialOf(4));
    bool told = !added && added.error().message.find("File too large") !=
                              std::string::npos;
    ::_exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readFile(file)->size(), whole);
  EXPECT_THAT(trialsOf(*open(), "a"), ElementsAre(1, 2, 3));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(JournalTest, AKilledWriterLeavesWhatItHadWritten) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto journal = open();
    (void)journal->begin("a", Json::object()).ok();
    for (int x = 0;; ++x) {
      (void)journal->add("a", trialOf(x)).ok();
      if (x == 20)
        (void)!::write(ready[1], "x", 1);
    }
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  std::vector<int> trials = trialsOf(*open(), "a");
  ASSERT_GE(trials.size(), 21u);
  for (size_t x = 0; x < trials.size(); ++x)
    EXPECT_EQ(trials[x], static_cast<int>(x));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(JournalTest, RemovedWhileItIsWrittenIsAnError) {
  auto journal = open();
  ASSERT_TRUE(journal->begin("a", {{"kernel", "matmul"}}).ok());
  std::filesystem::remove(file);
  auto added = journal->add("a", trialOf(1));
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, HasSubstr("was removed"));
}
