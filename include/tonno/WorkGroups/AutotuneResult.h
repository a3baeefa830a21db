//===- Result of tuning a local size --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_AUTOTUNERESULT_H
#define TONNO_WORKGROUPS_AUTOTUNERESULT_H

#include "tonno/Core/Measurement.h"
#include "tonno/WorkGroups/Candidates.h"

#include <string>
#include <vector>

namespace tonno {

/// A local size that ran.
struct MeasuredSize {
  WorkSize localSize;
  double runtimeUs = 0; ///< mean of the samples
  /// The first run is not among them; empty of one that was clearly slower than
  /// the best after three samples in pairs.
  std::vector<double> samplesUs;
};

/// The result of a tuner, with the measurements that it is based on.
struct AutotuneResult {
  WorkSize bestLocalSize; ///< empty if nothing ran
  double runtimeUs = 0;   ///< of that size; NaN of a default
  std::vector<MeasuredSize> measured;
  std::vector<SkippedSize> leftOut; ///< not legal here, so not launched
  std::vector<SkippedSize> failed;  ///< their launch did, with its error
  /// Launching takes longer than running does, so the size was not chosen by
  /// its time.
  bool isOverheadBound = false;
  bool isBusy = false;   ///< others seem to have used the device meanwhile
  bool isCached = false; ///< found in a cache, not measured now
  /// True if the mode prevented measurements and no cached result was found:
  /// the size is the default.
  bool isDefault = false;
  /// The comparison with the usual group of 64, or else the first candidate; if
  /// paired.
  std::optional<Comparison> comparison = {};
  std::vector<std::string> notes; ///< what a user should know, a sentence each

  /// Returns true if the result may be cached for later callers with other
  /// arguments. Results where launching dominates are excluded: they depend on
  /// the arguments most, and cost least to measure again.
  bool isLasting() const { return !isBusy && !isOverheadBound; }
  /// Fails if no candidate was measured; the Error says why, for each.
  Result<void> check() const;
};

void mapFields(JsonFields &fields, SkippedSize &size);
void mapFields(JsonFields &fields, MeasuredSize &size);
/// Maps all fields except `isCached` and `isDefault`, which are no properties
/// of the measurement.
void mapFields(JsonFields &fields, AutotuneResult &result);

} // namespace tonno

#endif // TONNO_WORKGROUPS_AUTOTUNERESULT_H
