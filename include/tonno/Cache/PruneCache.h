//===- Removing records of a cache ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_PRUNECACHE_H
#define TONNO_CACHE_PRUNECACHE_H

#include "tonno/Cache/CacheDirectory.h"

#include <optional>
#include <string>

namespace tonno {

/// Selects records to remove: those that satisfy all conditions that are given.
struct PruneConditions {
  std::optional<double> olderThanSeconds = {}; ///< since it was written
  std::string device = {};                     ///< of this name; empty: of any
  std::string madeBy = {}; ///< whose versions contain this text; empty: any
  std::optional<RecordKind> kind = {};
  bool conflicts = false; ///< only those beside a preferred record
  /// Files that are no records, which state neither device nor versions.
  bool damaged = false;

  bool isEmpty() const {
    return !olderThanSeconds && device.empty() && madeBy.empty() && !kind &&
           !conflicts && !damaged;
  }
};

struct PruneReport {
  size_t removed = 0;
  size_t left = 0;
  /// Records that state neither device nor versions, of those that are left.
  size_t unknown = 0;
};

void mapFields(JsonFields &fields, PruneReport &report);

/// Removes the records that satisfy the conditions, or with `isDry` counts them
/// only. A problem stays as long as a trial that names it does. A removed
/// record is a miss for running sessions.
Result<PruneReport> pruneCache(const CacheDirectory &cache,
                               const PruneConditions &conditions, bool isDry,
                               const CacheDirectory::Warn &warn);

/// Parses an age: a number with s, m, h, d or w. The Error lists the units.
Result<double> parseAge(const std::string &text);

} // namespace tonno

#endif // TONNO_CACHE_PRUNECACHE_H
