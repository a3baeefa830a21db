//===- A session that was cut short goes on -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/JournaledTrialLog.h"

#include "tonno/Core/File.h"

#include "Engine/TuningFixture.h"
#include "TemporaryDirectory.h"

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Proposes points that depend on all trials observed so far.
class ImpressionableStrategy : public SearchStrategy {
public:
  explicit ImpressionableStrategy(std::vector<uint32_t> proposed)
      : left(std::move(proposed)) {}

  std::vector<Configuration> propose(size_t) override {
    if (left.empty())
      return {};
    auto at = left.begin() + static_cast<ptrdiff_t>(state % left.size());
    Configuration proposed = {{*at}};
    left.erase(at);
    return {proposed};
  }
  void observe(std::span<const Trial> trials) override {
    for (const Trial &trial : trials) {
      double ratio = trial.measurement ? trial.measurement->ratio : 7;
      state = 31 * state + static_cast<uint64_t>(1000 * ratio) +
              (trial.ok() ? 0 : 5);
    }
  }

private:
  std::vector<uint32_t> left;
  uint64_t state = 5;
};

/// Like a cache, may be killed at each record.
class WatchingLog : public NotingLog {
public:
  void record(const Trial &trial, const Trial *incumbent) override {
    auto text = readFile(journal);
    ASSERT_TRUE(text.ok());
    size_t lines = 0;
    for (size_t at = 0; (at = text->find("\"trial\":", at)) != text->npos; ++at)
      ++lines;
    NotingLog::record(trial, incumbent);
    EXPECT_GE(lines, recorded.size());
  }

  std::filesystem::path journal;
};

class ResumedSessionTest : public testing::Test {
protected:
  /// Work of a session until its end, whatever ended it.
  struct Run {
    Result<SessionOutcome> outcome;
    std::vector<int> compiled, measured, compared;
    std::vector<std::string> warnings;
    std::vector<Trial> amended;
    double lastHigh = 0; ///< of the incumbent, as the last request told it
  };

  Run run(bool resume) {
    ImpressionableStrategy strategy(proposed);
    FakeCompiler compiler;
    compiler.compile = compile;
    FakeRunner runner;
    runner.compare = compare;
    runner.measure = [&](int x) {
      if (ended++ == endAfter)
        isInterrupted = true;
      time += secondsPerRun;
      return isInterrupted ? failedAs(Status::lost, "interrupted") : measure(x);
    };
    WatchingLog inner;
    inner.known = known;
    inner.journal = directory / "journal";
    auto journal = Journal::open(directory / "journal", [](const auto &) {});
    EXPECT_TRUE(journal.ok());
    if (!resume)
      EXPECT_TRUE((*journal)->begin("s", Json::object()).ok());
    JournaledTrialLog log(**journal, "s", space, inner, replayed);
    TrialLogs logs({&log, &inner});
    isInterrupted = false;
    ended = 0;
    TuningSession session(
        space, compiler, &runner, strategy, logs, RunnerSession(), budget,
        /*compileAhead=*/3, [this]() -> bool { return isInterrupted; },
        [this] { return time; });
    if (numOverlapping)
      session.decideByFinals(*numOverlapping);
    time += secondsToStart;
    auto outcome = session.run();
    return {std::move(outcome),
            compiler.submitted,
            runner.measured,
            runner.compared,
            inner.warnings,
            inner.amended,
            highOfLastTrial(runner.requests)};
  }

