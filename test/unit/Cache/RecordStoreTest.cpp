//===- Records come back whole or not at all ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

#include "TemporaryDirectory.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

namespace {

class DirectoryStoreTest : public testing::Test {
protected:
  std::unique_ptr<DirectoryStore>
  open(DirectoryStore::Mode mode = DirectoryStore::Mode::read_write) {
    auto store = DirectoryStore::open(
        directory / "cache", mode,
        [this](const std::string &message) { warnings.push_back(message); });
    EXPECT_TRUE(store.ok());
    return std::move(*store);
  }

  fs::path pathOf(const std::string &key) const {
    return directory / "cache" / "v1" / key.substr(0, 2) / (key + ".json");
  }

  TemporaryDirectory directory;
  std::vector<std::string> warnings;
  const std::string key = sha256("a");
  const Json record = {{"status", "ok"}, {"ratio", 0.1}, {"n", 3}};
};

/// Corruption of a record's file.
struct Corruption {
  const char *name;
  std::function<std::string(const std::string &)> apply;
};

class CorruptRecord : public DirectoryStoreTest,
                      public testing::WithParamInterface<Corruption> {};

} // namespace

TEST_F(DirectoryStoreTest, FindsWhatWasInserted) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  EXPECT_EQ(store->find(key), record);
  EXPECT_EQ(open()->find(key), record);
  EXPECT_TRUE(fs::exists(pathOf(key)));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(DirectoryStoreTest, LastInsertWins) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  ASSERT_TRUE(store->insert(key, {{"ratio", 2}}).ok());
  EXPECT_EQ(store->find(key), Json({{"ratio", 2}}));
}

/// Opening a pipe would block.
TEST_F(DirectoryStoreTest, PipeInARecordsPlaceIsAMiss) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  fs::remove(pathOf(key));
  ASSERT_EQ(::mkfifo(pathOf(key).c_str(), 0666), 0);
  EXPECT_FALSE(store->find(key));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("not a regular file")));
  auto stored = store->insert(key, record);
  ASSERT_FALSE(stored.ok());
  EXPECT_THAT(stored.error().message, HasSubstr("not a regular file"));
}

TEST_F(DirectoryStoreTest, OtherKeyMisses) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  EXPECT_EQ(store->find(sha256("b")), std::nullopt);
  // Keys are compared beyond the first two digits.
  EXPECT_EQ(store->find(key.substr(0, 63) + "g"), std::nullopt);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(DirectoryStoreTest, OpeningLeavesNoProbe) {
  open();
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(DirectoryStoreTest, RecordUnderAnotherKeyIsNotTaken) {
  auto store = open();
  std::string other = key.substr(0, 63) + (key.back() == '0' ? "1" : "0");
  ASSERT_TRUE(store->insert(key, record).ok());
  fs::rename(pathOf(key), pathOf(other));
  EXPECT_EQ(store->find(other), std::nullopt);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("the key")));
}

TEST_P(CorruptRecord, IsMissedWarnedAboutAndSetAside) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  std::string corrupt = GetParam().apply(*readFile(pathOf(key)));
  writeText(pathOf(key), corrupt);
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("corrupt"),
                                          HasSubstr(pathOf(key).string()))));
  EXPECT_FALSE(fs::exists(pathOf(key)));
  EXPECT_EQ(*readFile(pathOf(key).string() + ".corrupt"), corrupt);
  // Said once; and the place is free for a good one.
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_THAT(warnings, SizeIs(1));
  ASSERT_TRUE(store->insert(key, record).ok());
  EXPECT_EQ(store->find(key), record);
}

/// Replaces a member of the stored file.
static auto withMember(const char *member, const Json &value) {
  return [=](const std::string &text) {
    Json json = Json::parse(text);
    json[member] = value;
    return json.dump(2);
  };
}

INSTANTIATE_TEST_SUITE_P(
    All, CorruptRecord,
    testing::Values(
        Corruption{"Empty", [](const std::string &) { return ""; }},
        Corruption{"Truncated",
                   [](const std::string &text) {
                     return text.substr(0, text.size() / 2);
                   }},
        Corruption{"BitFlipped",
                   [](std::string text) {
                     size_t at = text.find("0.1");
                     text[at + 2] ^= 2; // 0.3
                     return text;
                   }},
        Corruption{"Zeroes",
                   [](const std::string &text) {
                     return std::string(text.size(), '\0');
                   }},
        Corruption{"NotAnObject", [](const std::string &) { return "[1]"; }},
        Corruption{"OtherSchema", withMember("schema", 2)},
        Corruption{"SchemaOfAnotherType", withMember("schema", "1")},
        Corruption{"KeyOfAnotherType", withMember("key", 5)},
        Corruption{"ChecksumOfAnotherType", withMember("checksum", 5)},
        Corruption{"NoRecord",
                   [](const std::string &text) {
                     Json json = Json::parse(text);
                     json.erase("record");
                     return json.dump();
                   }}),
    [](const auto &info) { return info.param.name; });

