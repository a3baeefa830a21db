//===- Tests for time limits without waiting time -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Subprocess.h"

#include "Eventually.h"
#include "Processes.h"
#include "Starvation.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <thread>

using namespace tonno;

namespace {

/// Threads that always want to run, and the time, as a test says.
class FakeSchedules : public ScheduleSource {
public:
  struct Share {
    double ran, waited; ///< of the time that passes
  };

  Deadline now() const override { return time; }
  Threads threads(pid_t) const override { return times; }
  cpu_set_t cores(pid_t thread) const override { return allowed.at(thread); }

  /// Adds a thread, which may use these cores.
  void add(pid_t thread, Share share, std::initializer_list<int> cores) {
    shares[thread] = share;
    times[thread] = {};
    CPU_ZERO(&allowed[thread]);
    for (int core : cores)
      CPU_SET(core, &allowed[thread]);
  }

  /// Waits until the limit has passed, as those do who have one: they look when
  /// it may have passed, a little late. Returns the seconds that it took.
  double secondsUntilPassed(FairLimit &limit) {
    Deadline begin = time;
    while (!limit.hasPassed())
      passUntil(limit.earliest() + std::chrono::milliseconds(1));
    return std::chrono::duration<double>(time - begin).count();
  }

private:
  void passUntil(Deadline later) {
    auto passed = static_cast<double>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(later - time)
            .count());
    for (auto &[thread, share] : shares) {
      times[thread].ran += static_cast<uint64_t>(share.ran * passed);
      times[thread].waited += static_cast<uint64_t>(share.waited * passed);
    }
    time = later;
  }

  Deadline time = Deadline() + std::chrono::hours(1);
  std::map<pid_t, Share> shares;
  Threads times;
  std::map<pid_t, cpu_set_t> allowed;
};

constexpr double limitSeconds = 0.5;
/// Two looks at the clock, each of them a little late.
constexpr double tolerance = 0.01;

} // namespace

/// Waits until the limit has passed. Returns how much longer it was than it
/// was given.
static double stretchOf(FairLimit &limit) {
  Deadline first = limit.earliest();
  while (!limit.hasPassed())
    std::this_thread::sleep_until(limit.earliest());
  return std::chrono::duration<double>(limit.earliest() - first).count();
}

/// Returns the process id of a child that answers once, and then only performs
/// the task.
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
  FakeSchedules fake;
  fake.add(1, {.ran = 0.25, .waited = 0.75}, {0});
  FairLimit limit(1, limitSeconds, fake);
  EXPECT_NEAR(fake.secondsUntilPassed(limit), 4 * limitSeconds, tolerance);
  EXPECT_NEAR(1e-9 * static_cast<double>(fake.threads(1)[1].ran), limitSeconds,
              tolerance);
}

TEST(FairLimit, StretchesNoFurtherThanItSays) {
  FakeSchedules fake;
  fake.add(1, {.ran = 0.01, .waited = 0.99}, {0});
  FairLimit limit(1, limitSeconds, fake);
  EXPECT_NEAR(fake.secondsUntilPassed(limit),
              FairLimit::mostStretch * limitSeconds, tolerance);
}

TEST(FairLimit, CountsWhatTheProcessHasStarted) {
  FakeSchedules fake;
  fake.add(1, {.ran = 0, .waited = 0}, {0, 1}); // waits for its child
  fake.add(2, {.ran = 0.5, .waited = 0.5}, {0, 1});
  FairLimit limit(1, limitSeconds, fake);
  EXPECT_NEAR(fake.secondsUntilPassed(limit), 2 * limitSeconds, tolerance);
}

TEST(FairLimit, OwnThreadsTakeNothingFromEachOther) {
  FakeSchedules fake;
  for (pid_t thread = 1; thread <= 40; ++thread)
    fake.add(thread, {.ran = 1.0 / 40, .waited = 39.0 / 40}, {0});
  FairLimit limit(1, limitSeconds, fake);
  // Each waits for nearly all of it, but together they have the core.
  EXPECT_NEAR(fake.secondsUntilPassed(limit), limitSeconds, tolerance);

  FakeSchedules shared;
  for (pid_t thread = 1; thread <= 40; ++thread)
    shared.add(thread, {.ran = 0.5 / 40, .waited = 39.5 / 40}, {0});
  FairLimit half(1, limitSeconds, shared);
  // Other processes ran in the time that these did not.
  EXPECT_NEAR(shared.secondsUntilPassed(half), 2 * limitSeconds, tolerance);
}

