//===- A cache that the world is unkind to --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

#include "TemporaryDirectory.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Mode = DirectoryStore::Mode;
namespace fs = std::filesystem;

namespace {

class CacheFaultsTest : public testing::Test {
protected:
  fs::path root() const { return directory / "cache"; }
  fs::path pathOf(const std::string &key) const {
    return root() / "v1" / key.substr(0, 2) / (key + ".json");
  }
  fs::path aside() const { return root() / "v1" / "tmp"; }

  std::unique_ptr<DirectoryStore> open(Mode mode = Mode::read_write) {
    auto store =
        DirectoryStore::open(root(), mode, [this](const std::string &message) {
          warnings.push_back(message);
        });
    EXPECT_TRUE(store.ok());
    return std::move(*store);
  }

  /// Writes until it is killed in the middle, and waits for that.
  void killWriter() {
    pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      auto file = AtomicFile::create(pathOf(key), aside());
      if (file && file->write("{\"half"))
        ::raise(SIGKILL);
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }

  TemporaryDirectory directory;
  std::vector<std::string> warnings;
  const std::string key = sha256("a");
  const Json record = {{"status", "wrong"},
                       {"message", "off \"by\" one\n"},
                       {"ratio", 0.125},
                       {"values", {{"BM", 64}, {"T", {1, true, nullptr}}}}};
};

/// Returns the exit status of `body` in a child; other ends are failures.
template <typename Body> int inChild(Body body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

} // namespace

TEST_F(CacheFaultsTest, NoFlippedBitGivesAnotherRecord) {
  const std::string text = encodeRecord(key, record);
  ASSERT_EQ(*decodeRecord(key, text), record);
  size_t missed = 0;
  for (size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      auto found = decodeRecord(key, flipped);
      if (found)
        EXPECT_EQ(*found, record) << "byte " << at << ", bit " << bit;
      else
        ++missed;
    }
  // The other flips change no contents, such as a blank for a line's end.
  EXPECT_GT(missed, text.size() * 8 * 9 / 10);
}

TEST_F(CacheFaultsTest, FlippedByteIsAMissAtEachPosition) {
  auto store = open();
  const std::string text = encodeRecord(key, record);
  ASSERT_TRUE(store->insert(key, record).ok());
  for (size_t at = 0; at < text.size(); ++at) {
    std::string flipped = text;
    flipped[at] = static_cast<char>(~flipped[at]);
    writeText(pathOf(key), flipped);
    warnings.clear();
    EXPECT_EQ(store->find(key), std::nullopt) << at;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("corrupt"))) << at;
    EXPECT_EQ(*readFile(pathOf(key).string() + ".corrupt"), flipped);
  }
  // One damaged file is kept aside, not one per attempt.
  EXPECT_THAT(directory.files(), SizeIs(1));
}

TEST_F(CacheFaultsTest, RecordThatReplacesACorruptOneIsNotSetAside) {
  auto writer = open();
  ASSERT_TRUE(writer->insert(key, record).ok());
  const std::string whole = encodeRecord(key, record);
  writeText(pathOf(key), whole.substr(0, whole.size() / 2));
  // Between its being read and its being set aside comes the warning.
  auto reader = DirectoryStore::open(root(), Mode::read_write,
                                     [&](const std::string &message) {
                                       warnings.push_back(message);
                                       (void)writer->insert(key, record).ok();
                                     });
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->find(key), std::nullopt);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("corrupt")));
  EXPECT_EQ(writer->find(key), record);
  EXPECT_THAT(directory.files(), ElementsAre(pathOf(key)));
}

TEST_F(CacheFaultsTest, RecordIsAMissWhereverItIsCutOff) {
  const std::string text = encodeRecord(key, record);
  for (size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_FALSE(decodeRecord(key, text.substr(0, length)).ok()) << length;
  EXPECT_TRUE(decodeRecord(key, text.substr(0, text.size() - 1)).ok());
}

TEST_F(CacheFaultsTest, DeepRecordIsAMiss) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  // Lists within lists: comparing or printing them would fill the stack.
  std::string nest(1000000, '[');
  writeText(pathOf(key), "{\"record\":" + nest);
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("nests deeper")));
}

