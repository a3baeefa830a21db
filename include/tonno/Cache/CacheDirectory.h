//===- The records of a cache directory -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_CACHEDIRECTORY_H
#define TONNO_CACHE_CACHEDIRECTORY_H

#include "tonno/Cache/Records.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tonno {

/// The kinds of records, by their content.
enum class RecordKind {
  decision, ///< of one search
  latest,   ///< a copy of the latest decision of any search, for builds
  trial,
  problem,  ///< the identity that trials name
  best,     ///< configurations of earlier sessions
  siblings, ///< kernels that differ in sizes
  peaks,    ///< what a device reaches
  other,    ///< such as sizes of workgroups
};

EnumNames getEnumNames(RecordKind);
RecordKind classifyRecord(const Json &record);

/// Returns true for a decision, and for the copy of the latest.
inline bool isDecision(RecordKind kind) {
  return kind == RecordKind::decision || kind == RecordKind::latest;
}

/// A record with its place in a cache.
struct StoredRecord {
  std::string key;
  std::filesystem::path path;
  RecordKind kind = RecordKind::other;
  Json record;
  /// True for a record that another cache has under this key, and that
  /// disagrees with the cache's own (MergeCaches.h).
  bool isConflict = false;
};

/// Returns true for a directory of records, and for an empty one.
bool isCache(const std::filesystem::path &root);

/// The records of a directory that a DirectoryStore writes, for readers that do
/// not know the keys.
class CacheDirectory {
public:
  /// Opens a directory. The Error says how to name another.
  static Result<CacheDirectory> open(std::filesystem::path root);

  using Warn = std::function<void(const std::string &)>;
  /// Returns false to end the visit.
  using Visit = std::function<bool(StoredRecord)>;

  /// Calls `visit` for each record of these kinds, all if there are none, in
  /// the order of keys, as they are read: memory does not grow with the cache.
  /// Warns of damaged records, and skips them. Returns the number of records
  /// that were skipped for their kind.
  size_t visit(const std::set<RecordKind> &kinds, const Visit &visit,
               const Warn &warn) const;

  /// Returns the keys that begin with these digits, of which there must be at
  /// least `leastPrefix`, in order.
  std::vector<std::string> findKeys(const std::string &prefix) const;
  /// Returns the only key that begins with these digits. The Error lists the
  /// keys if there are several.
  Result<std::string> resolveKey(const std::string &prefix) const;
  /// Returns the record of a key, then those that conflict with it; warns of
  /// damaged ones of these.
  Result<std::vector<StoredRecord>> read(const std::string &key,
                                         const Warn &warn) const;
  /// Returns the files that are no records, and are of no use: damaged records,
  /// and those that a store has set aside.
  std::vector<std::filesystem::path> findDamaged() const;
  /// Returns the problem that trials name; none if it is not stored.
  std::optional<ProblemRecord> findProblem(const std::string &key) const;

  const std::filesystem::path &path() const { return root; }

  static constexpr size_t leastPrefix = 4;

private:
  explicit CacheDirectory(std::filesystem::path root) : root(std::move(root)) {}

  std::filesystem::path root;
};

/// Returns the file of a record that conflicts with the one of its key;
/// `answer` distinguishes several.
std::filesystem::path getConflictPath(const std::filesystem::path &root,
                                      const std::string &key,
                                      const std::string &answer);

} // namespace tonno

#endif // TONNO_CACHE_CACHEDIRECTORY_H