TEST(FairLimit, ThreadsOnCoresOfTheirOwnDoNotShareWhatTheyWaited) {
  FakeSchedules fake;
  fake.add(1, {.ran = 1, .waited = 0}, {0});
  fake.add(2, {.ran = 0.5, .waited = 0.5}, {1});
  FairLimit limit(1, limitSeconds, fake);
  // One of two concurrent threads lost half of its time: a quarter of the time
  // of both.
  EXPECT_NEAR(fake.secondsUntilPassed(limit), limitSeconds / (1 - 0.25),
              tolerance);
}

TEST(FairLimit, SleepIsNoStarvation) {
  FakeSchedules fake;
  fake.add(1, {.ran = 0, .waited = 0}, {0});
  FairLimit limit(1, limitSeconds, fake);
  EXPECT_NEAR(fake.secondsUntilPassed(limit), limitSeconds, tolerance);
}

TEST(FairLimit, WhatWasWaitedBeforeItBeganDoesNotCount) {
  FakeSchedules fake;
  fake.add(1, {.ran = 0.5, .waited = 0.5}, {0});
  FairLimit earlier(1, limitSeconds, fake);
  fake.secondsUntilPassed(earlier);
  fake.add(2, {.ran = 0, .waited = 0}, {0});
  FairLimit limit(1, limitSeconds, fake);
  EXPECT_NEAR(fake.secondsUntilPassed(limit), 2 * limitSeconds, tolerance);
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

TEST(ScheduleSource, ReportsWhatTheProcessHasStarted) {
  std::optional<Subprocess> child;
  pid_t pid = startTask(child, {{"fork", true}});
  auto grandchild = child->receive(inSeconds(60));
  ASSERT_TRUE(grandchild.ok());
  ScheduleSource::Threads threads = ScheduleSource::system().threads(pid);
  EXPECT_EQ(threads.size(), 2u);
  EXPECT_TRUE(threads.contains(pid));
  EXPECT_TRUE(threads.contains(grandchild->get<pid_t>()));
}

TEST(ScheduleSource, ReportsEachThread) {
  std::optional<Subprocess> child;
  pid_t pid = startTask(child, {{"spin", 4}});
  const ScheduleSource &system = ScheduleSource::system();
  EXPECT_TRUE(eventually([&] {
    ScheduleSource::Threads threads = system.threads(pid);
    return threads.size() == 4 &&
           std::ranges::all_of(
               threads, [](const auto &each) { return each.second.ran > 0; });
  }));
}

TEST(ScheduleSource, ReportsWhatABusyProcessWaitedSoThatLimitsStretch) {
  Starvation starvation;
  std::optional<Subprocess> child;
  pid_t pid = startTask(child, {{"spin", 1}});
  const ScheduleSource &system = ScheduleSource::system();
  ScheduleSource::Times before = system.threads(pid)[pid];
  EXPECT_TRUE(eventually([&] {
    ScheduleSource::Times now = system.threads(pid)[pid];
    return now.ran > before.ran && now.waited > before.waited;
  }));
  cpu_set_t cores = system.cores(pid);
  EXPECT_EQ(CPU_COUNT(&cores), 1);
  EXPECT_TRUE(eventually([&] {
    FairLimit limit(pid, 0.05);
    return stretchOf(limit) > 0;
  }));
}

TEST(ScheduleSource, ReportsNoWaitOfWhatSleeps) {
  Starvation starvation;
  std::optional<Subprocess> child, other;
  pid_t sleeper = startTask(child, {{"hang", true}});
  ASSERT_TRUE(eventually([&] { return stateOf(sleeper) == 'S'; }));
  const ScheduleSource &system = ScheduleSource::system();
  ScheduleSource::Times before = system.threads(sleeper)[sleeper];
  pid_t busy = startTask(other, {{"spin", 1}});
  EXPECT_TRUE(
      eventually([&] { return system.threads(busy)[busy].waited > 0; }));
  ScheduleSource::Times after = system.threads(sleeper)[sleeper];
  EXPECT_EQ(after.ran, before.ran);
  EXPECT_EQ(after.waited, before.waited);
}
