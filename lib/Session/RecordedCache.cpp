//===- Caches as recorded spaces ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Session/RecordedJournal.h"

#include <map>

using namespace tonno;

namespace {

/// The trials of a problem, as far as they have the same knobs.
struct StoredTrials {
  std::vector<std::string> knobs;
  std::vector<RecordedEntry> entries = {};
  double baselineSeconds = 0; ///< 0 until one is known
};

} // namespace

/// Returns a stored trial as an entry; times are ratios to the baseline, as in
/// journals, since sessions differ in their clock.
static RecordedEntry makeEntry(const TrialRecord &trial, StoredTrials &all,
                               const std::string &origin) {
  RecordedEntry entry;
  entry.origin = origin;
  entry.status = trial.status == Status::pruned ? Status::ok : trial.status;
  entry.usage = trial.usage;
  for (const auto &[name, value] : trial.values.items())
    entry.values.push_back(value);
  if (!trial.measurement)
    return entry;
  const Measurement &measured = *trial.measurement;
  bool isBeside = measured.baselineSeconds.n > 0;
  if (isBeside && all.baselineSeconds == 0)
    all.baselineSeconds = measured.baselineSeconds.median;
  entry.seconds =
      isBeside ? measured.ratio * all.baselineSeconds : measured.seconds.median;
  return entry;
}

static Result<Recording> makeRecording(StoredTrials &&trials,
                                       const ProblemRecord &problem) {
  RecordingBuilder builder(std::move(trials.knobs));
  for (RecordedEntry &entry : trials.entries)
    TONNO_TRY(builder.add(std::move(entry)));
  const ProblemIdentity &identity = problem.identity;
  auto recording = TONNO_TRY(std::move(builder).finish(
      identity.kernelHash.substr(0, 12) + "__" + identity.device));
  recording.setOrigin({problem.features, identity.device, identity.chip});
  return recording;
}

Result<std::vector<Recording>>
tonno::readCachedRecordings(const std::filesystem::path &path) {
  auto cache = TONNO_TRY(CacheDirectory::open(path));
  std::map<std::pair<std::string, std::vector<std::string>>, StoredTrials> all;
  size_t damaged = 0;
  cache.visit(
      {RecordKind::trial},
      [&](StoredRecord stored) {
        auto trial = decode<TrialRecord>(stored.record);
        if (!trial || trial->problem.empty() || stored.isConflict)
          return true;
        std::vector<std::string> knobs;
        for (const auto &[name, value] : trial->values.items())
          knobs.push_back(name);
        auto &trials =
            all.try_emplace({trial->problem, knobs}, StoredTrials{knobs})
                .first->second;
        trials.entries.push_back(
            makeEntry(*trial, trials, "record " + stored.key.substr(0, 12)));
        return true;
      },
      [&](const std::string &) { ++damaged; });
  std::vector<Recording> recordings;
  for (auto &[key, trials] : all) {
    auto problem = cache.findProblem(key.first);
    if (!problem || key.second.empty())
      continue;
    // A problem whose trials all failed has nothing to compare.
    if (auto recording = makeRecording(std::move(trials), *problem))
      recordings.push_back(std::move(*recording));
  }
  if (recordings.empty())
    return Error{"the cache '" + path.string() + "' has no trials" +
                 (damaged ? " that can be read" : "")};
  return recordings;
}
