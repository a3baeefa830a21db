//===- Why candidates were proposed ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/JournaledTrialLog.h"

#include "Engine/TuningFixture.h"
#include "TemporaryDirectory.h"

using namespace tonno;
using testing::ElementsAre;

namespace {

/// Proposes 1, 2, ... 9 and forgets why as soon as they are observed.
class ReasoningStrategy : public CountingStrategy {
public:
  explicit ReasoningStrategy(std::string word) : word(std::move(word)) {}

  void observe(std::span<const Trial> trials) override {
    CountingStrategy::observe(trials);
    for (const Trial &trial : trials)
      told.insert(trial.configuration.indices[0]);
  }
  std::string explain(const Configuration &candidate) const override {
    uint32_t x = candidate.indices[0];
    return told.contains(x) ? "" : word + " " + std::to_string(x);
  }

private:
  std::string word;
  std::set<uint32_t> told;
};

std::vector<std::string> reasonsOf(const std::vector<Trial> &trials) {
  std::vector<std::string> reasons;
  for (const Trial &trial : trials)
    reasons.push_back(trial.reason);
  return reasons;
}

class ReasonsTest : public testing::Test {
protected:
  std::vector<std::string> run(const std::string &word, uint64_t trials) {
    ReasoningStrategy strategy(word);
    FakeCompiler compiler;
    FakeRunner runner;
    NotingLog inner;
    inner.known = {{2, Status::fault}};
    auto journal = Journal::open(directory / "journal", [](const auto &) {});
    EXPECT_TRUE(journal.ok());
    if (!(*journal)->find("s"))
      EXPECT_TRUE((*journal)->begin("s", Json::object()).ok());
    JournaledTrialLog log(**journal, "s", space, inner);
    TrialLogs logs({&log, &inner});
    TuningSession session(space, compiler, &runner, strategy, logs,
                          RunnerSession(), {trials, 1000}, /*compileAhead=*/3,
                          [] { return false; });
    auto outcome = session.run();
    EXPECT_TRUE(outcome.ok());
    return reasonsOf(outcome->trials);
  }

  SearchSpace space = tenPoints();
  TemporaryDirectory directory;
};

} // namespace

TEST_F(ReasonsTest, StandInTheTrialsOfASession) {
  // The known failure is recalled before open candidates.
  EXPECT_THAT(run("as", 5), ElementsAre("", "as 2", "as 1", "as 3", "as 4"));
}

TEST_F(ReasonsTest, OfResumedTrialsAreThoseOfTheirTime) {
  run("then", 4);
  EXPECT_THAT(run("now", 6),
              ElementsAre("", "then 2", "then 1", "then 3", "now 4", "now 5"));
}

TEST_F(ReasonsTest, AreNotNeededInAJournal) {
  {
    auto journal = Journal::open(directory / "journal", [](const auto &) {});
    ASSERT_TRUE((*journal)->begin("s", Json::object()).ok());
    JournaledTrial old;
    old.record.values = space.values({{1}});
    old.record.status = Status::wrong;
    ASSERT_TRUE((*journal)->add("s", old).ok());
  }
  EXPECT_THAT(run("now", 4), ElementsAre("", "now 2", "", "now 3"));
}

TEST_F(ReasonsTest, StandInTheTrialsOfASurvey) {
  ReasoningStrategy strategy("as");
  FakeCompiler compiler;
  TrialLog nobody;
  TuningSession session(space, compiler, nullptr, strategy, nobody,
                        RunnerSession(), {3, 1000}, /*compileAhead=*/2,
                        [] { return false; });
  auto survey = session.survey();
  ASSERT_TRUE(survey.ok());
  EXPECT_THAT(reasonsOf(survey->trials), ElementsAre("", "as 1", "as 2"));
}
