//===- The JSON library and typed decoding --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_JSON_H
#define TONNO_CORE_JSON_H

#include "tonno/Core/Result.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tonno {

/// Throws a WrongValue for the JSON at this address.
[[noreturn]] void refuseValue(const void *json, const std::string &why);

/// Decodes as the library does, but with mismatches whose place is known, and
/// integers: it would cast, where -1 becomes 2^32 - 1 and what 1e300 becomes is
/// undefined. A number that the type does not have is a mismatch.
template <typename T, typename = void>
struct JsonSerializer : nlohmann::adl_serializer<T> {};

class JsonFields;

/// A type whose members a function `mapFields` lists, with their names in JSON.
template <typename T>
concept MappedToJson =
    requires(JsonFields &fields, T &value) { mapFields(fields, value); };

template <MappedToJson T> struct JsonSerializer<T> {
  template <typename AnyJson, typename Fields = JsonFields>
  static void to_json(AnyJson &json, const T &value) {
    json = AnyJson::object();
    Fields fields = Fields::writeTo(json);
    mapFields(fields, const_cast<T &>(value)); // which then only reads it
  }
  template <typename AnyJson, typename Fields = JsonFields>
  static void from_json(const AnyJson &json, T &value) {
    Fields fields = Fields::readFrom(json);
    mapFields(fields, value);
  }
};

/// The words for an enumeration's values, in their order.
struct EnumNames {
  const char *what; ///< the values are, in messages: "verdict"
  std::span<const std::string_view> names;
};

/// An enumeration whose values' names, in text and JSON, a function
/// `getEnumNames` lists.
template <typename T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  { getEnumNames(value) } -> std::same_as<EnumNames>;
};

template <NamedEnum T> std::string_view toString(T value) {
  return getEnumNames(value).names[static_cast<size_t>(value)];
}

/// Returns the value of that name, if there is one.
template <NamedEnum T> std::optional<T> parseEnum(std::string_view text) {
  std::span<const std::string_view> names = getEnumNames(T()).names;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == text)
      return static_cast<T>(i);
  return std::nullopt;
}

template <NamedEnum T> struct JsonSerializer<T> {
  template <typename AnyJson> static void to_json(AnyJson &json, T value) {
    json = std::string(toString(value));
  }
  template <typename AnyJson>
  static void from_json(const AnyJson &json, T &value) {
    auto text = json.template get<std::string>();
    auto parsed = parseEnum<T>(text);
    if (!parsed)
      refuseValue(&json, "unknown " + std::string(getEnumNames(value).what) +
                             " '" + text + "'");
    value = *parsed;
  }
};

template <std::integral T>
  requires(!std::same_as<T, bool>)
struct JsonSerializer<T> : nlohmann::adl_serializer<T> {
  template <typename AnyJson>
  static void from_json(const AnyJson &json, T &value) {
    using Unsigned = typename AnyJson::number_unsigned_t;
    using Signed = typename AnyJson::number_integer_t;
    bool fits = false;
    if (auto *natural = json.template get_ptr<const Unsigned *>()) {
      fits = std::in_range<T>(*natural);
      value = static_cast<T>(*natural);
    } else if (auto *integer = json.template get_ptr<const Signed *>()) {
      fits = std::in_range<T>(*integer);
      value = static_cast<T>(*integer);
    }
    if (!fits)
      refuseValue(
          &json,
          "not an integer of " + std::to_string(8 * sizeof(T)) +
              (std::signed_integral<T> ? " bits" : " bits without a sign"));
  }
};

template <std::floating_point T>
struct JsonSerializer<T> : nlohmann::adl_serializer<T> {
  template <typename AnyJson>
  static void from_json(const AnyJson &json, T &value) {
    if (!json.is_number())
      refuseValue(&json, std::string("type must be number, but is ") +
                             json.type_name());
    nlohmann::adl_serializer<T>::from_json(json, value);
  }
};

template <> struct JsonSerializer<std::string> {
  template <typename AnyJson>
  static void from_json(const AnyJson &json, std::string &value) {
    if (!json.is_string())
      refuseValue(&json, std::string("type must be string, but is ") +
                             json.type_name());
    nlohmann::adl_serializer<std::string>::from_json(json, value);
  }
  template <typename AnyJson, typename Text>
  static void to_json(AnyJson &json, Text &&text) {
    nlohmann::adl_serializer<std::string>::to_json(json,
                                                   std::forward<Text>(text));
  }
};

