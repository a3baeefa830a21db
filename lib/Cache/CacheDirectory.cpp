//===- The records of a cache directory -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/File.h"

#include <algorithm>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr std::string_view recordEnding = ".json";
static constexpr std::string_view conflictEnding = ".json.conflict-";
static constexpr size_t keyDigits = 64;

EnumNames tonno::getEnumNames(RecordKind) {
  static constexpr std::string_view names[] = {"decision", "latest", "trial",
                                               "problem",  "best",   "siblings",
                                               "peaks",    "other"};
  return {"kind of record", names};
}

RecordKind tonno::classifyRecord(const Json &record) {
  if (!record.is_object())
    return RecordKind::other;
  if (record.contains("comparison") && record.contains("values")) {
    auto question = record.find(questionMember);
    bool isLatest = question != record.end() && question->is_object() &&
                    question->value("search", Json()) == latestSearch;
    return isLatest ? RecordKind::latest : RecordKind::decision;
  }
  if (record.contains("status") && record.contains("values"))
    return RecordKind::trial;
  // Trials name theirs by its key.
  if (record.value("problem", Json()).is_object())
    return RecordKind::problem;
  for (RecordKind kind : {RecordKind::best, RecordKind::siblings})
    if (record.size() == 1 && record.contains(std::string(toString(kind))))
      return kind;
  if (record.contains(std::string(toString(RecordKind::peaks))))
    return RecordKind::peaks;
  return RecordKind::other;
}

/// Returns false if no record of the kind has this text: parsing a record takes
/// longer than reading it.
static bool mayHaveKind(const std::string &text, RecordKind kind) {
  auto has = [&](std::string_view member) {
    return text.find("\"" + std::string(member) + "\":") != text.npos;
  };
  switch (kind) {
  case RecordKind::decision:
  case RecordKind::latest:
    return has("comparison");
  case RecordKind::trial:
    return has("status");
  case RecordKind::problem:
  case RecordKind::best:
  case RecordKind::siblings:
  case RecordKind::peaks:
    return has(toString(kind));
  case RecordKind::other:
    return true;
  }
  return true;
}

static bool isHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

namespace {

/// A file of a record, by its name.
struct RecordFile {
  std::string key;
  fs::path path;
  bool isConflict = false;
  auto operator<=>(const RecordFile &) const = default;
};

} // namespace

static std::optional<RecordFile> parseRecordName(const fs::path &path) {
  std::string name = path.filename().string();
  std::string key = name.substr(0, keyDigits);
  if (key.size() < keyDigits || !isHex(key))
    return std::nullopt;
  std::string_view ending = std::string_view(name).substr(keyDigits);
  bool isConflict = ending.starts_with(conflictEnding);
  if (ending != recordEnding && !isConflict)
    return std::nullopt;
  return RecordFile{std::move(key), path, isConflict};
}

/// Returns the records of a folder, sorted: each before its conflicts.
static std::vector<RecordFile> listRecordFiles(const fs::path &folder) {
  std::vector<RecordFile> files;
  std::error_code failure; // another process may remove the folder
  for (fs::directory_iterator entry(folder, failure), end;
       !failure && entry != end; entry.increment(failure))
    if (auto file = parseRecordName(entry->path()))
      files.push_back(std::move(*file));
  std::ranges::sort(files);
  return files;
}

/// Returns the folders of records, in the order of their keys.
static std::vector<fs::path> listFolders(const fs::path &root) {
  std::vector<fs::path> folders;
  std::error_code failure;
  for (fs::directory_iterator entry(getRecordDirectory(root), failure), end;
       !failure && entry != end; entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    if (name.size() == 2 && isHex(name))
      folders.push_back(entry->path());
  }
  std::ranges::sort(folders);
  return folders;
}

fs::path tonno::getConflictPath(const fs::path &root, const std::string &key,
                                const std::string &answer) {
  constexpr size_t answerDigits = 12;
  fs::path path = getRecordPath(root, key);
  path.replace_filename(key + std::string(conflictEnding) +
                        answer.substr(0, answerDigits));
  return path;
}

bool tonno::isCache(const fs::path &root) {
  std::error_code failure; // what cannot be read is not a cache
  return fs::is_directory(getRecordDirectory(root), failure) ||
         (fs::is_directory(root, failure) && fs::is_empty(root, failure));
}

Result<CacheDirectory> CacheDirectory::open(fs::path root) {
  if (isCache(root))
    return CacheDirectory(std::move(root));
  return Error{"no cache at '" + root.string() +
               "'; name its directory by '--cache-dir' or $TONNO_CACHE_DIR"};
}

