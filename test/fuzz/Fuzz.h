//===- What the fuzzers share ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include "tonno/Core/Json.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tonno {

/// Of bytes as libFuzzer gives them.
inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the process if what must hold does not.
inline void require(bool holds, const std::string &what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

/// What can be decoded as a T is encoded, and is the same again.
template <typename T> void requireSameAgain(const Json &json) {
  auto value = decode<T>(json);
  if (!value)
    return;
  Json encoded = *value;
  auto again = decode<T>(encoded);
  require(again.ok(),
          "its JSON is decoded: " + (again ? "" : again.error().message) +
              " of " + printed(encoded));
  // As bytes, since no NaN equals another.
  require(Json::to_cbor(Json(*again)) == Json::to_cbor(encoded),
          "what is decoded again is the same");
}

} // namespace tonno

#endif // TEST_FUZZ_FUZZ_H
