//===- Runners wait for a device that is locked ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "TestKernels.h"

#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class DeviceWaitTest : public testing::Test {
protected:
  /// A launch of the reference, of a candidate, and the least limit: they only
  /// end what would hang.
  RunnerLimits limits = {60, 60, 60};
  RunnerProcess runner = RunnerProcess({RUNNER}, limits);
};

} // namespace

TEST_F(DeviceWaitTest, WaitsWhileAnotherProcessTimes) {
  int waits = 0;
  std::promise<void> waitsNow;
  RunnerProcess waiting({RUNNER}, limits, {.waiting = [&](const std::string &) {
                          if (++waits == 1)
                            waitsNow.set_value();
                        }});
  ASSERT_TRUE(waiting.open(doublingSession()).ok());
  RunRequest request = doublingRequest("ok");
  request.launchSeconds = 0.8;
  auto description = runner.device();
  ASSERT_TRUE(description.ok());
  auto held = DeviceLock::acquire(description->identity(),
                                  {.waiting = [](const std::string &) {}});
  ASSERT_TRUE(held.ok()) << held.error().message;
  std::thread letGo([&, other = std::move(*held)] {
    waitsNow.get_future().wait_for(std::chrono::minutes(1));
    // Longer than a launch may be silent.
    std::this_thread::sleep_for(
        std::chrono::duration<double>(1.5 * request.launchSeconds));
  });
  RunResult result = waiting.run(request);
  letGo.join();
  EXPECT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(waits, 1);
}

TEST_F(DeviceWaitTest, WaitEndsWhereTheRequestSays) {
  RunnerProcess waiting({RUNNER}, limits);
  ASSERT_TRUE(waiting.open(doublingSession()).ok());
  auto description = runner.device();
  ASSERT_TRUE(description.ok());
  auto held = DeviceLock::acquire(description->identity(),
                                  {.waiting = [](const std::string &) {}});
  ASSERT_TRUE(held.ok()) << held.error().message;
  auto namesUs =
      AllOf(HasSubstr("the budget's seconds ended the wait"),
            HasSubstr("process " + std::to_string(::getpid()) + " of user "));
  RunRequest request = doublingRequest("ok");
  request.waitSeconds = 0.1;
  RunResult result = waiting.run(request);
  EXPECT_EQ(result.status, Status::contended);
  EXPECT_TRUE(result.deviceHeld);
  EXPECT_THAT(result.message, namesUs);
  RunnerSession again = doublingSession();
  again.waitSeconds = 0;
  auto opened = waiting.open(again);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, namesUs);
}
