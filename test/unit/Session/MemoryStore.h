//===- A store for as long as it lives ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_SESSION_MEMORYSTORE_H
#define TEST_UNIT_SESSION_MEMORYSTORE_H

#include "tonno/Cache/RecordStore.h"

#include <map>

namespace tonno {

class MemoryStore : public RecordStore {
public:
  std::optional<Json> find(const std::string &key) override {
    auto it = records.find(key);
    return it == records.end() ? std::nullopt : std::optional(it->second);
  }
  Result<void> insert(const std::string &key, const Json &record) override {
    if (fails)
      return Error{"the disk is full"};
    records[key] = record;
    ++writes;
    return {};
  }

  std::map<std::string, Json> records;
  int writes = 0;
  bool fails = false;
};

} // namespace tonno

#endif // TEST_UNIT_SESSION_MEMORYSTORE_H
