//===- FairLimitTest.cpp - What counts against a limit --------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/FairLimit.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Subprocess.h"

#include "Starvation.h"

#include <cstdlib>
#include <ctime>
#include <thread>

using namespace tonno;

static double secondsUntil(Deadline later, Deadline sooner) {
  return std::chrono::duration<double>(later - sooner).count();
}

/// Waits until the limit has passed. Returns how much longer it was than it
/// was given.
static double stretchOf(FairLimit &limit) {
  Deadline first = limit.earliest();
  while (!limit.hasPassed())
    std::this_thread::sleep_until(limit.earliest());
  return secondsUntil(limit.earliest(), first);
}

/// Seconds that the process has run.
static double runTime(pid_t process) {
  auto schedule = readFile("/proc/" + std::to_string(process) + "/schedstat");
  return schedule ? 1e-9 * std::strtod(schedule->c_str(), nullptr) : 0;
}

/// The same of all its threads.
static double processorTime(pid_t process) {
  clockid_t clock;
  timespec used = {};
  EXPECT_EQ(::clock_getcpuclockid(process, &clock), 0);
  EXPECT_EQ(::clock_gettime(clock, &used), 0);
  return static_cast<double>(used.tv_sec) +
         1e-9 * static_cast<double>(used.tv_nsec);
}

/// The process id of a child that answers once, and then does nothing but what
/// it is told to.
static pid_t startTask(std::optional<Subprocess> &child, const Json &task) {
  auto started = Subprocess::spawn({PEER});
  EXPECT_TRUE(started.ok()) << started.error().message;
  child.emplace(std::move(*started));
  EXPECT_TRUE(child->send({{"pid", true}}).ok());
  auto pid = child->receive(inSeconds(60));
  EXPECT_TRUE(pid.ok());
  EXPECT_TRUE(child->send(task).ok());
  return pid ? pid->get<pid_t>() : 0;
}

TEST(FairLimit, CountsWhatABusyProcessGot) {
  Starvation starvation;
  std::optional<Subprocess> child;
  pid_t pid = startTask(child, {{"spin", 1}});
  constexpr double seconds = 0.4;
  double before = runTime(pid);
  FairLimit limit(pid, seconds);
  double stretch = stretchOf(limit);
  EXPECT_GT(stretch, seconds); // it got a fourth
  EXPECT_LE(stretch, FairLimit::mostStretch * seconds);
  if (stretch < (FairLimit::mostStretch - 1.01) * seconds) // ended in time
    EXPECT_GT(runTime(pid) - before, seconds / 2);
}

TEST(FairLimit, CountsWhatTheProcessHasStarted) {
  Starvation starvation;
  auto shell = Subprocess::spawn({"sh", "-c", "while :; do :; done & wait"});
  ASSERT_TRUE(shell.ok());
  FairLimit limit = shell->limit(0.4);
  EXPECT_GT(stretchOf(limit), 0.4);
}

TEST(FairLimit, OwnThreadsTakeNothingFromEachOther) {
  OneCore core;
  std::optional<Subprocess> child;
  pid_t pid = startTask(child, {{"spin", 40}});
  constexpr double seconds = 0.5;
  FairLimit limit(pid, seconds);
  double before = processorTime(pid);
  double stretch = stretchOf(limit);
  // Each waits for nearly all of it. What they did not run, others did.
  double othersRan = seconds + stretch - (processorTime(pid) - before);
  EXPECT_LT(stretch, othersRan + 0.2);
}

TEST(FairLimit, SleepIsNoStarvation) {
  Starvation starvation;
  std::optional<Subprocess> child;
  pid_t pid = startTask(child, {{"hang", true}});
  constexpr double seconds = 2;
  FairLimit limit(pid, seconds);
  EXPECT_LT(stretchOf(limit), seconds / 2);
}

TEST(FairLimit, NothingIsKnownOfAProcessThatIsGone) {
  auto shell = Subprocess::spawn({"true"});
  ASSERT_TRUE(shell.ok());
  FairLimit limit = shell->limit(0.05);
  FairLimit ofNobody(-1, 0.05);
  shell->terminate(/*closed=*/true);
  EXPECT_EQ(stretchOf(limit), 0);
  EXPECT_EQ(stretchOf(ofNobody), 0);
}
