//===- Tests for supervised processes -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "Leftovers.h"
#include "Processes.h"
#include "TestKernels.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

namespace {

/// Controller in a child process, and its requests to the runner.
class SupervisionTest : public testing::Test {
protected:
  pid_t start(const std::string &way) {
    pid_t controller = ::fork();
    if (controller == 0) {
      RunnerProcess runner({RUNNER}, {600, 600, 600});
      if (runner.open(doublingSession()).ok())
        runner.run(doublingRequest(way));
      ::_exit(1); // it was to be killed
    }
    return controller;
  }

  size_t countStopped() const {
    size_t count = 0;
    for (pid_t process : leftovers.processes())
      count += stateOf(process) == 'T';
    return count;
  }

  Leftovers leftovers;
};

} // namespace

TEST_F(SupervisionTest, NothingThatIsStoppedOutlivesAControllerThatIsKilled) {
  Adopter adopter;
  pid_t controller = start("leaves_a_daemon_and_stops_all");
  // The supervisor and the runner.
  ASSERT_TRUE(eventually([&] { return countStopped() >= 2; }));
  ASSERT_EQ(::waitpid(controller, nullptr, WNOHANG), 0);
  EXPECT_GE(leftovers.processes().size(), 3u); // the daemon, too
  ::kill(controller, SIGKILL);
  ASSERT_EQ(::waitpid(controller, nullptr, 0), controller);
  EXPECT_EQ(leftovers.processesSoon(0), 0u);
}

TEST_F(SupervisionTest, NothingOutlivesAControllerThatIsKilled) {
  for (const char *way : {"loops", "leaves_a_daemon_and_hangs"}) {
    pid_t controller = start(way);
    // The supervisor, the runner, and the candidate's children.
    size_t expected = std::string(way) == "loops" ? 2 : 3;
    ASSERT_TRUE(eventually([&] {
      return leftovers.processes().size() >= expected;
    })) << way;
    ASSERT_EQ(::waitpid(controller, nullptr, WNOHANG), 0) << way;
    ::kill(controller, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(controller, &status, 0), controller);
    EXPECT_TRUE(WIFSIGNALED(status)) << way;
    EXPECT_EQ(leftovers.processesSoon(0), 0u) << way;
  }
}
