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
  /// The first connection until it is cut, and then as it says.
  std::string untilCutThen(const std::string &later) const {
    std::string connected = directory / "connected";
    return "if test -e " + connected + "; then " + later + "; else touch " +
           connected + "; exec 3<&0; cat <&3 & until test -e " +
           isCut.string() + "; do sleep 0.02; done; kill $!; fi";
  }
  /// Cuts it soon, whatever it is used for then.
  std::thread cutSoon() const {
    return std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      writeText(isCut, "");
    });
  }

  TemporaryDirectory directory;
  std::filesystem::path isCut = directory / "cut";
  Leftovers leftovers; // the runner goes before it
  /// Longer than a runner takes to end.
  RunnerLimits limits = {60, 3, 3};
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
  std::string again = directory / "again";
  RunnerProcess runner(behindPipes(untilCutThen("touch " + again + "; cat")),
                       limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  std::thread cut = cutSoon();
  RunResult result;
  do {
    result = runner.run(doublingRequest("ok"));
    EXPECT_EQ(result.status, Status::ok) << result.message;
  } while (result.status == Status::ok && !std::filesystem::exists(again));
  cut.join();
}

TEST_F(RemoteRunnerTest, WithoutAnotherConnectionItIsLost) {
  RunnerProcess runner(behindPipes(untilCutThen("exit")), limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  std::thread cut = cutSoon();
  RunResult result;
  do {
    result = runner.run(doublingRequest("ok"));
  } while (result.status == Status::ok);
  cut.join();
  EXPECT_EQ(result.status, Status::lost) << result.message;
  EXPECT_THAT(result.message, HasSubstr("the runner"));
}
