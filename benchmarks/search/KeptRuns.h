//===- Stored runs of long searches ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_KEPTRUNS_H
#define TONNO_BENCHMARKS_SEARCH_KEPTRUNS_H

#include "tonno/Search/Replay.h"

#include <filesystem>

namespace tonno {

/// Runs strategies on recordings as replayGrid does, and stores the results in
/// a folder, one file for each strategy, recording and setting: interrupted
/// work can be resumed, and several programs may share it. Files are identified
/// by names alone: a folder belongs to one build and one set of recordings.
class KeptRuns {
public:
  /// Keeps runs in `folder`; none if the path is empty.
  explicit KeptRuns(std::filesystem::path folder) : folder(std::move(folder)) {}

  /// Returns the runs, from the folder if they are kept there. An unreadable
  /// file is an Error.
  Result<ReplayGrid> run(std::span<const Recording> recordings,
                         std::span<const ReplayStrategy> strategies,
                         const ReplayGridOptions &options) const;

private:
  Result<std::vector<RunScore>> runOne(const Recording &recording,
                                       const ReplayStrategy &strategy,
                                       const ReplayGridOptions &options) const;

  std::filesystem::path folder;
};

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_KEPTRUNS_H
