//===- Tests for stops that the user sets ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;

namespace {

class ExpectingStrategy : public CountingStrategy {
public:
  std::optional<double> expectedGain() const override { return expected; }

  std::optional<double> expected;
};

class SearchStopsTest : public TuningSessionTest {
protected:
  SessionOutcome runWith(SearchStops stops) {
    TuningSession session(space, compiler, &runner, expecting, log, opened,
                          budget, /*compileAhead=*/1, [] { return false; });
    session.setStops(std::move(stops));
    auto outcome = session.run();
    EXPECT_TRUE(outcome.ok());
    return outcome ? *outcome : SessionOutcome();
  }

  ExpectingStrategy expecting;
};

} // namespace

TEST_F(SearchStopsTest, AnIncumbentThatIsFastEnoughEndsTheSearch) {
  SearchStops stops;
  stops.isEnough = [](const Trial &incumbent, uint32_t threads) {
    EXPECT_EQ(threads, 1u);
    return incumbent.measurement->ratio <= 0.65;
  };
  SessionOutcome outcome = runWith(stops);
  EXPECT_EQ(outcome.searchEnd, SearchEnd::limit);
  EXPECT_EQ(runner.measured, (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
}

TEST_F(SearchStopsTest, AStrategyThatExpectsTooLittleEndsTheSearch) {
  SearchStops stops;
  stops.leastGain = 0.01;
  expecting.expected = 0.009;
  SessionOutcome outcome = runWith(stops);
  EXPECT_EQ(outcome.searchEnd, SearchEnd::gain);
  EXPECT_EQ(runner.measured, (std::vector{0, 1}));
}

TEST_F(SearchStopsTest, OtherSearchesGoOn) {
  SearchStops stops;
  stops.leastGain = 0.01;
  EXPECT_EQ(runWith(stops).searchEnd, SearchEnd::done); // it does not know
  EXPECT_EQ(runner.measured.size(), 10u);
}

TEST_F(SearchStopsTest, TheChosenCandidateHasItsThreads) {
  compiler.compile = [](int x) {
    Compilation compilation = compiled(x);
    compilation.artifact->plan.launches.resize(1);
    compilation.artifact->plan.launches.front().threads =
        static_cast<uint32_t>(x + 1);
    return compilation;
  };
  EXPECT_EQ(runWith({}).threads, 10u);
}

TEST_F(SearchStopsTest, ACallbackEndsTheSearchAndTheTestFollows) {
  SearchStops stops;
  stops.isStopped = [&] { return runner.measured.size() >= 4; };
  SessionOutcome outcome = runWith(stops);
  EXPECT_EQ(outcome.searchEnd, SearchEnd::stopped);
  EXPECT_EQ(runner.measured, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
}
