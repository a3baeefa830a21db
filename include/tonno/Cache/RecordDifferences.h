//===- Differences between records ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_RECORDDIFFERENCES_H
#define TONNO_CACHE_RECORDDIFFERENCES_H

#include "tonno/Cache/CacheDirectory.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// A field in which two JSON values differ.
struct FieldDifference {
  std::string field;               ///< its path: "policy.protocol.cache_state"
  std::optional<Json> left, right; ///< empty if that side has no such field
};

void mapFields(JsonFields &fields, FieldDifference &difference);

/// Returns the fields in which two values differ, sorted by their paths.
/// Members of lists that have names, such as knobs, are compared by name; other
/// lists as a whole.
std::vector<FieldDifference> compareFields(const Json &left, const Json &right);

/// Returns what a field of a question states: "the kernel's IR"; empty if its
/// name says it.
std::string describeQuestionField(const std::string &field);

/// A stored decision beside a question that has none.
struct NearestDecision {
  StoredRecord decision;
  std::vector<FieldDifference> differences; ///< stored, then asked
};

/// The decisions of a cache, compared with a question.
struct MissReport {
  std::optional<NearestDecision> nearest;
  size_t compared = 0;
  size_t withoutQuestion = 0; ///< of versions that stored none
};

/// Finds the decision whose question differs in the fewest fields, of those
/// with equal numbers the one with the least key. Different IR counts more than
/// all other fields together, and more so if the kernel has another name.
/// Options that older versions did not know count as off. Copies of the latest
/// decision are compared if the question is theirs, and otherwise those of
/// searches.
MissReport findNearestDecision(const CacheDirectory &cache,
                               const std::string &kernel, const Json &question,
                               const CacheDirectory::Warn &warn);

} // namespace tonno

#endif // TONNO_CACHE_RECORDDIFFERENCES_H
