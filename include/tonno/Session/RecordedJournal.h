//===- Journals as recorded spaces ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_RECORDEDJOURNAL_H
#define TONNO_SESSION_RECORDEDJOURNAL_H

#include "tonno/Search/Recording.h"

#include <filesystem>
#include <span>
#include <vector>

namespace tonno {

/// Reads a file of recorded spaces: a journal of ours (Cache/Journal.h), which
/// may have several sessions, or one of Recording.h, which Search reads;
/// its content says which. A directory is a cache. Here, since only here all
/// are known.
Result<std::vector<Recording>>
readRecordings(const std::filesystem::path &path);

/// Reads several, and gives those of one name different names.
Result<std::vector<Recording>>
readAllRecordings(std::span<const std::filesystem::path> paths);

/// Reads the trials of a cache: a recording for each problem, as far as its
/// trials have the same knobs. Damaged records are left out.
Result<std::vector<Recording>>
readCachedRecordings(const std::filesystem::path &path);

/// Parses each session of a journal as a recording, named by kernel and device,
/// in the order in which sessions began. The time is the ratio to the baseline,
/// by which trials are ranked, times the first median of the baseline. A
/// `pruned` trial is ok, with its lower bound; a trial that failed in the test
/// has failed; `contended` or `lost` trials are left out. Notes count the times
/// that are known to no better than 10 %. A damaged line is an Error, except
/// for a last one without an end, which is a note. A session without valid
/// trials is an Error, too.
Result<std::vector<Recording>> parseJournal(const std::string &text);

} // namespace tonno

#endif // TONNO_SESSION_RECORDEDJOURNAL_H