/// Objects are kept sorted by key, so that `dump()` is canonical: equal values
/// print equally, and a hash of the text identifies the value.
using Json =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t,
                         uint64_t, double, std::allocator, JsonSerializer>;

/// Exception of a `from_json` at a value of the right type that is impossible,
/// such as a word that is no status.
class WrongValue : public Json::exception {
public:
  WrongValue(const std::string &message, const Json &value)
      : exception(0, message.c_str()), value(&value) {}

  const Json *value; ///< of the JSON that is decoded
};

/// Returns the error of decoding `json`: the path of the wrong value, such as
/// "trials/3/status", if known, and the reason.
Error decodingError(const Json &json, const Json::exception &wrong);

/// Decodes a part of `whole`, from which errors name the path.
template <typename T>
Result<T> decodePart(const Json &whole, const Json &part) {
  try {
    return part.get<T>();
  } catch (const Json::exception &e) {
    return decodingError(whole, e);
  }
}

/// Decodes a T by its `from_json`; text from outside may be of any shape, so a
/// mismatch is an Error.
template <typename T> Result<T> decode(const Json &json) {
  return decodePart<T>(json, json);
}

/// Decodes the member of a message with this key. The Error: the message has no
/// such member, or is no object, or the member does not fit.
template <typename T>
Result<T> decodeMember(const Json &message, const char *key) {
  auto found = message.find(key);
  if (found == message.end())
    return Error{"no member '" + std::string(key) + "'"};
  return decodePart<T>(message, *found);
}

/// Sets the member if there is a value. Omits it otherwise, rather than storing
/// null, so that canonical text stays small.
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

/// Reads the members of a value from a JSON object, or writes them to one: a
/// `mapFields` lists them once for both.
class JsonFields {
public:
  static JsonFields writeTo(Json &json) { return {nullptr, &json}; }
  static JsonFields readFrom(const Json &json) { return {&json, nullptr}; }

  /// Returns the object that is read; null while one is written.
  const Json *read() const { return source; }

  /// Returns true if the object that is read has the member, or if it `is` to
  /// be written.
  bool has(const char *name, bool is) const {
    return source ? source->contains(name) : is;
  }

  /// Maps a required member.
  template <typename T> void operator()(const char *name, T &member) {
    if (source)
      source->at(name).get_to(member);
    else
      (*target)[name] = member;
  }

  /// Maps an optional member, which is omitted rather than null if empty, so
  /// that canonical text stays small.
  template <typename T>
  void operator()(const char *name, std::optional<T> &member) {
    if (source)
      getOptional(*source, name, member);
    else
      putOptional(*target, name, member);
  }

  /// Maps a member that is omitted if it has its usual value.
  template <typename T>
  void operator()(const char *name, T &member,
                  const std::type_identity_t<T> &usual) {
    omitIfDefault(member == usual, name, member, usual);
  }

  /// Maps a list that is omitted if it is empty.
  template <typename T> void list(const char *name, std::vector<T> &member) {
    omitIfDefault(member.empty(), name, member, {});
  }

  /// Maps bytes, which text cannot contain.
  void binary(const char *name, std::vector<uint8_t> &bytes) {
    if (source)
      bytes = source->at(name).get_binary();
    else
      (*target)[name] = Json::binary(bytes);
  }

private:
  JsonFields(const Json *source, Json *target)
      : source(source), target(target) {}

  template <typename T>
  void omitIfDefault(bool isUsual, const char *name, T &member,
                     const T &usual) {
    if (!source) {
      if (!isUsual)
        (*target)[name] = member;
    } else if (auto found = source->find(name); found != source->end()) {
      found->get_to(member);
    } else {
      member = usual;
    }
  }

  const Json *source;
  Json *target;
};

/// Limits the nesting of values, far above the depth of practical documents.
/// Parsers refuse deeper values early: printing, comparing and copying a value
/// is recursive, as is parsing CBOR.
inline constexpr size_t maxJsonDepth = 64;

/// Parses text; the Error has the position.
Result<Json> parseJson(std::string_view text);

/// Parses CBOR, which must be one value without tags. Allocates memory for
/// bytes that are present only, regardless of stated lengths.
Result<Json> parseCbor(std::span<const uint8_t> bytes);

/// Prints the value as text; replaces invalid UTF-8, for which `dump()` throws.
/// Indents each level by `indent`, or prints a single line.
std::string printed(const Json &json, int indent = -1);

} // namespace tonno

#endif // TONNO_CORE_JSON_H
