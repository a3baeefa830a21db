//===- Why a search ends --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Progress.h"

#include "Engine/TuningFixture.h"

#include <sstream>

using namespace tonno;
using testing::HasSubstr;
using testing::Not;
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
  Progress progress(stream, /*isTerminal=*/false, /*isVerbose=*/false);
  progress.decided(outcome);
  EXPECT_THAT(stream.str(), StartsWith("@k on one of OpenCL's, 0 of"));
  outcome.chip = "znver5";
  progress.decided(outcome);
  EXPECT_THAT(stream.str(), HasSubstr("@k on one of OpenCL's (znver5), 0 of"));
}

TEST_F(SearchEndTest, TheReportTellsOfConvergence) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  std::ostringstream stream;
  Progress progress(stream, /*isTerminal=*/false, /*isVerbose=*/false);
  progress.decided(outcome);
  EXPECT_THAT(stream.str(), Not(HasSubstr("converged")));
  outcome.searchEnd = SearchEnd::converged;
  progress.decided(outcome);
  EXPECT_THAT(stream.str(),
              HasSubstr("converged  no significant improvement is expected"));
}