/// Decodes the text of a record's file.
static Result<StoredRecord> decodeStored(const RecordFile &file,
                                         const std::string &text) {
  auto record = decodeRecord(file.key, text);
  if (!record)
    return Error{"the record '" + file.path.string() + "' is damaged (" +
                 record.error().message +
                 ") and is left out; remove it by 'tonno-tune cache prune "
                 "--damaged'"};
  StoredRecord stored;
  stored.key = file.key;
  stored.path = file.path;
  stored.kind = classifyRecord(*record);
  stored.record = std::move(*record);
  stored.isConflict = file.isConflict;
  return stored;
}

static Result<StoredRecord> readStored(const RecordFile &file) {
  auto text = TONNO_TRY(readFile(file.path, mostRecordBytes));
  return decodeStored(file, text);
}

size_t CacheDirectory::visit(const std::set<RecordKind> &kinds,
                             const Visit &visit, const Warn &warn) const {
  size_t skipped = 0;
  for (const fs::path &folder : listFolders(root))
    for (const RecordFile &file : listRecordFiles(folder)) {
      auto text = readFileIfAny(file.path, mostRecordBytes);
      if (!text)
        warn(text.error().message);
      if (!text || !*text)
        continue;
      auto isWanted = [&](RecordKind kind) {
        return mayHaveKind(**text, kind);
      };
      if (!kinds.empty() && std::ranges::none_of(kinds, isWanted)) {
        ++skipped;
        continue;
      }
      auto stored = decodeStored(file, **text);
      if (!stored) {
        warn(stored.error().message);
        continue;
      }
      if (!kinds.empty() && !kinds.contains(stored->kind))
        ++skipped;
      else if (!visit(std::move(*stored)))
        return skipped;
    }
  return skipped;
}

std::vector<std::string>
CacheDirectory::findKeys(const std::string &prefix) const {
  std::vector<std::string> keys;
  if (prefix.size() < leastPrefix || !isHex(prefix))
    return keys;
  for (const RecordFile &file :
       listRecordFiles(getRecordPath(root, prefix).parent_path()))
    if (!file.isConflict && file.key.starts_with(prefix))
      keys.push_back(file.key);
  return keys;
}

Result<std::string>
CacheDirectory::resolveKey(const std::string &prefix) const {
  if (prefix.size() < leastPrefix || !isHex(prefix))
    return Error{"'" + prefix + "' is not a key; give at least " +
                 std::to_string(leastPrefix) +
                 " of its hexadecimal digits, as 'tonno-tune cache list' "
                 "prints them"};
  std::vector<std::string> keys = findKeys(prefix);
  if (keys.size() == 1)
    return keys.front();
  if (keys.empty())
    return Error{"the cache '" + root.string() + "' has no record '" + prefix +
                 "'; 'tonno-tune cache list' prints the keys"};
  std::string message =
      "several records begin with '" + prefix + "'; give more digits:";
  for (const std::string &key : keys)
    message += "\n  " + key;
  return Error{std::move(message)};
}

Result<std::vector<StoredRecord>> CacheDirectory::read(const std::string &key,
                                                       const Warn &warn) const {
  std::vector<StoredRecord> records;
  for (const RecordFile &file :
       listRecordFiles(getRecordPath(root, key).parent_path())) {
    if (file.key != key)
      continue;
    auto stored = readStored(file);
    if (stored)
      records.push_back(std::move(*stored));
    else if (!file.isConflict)
      return stored.error();
    else
      warn(stored.error().message);
  }
  return records;
}

/// Returns false for a file that cannot be read, which says nothing of it.
static bool isDamaged(const RecordFile &file) {
  std::error_code failure;
  if (auto size = fs::file_size(file.path, failure);
      !failure && size > mostRecordBytes)
    return true;
  auto text = readFileIfAny(file.path, mostRecordBytes);
  return text && *text && !decodeStored(file, **text);
}

std::vector<fs::path> CacheDirectory::findDamaged() const {
  std::vector<fs::path> damaged;
  for (const fs::path &folder : listFolders(root)) {
    for (const RecordFile &file : listRecordFiles(folder))
      if (isDamaged(file))
        damaged.push_back(file.path);
    std::error_code failure; // another process may remove the folder
    for (fs::directory_iterator entry(folder, failure), end;
         !failure && entry != end; entry.increment(failure))
      if (entry->path().extension() == corruptEnding)
        damaged.push_back(entry->path());
  }
  std::ranges::sort(damaged);
  return damaged;
}

std::optional<ProblemRecord>
CacheDirectory::findProblem(const std::string &key) const {
  if (key.size() < keyDigits || !isHex(key))
    return std::nullopt;
  auto text = readFileIfAny(getRecordPath(root, key), mostRecordBytes);
  if (!text || !*text)
    return std::nullopt;
  auto record = decodeRecord(key, **text);
  auto problem = record ? decode<ProblemRecord>(*record)
                        : Result<ProblemRecord>(record.error());
  if (!problem)
    return std::nullopt;
  return std::move(*problem);
}
