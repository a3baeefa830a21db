//===- RemoteRunnerTest.cpp - A runner at the other end of a wire ---------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/RunnerProcess.h"

#include "Leftovers.h"
#include "TestKernels.h"

#include <chrono>
#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

/// A runner behind two pipes, and not of this process's group: as behind ssh, a
/// container's command, or a batch system's.
class RemoteRunnerTest : public testing::Test {
protected:
  static std::vector<std::string> behindPipes(const std::string &input) {
    // Ends when either side does, with a status of its own.
    return {"/bin/sh", "-c",
            "trap 'exit 255' TERM; { " + input +
                "; } | { setsid \"$0\"; sleep 0.1; kill 0; } | cat",
            RUNNER};
  }
  /// For the first connection three seconds, and then as it says.
  std::string threeSecondsThen(const std::string &later) const {
    std::string file = directory / "connected";
    return "if test -e " + file + "; then " + later + "; else touch " + file +
           "; timeout 3 cat; fi";
  }

  TemporaryDirectory directory;
  Leftovers leftovers; // the runner goes before it
  RunnerLimits limits = {60, 2, 1};
};

} // namespace

TEST_F(RemoteRunnerTest, MeasuresBehindPipes) {
  RunnerProcess runner(behindPipes("cat"), limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  EXPECT_EQ(runner.run(doublingRequest("ok")).status, Status::ok);
  EXPECT_EQ(runner.run(doublingRequest("wrong")).status, Status::wrong);
  EXPECT_EQ(runner.run(doublingRequest("segfault")).status, Status::fault);
  EXPECT_EQ(runner.run(doublingRequest("ok")).status, Status::ok);
}

TEST_F(RemoteRunnerTest, EndsWithItsInputWhateverItRuns) {
  RunnerProcess runner(behindPipes("cat"), limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  EXPECT_EQ(runner.run(doublingRequest("endless")).status, Status::hang);
  // The group was killed, of which the runner was none.
  EXPECT_EQ(leftovers.processesSoon(0), 0u);
  EXPECT_EQ(runner.run(doublingRequest("ok")).status, Status::ok);
}

TEST_F(RemoteRunnerTest, LostConnectionIsNoFaultOfTheCandidate) {
  RunnerProcess runner(behindPipes(threeSecondsThen("cat")), limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::steady_clock::now() - begin; };
  while (elapsed() < std::chrono::seconds(6)) {
    RunResult result = runner.run(doublingRequest("ok"));
    ASSERT_EQ(result.status, Status::ok) << result.message;
  }
}

TEST_F(RemoteRunnerTest, WithoutAnotherConnectionItIsLost) {
  RunnerProcess runner(behindPipes(threeSecondsThen("exit")), limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  RunResult result;
  do {
    result = runner.run(doublingRequest("ok"));
  } while (result.status == Status::ok);
  EXPECT_EQ(result.status, Status::lost) << result.message;
  EXPECT_THAT(result.message, HasSubstr("the runner"));
}