  /// Runs a session on three devices, where candidates take different times.
  Run runOnPool(bool resume) {
    ImpressionableStrategy strategy(proposed);
    FakeCompiler compiler;
    compiler.compile = compile;
    std::vector<RunnerPool::Device> devices;
    std::vector<FakeRunner *> runners;
    for (int i = 0; i < 3; ++i) {
      auto runner = std::make_unique<FakeRunner>();
      runner->compare = compare;
      runner->measure = [&](int x) {
        std::this_thread::sleep_for(std::chrono::milliseconds(x * 7 % 10));
        if (x == interruptingCandidate)
          isInterrupted = true;
        return isInterrupted ? failedAs(Status::lost, "interrupted")
                             : measure(x);
      };
      runners.push_back(runner.get());
      devices.push_back({std::move(runner), "cuda:" + std::to_string(i)});
    }
    auto isStopped = [this] { return isInterrupted.load(); };
    isInterrupted = false;
    RunnerPool pool(std::move(devices), [](const auto &) {}, isStopped);
    EXPECT_TRUE(pool.open(RunnerSession()).ok());
    NotingLog inner;
    inner.known = known;
    auto journal = Journal::open(directory / "journal", [](const auto &) {});
    EXPECT_TRUE(journal.ok());
    if (!resume)
      EXPECT_TRUE((*journal)->begin("s", Json::object()).ok());
    JournaledTrialLog log(**journal, "s", space, inner, replayed);
    TrialLogs logs({&log, &inner});
    TuningSession session(space, compiler, &pool, strategy, logs,
                          RunnerSession(), budget, pendingFor(1, pool.size()),
                          isStopped);
    session.setDevices(pool);
    auto outcome = session.run();
    Run ended = {std::move(outcome), compiler.submitted, {}, {},
                 inner.warnings,     inner.amended};
    for (FakeRunner *runner : runners) {
      std::ranges::copy_if(runner->measured, std::back_inserter(ended.measured),
                           [](int x) { return x != 0; });
      std::ranges::copy(runner->compared, std::back_inserter(ended.compared));
    }
    return ended;
  }

  static double highOfLastTrial(const std::vector<RunRequest> &requests) {
    double high = 0;
    for (const RunRequest &request : requests)
      if (request.kind == RunRequest::Kind::measure)
        high = request.incumbentHigh;
    return high;
  }

  void expectToEndAsUndisturbed();

  static std::vector<std::pair<uint32_t, Status>>
  told(const SessionOutcome &outcome) {
    std::vector<std::pair<uint32_t, Status>> trials;
    for (const Trial &trial : outcome.trials)
      trials.emplace_back(trial.configuration.indices[0], trial.status);
    return trials;
  }

  /// Returns an outcome of each kind.
  std::function<RunResult(int)> measure = [](int x) {
    RunResult pruned = measuredAs(1.9);
    pruned.status = Status::pruned;
    return x == 3   ? failedAs(Status::wrong, "element 5")
           : x == 4 ? pruned
                    : measuredAs((10 - x) / 10.0);
  };
  std::function<Compilation(int)> compile = [](int x) {
    Compilation failed;
    failed.status = Status::compile_error;
    return x == 5 ? failed : compiled(x == 8 ? 7 : x); // 7 and 8 are twins
  };
  std::function<RunResult(int)> compare = [](int x) {
    return comparedAs(Verdict::faster, 10.0 / (10 - x));
  };
  std::map<uint32_t, Status> known = {{6, Status::fault}};

  SearchSpace space = tenPoints();
  TemporaryDirectory directory;
  std::vector<uint32_t> proposed = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  ResumeOptions replayed;
  /// The trials decide, by finals of at most this many.
  std::optional<size_t> numOverlapping;
  int endAfter = -1, ended = 0; ///< runs
  std::atomic<bool> isInterrupted = false;
  int interruptingCandidate = -1; ///< of sessions on a pool
  Budget budget;
  double time = 0; ///< by the session's clock
  double secondsToStart = 0, secondsPerRun = 0;
};

} // namespace

void ResumedSessionTest::expectToEndAsUndisturbed() {
  Run whole = run(/*resume=*/false);
  ASSERT_TRUE(whole.outcome.ok());
  auto runs = static_cast<int>(whole.measured.size());
  for (endAfter = 0; endAfter < runs; ++endAfter) {
    Run cut = run(/*resume=*/false);
    int stopped = std::exchange(endAfter, -1);
    Run rest = run(/*resume=*/true);
    endAfter = stopped;
    ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
    EXPECT_EQ(told(*rest.outcome), told(*whole.outcome));
    EXPECT_EQ(rest.outcome->chosen, whole.outcome->chosen);
    EXPECT_EQ(rest.outcome->artifactHash, whole.outcome->artifactHash);
    EXPECT_EQ(rest.compared, whole.compared);
    // Only the interrupted trial was run twice.
    std::vector<int> both(cut.measured.begin(), cut.measured.begin() + stopped);
    both.insert(both.end(), rest.measured.begin(), rest.measured.end());
    EXPECT_EQ(both, whole.measured) << "cut after " << stopped;
  }
  endAfter = -1;
}

TEST_F(ResumedSessionTest, EndsAsAnUndisturbedOneWhereverItWasCutShort) {
  expectToEndAsUndisturbed();
  Run whole = run(/*resume=*/false);
  EXPECT_EQ(chosen(*whole.outcome), 9u);
  // All but the failed compilation, the recalled candidate and a twin.
  EXPECT_EQ(whole.measured.size(), 7u);
}

