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

fs::path DirectoryStore::getRecordPath(const std::string &key) const {
  return root / ("v" + std::to_string(recordSchema)) / key.substr(0, 2) /
         (key + ".json");
}

fs::path DirectoryStore::getTemporaryDirectory() const {
  return root / ("v" + std::to_string(recordSchema)) / "tmp";
}

Result<std::unique_ptr<DirectoryStore>>
DirectoryStore::open(const fs::path &root, Mode mode, Warn warn) {
  std::unique_ptr<DirectoryStore> store(
      new DirectoryStore(root, mode, std::move(warn)));
  if (mode == Mode::read_only)
    return store;
  std::error_code failure;
  fs::create_directories(store->getTemporaryDirectory(), failure);
  if (failure)
    return Error{"cannot create the cache directory '" + root.string() +
                 "': " + failure.message()};
  if (auto probe = AtomicFile::create(store->getTemporaryDirectory() / "probe");
      !probe)
    return Error{"the cache directory '" + root.string() +
                 "' cannot be written (" + probe.error().message + ")"};
  removeAbandoned(store->getTemporaryDirectory());
  return store;
}

std::optional<Json> DirectoryStore::find(const std::string &key) {
  fs::path path = getRecordPath(key);
  auto text = readFileIfAny(path);
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
  fs::path path = getRecordPath(key);
  fs::path corrupt = path;
  corrupt += ".corrupt";
  std::error_code failure; // another process may have done it
  fs::rename(path, corrupt, failure);
  // Another process may have written a valid record in the meantime. Restore
  // it, unless a newer one exists.
  auto text = failure ? Result<std::optional<std::string>>(std::nullopt)
                      : readFileIfAny(corrupt);
  if (!text || !*text || !decodeRecord(key, **text))
    return;
  fs::create_hard_link(corrupt, path, failure);
  fs::remove(corrupt, failure);
}

Result<void> DirectoryStore::insert(const std::string &key,
                                    const Json &record) {
  if (mode == Mode::read_only)
    return {};
  fs::path path = getRecordPath(key);
  std::error_code failure;
  // Another process may have emptied the cache. Errors show when writing.
  fs::create_directories(path.parent_path(), failure);
  fs::create_directories(getTemporaryDirectory(), failure);
  return writeFileAtomically(path, encodeRecord(key, record),
                             getTemporaryDirectory());
}
