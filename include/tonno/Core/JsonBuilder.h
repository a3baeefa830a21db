//===- JSON as it is parsed -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_JSONBUILDER_H
#define TONNO_CORE_JSONBUILDER_H

#include "tonno/Core/Json.h"

namespace tonno {

/// Returns the message of an error of the library, without the error's class.
std::string getMessage(const Json::exception &error);

/// Builds a value from a parser's events, nested at most maxJsonDepth deep.
/// (The library's own builder has no limit, and throws on excessive lengths.)
/// Subclasses can handle some events themselves.
class JsonBuilder : public nlohmann::json_sax<Json> {
public:
  Json take() { return std::move(root); }

  /// Returns why parsing ended early: invalid JSON, excessive nesting, or a
  /// subclass's reason.
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
  bool parse_error(size_t position, const std::string &last,
                   const nlohmann::detail::exception &error) override;

protected:
  const Json &built() const { return root; } ///< so far
  /// Returns the open containers, the innermost last.
  const std::vector<Json *> &containers() const { return open; }
  bool fail(std::string message);

  /// Puts the value where it belongs.
  virtual Json &put(Json value);
  /// Called at the start of a container, which is the innermost.
  virtual bool begun() { return true; }
  /// Called at the end of the innermost container.
  virtual void ending() {}
  /// Called after a complete value in the innermost container, if there is one.
  virtual bool ended() { return true; }

private:
  bool add(Json value);
  bool enter(Json container);
  bool leave();

  Json root;
  Json *place = &root; ///< of the value of the last key, or of the first
  std::vector<Json *> open;
  std::string why;
};

} // namespace tonno

#endif // TONNO_CORE_JSONBUILDER_H
