//===- Removing records of a cache ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/PruneCache.h"
#include "tonno/Core/FileDate.h"

#include <charconv>
#include <cmath>
#include <map>

using namespace tonno;
namespace fs = std::filesystem;

Result<double> tonno::parseAge(const std::string &text) {
  static const std::map<char, double> secondsOfUnit = {
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
  double number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  auto unit = error == std::errc() && rest + 1 == end
                  ? secondsOfUnit.find(*rest)
                  : secondsOfUnit.end();
  if (unit == secondsOfUnit.end() || !(number >= 0) || !std::isfinite(number))
    return Error{
        "'" + text +
        "' is not an age; give a number and a unit: 90s, 30m, 12h, 30d or "
        "8w"};
  return number * unit->second;
}

namespace {

/// The origin of a record, as far as the record states it.
struct Origin {
  bool isKnown = false;
  std::string device;
  std::string versions; ///< of tonno and LLVM, and of the pipeline
};

/// Reads origins. Problems are read once each.
class OriginReader {
public:
  explicit OriginReader(const CacheDirectory &cache) : cache(cache) {}

  Origin read(const StoredRecord &stored) {
    const Json &record = stored.record;
    switch (stored.kind) {
    case RecordKind::decision:
    case RecordKind::latest: {
      auto question = record.find(questionMember);
      auto identity = question == record.end()
                          ? Result<ProblemIdentity>(Error{""})
                          : decode<ProblemIdentity>(*question);
      auto versions = decodeMember<std::string>(record, "versions");
      if (!identity)
        return {};
      Origin origin = describe(*identity);
      origin.versions += "\n" + (versions ? *versions : "");
      return origin;
    }
    case RecordKind::trial: {
      auto key = decodeMember<std::string>(record, "problem");
      if (!key)
        return {};
      auto [known, isNew] = problems.try_emplace(*key);
      if (isNew)
        if (auto problem = cache.findProblem(*key))
          known->second = describe(problem->identity);
      return known->second;
    }
    case RecordKind::problem: {
      auto problem = decode<ProblemRecord>(record);
      return problem ? describe(problem->identity) : Origin();
    }
    case RecordKind::peaks: {
      auto device = decodeMember<std::string>(record, "device");
      return device ? Origin{true, *device, ""} : Origin();
    }
    case RecordKind::best:
    case RecordKind::siblings:
    case RecordKind::other:
      return {};
    }
    return {};
  }

private:
  static Origin describe(const ProblemIdentity &identity) {
    return {true, identity.device, identity.backend};
  }

  const CacheDirectory &cache;
  std::map<std::string, Origin> problems;
};

} // namespace

Result<PruneReport> tonno::pruneCache(const CacheDirectory &cache,
                                      const PruneConditions &conditions,
                                      bool isDry,
                                      const CacheDirectory::Warn &warn) {
  if (conditions.isEmpty())
    return Error{"nothing says which records to remove; give '--older-than', "
                 "'--device', '--made-by', '--kind', '--conflicts' or "
                 "'--damaged'"};
  if (conditions.damaged &&
      (conditions.kind || conditions.conflicts || !conditions.device.empty() ||
       !conditions.madeBy.empty()))
    return Error{"damaged files have neither kind, device nor versions; give "
                 "'--damaged' alone or with '--older-than'"};
  bool asksForOrigin = !conditions.device.empty() || !conditions.madeBy.empty();
  OriginReader origins(cache);
  PruneReport report;
  Result<void> removal;
  std::map<std::string, fs::path> problems; ///< selected, by their keys
  std::set<std::string> named;              ///< by trials that are left
  auto isSelected = [&](const StoredRecord &stored) {
    if (conditions.conflicts && !stored.isConflict)
      return false;
    if (conditions.kind && stored.kind != *conditions.kind)
      return false;
    if (conditions.olderThanSeconds &&
        getFileAge(stored.path).value_or(0) < *conditions.olderThanSeconds)
      return false;
    if (!asksForOrigin)
      return true;
    Origin origin = origins.read(stored);
    report.unknown += !origin.isKnown;
    return origin.isKnown &&
           (conditions.device.empty() || origin.device == conditions.device) &&
           origin.versions.find(conditions.madeBy) != std::string::npos;
  };
  auto remove = [&](const fs::path &path) {
    std::error_code failure;
    if (!isDry && !fs::remove(path, failure) && failure)
      removal =
          Error{"cannot remove '" + path.string() + "': " + failure.message()};
    return removal.ok();
  };
  if (conditions.damaged) {
    for (const fs::path &path : cache.findDamaged()) {
      bool isOld = getFileAge(path).value_or(0) >=
                   conditions.olderThanSeconds.value_or(0);
      ++(isOld ? report.removed : report.left);
      if (isOld && !remove(path))
        return removal.error();
    }
    return report;
  }
  auto take = [&](StoredRecord stored) {
    if (!isSelected(stored)) {
      ++report.left;
      if (stored.kind == RecordKind::trial)
        named.insert(stored.record.value("problem", std::string()));
      return true;
    }
    if (stored.kind == RecordKind::problem) {
      problems.emplace(stored.key, stored.path);
      return true;
    }
    ++report.removed;
    return remove(stored.path);
  };
  cache.visit({}, take, warn);
  for (const auto &[key, path] : problems) {
    bool isNamed = named.contains(key);
    ++(isNamed ? report.left : report.removed);
    if (!isNamed && removal)
      remove(path);
  }
  if (!removal)
    return removal.error();
  return report;
}

void tonno::mapFields(JsonFields &fields, PruneReport &report) {
  fields("removed", report.removed);
  fields("left", report.left);
  fields("unknown", report.unknown);
}
