//===- Stored trials in files of other tools ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_TRIALFILES_H
#define TONNO_CACHE_TRIALFILES_H

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Cache/MergeCaches.h"

#include <functional>
#include <string>

namespace tonno {

/// The formats of files of trials.
enum class TrialFormat {
  t4,  ///< results of an auto-tuner, as JSON; `importTrials` reads it back
  csv, ///< what parseCsvFile reads: knobs, status, time, resource usage
};

EnumNames getEnumNames(TrialFormat);

/// Returns the problem whose trials a user has named by any of its records: a
/// problem, a trial, or a decision; with an empty key the only problem of the
/// cache. The Error lists the choices.
Result<std::string> findProblemKey(const CacheDirectory &cache,
                                   const std::string &key,
                                   const CacheDirectory::Warn &warn);

/// Writes the trials of a problem piece by piece, in the order of their keys.
/// A T4 file also has the problem's identity and the whole records. Returns the
/// number of trials; the Error says why there are none.
Result<size_t>
exportTrials(const CacheDirectory &cache, const std::string &problemKey,
             TrialFormat format,
             const std::function<void(const std::string &)> &write,
             const CacheDirectory::Warn &warn);

/// Merges the trials of a T4 file that `exportTrials` has written, as
/// CacheMerger does. The Error is a file of another tool, whose kernel and
/// device have no keys, or one that was changed since.
Result<void> importTrials(const std::string &text, CacheMerger &merger);

} // namespace tonno

#endif // TONNO_CACHE_TRIALFILES_H