TEST_F(CacheFaultsTest, DirectoryThatIsDeletedMeanwhile) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  fs::remove_all(root());
  EXPECT_EQ(store->find(key), std::nullopt);
  EXPECT_THAT(warnings, IsEmpty());
  ASSERT_TRUE(store->insert(key, record).ok());
  EXPECT_EQ(store->find(key), record);
}

TEST_F(CacheFaultsTest, RecordThatIsDeletedWhileItIsReadIsAMiss) {
  auto store = open();
  pid_t other = ::fork();
  ASSERT_GE(other, 0);
  if (other == 0)
    for (;;) {
      (void)store->insert(key, record).ok();
      ::usleep(200);
      ::unlink(pathOf(key).c_str());
    }
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  size_t found = 0, missed = 0;
  while ((found < 100 || missed < 100) &&
         std::chrono::steady_clock::now() < end) {
    auto here = store->find(key);
    if (here)
      EXPECT_EQ(*here, record);
    ++(here ? found : missed);
  }
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_GE(found, 100u);
  EXPECT_GE(missed, 100u);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(CacheFaultsTest, DirectoryThatCannotBeWritten) {
  ASSERT_TRUE(open()->insert(key, record).ok());
  fs::permissions(directory.path(), fs::perms(0755));
  for (const auto &entry : fs::recursive_directory_iterator(root()))
    if (entry.is_directory())
      fs::permissions(entry.path(), fs::perms(0555));
  fs::permissions(root(), fs::perms(0555));
  int outcome = inChild([&] {
    // Root has access to everything.
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0)
      return 1;
    auto quiet = [](const std::string &) {};
    auto written = DirectoryStore::open(root(), Mode::read_write, quiet);
    if (written.ok() ||
        written.error().message.find("cannot be written") == std::string::npos)
      return 2;
    auto store = DirectoryStore::open(root(), Mode::read_only, quiet);
    if (!store || (*store)->find(key) != record)
      return 3;
    return (*store)->insert(sha256("b"), record).ok() ? 0 : 4;
  });
  for (const auto &entry : fs::recursive_directory_iterator(root()))
    if (entry.is_directory())
      fs::permissions(entry.path(), fs::perms(0755));
  fs::permissions(root(), fs::perms(0755));
  EXPECT_EQ(outcome, 0);
  EXPECT_THAT(directory.files(), ElementsAre(pathOf(key)));
}

TEST_F(CacheFaultsTest, DirectoryThatBecomesReadOnlyFailsTheInsertOnly) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  const std::string other = sha256("b");
  fs::create_directories(pathOf(other).parent_path());
  fs::permissions(directory.path(), fs::perms(0755));
  fs::permissions(aside(), fs::perms(0555));
  int outcome = inChild([&] {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0)
      return 1;
    if (store->insert(other, record).ok())
      return 2;
    return store->find(key) == record ? 0 : 3;
  });
  fs::permissions(aside(), fs::perms(0755));
  EXPECT_EQ(outcome, 0);
  EXPECT_THAT(directory.files(), ElementsAre(pathOf(key)));
}

/// Fills what there is room for; then insertions fail, leave no half files, and
/// hurt no record that is there.
static int fillUp(DirectoryStore &store, const std::function<void()> &addRoom,
                  const fs::path &aside) {
  const Json small = {{"small", 1}};
  const Json large = {{"padding", std::string(40000, 'x')}};
  if (!store.insert(sha256("small"), small))
    return 1;
  std::string refused;
  std::string why;
  for (int i = 0; i < 100 && refused.empty(); ++i)
    if (auto kept = store.insert(sha256(std::to_string(i)), large); !kept) {
      refused = sha256(std::to_string(i));
      why = kept.error().message;
    }
  if (refused.empty() || why.find("cannot write") == std::string::npos)
    return 2;
  if (store.find(refused) || store.find(sha256("small")) != small)
    return 3;
  if (!fs::is_empty(aside))
    return 4;
  addRoom();
  return store.insert(refused, large) && store.find(refused) == large ? 0 : 5;
}

