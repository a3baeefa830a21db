//===- Differences between records ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/RecordDifferences.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace tonno;

/// Returns true for a list of objects that each have a name.
static bool isNamedList(const Json &json) {
  return json.is_array() && !json.empty() &&
         std::ranges::all_of(json, [](const Json &each) {
           return each.is_object() && each.contains("name") &&
                  each["name"].is_string();
         });
}

/// Adds the leaves of a value, by path.
static void collectLeaves(const Json &json, const std::string &path,
                          std::map<std::string, Json> &leaves) {
  auto below = [&](const std::string &name) {
    return path.empty() ? name : path + "." + name;
  };
  if (json.is_object() && !json.empty()) {
    for (const auto &[name, value] : json.items())
      collectLeaves(value, below(name), leaves);
    return;
  }
  if (!isNamedList(json)) {
    // Records have no number that is not finite: no limit is null.
    bool isUnlimited =
        json.is_number_float() && !std::isfinite(json.get<double>());
    leaves[path] = isUnlimited ? Json() : json;
    return;
  }
  for (Json each : json) {
    std::string name = each["name"].get<std::string>();
    each.erase("name");
    collectLeaves(each, below(name), leaves);
  }
}

static std::optional<Json> findLeaf(const std::map<std::string, Json> &leaves,
                                    const std::string &path) {
  auto found = leaves.find(path);
  return found == leaves.end() ? std::nullopt : std::optional(found->second);
}

std::vector<FieldDifference> tonno::compareFields(const Json &left,
                                                  const Json &right) {
  std::map<std::string, Json> leftLeaves, rightLeaves;
  collectLeaves(left, "", leftLeaves);
  collectLeaves(right, "", rightLeaves);
  std::set<std::string> paths;
  for (const auto &[path, value] : leftLeaves)
    paths.insert(path);
  for (const auto &[path, value] : rightLeaves)
    paths.insert(path);
  std::vector<FieldDifference> differences;
  for (const std::string &path : paths) {
    FieldDifference difference = {path, findLeaf(leftLeaves, path),
                                  findLeaf(rightLeaves, path)};
    if (difference.left != difference.right)
      differences.push_back(std::move(difference));
  }
  return differences;
}

std::string tonno::describeQuestionField(const std::string &field) {
  static const std::map<std::string, std::string> meanings = {
      {"kernel", "the kernel's IR, by hash"},
      {"triple", "the target triple"},
      {"chip", "the chip"},
      {"features", "the chip's features"},
      {"backend", "tonno, LLVM and the pipeline"},
      {"device", "the device"},
      {"schema", "the format of keys"},
  };
  static const std::vector<std::pair<std::string, std::string>> groups = {
      {"policy.protocol", "how candidates are timed"},
      {"policy.oracle", "how results are verified"},
      {"policy.inputs", "contents of input files, by hash"},
      {"policy.reference", "what results are compared with"},
      {"search", "strategy and budget"},
      {"space.constraints", "constraints"},
      {"space", "knobs and their options"},
  };
  if (auto found = meanings.find(field); found != meanings.end())
    return found->second;
  for (const auto &[prefix, meaning] : groups)
    if (field.starts_with(prefix))
      return meaning;
  return {};
}

/// Returns how far a stored question is from the asked one.
static size_t computeDistance(const std::vector<FieldDifference> &differences,
                              bool hasName) {
  constexpr size_t otherKernel = 1000;
  size_t distance = hasName ? 0 : otherKernel / 2;
  for (const FieldDifference &each : differences)
    distance += each.field == "kernel" ? otherKernel : 1;
  return distance;
}

static bool isOffOnBothSides(const FieldDifference &difference) {
  auto isOff = [](const std::optional<Json> &side) {
    return !side || *side == Json(false);
  };
  return isOff(difference.left) && isOff(difference.right);
}

MissReport tonno::findNearestDecision(const CacheDirectory &cache,
                                      const std::string &kernel,
                                      const Json &question,
                                      const CacheDirectory::Warn &warn) {
  bool isLatest = question.value("search", Json()) == latestSearch;
  RecordKind kind = isLatest ? RecordKind::latest : RecordKind::decision;
  MissReport report;
  size_t least = 0;
  auto compare = [&](StoredRecord stored) {
    auto known = stored.record.find(questionMember);
    if (known == stored.record.end()) {
      ++report.withoutQuestion;
      return true;
    }
    if (stored.kind != kind)
      return true;
    ++report.compared;
    std::vector<FieldDifference> differences = compareFields(*known, question);
    std::erase_if(differences, isOffOnBothSides);
    auto name = decodeMember<std::string>(stored.record, "kernel");
    size_t distance = computeDistance(differences, !name || *name == kernel);
    if (report.nearest && distance >= least)
      return true;
    least = distance;
    report.nearest = {std::move(stored), std::move(differences)};
    return true;
  };
  cache.visit({RecordKind::decision, RecordKind::latest}, compare, warn);
  return report;
}

void tonno::mapFields(JsonFields &fields, FieldDifference &difference) {
  fields("field", difference.field);
  fields("left", difference.left);
  fields("right", difference.right);
}
