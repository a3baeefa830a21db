//===- Eight writers that are killed at random ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CountedRecords.h"

#include "TemporaryDirectory.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <optional>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::IsEmpty;
namespace fs = std::filesystem;

namespace {

/// A process that writes until it is killed.
class WriterProcess {
public:
  WriterProcess(const fs::path &cache, unsigned seed, std::string mode = {})
      : seed(seed) {
    std::string directory = cache.string(), number = std::to_string(seed);
    std::array<char *, 5> arguments = {
        const_cast<char *>(WRITER), directory.data(), number.data(),
        mode.empty() ? nullptr : mode.data(), nullptr};
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    EXPECT_EQ(::posix_spawn(&process, WRITER, &actions, nullptr,
                            arguments.data(), environ),
              0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output = ends[0];
  }
  WriterProcess(const WriterProcess &) = delete;
  WriterProcess &operator=(const WriterProcess &) = delete;
  ~WriterProcess() { ::close(output); }

  /// Kills it at work: some time after it has inserted something.
  void kill(std::chrono::microseconds later) {
    char sign = 0;
    ASSERT_EQ(::read(output, &sign, 1), 1);
    std::this_thread::sleep_for(later);
    ::kill(process, SIGKILL);
    inserted = 1;
    while (::read(output, &sign, 1) == 1)
      ++inserted;
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    // An exit status says what was wrong.
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  }

  const unsigned seed;
  unsigned inserted = 0; ///< letters that it has printed, once it is killed

private:
  pid_t process = -1;
  int output = -1;
};

} // namespace

TEST(KilledWriters, LeaveWholeRecordsOnly) {
  TemporaryDirectory directory;
  fs::path cache = directory / "cache";
  std::mt19937 random(7);
  auto later = [&] { return std::chrono::microseconds(random() % 4000); };
  std::array<std::optional<WriterProcess>, 8> writers;
  unsigned seed = 0;
  for (std::optional<WriterProcess> &writer : writers)
    writer.emplace(cache, seed++);
  constexpr int kills = 150;
  for (int i = 0; i < kills; ++i) {
    std::optional<WriterProcess> &writer = writers[random() % writers.size()];
    ASSERT_NO_FATAL_FAILURE(writer->kill(later()));
    writer.emplace(cache, seed++);
  }
  for (std::optional<WriterProcess> &writer : writers)
    ASSERT_NO_FATAL_FAILURE(writer->kill(later()));

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
  // Only records remain, no files of killed writers.
  EXPECT_EQ(directory.files().size(), found);
}

TEST(KilledWriters, LoseAndDoubleNothingWithoutLocks) {
  TemporaryDirectory directory;
  fs::path cache = directory / "cache";
  std::mt19937 random(8);
  std::array<std::optional<WriterProcess>, 8> writers;
  unsigned seed = 0;
  for (std::optional<WriterProcess> &writer : writers)
    writer.emplace(cache, seed++, "own");
  auto store = DirectoryStore::open(
      cache, DirectoryStore::Mode::read_write,
      [](const std::string &message) { ADD_FAILURE() << message; },
      FileSystemKind::network);
  ASSERT_TRUE(store.ok());
  size_t known = 0, unreported = 0;
  constexpr size_t kills = 100;
  for (size_t i = 0; i < kills + writers.size(); ++i) {
    // At the end, all of them.
    std::optional<WriterProcess> &writer =
        i < kills ? writers[random() % writers.size()] : writers[i - kills];
    ASSERT_NO_FATAL_FAILURE(
        writer->kill(std::chrono::microseconds(random() % 4000)));
    for (unsigned number = 0; number < writer->inserted; ++number)
      EXPECT_EQ((*store)->find(ownKey(writer->seed, number)),
                countedRecord(writer->seed, number));
    known += writer->inserted;
    // It may be killed between the insertion and the letter.
    unreported +=
        (*store)->find(ownKey(writer->seed, writer->inserted)).has_value();
    if (i < kills)
      writer.emplace(cache, seed++, "own");
  }
  size_t records = 0;
  for (const fs::path &file : directory.files())
    records += file.extension() == ".json";
  EXPECT_EQ(records, known + unreported);
}
