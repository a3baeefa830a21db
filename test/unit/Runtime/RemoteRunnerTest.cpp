//===- A runner at the other end of a wire --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "Leftovers.h"
#include "TestKernels.h"

#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <thread>

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
            "trap 'exit 255' TERM; exec 4<&0; { " + input +
                "; } <&4 | { setsid \"$0\"; sleep 0.1; kill 0; } | cat & "
                "wait",
            RUNNER};
  }
  /// Returns a script whose first connection lasts until the cut; later ones
  /// run `later`.
  std::string untilCutThen(const std::string &later) const {
    std::string connected = directory / "connected";
    return "if test -e " + connected + "; then " + later + "; else touch " +
           connected + "; exec 3<&0; cat <&3 & until test -e " +
           isCut.string() + "; do sleep 0.02; done; kill $!; fi";
  }
  /// Runs good candidates until the condition holds of a result. Cuts the
  /// connection once some have run, whatever it is used for then.
  RunResult runUntil(RunnerProcess &runner,
                     const std::function<bool(const RunResult &)> &isOver) {
    std::atomic<int> runs = 0;
    std::thread cut([&] {
      eventually([&] { return runs >= 3; });
      writeText(isCut, "");
    });
    RunResult result;
    do {
      result = runner.run(doublingRequest("ok"));
      ++runs;
    } while (!isOver(result));
    runs = 3; // also where it was over before
    cut.join();
    return result;
  }

  TemporaryDirectory directory;
  std::filesystem::path isCut = directory / "cut";
  Leftovers leftovers;                // the runner goes before it
  RunnerLimits limits = {60, 60, 60}; ///< that only end what would hang
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
  EXPECT_EQ(runner.run(hangingRequest("endless")).status, Status::hang);
  // The group was killed, of which the runner was none.
  EXPECT_EQ(leftovers.processesSoon(0), 0u);
  EXPECT_EQ(runner.run(doublingRequest("ok")).status, Status::ok);
}

TEST_F(RemoteRunnerTest, LostConnectionIsNoFaultOfTheCandidate) {
  std::string again = directory / "again";
  RunnerProcess runner(behindPipes(untilCutThen("touch " + again + "; cat")),
                       limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  runUntil(runner, [&](const RunResult &result) {
    EXPECT_EQ(result.status, Status::ok) << result.message;
    return result.status != Status::ok || std::filesystem::exists(again);
  });
}

TEST_F(RemoteRunnerTest, WithoutAnotherConnectionItIsLost) {
  RunnerProcess runner(behindPipes(untilCutThen("exit")), limits);
  ASSERT_TRUE(runner.open(doublingSession()).ok());
  RunResult result = runUntil(runner, [](const RunResult &result) {
    return result.status != Status::ok;
  });
  EXPECT_EQ(result.status, Status::lost) << result.message;
  EXPECT_THAT(result.message, HasSubstr("the runner"));
}
