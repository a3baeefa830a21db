//===- Why a search ends --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Progress.h"

#include "Engine/TuningFixture.h"

#include <limits>
#include <sstream>

using namespace tonno;
using testing::HasSubstr;
using testing::StartsWith;

using SearchEndTest = TuningSessionTest;

TEST_F(SearchEndTest, AStrategyWithNothingLeftIsDoneOrHasConverged) {
  EXPECT_EQ(run().searchEnd, SearchEnd::done);
  strategy = {};
  strategy.converged = true;
  EXPECT_EQ(run().searchEnd, SearchEnd::converged);
}

TEST_F(SearchEndTest, ABudgetThatIsSpentComesFirst) {
  strategy.converged = true;
  budget.trials = 4;
  EXPECT_EQ(run().searchEnd, SearchEnd::budget);
}

TEST_F(SearchEndTest, WhoeverInterruptsHasEndedIt) {
  size_t asked = 0;
  interrupted = [&asked] { return ++asked > 8; };
  EXPECT_EQ(run().searchEnd, SearchEnd::interrupted);
}

TEST_F(SearchEndTest, TheReportNamesTheChipWhereThatIsNotTheDevice) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  outcome.device.name = outcome.chip = "one of OpenCL's";
  std::ostringstream stream;
  Progress progress(stream);
  progress.decided(outcome);
  EXPECT_THAT(stream.str(), StartsWith("@k on one of OpenCL's, 0 of"));
  outcome.chip = "znver5";
  progress.decided(outcome);
  EXPECT_THAT(stream.str(), HasSubstr("@k on one of OpenCL's (znver5), 0 of"));
}

/// Returns the report's row of the search.
static std::string describeSearch(const KernelOutcome &outcome,
                                  const Budget &budget) {
  std::ostringstream stream;
  Progress progress(stream);
  progress.started("k", outcome.space, budget);
  progress.decided(outcome);
  size_t row = stream.str().find("  search ");
  return row == std::string::npos ? "" : stream.str().substr(row);
}

TEST_F(SearchEndTest, TheReportStatesWhyTheSearchEnded) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  outcome.space = space;
  outcome.trials.resize(2);
  outcome.seconds = 9.5;
  EXPECT_EQ(describeSearch(outcome, {2, 120}),
            "  search    budget     2 of 2 trials, 9.50 s of 120 s\n");
  outcome.searchEnd = SearchEnd::converged;
  EXPECT_EQ(describeSearch(outcome, {60, 120}),
            "  search    converged  no significant improvement is expected; "
            "2 of 60 trials, 9.50 s of 120 s\n");
  outcome.searchEnd = SearchEnd::cut_short;
  EXPECT_EQ(describeSearch(outcome, {60, 120}),
            "  search    cut short  a warning above has the reason; "
            "2 of 60 trials, 9.50 s of 120 s\n");
  outcome.searchEnd = SearchEnd::interrupted;
  EXPECT_EQ(describeSearch(outcome, {60, 120}),
            "  search    interrupted  2 of 60 trials, 9.50 s of 120 s\n");
}

TEST_F(SearchEndTest, TheReportStatesThatEveryConfigurationWasTried) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  outcome.space = space;
  outcome.trials.resize(size_t(space.count()));
  outcome.searchEnd = SearchEnd::done;
  const Budget unlimited = {std::numeric_limits<uint64_t>::max(),
                            std::numeric_limits<double>::infinity()};
  EXPECT_EQ(describeSearch(outcome, unlimited),
            "  search    done       every configuration was tried; " +
                std::to_string(outcome.trials.size()) + " trials, 0.00 ns\n");
}

TEST_F(SearchEndTest, TheReportOfAKnownDecisionHasNoSearch) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  outcome.source = "the cache";
  EXPECT_EQ(describeSearch(outcome, {60, 120}), "");
}