TEST_F(ResumedSessionTest, TrialsOfSeveralDevicesEndInTheSameOrderAgain) {
  // Devices of no identity are not distinguished.
  Run whole = runOnPool(/*resume=*/false);
  ASSERT_TRUE(whole.outcome.ok()) << whole.outcome.error().message;
  EXPECT_THAT(whole.warnings, IsEmpty());
  EXPECT_EQ(chosen(*whole.outcome), 9u);
  Run again = runOnPool(/*resume=*/true);
  ASSERT_TRUE(again.outcome.ok());
  EXPECT_THAT(again.measured, IsEmpty());
  EXPECT_EQ(told(*again.outcome), told(*whole.outcome));
  EXPECT_EQ(again.outcome->chosen, whole.outcome->chosen);
  for (size_t i = 0; i < whole.outcome->trials.size(); ++i)
    EXPECT_EQ(again.outcome->trials[i].device, whole.outcome->trials[i].device);
}

TEST_F(ResumedSessionTest, SessionOnSeveralDevicesGoesOnWhereItWasCutShort) {
  for (interruptingCandidate = 1; interruptingCandidate < 10;
       ++interruptingCandidate) {
    int interrupting = interruptingCandidate;
    Run cut = runOnPool(/*resume=*/false);
    ASSERT_TRUE(cut.outcome.ok());
    interruptingCandidate = -1;
    Run rest = runOnPool(/*resume=*/true);
    interruptingCandidate = interrupting;
    ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
    auto before = told(*cut.outcome);
    while (!before.empty() && before.back().second == Status::lost)
      before.pop_back();
    auto after = told(*rest.outcome);
    ASSERT_GE(after.size(), before.size());
    after.resize(before.size());
    EXPECT_EQ(after, before) << interrupting;
    EXPECT_EQ(chosen(*rest.outcome), 9u) << interrupting;
    // Nothing that has ended runs again.
    for (auto [x, status] : before)
      EXPECT_THAT(rest.measured, testing::Not(testing::Contains(x)));
  }
}

TEST_F(ResumedSessionTest, EndsSoIfSecondsEndIt) {
  // A start costs as much as two trials: sessions that counted it again would
  // end before their past does.
  secondsToStart = 2;
  secondsPerRun = 1;
  std::vector<size_t> measured;
  for (double seconds : {7, 8, 9, 10}) {
    budget.seconds = seconds;
    measured.push_back(run(/*resume=*/false).measured.size());
    expectToEndAsUndisturbed();
  }
  EXPECT_THAT(measured, testing::ElementsAre(2, 3, 4, 5));
}

TEST_F(ResumedSessionTest, PastThatIsNotProposedAgainHoldsUpNoEnd) {
  auto journal = Journal::open(directory / "journal", [](const auto &) {});
  JournaledTrial past;
  past.record = TrialRecord{space.values({{0}}),       Status::ok, "",
                            measuredAs(1).measurement, {},         hashOf(0)};
  past.seconds = budget.seconds;
  ASSERT_TRUE((*journal)->begin("s", Json::object()).ok());
  ASSERT_TRUE((*journal)->add("s", past).ok());
  past.record.values = space.values({{9}});
  ASSERT_TRUE((*journal)->add("s", past).ok());
  journal->reset();
  proposed = {1, 2, 3};
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok());
  EXPECT_THAT(rest.measured, testing::SizeIs(1));
}

TEST_F(ResumedSessionTest, AnEndedOneIsDecidedAnewWithoutATrial) {
  Run whole = run(/*resume=*/false);
  Run again = run(/*resume=*/true);
  EXPECT_THAT(again.measured, IsEmpty());
  EXPECT_EQ(again.compared, whole.compared);
  EXPECT_EQ(told(*again.outcome), told(*whole.outcome));
  EXPECT_LT(again.compiled.size(), whole.compiled.size());
}

TEST_F(ResumedSessionTest, WhatWasLostIsTriedAgain) {
  auto measureWell = measure;
  measure = [](int x) {
    return x == 0 ? measuredAs(1) : failedAs(Status::lost, "no connection");
  };
  Run away = run(/*resume=*/false);
  ASSERT_TRUE(away.outcome.ok()) << away.outcome.error().message;
  EXPECT_EQ(away.outcome->comparison.verdict, Verdict::interrupted);
  measure = measureWell;
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
  EXPECT_EQ(chosen(*rest.outcome), 9u);
  EXPECT_EQ(std::ranges::count(rest.measured, 0), 0);
}

