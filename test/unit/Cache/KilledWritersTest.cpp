//===- KilledWritersTest.cpp - Eight writers that are killed at random ----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountedRecords.h"

#include "TemporaryDirectory.h"

#include <array>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::IsEmpty;
namespace fs = std::filesystem;

static pid_t startWriter(const fs::path &cache, unsigned seed) {
  std::string directory = cache.string(), number = std::to_string(seed);
  std::array<char *, 4> arguments = {const_cast<char *>(WRITER),
                                     directory.data(), number.data(), nullptr};
  pid_t writer = -1;
  EXPECT_EQ(::posix_spawn(&writer, WRITER, nullptr, nullptr, arguments.data(),
                          environ),
            0);
  return writer;
}

TEST(KilledWriters, LeaveWholeRecordsOnly) {
  TemporaryDirectory directory;
  fs::path cache = directory / "cache";
  std::mt19937 random(7);
  std::array<pid_t, 8> writers = {};
  unsigned seed = 0;
  for (pid_t &writer : writers)
    writer = startWriter(cache, seed++);
  constexpr int kills = 150;
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    pid_t &writer = writers[random() % writers.size()];
    ::kill(writer, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    // An exit status says what was wrong.
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    writer = startWriter(cache, seed++);
  }
  for (pid_t writer : writers) {
    ::kill(writer, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  }

  std::vector<std::string> warnings;
  auto store = DirectoryStore::open(
      cache, DirectoryStore::Mode::read_write,
      [&](const std::string &message) { warnings.push_back(message); });
  ASSERT_TRUE(store.ok());
  size_t found = 0;
  for (unsigned key = 0; key < countedKeys; ++key)
    if (auto record = (*store)->find(countedKey(key))) {
      EXPECT_TRUE(isCounted(key, *record)) << record->dump();
      ++found;
    }
  EXPECT_GT(found, 0u);
  EXPECT_THAT(warnings, IsEmpty());
  // Records, and nothing of those that were killed.
  EXPECT_EQ(directory.files().size(), found);
}
