//===- Tests for the lock of a device -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/DeviceLock.h"
#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

static DeviceIdentity device(const std::string &uuid,
                             std::optional<unsigned> core = {}) {
  return {"fake", uuid, core};
}

static void failWaiting(const std::string &) { ADD_FAILURE() << "waited"; }

static const DeviceLockWait expectNoWaiting = {failWaiting};

namespace {
/// Process that holds the lock until it is ended.
class Holder {
public:
  Holder(const std::string &uuid, const std::string &folder,
         std::optional<unsigned> core = {}) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    child = ::fork();
    if (child == 0) {
      auto held =
          DeviceLock::acquire(device(uuid, core), expectNoWaiting, folder);
      char answer = held.ok() ? 'y' : 'n';
      if (::write(ready[1], &answer, 1) == 1)
        ::pause();
      ::_exit(1);
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { end(); }

  void end() {
    if (child < 0)
      return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    child = -1;
  }

  pid_t id() const { return child; }

private:
  pid_t child;
};
} // namespace

TEST(DeviceLock, WaitsForAnotherProcessUntilItEnds) {
  TemporaryDirectory directory;
  Holder holder("a", directory.path());
  int signs = 0;
  auto held = DeviceLock::acquire(device("a"),
                                  {.waiting =
                                       [&](const std::string &) {
                                         if (++signs == 2)
                                           holder.end();
                                       },
                                   .signSeconds = 0.01},
                                  directory.path());
  EXPECT_TRUE(held.ok()) << held.error().message;
  EXPECT_EQ(signs, 2);
}

TEST(DeviceLock, IsFreeOnceItIsLetGo) {
  TemporaryDirectory directory;
  {
    auto held =
        DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
    ASSERT_TRUE(held.ok()) << held.error().message;
  }
  Holder holder("a", directory.path());
}

TEST(DeviceLock, OtherDevicesAreFree) {
  TemporaryDirectory directory;
  Holder holder("a", directory.path());
  EXPECT_TRUE(
      DeviceLock::acquire(device("b"), expectNoWaiting, directory.path()).ok());
}

TEST(DeviceLock, CoresExcludeTheirHostAndNoOtherCore) {
  TemporaryDirectory directory;
  const std::string folder = directory.path();
  auto isFree = [&](std::optional<unsigned> core) {
    DeviceLockWait noWait = {.waiting = [](const std::string &) {},
                             .mostSeconds = 0};
    return DeviceLock::acquire(device("a", core), noWait, folder).ok();
  };
  {
    Holder one("a", folder, 1);
    Holder other("a", folder, 0);
    EXPECT_FALSE(isFree(1));
    EXPECT_FALSE(isFree(0));
    EXPECT_TRUE(isFree(2));
    EXPECT_FALSE(isFree(std::nullopt));
    other.end();
    EXPECT_TRUE(isFree(0));
  }
  Holder host("a", folder);
  EXPECT_FALSE(isFree(0));
  EXPECT_FALSE(isFree(2));
}

TEST(DeviceLock, ForkedProcessDoesNotKeepIt) {
  TemporaryDirectory directory;
  pid_t child = -1;
  {
    auto held =
        DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
    ASSERT_TRUE(held.ok()) << held.error().message;
    child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  {
    Holder holder("a", directory.path());
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(DeviceLock, AnyUserCanTakeIt) {
  TemporaryDirectory directory;
  mode_t before = ::umask(077);
  auto held =
      DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
  ::umask(before);
  ASSERT_TRUE(held.ok()) << held.error().message;
  struct stat about = {};
  std::string path = directory / "tonno-fake-a.lock";
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0666u);
}

TEST(DeviceLock, TellsWhyThereIsNone) {
  auto held = DeviceLock::acquire(device("a"), expectNoWaiting, "/nowhere");
  ASSERT_FALSE(held.ok());
  EXPECT_NE(held.error().message.find("/nowhere/tonno-fake-a.lock"),
            std::string::npos)
      << held.error().message;
}

TEST(DeviceLock, WaitHasAnEndAndSaysWhoHasIt) {
  TemporaryDirectory directory;
  Holder holder("a", directory.path());
  std::string named;
  DeviceLockWait wait = {
      .waiting = [&](const std::string &who) { named = who; },
      .signSeconds = 0.01,
      .mostSeconds = 0.05};
  auto held = DeviceLock::acquire(device("a"), wait, directory.path());
  ASSERT_FALSE(held.ok());
  ASSERT_TRUE(held.error().holder.has_value());
  std::string whose = "process " + std::to_string(holder.id()) + " of user ";
  EXPECT_THAT(*held.error().holder,
              AllOf(HasSubstr(whose), HasSubstr("tonno-unit-Process")));
  EXPECT_EQ(named, *held.error().holder);
  // The thread that waited does not take it when it is free.
  holder.end();
  Holder next("a", directory.path());
}

TEST(DeviceLock, WithoutWaitingOnlyAFreeOneIsTaken) {
  TemporaryDirectory directory;
  DeviceLockWait wait = {.waiting = failWaiting, .mostSeconds = 0};
  {
    Holder holder("a", directory.path());
    auto held = DeviceLock::acquire(device("a"), wait, directory.path());
    ASSERT_FALSE(held.ok());
    EXPECT_TRUE(held.error().holder.has_value());
  }
  EXPECT_TRUE(DeviceLock::acquire(device("a"), wait, directory.path()).ok());
}

/// Another user's, who put a link to it where the lock is.
TEST(DeviceLock, FilesWithOtherNamesAreLeftAlone) {
  for (auto *link : {::link, ::symlink}) {
    TemporaryDirectory directory;
    std::string file = directory / "notes",
                path = directory / "tonno-fake-a.lock";
    ASSERT_TRUE(writeFileAtomically(file, "what they wrote").ok());
    ASSERT_EQ(link(file.c_str(), path.c_str()), 0);
    auto held =
        DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
    ASSERT_FALSE(held.ok());
    EXPECT_FALSE(held.error().holder.has_value());
    EXPECT_THAT(held.error().message, HasSubstr(path));
    EXPECT_EQ(*readFile(file), "what they wrote");
  }
}

TEST(DeviceLock, PipeIsRefusedAtOnce) {
  TemporaryDirectory directory;
  std::string path = directory / "tonno-fake-a.lock";
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  auto held =
      DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
  ASSERT_FALSE(held.ok());
  EXPECT_THAT(held.error().message, HasSubstr("not a regular file"));
}

TEST(DeviceLock, UsersExcludeOneAnother) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can be two users";
  TemporaryDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 01777), 0);
  constexpr uid_t other = 65534;
  pid_t child = ::fork();
  if (child == 0) { // the first, whose file it is
    ::umask(077);
    bool isOk =
        ::setuid(other) == 0 &&
        DeviceLock::acquire(device("a"), expectNoWaiting, directory.path())
            .ok();
    ::_exit(isOk ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  Holder holder("a", directory.path());
  DeviceLockWait noWait = {.waiting = failWaiting, .mostSeconds = 0};
  child = ::fork();
  if (child == 0) {
    bool isHeld = ::setuid(other) == 0 &&
                  DeviceLock::acquire(device("a"), noWait, directory.path())
                      .error()
                      .holder.has_value();
    ::_exit(isHeld ? 0 : 1);
  }
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DeviceLock, ThreadsTakeTurns) {
  TemporaryDirectory directory;
  std::promise<void> waits;
  std::optional<DeviceLock> held;
  auto first =
      DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
  ASSERT_TRUE(first.ok());
  held.emplace(std::move(*first));
  std::atomic<bool> isLetGo = false;
  std::string named;
  std::thread other([&] {
    bool isTold = false;
    auto second = DeviceLock::acquire(device("a"),
                                      {.waiting =
                                           [&](const std::string &holder) {
                                             named = holder;
                                             if (!std::exchange(isTold, true))
                                               waits.set_value();
                                           },
                                       .signSeconds = 0.01},
                                      directory.path());
    EXPECT_TRUE(second.ok());
    EXPECT_TRUE(isLetGo);
    // Another process finds the file locked, though the first has let go.
    DeviceLockWait noWait = {.waiting = failWaiting, .mostSeconds = 0};
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(DeviceLock::acquire(device("a"), noWait, directory.path()).ok());
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
  waits.get_future().wait();
  isLetGo = true;
  held.reset();
  other.join();
  EXPECT_EQ(named,
            "another thread of this process, " + std::to_string(::getpid()));
}

TEST(DeviceLock, WaitForAThreadHasALimitOfItsOwn) {
  TemporaryDirectory directory;
  auto held =
      DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
  ASSERT_TRUE(held.ok());
  std::thread([&] {
    DeviceLockWait wait = {.waiting = [](const std::string &) {},
                           .signSeconds = 0.01,
                           .threadSeconds = 0.02};
    auto other = DeviceLock::acquire(device("a"), wait, directory.path());
    ASSERT_FALSE(other.ok());
    EXPECT_TRUE(other.error().isOfThread);
    wait.mostSeconds = 0.01;
    auto budgeted = DeviceLock::acquire(device("a"), wait, directory.path());
    ASSERT_FALSE(budgeted.ok());
    EXPECT_FALSE(budgeted.error().isOfThread);
  }).join();
}

TEST(DeviceLock, ThreadTakesItsLockAgain) {
  TemporaryDirectory directory;
  auto outer =
      DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
  ASSERT_TRUE(outer.ok());
  {
    auto inner =
        DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
    EXPECT_TRUE(inner.ok());
  }
  // The inner one has not let go of it.
  DeviceLockWait noWait = {.waiting = failWaiting, .mostSeconds = 0};
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(DeviceLock::acquire(device("a"), noWait, directory.path()).ok());
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// Ctrl-C in Python is an exception of the callback.
TEST(DeviceLock, ExceptionAndStopEndTheWait) {
  TemporaryDirectory directory;
  Holder holder("a", directory.path());
  DeviceLockWait throwing = {.waiting = [](const std::string &) {
    throw std::runtime_error("interrupted");
  }};
  EXPECT_THROW(
      (void)DeviceLock::acquire(device("a"), throwing, directory.path()),
      std::runtime_error);
  DeviceLockWait stopped = {.waiting = [](const std::string &) {},
                            .signSeconds = 0.01,
                            .isStopped = [] { return true; }};
  auto held = DeviceLock::acquire(device("a"), stopped, directory.path());
  ASSERT_FALSE(held.ok());
  EXPECT_TRUE(held.error().holder.has_value());
  // Neither of them takes it when it is free.
  holder.end();
  Holder next("a", directory.path());
}

TEST(DeviceLock, TwoDevicesAreWaitedForAtOnce) {
  TemporaryDirectory directory;
  Holder a("a", directory.path()), b("b", directory.path());
  std::promise<void> ended;
  DeviceLockWait untilEnded = {.waiting = [](const std::string &) {},
                               .signSeconds = 0.01,
                               .isStopped =
                                   [future = ended.get_future().share()] {
                                     return future.wait_for(
                                                std::chrono::seconds(0)) ==
                                            std::future_status::ready;
                                   }};
  std::thread other([&] {
    EXPECT_FALSE(
        DeviceLock::acquire(device("b"), untilEnded, directory.path()).ok());
  });
  // The first wait to end leaves the other one a signal to end by.
  DeviceLockWait shortly = {.waiting = [](const std::string &) {},
                            .signSeconds = 0.01,
                            .mostSeconds = 0.05};
  EXPECT_FALSE(
      DeviceLock::acquire(device("a"), shortly, directory.path()).ok());
  ended.set_value();
  other.join();
}

TEST(DeviceLock, ForkedChildOfAHolderWaitsAsOthersDo) {
  TemporaryDirectory directory;
  auto held =
      DeviceLock::acquire(device("a"), expectNoWaiting, directory.path());
  ASSERT_TRUE(held.ok());
  pid_t child = ::fork();
  if (child == 0) {
    DeviceLockWait noWait = {.waiting = failWaiting, .mostSeconds = 0};
    auto own = DeviceLock::acquire(device("a"), noWait, directory.path());
    std::string parent = "process " + std::to_string(::getppid());
    bool isParents =
        !own && own.error().holder && own.error().holder->starts_with(parent);
    ::_exit(isParents ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