TEST_F(ResumedSessionTest, FirstOneThatRanStandsInForTheDefaultAgain) {
  auto measureWell = measure;
  measure = [&](int x) {
    return x == 0 ? failedAs(Status::fault, "crashed") : measureWell(x);
  };
  endAfter = 4;
  run(/*resume=*/false);
  endAfter = -1;
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
  EXPECT_EQ(rest.outcome->comparison.verdict, Verdict::no_baseline);
  EXPECT_EQ(chosen(*rest.outcome), 9u);
}

TEST_F(ResumedSessionTest, BinaryThatIsNotTheSameIsNoFinalist) {
  run(/*resume=*/false);
  auto compileWell = compile;
  compile = [&](int x) { return x == 9 ? compiled(99) : compileWell(x); };
  Run again = run(/*resume=*/true);
  ASSERT_TRUE(again.outcome.ok());
  EXPECT_NE(chosen(*again.outcome), 9u);
  EXPECT_THAT(again.warnings, ElementsAre(HasSubstr("another binary")));
  compile = [&](int x) { return x == 0 ? compiled(99) : compileWell(x); };
  again = run(/*resume=*/true);
  ASSERT_FALSE(again.outcome.ok());
  EXPECT_THAT(again.outcome.error().message,
              HasSubstr("begin another session"));
}

TEST_F(ResumedSessionTest, FinalistThatFailedHasFailedForTheNextToo) {
  proposed = {9, 1, 2, 3, 4, 5, 6, 7, 8};
  auto compareWell = std::exchange(compare, [](int x) {
    return x == 9 ? failedAs(Status::wrong, "element 5")
                  : comparedAs(Verdict::faster, 2);
  });
  budget.trials = 7;
  Run first = run(/*resume=*/false);
  ASSERT_TRUE(first.outcome.ok());
  ASSERT_EQ(first.compared.front(), 9);
  ASSERT_NE(chosen(*first.outcome), 9u);
  compare = compareWell;
  budget.trials = 8;
  Run longer = run(/*resume=*/true);
  ASSERT_TRUE(longer.outcome.ok());
  EXPECT_THAT(longer.measured, testing::SizeIs(1));
  EXPECT_THAT(longer.compared, testing::Not(testing::Contains(9)));
  EXPECT_NE(chosen(*longer.outcome), 9u);
  ASSERT_THAT(longer.amended, testing::SizeIs(1)); // the cache's too
  EXPECT_EQ(longer.amended[0].status, Status::wrong);
  EXPECT_GT(longer.lastHigh, 0.11); // nobody is pruned by a wrong one
  // The replay reported the outcomes as they were then.
  EXPECT_EQ(run(/*resume=*/true).measured.size(), 0u);
}

/// Compiles like `otherwise`, but loses the first attempts for one candidate.
static std::function<Compilation(int)>
losing(int lost, int times, const std::function<Compilation(int)> &otherwise) {
  return [=](int x) mutable {
    Compilation failed;
    failed.status = Status::lost;
    failed.message = "the worker was killed";
    return x == lost && times-- > 0 ? failed : otherwise(x);
  };
}

TEST_F(ResumedSessionTest, CompilationThatIsLostIsTriedAgain) {
  Run whole = run(/*resume=*/false);
  auto compileWell = compile;
  for (int x : {0, 9}) {
    compile = losing(x, 1, compileWell);
    Run again = run(/*resume=*/true);
    ASSERT_TRUE(again.outcome.ok()) << again.outcome.error().message;
    EXPECT_EQ(again.outcome->chosen, whole.outcome->chosen);
    EXPECT_TRUE(again.outcome->isConclusive);
    EXPECT_THAT(again.warnings, IsEmpty());
  }
  compile = losing(9, 2, compileWell);
  Run again = run(/*resume=*/true);
  ASSERT_TRUE(again.outcome.ok());
  EXPECT_FALSE(again.outcome->isConclusive);
  EXPECT_THAT(again.amended, IsEmpty()); // it is no fact
  compile = losing(0, 2, compileWell);
  again = run(/*resume=*/true);
  ASSERT_FALSE(again.outcome.ok());
  EXPECT_THAT(again.outcome.error().message,
              HasSubstr("continue the session once more"));
}

