//===- Parsing of external input ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Json.h"
#include "tonno/Core/JsonBuilder.h"

using namespace tonno;

template <typename Bytes>
static Result<Json> parse(const Bytes &bytes, Json::input_format_t format) {
  JsonBuilder builder;
  if (!Json::sax_parse(bytes.begin(), bytes.end(), &builder, format))
    return Error{builder.failure()};
  return builder.take();
}

Result<Json> tonno::parseJson(std::string_view text) {
  return parse(text, Json::input_format_t::json);
}

Result<Json> tonno::parseCbor(std::span<const uint8_t> bytes) {
  return parse(bytes, Json::input_format_t::cbor);
}

/// Returns the members that lead to a value, "trials/3/status"; none if it is
/// elsewhere.
static std::optional<std::string> findPath(const Json &json,
                                           const Json *value) {
  if (&json == value)
    return "";
  for (auto member = json.begin(); json.is_structured() && member != json.end();
       ++member) {
    auto path = findPath(*member, value);
    if (!path)
      continue;
    std::string key =
        json.is_object() ? member.key() : std::to_string(member - json.begin());
    return path->empty() ? key : key + "/" + *path;
  }
  return std::nullopt;
}

void tonno::refuseValue(const void *json, const std::string &why) {
  throw WrongValue(why, *static_cast<const Json *>(json));
}

Error tonno::decodingError(const Json &json, const Json::exception &wrong) {
  std::string message = getMessage(wrong);
  const auto *own = dynamic_cast<const WrongValue *>(&wrong);
  auto path = own ? findPath(json, own->value) : std::nullopt;
  return {path && !path->empty() ? *path + ": " + message : message};
}

std::string tonno::printed(const Json &json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}
