//===- Json.cpp - Parsing what comes from outside -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

std::string tonno::printed(const Json &json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}
