//===- Stores of records --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

#include <cstdlib>
#include <utility>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr int recordSchema = 1;

/// Returns the content of a record's file.
static Json makeRecordFile(const std::string &key, const Json &record) {
  return {{"schema", recordSchema},
          {"key", key},
          {"record", record},
          {"checksum", sha256(printed(record))}};
}

std::string tonno::encodeRecord(const std::string &key, const Json &record) {
  return printed(makeRecordFile(key, record), 2) + "\n";
}

Result<Json> tonno::decodeRecord(const std::string &key,
                                 std::string_view text) {
  auto file = TONNO_TRY(parseJson(text));
  auto record = file.find("record");
  if (!file.is_object() || record == file.end())
    return Error{"not a record"};
  if (file != makeRecordFile(key, *record))
    return Error{"the key, schema or checksum is wrong"};
  return *record;
}

std::string tonno::resolveCacheDirectory(std::string directory) {
  if (const char *given = std::getenv("TONNO_CACHE_DIR");
      directory.empty() && given)
    directory = given;
  // A shell leaves `~` to the program where a word does not begin with it.
  if (const char *home = std::getenv("HOME");
      home && *home && directory.starts_with("~/"))
    directory.replace(0, 1, home);
  return directory.empty() ? ".tonno-cache" : directory;
}

fs::path tonno::getRecordDirectory(const fs::path &root) {
  return root / ("v" + std::to_string(recordSchema));
}

fs::path tonno::getRecordPath(const fs::path &root, const std::string &key) {
  return getRecordDirectory(root) / key.substr(0, 2) / (key + ".json");
}

fs::path tonno::getTemporaryDirectory(const fs::path &root) {
  return getRecordDirectory(root) / "tmp";
}

Result<std::unique_ptr<DirectoryStore>>
DirectoryStore::open(const fs::path &root, Mode mode, Warn warn,
                     std::optional<FileSystemKind> kind) {
  std::unique_ptr<DirectoryStore> store(
      new DirectoryStore(root, mode, std::move(warn)));
  if (mode == Mode::read_only)
    return store;
  const fs::path aside = getTemporaryDirectory(root);
  std::error_code failure;
  fs::create_directories(aside, failure);
  if (failure)
    return Error{"cannot create the cache directory '" + root.string() +
                 "': " + failure.message()};
  if (!kind)
    kind = getFileSystemKind(aside);
  if (kind == FileSystemKind::unknown)
    store->warn("the cache directory '" + root.string() +
                "' is in a file system of unknown kind; it is used without "
                "locks, as those of several machines are");
  store->isShared = kind != FileSystemKind::local;
  auto refuse = [&](const Error &why) {
    return Error{"the cache directory '" + root.string() +
                 "' cannot be written (" + why.message + ")"};
  };
  if (store->isShared) {
    if (auto cleaned = removeOldTemporaries(aside); !cleaned)
      return refuse(cleaned.error());
    return store;
  }
  if (auto probe = AtomicFile::create(aside / "probe"); !probe)
    return refuse(probe.error());
  removeAbandoned(aside);
  return store;
}

std::optional<Json> DirectoryStore::find(const std::string &key) {
  fs::path path = getRecordPath(root, key);
  auto text = readFileIfAny(path, mostRecordBytes);
  if (!text && !std::exchange(hasWarned, true))
    warn(text.error().message + "; treated as a cache miss");
  if (!text || !*text)
    return std::nullopt;
  auto record = decodeRecord(key, **text);
  if (record)
    return *std::move(record);
  warn("cache record '" + path.string() + "' is corrupt (" +
       record.error().message + "); treated as a miss");
  if (mode == Mode::read_write)
    quarantineRecord(key);
  return std::nullopt;
}

void DirectoryStore::quarantineRecord(const std::string &key) const {
  fs::path path = getRecordPath(root, key);
  fs::path corrupt = path;
  corrupt += corruptEnding;
  std::error_code failure; // another process may have done it
  fs::rename(path, corrupt, failure);
  // Another process may have written a valid record in the meantime. Restore
  // it, unless a newer one exists.
  auto text = failure ? Result<std::optional<std::string>>(std::nullopt)
                      : readFileIfAny(corrupt, mostRecordBytes);
  if (!text || !*text || !decodeRecord(key, **text))
    return;
  fs::create_hard_link(corrupt, path, failure);
  fs::remove(corrupt, failure);
}

Result<void> DirectoryStore::insert(const std::string &key,
                                    const Json &record) {
  if (mode == Mode::read_only)
    return {};
  return writeFile(getRecordPath(root, key), encodeRecord(key, record));
}

Result<void> DirectoryStore::writeFile(const fs::path &path,
                                       const std::string &text) const {
  std::error_code failure;
  const fs::path aside = getTemporaryDirectory(root);
  // Another process may have emptied the cache. Errors show when writing.
  fs::create_directories(path.parent_path(), failure);
  fs::create_directories(aside, failure);
  return isShared ? writeSharedFile(path, text, aside)
                  : writeFileAtomically(path, text, aside);
}
