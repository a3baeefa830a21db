//===- A local store in front of a shared one -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedStore.h"

#include "tonno/Cache/CacheDirectory.h"

#include <utility>

using namespace tonno;

bool tonno::isShareable(const std::string &key, const Json &record) {
  switch (classifyRecord(record)) {
  case RecordKind::decision:
  case RecordKind::latest: {
    auto question = record.find(questionMember);
    return question != record.end() && computeKey(*question) == key &&
           decode<DecisionRecord>(record).ok();
  }
  case RecordKind::best:
  case RecordKind::siblings:
    return true;
  case RecordKind::trial:
  case RecordKind::problem:
  case RecordKind::peaks:
  case RecordKind::other:
    return false;
  }
  return false;
}

std::optional<Json> SharedStore::find(const std::string &key) {
  if (auto record = own->find(key))
    return record;
  if (misses.contains(key))
    return std::nullopt;
  auto record = shared->find(key);
  bool isUsed = record && isShareable(key, *record);
  if (record && !isUsed && !std::exchange(hasWarned, true))
    warn("record " + key +
         " of the shared store answers another question; treated as a miss");
  if (!isUsed) {
    misses.insert(key);
    return std::nullopt;
  }
  // Without a copy, the next session asks the shared store again.
  (void)own->insert(key, *record).ok();
  return record;
}

Result<void> SharedStore::insert(const std::string &key, const Json &record) {
  auto kept = own->insert(key, record);
  if (!isReadOnly && isShareable(key, record))
    (void)shared->insert(key, record).ok(); // it has warned of a failure
  return kept;
}