/// Compiles candidates with a time bound of this share of their time.
static std::function<Compilation(int)>
bounding(const std::function<double(int)> &share) {
  return [=](int x) {
    Compilation compilation = compiled(x);
    compilation.artifact->usage.timeBound = {.seconds = share(x) * 1e-3 *
                                                        (10 - x) / 10};
    return compilation;
  };
}

TEST_F(ResumedSessionTest, TimeBoundsPruneTheSameAgain) {
  proposed = {1, 2, 9, 3, 4, 5, 6, 7, 8};
  measure = [](int x) { return measuredAs((10 - x) / 10.0); };
  compile = bounding([](int) { return 0.9; });
  expectToEndAsUndisturbed();
  Run whole = run(/*resume=*/false);
  EXPECT_LT(whole.measured.size(), 10u);
  EXPECT_EQ(chosen(*whole.outcome), 9u);
  Run again = run(/*resume=*/true);
  EXPECT_EQ(told(*again.outcome), told(*whole.outcome));
  EXPECT_THAT(again.measured, IsEmpty());
}

TEST_F(ResumedSessionTest, BrokenTimeBoundEndsPruningAgain) {
  proposed = {1, 2, 9, 3, 4, 5, 6, 7, 8};
  measure = [](int x) { return measuredAs((10 - x) / 10.0); };
  for (int broken : {0, 4, 7, 8}) {
    compile = bounding([=](int x) { return x == broken ? 1.1 : 0.9; });
    expectToEndAsUndisturbed();
  }
}

TEST_F(ResumedSessionTest, TimeThatWasSpentIsNotGivenTwice) {
  auto journal = Journal::open(directory / "journal", [](const auto &) {});
  JournaledTrial spent;
  spent.record = TrialRecord{space.values({{0}}),       Status::ok, "",
                             measuredAs(1).measurement, {},         hashOf(0)};
  spent.seconds = Budget().seconds;
  ASSERT_TRUE((*journal)->begin("s", Json::object()).ok());
  ASSERT_TRUE((*journal)->add("s", spent).ok());
  journal->reset();
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok());
  EXPECT_THAT(rest.measured, IsEmpty());
}

TEST_F(ResumedSessionTest, FailuresAndTheBaselineAreMadeAgainIfAskedTo) {
  run(/*resume=*/false);
  replayed = {/*failures=*/false, /*baseline=*/true};
  Run again = run(/*resume=*/true);
  EXPECT_THAT(again.measured, ElementsAre(3));
  replayed = {/*failures=*/true, /*baseline=*/false};
  again = run(/*resume=*/true);
  EXPECT_THAT(again.measured, ElementsAre(0));
}

TEST_F(ResumedSessionTest, TrialsOfAnotherTimeDoNotDecide) {
  replayed.baseline = false;
  numOverlapping = 0;
  run(/*resume=*/false);
  Run again = run(/*resume=*/true);
  EXPECT_THAT(again.measured, ElementsAre(0, 9));
  EXPECT_EQ(chosen(*again.outcome), 9u);
  // The best one has lost its lead, and the binary of the next two fails.
  auto measureBefore = measure;
  measure = [&](int x) {
    return x == 9   ? measuredAs(0.85)
           : x == 7 ? failedAs(Status::fault, "crashed")
                    : measureBefore(x);
  };
  again = run(/*resume=*/true);
  ASSERT_TRUE(again.outcome.ok());
  EXPECT_THAT(again.measured, ElementsAre(0, 9, 7, 2));
  EXPECT_THAT(again.warnings, Contains(HasSubstr("crashed")));
  EXPECT_EQ(chosen(*again.outcome), 2u);
}

TEST_F(ResumedSessionTest, TrialsOfAnotherTimePlayNoFinals) {
  replayed.baseline = false;
  auto measureBefore = measure;
  measure = [&](int x) {
    RunResult result = measureBefore(x);
    if (x == 7 || x == 2)
      result.measurement->ratioInterval.low = 0.05;
    return result;
  };
  numOverlapping = 4;
  run(/*resume=*/false);
  Run again = run(/*resume=*/true);
  // The baseline, then the best candidate and those whose intervals overlap
  // with its.
  EXPECT_THAT(again.measured, ElementsAre(0, 9, 2, 7));
}
