//===- The statistics of a trial's samples --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_MEASUREMENT_H
#define TONNO_CORE_MEASUREMENT_H

#include "tonno/Core/Statistics.h"

#include <optional>

namespace tonno {

/// Events of one launch, as the processor counted them in user mode.
struct EventCounts {
  std::optional<double> cycles;
  std::optional<double> executedInstructions;
  std::optional<double> branchMisses;
  std::optional<double> l1dMisses; ///< of loads
  std::optional<double> llcMisses; ///< of the last-level cache

  bool operator==(const EventCounts &) const = default;
};

void mapFields(JsonFields &fields, EventCounts &events);

/// The result of timing a candidate beside the baseline. Candidates are ranked
/// by `ratio`, never by seconds, since seconds of different candidates were
/// taken at different times.
struct Measurement {
  Distribution seconds;         ///< of one launch of the candidate
  Distribution baselineSeconds; ///< of the baseline's launches between them
  double ratio = 1;             ///< median of candidate / baseline, by pairs
  Interval ratioInterval;       ///< of that median, order statistics at z = 3
  bool overheadBound = false;   ///< see Comparison
  bool contended = false;       ///< see Comparison
  bool ofValues = false;        ///< numbers of any sign are in place of seconds
  EventCounts events = {};      ///< none where the device counts none
};

void mapFields(JsonFields &fields, Measurement &measurement);

/// The contents of the last-level cache when a launch begins.
enum class CacheState {
  cold, ///< nothing of the launch's data
  warm, ///< the state after a launch on the same buffers
};

EnumNames getEnumNames(CacheState);
inline std::optional<CacheState> parseCacheState(std::string_view text) {
  return parseEnum<CacheState>(text);
}

enum class Verdict {
  faster,      ///< than the baseline, by more than the floor, on fresh data
  tie,         ///< not shown to be faster: the default stays
  no_baseline, ///< the default failed; the winner is the best that ran
  interrupted, ///< no test was made; the incumbent stands
  less,        ///< uses less of the objective's resource than the baseline
};

/// Returns true if the candidate was shown to be better than the baseline.
inline bool isWin(Verdict verdict) {
  return verdict == Verdict::faster || verdict == Verdict::less;
}

EnumNames getEnumNames(Verdict);

/// A speedup over the baseline with its 95 % interval.
struct Speedup {
  double ratio = 1; ///< baseline / candidate
  Interval interval = {1, 1};
};

/// The chosen candidate beside the baseline.
struct Comparison {
  Verdict verdict = Verdict::tie;
  Distribution seconds;
  Distribution baselineSeconds;      ///< n = 0 with verdict no_baseline
  double speedup = 1;                ///< baseline / candidate
  Interval speedupInterval = {1, 1}; ///< 95 %
  size_t rounds = 0; ///< of the test; 0 if there was none to make
  /// True if the times are dominated by launch overhead: a launch takes no
  /// longer than its overhead.
  bool overheadBound = false;
  /// Others ran on the device during more samples than the protocol allows.
  /// Time that they took is subtracted where it is known.
  bool contended = false;
  /// The speedup shown by the test at its own level, 99.9 % (z = 3): `faster`
  /// if it is above the test's floor. Missing in older records.
  std::optional<double> shownSpeedup = {};
  /// State of the cache for `seconds` and `speedup`.
  CacheState cacheState = CacheState::cold;
  /// The speedup with the other cache state; tested after `faster`, if launches
  /// are short.
  std::optional<Speedup> otherSpeedup = {};

  /// Returns true if the candidate is not shown to be faster with the other
  /// cache state.
  bool dependsOnCache() const {
    return otherSpeedup && otherSpeedup->interval.low <= 1;
  }

  /// Returns the time of the chosen candidate: the baseline's over the speedup,
  /// since the pairs estimate the ratio better than two medians do. With a tie,
  /// the default was chosen.
  double chosenSeconds() const;
};

void mapFields(JsonFields &fields, Speedup &speedup);
void mapFields(JsonFields &fields, Comparison &comparison);

} // namespace tonno

#endif // TONNO_CORE_MEASUREMENT_H
