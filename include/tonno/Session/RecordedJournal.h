//===- Journals as recorded spaces ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_RECORDEDJOURNAL_H
#define TONNO_SESSION_RECORDEDJOURNAL_H

#include "tonno/Search/Recording.h"

#include <filesystem>
#include <vector>

namespace tonno {

/// Reads a file of recorded spaces: a journal of ours (Cache/Journal.h), which
/// may have several sessions, or one of Recording.h, which Search reads;
/// its content says which. Here, since only here both are known.
Result<std::vector<Recording>>
readRecordings(const std::filesystem::path &path);

/// The sessions of a journal's text with what they have tried, each a
/// recording, named by kernel and device, in the order in which they began. The
/// time is the ratio to the baseline, by which trials are ranked, times the
/// first median of the baseline. A `pruned` trial is ok, with its lower bound;
/// one that failed when it was tested has failed; what is `contended` or `lost`
/// tells nothing and is left out. Times that are known to no better than 10 %
/// are among the notes. A line that is damaged is an Error, but for a last one
/// without an end, which is a note. So is a session that has nothing valid.
Result<std::vector<Recording>> parseJournal(const std::string &text);

} // namespace tonno

#endif // TONNO_SESSION_RECORDEDJOURNAL_H