TEST_F(DirectoryStoreTest, TextThatIsNotUnicodeIsStored) {
  // Compilers and loaders repeat file names, which are bytes.
  auto store = open();
  ASSERT_TRUE(store->insert(key, {{"message", "caf\xE9.mlir:1:1"}}).ok());
  auto found = store->find(key);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->at("message").get<std::string>(), HasSubstr(".mlir:1:1"));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(DirectoryStoreTest, ReadOnlyFindsAndDoesNotWrite) {
  ASSERT_TRUE(open()->insert(key, record).ok());
  auto store = open(DirectoryStore::Mode::read_only);
  EXPECT_EQ(store->find(key), record);
  EXPECT_TRUE(store->insert(sha256("b"), record).ok());
  EXPECT_EQ(store->find(sha256("b")), std::nullopt);
  EXPECT_THAT(directory.files(), SizeIs(1));
}

TEST_F(DirectoryStoreTest, ReadOnlyLeavesACorruptRecordWhereItIs) {
  ASSERT_TRUE(open()->insert(key, record).ok());
  writeText(pathOf(key), "{");
  auto store = open(DirectoryStore::Mode::read_only);
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_THAT(warnings, SizeIs(1));
  EXPECT_EQ(*readFile(pathOf(key)), "{");
}

TEST_F(DirectoryStoreTest, ReadOnlyMakesNoDirectory) {
  auto store = open(DirectoryStore::Mode::read_only);
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_FALSE(fs::exists(directory / "cache"));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(DirectoryStoreTest, UnwritableDirectoryIsAnErrorAtOnce) {
  writeText(directory / "file", "");
  auto store =
      DirectoryStore::open(directory / "file" / "cache",
                           DirectoryStore::Mode::read_write, [](auto &) {});
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().message, HasSubstr("file/cache"));
}

TEST_F(DirectoryStoreTest, UnknownFileSystemIsUsedWithoutLocksAndAWarning) {
  auto store = DirectoryStore::open(
      directory / "cache", DirectoryStore::Mode::read_write,
      [this](const std::string &message) { warnings.push_back(message); },
      FileSystemKind::unknown);
  ASSERT_TRUE(store.ok());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("of unknown kind")));
  ASSERT_TRUE((*store)->insert(key, record).ok());
  EXPECT_EQ((*store)->find(key), record);
  EXPECT_THAT(directory.files(), SizeIs(1));
}

TEST_F(DirectoryStoreTest, FailedInsertIsAnError) {
  auto store = open();
  writeText(pathOf(key).parent_path(), ""); // in the directory's place
  EXPECT_FALSE(store->insert(key, record).ok());
}

TEST_F(DirectoryStoreTest, UnreadableRecordsAreMissedWithOneWarning) {
  auto store = open();
  fs::create_directories(pathOf(key)); // a directory can't be read as a file
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("treated as a cache miss")));
}

TEST_F(DirectoryStoreTest, ManyWritersNeverShowHalfARecord) {
  constexpr int writers = 4, rounds = 60;
  auto recordOf = [](int writer) {
    return Json{
        {"writer", writer},
        {"padding", std::string(20000, static_cast<char>('a' + writer))}};
  };
  ASSERT_TRUE(open()->insert(key, recordOf(0)).ok());
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto store = open();
      bool ok = true;
      for (int round = 0; round < rounds; ++round)
        ok = ok && store->insert(key, recordOf(writer)).ok();
      ::_exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  auto store = open();
  size_t left = children.size();
  while (left > 0) {
    auto found = store->find(key);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(*found, recordOf(found->at("writer").get<int>()));
    int status = 0;
    if (::waitpid(-1, &status, WNOHANG) > 0) {
      EXPECT_EQ(status, 0);
      --left;
    }
  }
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(directory.files(), SizeIs(1)); // no temporaries
}

TEST_F(DirectoryStoreTest, ThreadsInsertBesideEachOther) {
  auto store = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(store
                        ->insert(sha256(std::to_string(t * 20 + i)),
                                 {{"value", t * 20 + i}})
                        .ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 80; ++i)
    EXPECT_EQ(store->find(sha256(std::to_string(i))), Json({{"value", i}}));
}

TEST(CacheDirectory, TildeIsTheUsersOwn) {
  const char *found = std::getenv("HOME");
  std::string before = found ? found : "";
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(resolveCacheDirectory("~/kept"), "/home/someone/kept");
  EXPECT_EQ(resolveCacheDirectory("./~/kept"), "./~/kept");
  EXPECT_EQ(resolveCacheDirectory("~someone/kept"), "~someone/kept");
  ::setenv("TONNO_CACHE_DIR", "~/given", 1);
  EXPECT_EQ(resolveCacheDirectory(""), "/home/someone/given");
  ::unsetenv("TONNO_CACHE_DIR");
  EXPECT_EQ(resolveCacheDirectory(""), ".tonno-cache");
  ::setenv("HOME", before.c_str(), 1);
}

TEST(NullStore, KeepsNothing) {
  NullStore store;
  ASSERT_TRUE(store.insert("k", 1).ok());
  EXPECT_EQ(store.find("k"), std::nullopt);
}
