//===- Merging caches -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/MergeCaches.h"
#include "tonno/Core/DevicePeaks.h"
#include "tonno/Core/FileDate.h"
#include "tonno/Core/Hash.h"

#include <algorithm>
#include <compare>
#include <tuple>

using namespace tonno;
namespace fs = std::filesystem;

Json tonno::getAnswer(const Json &record) {
  switch (classifyRecord(record)) {
  case RecordKind::decision:
  case RecordKind::latest:
    return {record.value("values", Json()),
            record["comparison"].is_object()
                ? record["comparison"].value("verdict", Json())
                : Json()};
  case RecordKind::trial:
    return record["status"];
  case RecordKind::problem:
  case RecordKind::best:
  case RecordKind::siblings:
  case RecordKind::peaks:
    return {}; // where a search begins, and what others measured
  case RecordKind::other:
    return record;
  }
  return record;
}

namespace {

/// Ranks a record among those of its key: the least is preferred.
struct Preference {
  int circumstances = 0; ///< contention, or success of a trial
  /// Trials or samples, or the products a second of a device's peaks, which are
  /// less on a busy machine; more is preferred.
  uint64_t evidence = 0;
  int conclusion = 0;
  std::string text;

  std::strong_ordering operator<=>(const Preference &other) const {
    return std::tie(circumstances, other.evidence, conclusion, text) <=>
           std::tie(other.circumstances, evidence, other.conclusion,
                    other.text);
  }
};

} // namespace

static Preference computePreference(const Json &record) {
  Preference preference;
  preference.text = printed(record);
  if (auto decision = decode<DecisionRecord>(record)) {
    preference.circumstances = decision->comparison.contended;
    preference.evidence = decision->trials;
    preference.conclusion = !isWin(decision->comparison.verdict);
  } else if (auto trial = decode<TrialRecord>(record)) {
    preference.circumstances =
        trial->status == Status::ok || trial->status == Status::pruned;
    preference.evidence =
        trial->measurement ? trial->measurement->seconds.n : 0;
  } else if (auto peaks = decodeMember<DevicePeaks>(record, "peaks")) {
    constexpr double most =
        1e18; // which the integer holds; a file may state more
    preference.evidence =
        static_cast<uint64_t>(std::min(std::max(0.0, peaks->macs), most));
  }
  return preference;
}

bool tonno::isPreferred(const Json &record, const Json &other) {
  return computePreference(record) < computePreference(other);
}

/// Returns the digest that names the conflict file of an answer.
static std::string hashAnswer(const Json &record) {
  return sha256(printed(getAnswer(record)));
}

Result<void> CacheMerger::write(const fs::path &path,
                                const StoredRecord &stored,
                                const std::string &date) const {
  TONNO_TRY(store->writeFile(path, encodeRecord(stored.key, stored.record)));
  if (!date.empty())
    setFileDate(path, date);
  else if (!stored.path.empty())
    copyFileDate(stored.path, path);
  return {};
}

Result<CacheMerger> CacheMerger::open(const fs::path &target,
                                      const CacheDirectory::Warn &warn) {
  auto store = TONNO_TRY(
      DirectoryStore::open(target, DirectoryStore::Mode::read_write, warn));
  return CacheMerger(TONNO_TRY(CacheDirectory::open(target)), std::move(store),
                     warn);
}

Result<void> CacheMerger::add(StoredRecord incoming, const std::string &date) {
  const std::string key = incoming.key;
  const fs::path main = getRecordPath(target.path(), key);
  auto known = target.read(key, warn);
  if (!known) {
    store->find(key); // sets a damaged record aside, with a warning
    known = target.read(key, warn);
  }
  auto standing = TONNO_TRY(std::move(known));
  if (standing.empty()) {
    ++counts.added;
    return write(main, incoming, date);
  }
  auto isSame = [&](const StoredRecord &each) {
    return each.record == incoming.record;
  };
  auto rival = std::ranges::find_if(standing, [&](const StoredRecord &each) {
    return getAnswer(each.record) == getAnswer(incoming.record);
  });
  bool hasRival = rival != standing.end();
  if (standing.size() > 1 || !hasRival)
    conflictKeys.insert(key);
  if (std::ranges::any_of(standing, isSame)) {
    ++counts.equal;
    return {};
  }
  if (hasRival && isPreferred(rival->record, incoming.record)) {
    ++counts.kept;
    return {};
  }
  // The record replaces its rival, and perhaps the preferred of all answers.
  const StoredRecord *owner = nullptr;
  for (const StoredRecord &each : standing)
    if (each.path == main && !(hasRival && &each == &*rival))
      owner = &each;
  bool isOwner = !owner || isPreferred(incoming.record, owner->record);
  if (isOwner && owner)
    TONNO_TRY(
        write(getConflictPath(target.path(), key, hashAnswer(owner->record)),
              *owner));
  const fs::path conflict =
      getConflictPath(target.path(), key, hashAnswer(incoming.record));
  TONNO_TRY(write(isOwner ? main : conflict, incoming, date));
  std::error_code failure; // it need not exist
  if (isOwner)
    fs::remove(conflict, failure);
  ++(isOwner ? counts.replaced : counts.kept);
  return {};
}

Result<void> CacheMerger::merge(const CacheDirectory &source,
                                const CacheDirectory::Warn &warn) {
  std::error_code failure;
  if (fs::equivalent(source.path(), target.path(), failure))
    return Error{"'" + target.path().string() +
                 "' cannot be merged into itself; name another cache"};
  Result<void> merged;
  source.visit(
      {},
      [&](StoredRecord stored) {
        merged = add(std::move(stored));
        return merged.ok();
      },
      warn);
  return merged;
}

MergeReport CacheMerger::report() const {
  MergeReport report = counts;
  report.conflicts.assign(conflictKeys.begin(), conflictKeys.end());
  return report;
}

void tonno::mapFields(JsonFields &fields, MergeReport &report) {
  fields("added", report.added);
  fields("equal", report.equal);
  fields("kept", report.kept);
  fields("replaced", report.replaced);
  fields("conflicts", report.conflicts);
}
