//===- DeviceLockTest.cpp - One process at a time -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/DeviceLock.h"
#include "tonno/Runtime/Device.h"

#include "TemporaryDirectory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

static DeviceDescription device(const std::string &uuid) {
  return {"fake", "fake device", uuid};
}

static void expectNoWaiting() { ADD_FAILURE() << "waited"; }

namespace {
/// Another process, which has the lock until it is told to end.
class Holder {
public:
  Holder(const std::string &uuid, const std::string &folder) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    child = ::fork();
    if (child == 0) {
      auto held = DeviceLock::acquire(device(uuid), expectNoWaiting, folder);
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

private:
  pid_t child;
};
} // namespace

TEST(DeviceLock, WaitsForAnotherProcessUntilItEnds) {
  TemporaryDirectory directory;
  Holder holder("a", directory.path());
  int signs = 0;
  auto held = DeviceLock::acquire(
      device("a"),
      [&] {
        if (++signs == 2)
          holder.end();
      },
      directory.path(), /*signSeconds=*/0.01);
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
