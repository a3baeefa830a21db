//===- Files appear whole or not at all -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"

#include "Processes.h"
#include "TemporaryDirectory.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ReadFile, GivesEveryByte) {
  TemporaryDirectory directory;
  std::string bytes(200000, 'x');
  bytes[3] = '\0';
  bytes.back() = '\xff';
  writeText(directory / "a", bytes);
  EXPECT_EQ(*readFile(directory / "a"), bytes);
}

TEST(ReadFile, ErrorNamesPathAndReason) {
  TemporaryDirectory directory;
  auto missing = readFile(directory / "gone");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message,
              AllOf(HasSubstr((directory / "gone").string()),
                    HasSubstr("No such file or directory")));
  auto folder = readFile(directory.path());
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().message, HasSubstr("Is a directory"));
}

TEST(ReadFile, OnlyRegularFilesAreRead) {
  TemporaryDirectory directory;
  std::string pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0); // nobody writes to it
  for (const std::string &path : {pipe, std::string("/dev/zero")}) {
    auto bytes = readFile(path);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().message,
              "cannot read '" + path + "': not a regular file");
  }
  EXPECT_FALSE(readFileIfAny(pipe).ok());
  EXPECT_FALSE(readNamedFile("/dev/zero").ok());
  EXPECT_TRUE(readFile("/proc/self/stat").ok());
}

TEST(ReadFile, PipesThatTheUserNamesAreRead) {
  TemporaryDirectory directory;
  std::string pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  std::thread writer([&] {
    int end = ::open(pipe.c_str(), O_WRONLY);
    EXPECT_TRUE(writeAll(end, "hello"));
    ::close(end);
  });
  auto bytes = readNamedFile(pipe);
  writer.join();
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  EXPECT_EQ(*bytes, "hello");
}

TEST(ReadFile, LargerFilesThanItMayReadAreAnError) {
  TemporaryDirectory directory;
  std::string path = directory / "large";
  constexpr uint64_t most = 1 << 20;
  ASSERT_TRUE(writeFileAtomically(path, std::string(most, 'x')).ok());
  EXPECT_EQ(readFile(path, most)->size(), most);
  ASSERT_TRUE(writeFileAtomically(path, std::string(most + 1, 'x')).ok());
  auto bytes = readFile(path, most);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().message,
            "cannot read '" + path + "': the file is larger than 1 MiB");
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TemporaryDirectory directory;
  writeText(directory / "a", "old");
  {
    auto file = AtomicFile::create(directory / "a");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("half of the new").ok());
    EXPECT_EQ(*readFile(directory / "a"), "old");
  }
  EXPECT_EQ(*readFile(directory / "a"), "old");
  EXPECT_EQ(directory.files().size(), 1u);
}

/// Ignores a signal, which only interrupts a wait.
static void ignore(int) {}

TEST(WriteAll, GoesOnAfterSignals) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  struct sigaction interrupting = {}, before = {};
  interrupting.sa_handler = ignore; // and no SA_RESTART
  ASSERT_EQ(::sigaction(SIGUSR1, &interrupting, &before), 0);
  std::string bytes(1 << 20, 'x'), received;
  std::thread reader([&, writer = ::pthread_self(), id = ::gettid()] {
    auto waits = [id] { return stateOf(id) == 'S'; };
    char chunk[65536];
    for (ssize_t n = 1; n > 0; received.append(chunk, n)) {
      // The pipe is full once the writer waits. The first signal ends a call
      // that has written something, the second one that has not.
      for (int signals = 0; signals < 2; ++signals) {
        EXPECT_TRUE(eventually(waits));
        ::pthread_kill(writer, SIGUSR1);
      }
      EXPECT_TRUE(eventually(waits));
      n = ::read(ends[0], chunk, sizeof chunk);
    }
  });
  EXPECT_TRUE(writeAll(ends[1], bytes));
  ::close(ends[1]);
  reader.join();
  EXPECT_EQ(received, bytes);
  ::sigaction(SIGUSR1, &before, nullptr);
  ::close(ends[0]);
}

