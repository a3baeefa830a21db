//===- Files that several machines write ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/SharedFile.h"
#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

static void makeOld(const fs::path &path) {
  const timespec dates[] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), dates, 0), 0);
}

TEST(FileSystemKind, KnowsCommonTypes) {
  EXPECT_EQ(classifyFileSystem(0x6969), FileSystemKind::network);
  EXPECT_EQ(classifyFileSystem(0xFFFFFFFFFF534D42), FileSystemKind::network);
  EXPECT_EQ(classifyFileSystem(0xEF53), FileSystemKind::local);
  EXPECT_EQ(classifyFileSystem(0x65735546), FileSystemKind::unknown); // FUSE
  EXPECT_EQ(getFileSystemKind("/nowhere"), FileSystemKind::unknown);
  EXPECT_EQ(getFileSystemKind("/proc"), FileSystemKind::unknown);
}

TEST(SharedFile, AppearsWholeAndLeavesNothingElse) {
  TemporaryDirectory directory;
  for (const char *text : {"first", "second"}) {
    ASSERT_TRUE(
        writeSharedFile(directory / "record", text, directory / "").ok());
    EXPECT_EQ(*readFile(directory / "record"), text);
  }
  EXPECT_THAT(directory.files(), ElementsAre(directory / "record"));
}

TEST(SharedFile, FailureNamesTheFileAndLeavesNothing) {
  TemporaryDirectory directory;
  auto written =
      writeSharedFile(directory / "none/record", "text", directory / "");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("none/record"));
  EXPECT_TRUE(directory.files().empty());
}

TEST(SharedFile, OldTemporariesAreRemovedOthersStay) {
  TemporaryDirectory directory;
  for (const char *name : {"a.json.shared-1-2", "b.json.shared-3-4", "c.json"})
    std::ofstream(directory / name) << "text";
  makeOld(directory / "a.json.shared-1-2");
  makeOld(directory / "c.json");
  ASSERT_TRUE(removeOldTemporaries(directory / "").ok());
  EXPECT_THAT(directory.files(), ElementsAre(directory / "b.json.shared-3-4",
                                             directory / "c.json"));
}
