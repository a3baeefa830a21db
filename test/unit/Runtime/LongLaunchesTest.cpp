//===- Launches that are timed are verified -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "TestKernels.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

/// Kernels of 8 ms a launch, which a trial times three times, beside
/// one that is right.
class LongLaunchesTest : public testing::Test {
protected:
  RunResult measure(const std::string &way) {
    RunnerSession session = doublingSession();
    // Uses one set, so that a launch sees the results of the previous one.
    session.protocol.maxRotationSets = 1;
    auto opened = runner.open(session);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    RunRequest request = doublingRequest(way);
    request.baseline = kernelArtifact("slow_and_right");
    // Neither a new leader, which is launched more, nor far behind.
    request.incumbentHigh = 1;
    return runner.run(request);
  }

  RunnerProcess runner{{RUNNER}};
};

} // namespace

TEST_F(LongLaunchesTest, RightKernelIsOk) {
  RunResult result = measure("slow_and_right");
  EXPECT_EQ(result.status, Status::ok) << result.message;
  ASSERT_TRUE(result.measurement.has_value());
  EXPECT_LE(result.measurement->seconds.n, 3u);
}

TEST_F(LongLaunchesTest, OnlyGainsOfShortLaunchesAreTestedInBothCacheStates) {
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  RunRequest request = doublingRequest("ok");
  request.kind = RunRequest::Kind::compare;
  request.baseline = kernelArtifact("takes_a_millisecond");
  RunResult result = runner.run(request);
  ASSERT_TRUE(result.comparison.has_value()) << result.message;
  EXPECT_EQ(result.comparison->verdict, Verdict::faster);
  ASSERT_TRUE(result.comparison->otherSpeedup.has_value());
  EXPECT_GT(result.comparison->otherSpeedup->interval.low, 2);

  request.baseline = kernelArtifact("slow_and_right");
  result = runner.run(request);
  ASSERT_TRUE(result.comparison.has_value()) << result.message;
  EXPECT_EQ(result.comparison->verdict, Verdict::faster);
  EXPECT_FALSE(result.comparison->otherSpeedup.has_value());
}

TEST_F(LongLaunchesTest, FirstTimedLaunchIsComparedWithTheReference) {
  RunResult result = measure("slow_and_wrong_of_some");
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.message, HasSubstr("(real-valued pass)"));
}

TEST_F(LongLaunchesTest, LaterTimedLaunchesGiveTheSame) {
  EXPECT_EQ(measure("slow_and_races").status, Status::nondeterministic);
}

TEST_F(LongLaunchesTest, TimedLaunchThatWritesNothingIsFound) {
  EXPECT_EQ(measure("slow_and_idle").status, Status::nondeterministic);
}
