//===- Json.h - The JSON library and typed decoding -------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_CORE_JSON_H
#define TONNO_CORE_JSON_H

#include "tonno/Core/Result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace tonno {

/// Objects are kept sorted by key, so that `dump()` is canonical: equal values
/// print equally, and a hash of the text identifies the value.
using Json = nlohmann::json;

/// Decodes a T by its `from_json`; text from outside may be of any shape, so a
/// mismatch is an Error that names the member.
template <typename T> Result<T> decode(const Json &json) {
  try {
    return json.get<T>();
  } catch (const Json::exception &e) {
    return Error{e.what()};
  }
}

/// The same of what a message, whoever sent it and whatever its shape, has
/// under this key; without it, null is decoded.
template <typename T>
Result<T> decodeMember(const Json &message, const char *key) {
  auto found = message.find(key);
  return found == message.end() ? decode<T>(Json()) : decode<T>(*found);
}

/// Adds what is there. Optional members are left out, not null, so that
/// canonical text stays small.
template <typename T>
void putOptional(Json &json, const char *key, const std::optional<T> &value) {
  if (value)
    json[key] = *value;
}

/// Reads what putOptional added; without it, `value` is empty. Throws as
/// `from_json` does.
template <typename T>
void getOptional(const Json &json, const char *key, std::optional<T> &value) {
  auto found = json.find(key);
  if (found == json.end())
    value.reset();
  else
    value = found->template get<T>();
}

/// Parses text; the Error has the position.
inline Result<Json> parseJson(const std::string &text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception &e) {
    return Error{e.what()};
  }
}

} // namespace tonno

#endif // TONNO_CORE_JSON_H
