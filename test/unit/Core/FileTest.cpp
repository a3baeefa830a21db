//===- FileTest.cpp - Files appear whole or not at all ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

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

TEST(AtomicFile, FailedCommitLeavesNothing) {
  TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "a"); // can't be replaced
  auto written = writeFileAtomically(directory / "a", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(directory.files(), IsEmpty());
}