TEST_F(CacheFaultsTest, FileThatCannotGrowIsNoRecord) {
  // Writes stop in the middle of a file, as on a disk that is full.
  auto store = open();
  EXPECT_EQ(inChild([&] {
              rlimit old = {}, limit = {};
              ::getrlimit(RLIMIT_FSIZE, &old);
              limit = old;
              limit.rlim_cur = 30000;
              ::setrlimit(RLIMIT_FSIZE, &limit);
              return fillUp(
                  *store, [&] { ::setrlimit(RLIMIT_FSIZE, &old); }, aside());
            }),
            0);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(CacheFaultsTest, DiskThatIsFull) {
  constexpr int cannotMount = 77;
  fs::create_directory(root());
  int outcome = inChild([&] {
    // A small disk of its own, which goes away with the process.
    std::string user = "0 " + std::to_string(::getuid()) + " 1";
    std::string group = "0 " + std::to_string(::getgid()) + " 1";
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return cannotMount;
    std::ofstream("/proc/self/uid_map") << user;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/gid_map") << group;
    if (::mount("tmpfs", root().c_str(), "tmpfs", 0, "size=256k") != 0)
      return cannotMount;
    auto store = DirectoryStore::open(root(), Mode::read_write,
                                      [](const std::string &) {});
    if (!store)
      return 10;
    auto addRoom = [&] {
      ::mount("tmpfs", root().c_str(), "tmpfs", MS_REMOUNT, "size=1m");
    };
    return fillUp(**store, addRoom, aside());
  });
  if (outcome == cannotMount)
    GTEST_SKIP() << "no file system can be mounted in a user namespace";
  EXPECT_EQ(outcome, 0);
}

TEST_F(CacheFaultsTest, LeftoversOfKilledWritersDoNotPileUp) {
  open();
  for (int i = 0; i < 3; ++i)
    killWriter();
  EXPECT_THAT(directory.files(), SizeIs(3));
  auto living = AtomicFile::create(pathOf(key), aside());
  ASSERT_TRUE(living.ok());
  // Reading changes nothing.
  EXPECT_EQ(open(Mode::read_only)->find(key), std::nullopt);
  EXPECT_THAT(directory.files(), SizeIs(4));
  auto store = open();
  EXPECT_THAT(directory.files(), SizeIs(1)); // of the one that lives
  EXPECT_EQ(store->find(key), std::nullopt);
  fs::create_directories(pathOf(key).parent_path());
  ASSERT_TRUE(living->write(encodeRecord(key, record)).ok());
  ASSERT_TRUE(living->commit().ok());
  EXPECT_EQ(store->find(key), record);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(CacheFaultsTest, TimeOfDayDoesNotCount) {
  auto store = open();
  ASSERT_TRUE(store->insert(key, record).ok());
  for (auto years : {-40, 40}) {
    auto jump = std::chrono::hours(years * 365 * 24);
    killWriter();
    for (const fs::path &file : directory.files())
      fs::last_write_time(file, fs::file_time_type::clock::now() + jump);
    EXPECT_EQ(open()->find(key), record);
    // However old or young the leftover seems, it is one.
    EXPECT_THAT(directory.files(), ElementsAre(pathOf(key)));
    ASSERT_TRUE(store->insert(key, {{"years", years}}).ok());
    EXPECT_EQ(store->find(key), Json({{"years", years}}));
    ASSERT_TRUE(store->insert(key, record).ok());
  }
  EXPECT_THAT(warnings, IsEmpty());
}