TEST(WriteAll, ToAPeerThatEndedIsAnError) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  ::close(ends[1]);
  EXPECT_FALSE(writeAll(ends[0], "x"));
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[0]);
  EXPECT_FALSE(writeAll(-1, "x"));
  EXPECT_EQ(errno, EBADF);
}

TEST(AtomicFile, AppearsWholeWithCommit) {
  TemporaryDirectory directory;
  auto file = AtomicFile::create(directory / "a");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("one ").ok());
  ASSERT_TRUE(file->write("two").ok());
  EXPECT_FALSE(std::filesystem::exists(directory / "a"));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(*readFile(directory / "a"), "one two");
  EXPECT_EQ(directory.files().size(), 1u);
}

TEST(AtomicFile, MovedFromOneLeavesTheFileAlone) {
  TemporaryDirectory directory;
  auto created = AtomicFile::create(directory / "a");
  ASSERT_TRUE(created.ok());
  {
    AtomicFile moved = std::move(*created);
    ASSERT_TRUE(moved.write("x").ok());
    ASSERT_TRUE(moved.commit().ok());
  }
  EXPECT_EQ(*readFile(directory / "a"), "x");
}

TEST(AtomicFile, HasThePermissionsOfAnyFile) {
  TemporaryDirectory directory;
  mode_t mask = ::umask(027);
  auto written = writeFileAtomically(directory / "a", "x");
  ::umask(mask);
  ASSERT_TRUE(written.ok());
  struct stat about = {};
  ASSERT_EQ(::stat((directory / "a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
}

TEST(AtomicFile, UnwritablePlaceIsAnError) {
  TemporaryDirectory directory;
  writeText(directory / "file", "");
  // Below a regular file not even root can write.
  auto written = writeFileAtomically(directory / "file" / "a", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message,
              AllOf(HasSubstr("cannot write"), HasSubstr("file/a"),
                    HasSubstr("Not a directory")));
}

TEST(AtomicFile, DirectoryIsRefusedAtOnce) {
  TemporaryDirectory directory;
  auto file = AtomicFile::create(directory.path());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("Is a directory"));
  EXPECT_FALSE(AtomicFile::create("").ok());
}

TEST(AtomicFile, FailedCommitLeavesNothing) {
  TemporaryDirectory directory;
  {
    auto file = AtomicFile::create(directory / "a");
    ASSERT_TRUE(file.ok());
    std::filesystem::create_directory(directory / "a"); // can't be replaced
    EXPECT_FALSE(file->commit().ok());
  }
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST(AtomicFile, LinkStaysAndItsFileIsReplaced) {
  namespace fs = std::filesystem;
  TemporaryDirectory directory;
  fs::create_directory(directory / "far");
  writeText(directory / "far/file", "old");
  fs::create_symlink("far/file", directory / "near");
  fs::create_symlink(directory / "near", directory / "absolute");
  ASSERT_TRUE(writeFileAtomically(directory / "absolute", "new").ok());
  EXPECT_EQ(*readFile(directory / "far/file"), "new");
  EXPECT_TRUE(fs::is_symlink(directory / "absolute"));
  EXPECT_TRUE(fs::is_symlink(directory / "near"));

  fs::create_symlink("far/none yet", directory / "dangling");
  ASSERT_TRUE(writeFileAtomically(directory / "dangling", "made").ok());
  EXPECT_EQ(*readFile(directory / "far/none yet"), "made");
  EXPECT_TRUE(fs::is_symlink(directory / "dangling"));

  fs::create_symlink("loop", directory / "loop");
  EXPECT_FALSE(writeFileAtomically(directory / "loop", "x").ok());
}

TEST(AtomicFile, DeviceStaysAndGetsTheBytes) {
  ASSERT_TRUE(writeFileAtomically("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  auto full = writeFileAtomically("/dev/full", "x");
  ASSERT_FALSE(full.ok());
  EXPECT_THAT(full.error().message, HasSubstr("No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, PipeStaysAndGetsTheBytes) {
  TemporaryDirectory directory;
  std::string pipe = (directory / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // Open for both, the pipe has a reader from the start.
  int reader = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_TRUE(writeFileAtomically(pipe, "xy").ok());
  char bytes[3] = {};
  EXPECT_EQ(::read(reader, bytes, 2), 2);
  EXPECT_STREQ(bytes, "xy");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(StandardDescriptors, ClosedOnesAreTaken) {
  auto taken = [] {
    for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::close(descriptor);
    openStandardDescriptors();
    char byte = 0;
    bool ok = ::open("/dev/null", O_RDWR | O_CLOEXEC) > STDERR_FILENO &&
              ::read(STDIN_FILENO, &byte, 1) < 0 &&
              ::write(STDOUT_FILENO, &byte, 1) < 0 &&
              ::write(STDERR_FILENO, &byte, 1) == 1;
    ::_exit(ok ? 0 : 1);
  };
  EXPECT_EXIT(taken(), testing::ExitedWithCode(0), "");
}

TEST(StandardDescriptors, OpenOnesStayAsTheyAre) {
  struct stat before = {}, after = {};
  ASSERT_EQ(::fstat(STDOUT_FILENO, &before), 0);
  openStandardDescriptors();
  ASSERT_EQ(::fstat(STDOUT_FILENO, &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(AtomicFile, TemporaryMayBeElsewhere) {
  TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "aside");
  auto file = AtomicFile::create(directory / "a", directory / "aside");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("x").ok());
  ASSERT_EQ(directory.files().size(), 1u);
  EXPECT_EQ(directory.files()[0].parent_path(), directory / "aside");
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(directory.files(), std::vector{directory / "a"});
}

TEST(RemoveAbandoned, LeavesWhatSomebodyWrites) {
  TemporaryDirectory directory;
  auto held = AtomicFile::create(directory / "held");
  ASSERT_TRUE(held.ok());
  writeText(directory / "dead.tmp.123", "half");
  writeText(directory / "other", "whole");
  std::filesystem::create_directory(directory / "folder.tmp.5");
  removeAbandoned(directory.path());
  EXPECT_EQ(directory.files().size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(directory / "folder.tmp.5"));
  ASSERT_TRUE(held->write("x").ok());
  ASSERT_TRUE(held->commit().ok());
  EXPECT_EQ(*readFile(directory / "held"), "x");
  removeAbandoned(directory / "gone"); // is no error
}

TEST(AtomicFile, ANameMayBeAsLongAsTheFileSystemHasIt) {
  TemporaryDirectory directory;
  std::string umlauts = "x";
  while (umlauts.size() < 241)
    umlauts += "\u00e4";
  umlauts += "y";
  for (const std::string &name :
       {std::string(240, 'x'), std::string(241, 'x'), std::string(255, 'x'),
        std::string(150, 'x') + ".json", umlauts}) {
    auto file = AtomicFile::create(directory / name);
    ASSERT_TRUE(file.ok()) << file.error().message;
    std::string temporary = directory.files()[0].filename();
    EXPECT_LT(temporary.size(), 120u);
    EXPECT_NE(temporary.front() & 0xC0, 0x80); // no half of an umlaut
    ASSERT_TRUE(file->write("whole").ok());
    ASSERT_TRUE(file->commit().ok());
    EXPECT_EQ(directory.files(), std::vector{directory / name});
    writeText(directory / temporary, "half"); // of one that was killed
    removeAbandoned(directory.path(), name);
    EXPECT_EQ(directory.files(), std::vector{directory / name});
    std::filesystem::remove(directory / name);
  }
  EXPECT_FALSE(AtomicFile::create(directory / std::string(256, 'x')).ok());
}

TEST(AtomicFile, OthersFilesAreNotTakenForAbandoned) {
  TemporaryDirectory directory;
  for (const char *name : {"a.json.tmp.12", "b.txt.tmp.12", "a.json.tmp.x"})
    writeText(directory / name, "half");
  removeAbandoned(directory.path(), ".json");
  EXPECT_EQ(directory.files().size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(directory / "a.json.tmp.12"));
}
