//===- Records with verifiable contents -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_CACHE_COUNTEDRECORDS_H
#define TEST_UNIT_CACHE_COUNTEDRECORDS_H

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/Hash.h"

namespace tonno {

inline constexpr unsigned countedKeys = 40;

inline std::string countedKey(unsigned key) {
  return sha256(std::to_string(key));
}

/// Returns a key that no other seed has.
inline std::string ownKey(unsigned seed, unsigned number) {
  return sha256(std::to_string(seed) + ":" + std::to_string(number));
}

/// Returns a record that is determined by two numbers; lengths differ.
inline Json countedRecord(unsigned key, unsigned number) {
  std::string text;
  for (unsigned i = 0; i < number % 600; ++i)
    text += std::to_string(number ^ i);
  return {{"key", key}, {"number", number}, {"text", text}};
}

/// Returns true if the record was made for this key.
inline bool isCounted(unsigned key, const Json &record) {
  auto number = decodeMember<unsigned>(record, "number");
  return number && record == countedRecord(key, *number);
}

} // namespace tonno

#endif // TEST_UNIT_CACHE_COUNTEDRECORDS_H
