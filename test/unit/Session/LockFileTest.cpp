//===- Lock files, and binaries by their hashes ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/LockFile.h"
#include "tonno/Core/File.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static LockedKernel lockAs(const std::string &kernel, const std::string &chip) {
  LockedKernel locked;
  locked.kernel = kernel;
  locked.chip = chip;
  locked.values = {{"BM", 8}};
  locked.versions = "tonno 1";
  locked.speedup = Speedup{1.5, {1.4, 1.6}};
  return locked;
}

static Artifact makeBinary() {
  Artifact artifact;
  artifact.target = "host";
  artifact.binary = {1, 2, 3};
  return artifact;
}

TEST(LockFile, IsSortedAndComesBackAsItWas) {
  LockFile lock;
  lock.set(lockAs("b", "znver4"));
  lock.set(lockAs("a", "znver5"));
  lock.set(lockAs("a", "znver4"));
  std::string text = lock.print();
  EXPECT_LT(text.find(R"({"kernel":"a","chip":"znver4",)"),
            text.find(R"({"kernel":"a","chip":"znver5",)"));
  EXPECT_LT(text.find(R"("znver5")"), text.find(R"({"kernel":"b")"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  auto again = LockFile::parse(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->print(), text);
}

TEST(LockFile, EntryIsFoundByChipOrAlone) {
  LockFile lock;
  lock.set(lockAs("a", "znver4"));
  EXPECT_EQ(lock.find("a", "znver5", /*isExact=*/false)->chip, "znver4");
  EXPECT_EQ(lock.find("a", "znver5", /*isExact=*/true), nullptr);
  EXPECT_EQ(lock.find("a", "znver4", /*isExact=*/true)->chip, "znver4");
  lock.set(lockAs("a", "skylake"));
  EXPECT_EQ(lock.find("a", "znver5", /*isExact=*/false), nullptr);
  EXPECT_EQ(lock.find("a", "skylake", /*isExact=*/false)->chip, "skylake");
  EXPECT_EQ(lock.find("b", "skylake", /*isExact=*/false), nullptr);
}

TEST(LockFile, WrongLinesAreNamed) {
  LockFile lock;
  lock.set(lockAs("a", "znver4"));
  std::string text = lock.print();
  std::string entry = text.substr(text.find('\n') + 1);
  for (const auto &[wrong, message] :
       {std::pair{std::string(), "empty"},
        {entry, "line 1"},
        {text + "<<<<<<< HEAD\n", "line 3: not an entry"},
        {text + entry, "line 3: a second entry"},
        {text + "{\"kernel\": 5}\n", "line 3: "}}) {
    auto parsed = LockFile::parse(wrong);
    ASSERT_FALSE(parsed.ok());
    EXPECT_THAT(parsed.error().message, HasSubstr(message));
  }
}

TEST(LockFile, CausesAreNamed) {
  LockedKernel before = lockAs("a", "znver4");
  EXPECT_THAT(findCauses(before, before), IsEmpty());
  LockedKernel now = before;
  now.values = {{"BM", 16}};
  now.versions = "tonno 2";
  EXPECT_THAT(findCauses(before, now), ElementsAre("knobs", "compiler"));
  now = before;
  now.chip = "znver5";
  now.compiler = "other";
  EXPECT_THAT(findCauses(before, now), ElementsAre("chip"));
  now = before;
  now.ir = "other";
  EXPECT_THAT(findCauses(before, now), ElementsAre("IR"));
}

TEST(BinaryDirectory, GivesBackWhatItHas) {
  TemporaryDirectory directory;
  BinaryDirectory binaries(directory / "binaries");
  ASSERT_TRUE(binaries.store(makeBinary()).ok());
  LockedKernel locked = lockAs("a", "znver4");
  locked.artifact = makeBinary().hash();
  locked.plan = hashPlan(makeBinary().plan);
  auto found = binaries.find(locked);
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_EQ((*found)->binary, makeBinary().binary);
  locked.artifact = std::string(64, 'a');
  EXPECT_FALSE(*binaries.find(locked));
}

TEST(BinaryDirectory, OtherContentIsRefused) {
  TemporaryDirectory directory;
  BinaryDirectory binaries(directory / "binaries");
  ASSERT_TRUE(binaries.store(makeBinary()).ok());
  LockedKernel locked = lockAs("a", "znver4");
  locked.artifact = makeBinary().hash();
  locked.plan = hashPlan(makeBinary().plan);
  Artifact other = makeBinary();
  other.binary.push_back(4);
  ASSERT_TRUE(binaries.store(other).ok());
  auto file = [&](const std::string &hash) {
    return directory / "binaries" / (hash + ".artifact");
  };
  std::filesystem::copy_file(file(other.hash()), file(locked.artifact),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(binaries.find(locked).ok());
  ASSERT_TRUE(binaries.store(makeBinary()).ok());
  locked.plan = "other";
  EXPECT_FALSE(binaries.find(locked).ok());
  locked.artifact = "../../binary";
  EXPECT_FALSE(binaries.find(locked).ok());
}
