//===- Merging caches -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_MERGECACHES_H
#define TONNO_CACHE_MERGECACHES_H

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Cache/RecordStore.h"

#include <cstddef>
#include <filesystem>

namespace tonno {

/// The numbers of records that a merge has treated in each way.
struct MergeReport {
  size_t added = 0;
  size_t equal = 0;    ///< the same content in both
  size_t kept = 0;     ///< the cache's own was preferred, or agrees
  size_t replaced = 0; ///< by one that is preferred
  std::vector<std::string> conflicts; ///< keys whose records disagree
};

void mapFields(JsonFields &fields, MergeReport &report);

/// Returns what a record says, apart from how it was measured: the values and
/// the verdict of a decision, the status of a trial. Two records of a key that
/// differ in it disagree.
Json getAnswer(const Json &record);

/// Returns true if the first of two records of one key is preferred. The order
/// is total and looks at contents only: decisions measured without contention,
/// then of more trials, then with a winner; trials that failed, then those with
/// more samples; then the least text.
bool isPreferred(const Json &record, const Json &other);

/// Adds records to a cache. Of two records of a key, the preferred one stays.
/// Another one that disagrees is kept beside it, as a conflict file: one for
/// each answer. The result does not depend on the order of records, nor on
/// dates of files. Records keep their dates.
class CacheMerger {
public:
  /// Opens the cache to add to, and makes its directory. Fails if it cannot be
  /// written.
  static Result<CacheMerger> open(const std::filesystem::path &target,
                                  const CacheDirectory::Warn &warn);

  /// Adds a record with a date (getFileDate), by default that of its file.
  Result<void> add(StoredRecord incoming, const std::string &date = {});
  /// Adds all records of another cache, with its conflicts.
  Result<void> merge(const CacheDirectory &source,
                     const CacheDirectory::Warn &warn);

  MergeReport report() const;

private:
  CacheMerger(CacheDirectory target, std::unique_ptr<DirectoryStore> store,
              CacheDirectory::Warn warn)
      : target(std::move(target)), store(std::move(store)),
        warn(std::move(warn)) {}

  /// Writes a record, with the date given or that of the file that it was read
  /// from.
  Result<void> write(const std::filesystem::path &path,
                     const StoredRecord &stored,
                     const std::string &date = {}) const;

  CacheDirectory target;
  std::unique_ptr<DirectoryStore> store; ///< of the same directory
  CacheDirectory::Warn warn;             ///< of what is damaged there
  MergeReport counts;
  std::set<std::string> conflictKeys;
};

} // namespace tonno

#endif // TONNO_CACHE_MERGECACHES_H
