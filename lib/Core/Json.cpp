//===- Json.cpp - Parsing what comes from outside -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Json.h"

#include <vector>

using namespace tonno;

namespace {

/// Makes the value of what the parser finds. (The library's own builder knows
/// no depth, and throws on lengths that no memory has.)
class Builder : public nlohmann::json_sax<Json> {
public:
  Json take() { return std::move(root); }
  const std::string &failure() const { return why; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override {
    return add(value);
  }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &value) override {
    return add(Json::binary(std::move(value)));
  }
  bool key(string_t &value) override {
    place = &(*open.back())[std::move(value)];
    return true;
  }
  bool start_object(size_t) override { return enter(Json::object()); }
  bool start_array(size_t) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    why = error.what();
    return false;
  }

private:
  /// Where the next value is.
  Json &put(Json value) {
    if (!open.empty() && open.back()->is_array())
      return open.back()->emplace_back(std::move(value));
    return *place = std::move(value);
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool enter(Json container) {
    if (open.size() == maxJsonDepth) {
      why = "it nests deeper than " + std::to_string(maxJsonDepth) + " levels";
      return false;
    }
    open.push_back(&put(std::move(container)));
    return true;
  }
  bool leave() {
    open.pop_back();
    return true;
  }

  Json root;
  Json *place = &root;      ///< of the value of the last key, or of the first
  std::vector<Json *> open; ///< the containers that have begun and not ended
  std::string why;
};

} // namespace

template <typename Bytes>
static Result<Json> parse(const Bytes &bytes, Json::input_format_t format) {
  Builder builder;
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
