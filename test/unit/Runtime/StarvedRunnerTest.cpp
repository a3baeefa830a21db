//===- Tests for time limits on a busy machine ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "Starvation.h"
#include "TestKernels.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

class StarvedRunnerTest : public testing::Test {
protected:
  void SetUp() override {
    auto opened = runner.open(doublingSession());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }

  RunResult verify(const std::string &way, double launchSeconds = 0) {
    RunRequest request = doublingRequest(way);
    request.launchSeconds = launchSeconds;
    request.kind = RunRequest::Kind::verify;
    return runner.run(request);
  }

  Starvation starvation; // what is started has a fourth of one processor
  /// A launch of the reference, of a candidate, and the least limit.
  RunnerLimits limits = {60, 0.8, 0.8};
  RunnerProcess runner = RunnerProcess({RUNNER}, limits);
};

} // namespace

TEST_F(StarvedRunnerTest, WhatNeedsLessThanTheLimitIsNoHang) {
  RunResult result = verify("computes"); // 0.3 s
  EXPECT_EQ(result.status, Status::ok) << result.message;
  // Wall-clock time was longer: a limit on it would have ended the launch.
  EXPECT_GT(result.seconds, limits.launchSeconds);
}

TEST_F(StarvedRunnerTest, WhatDoesNotEndIsAHang) {
  for (const char *way : {"loops", "endless", "stops"}) {
    RunResult result = verify(way, 0.2);
    EXPECT_EQ(result.status, Status::hang) << way << ": " << result.message;
    EXPECT_THAT(result.message, HasSubstr("did not end within 0.2 s"));
  }
  EXPECT_EQ(verify("ok").status, Status::ok);
}
