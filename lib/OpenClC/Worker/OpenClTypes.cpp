//===- Types of OpenCL C in memory ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClTypes.h"
#include "tonno/Core/Trim.h"
#include "tonno/Runtime/Elements.h"

#include <cctype>
#include <charconv>
#include <string>

using namespace tonno;

static std::optional<ElementType> parseScalarType(std::string_view name) {
  static constexpr std::pair<std::string_view, ElementType> names[] = {
      {"f64", ElementType::f64},    {"double", ElementType::f64},
      {"f32", ElementType::f32},    {"float", ElementType::f32},
      {"f16", ElementType::f16},    {"half", ElementType::f16},
      {"i64", ElementType::i64},    {"long", ElementType::i64},
      {"ulong", ElementType::i64},  {"unsigned long", ElementType::i64},
      {"i32", ElementType::i32},    {"int", ElementType::i32},
      {"uint", ElementType::i32},   {"unsigned int", ElementType::i32},
      {"i16", ElementType::i16},    {"short", ElementType::i16},
      {"ushort", ElementType::i16}, {"unsigned short", ElementType::i16},
      {"i8", ElementType::i8},      {"char", ElementType::i8},
      {"uchar", ElementType::i8},   {"unsigned char", ElementType::i8}};
  for (auto [known, type] : names)
    if (known == name)
      return type;
  return std::nullopt;
}

std::optional<TypeInMemory> tonno::parseOpenClType(std::string_view name) {
  if (auto scalar = parseScalarType(name))
    return TypeInMemory{*scalar};
  for (int64_t count : {16, 8, 4, 3, 2}) {
    std::string digits = std::to_string(count);
    if (name.ends_with(digits))
      if (auto scalar =
              parseScalarType(name.substr(0, name.size() - digits.size())))
        return TypeInMemory{*scalar, count == 3 ? 4 : count, count};
  }
  return std::nullopt;
}

std::optional<std::vector<uint8_t>> tonno::integerBytes(int64_t value,
                                                        ElementType type) {
  size_t bytes = getByteSize(type);
  if (bytes < sizeof value) {
    int64_t most = (int64_t{1} << (8 * bytes)) - 1;
    if (value > most || value < -(most / 2) - 1)
      return std::nullopt;
  }
  std::vector<uint8_t> result;
  for (size_t i = 0; i < bytes; ++i)
    result.push_back(
        static_cast<uint8_t>(static_cast<uint64_t>(value) >> 8 * i));
  return result;
}

template <typename T>
static std::optional<T> parseNumber(std::string_view text) {
  T value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Parses an integer, including those that only an unsigned 64-bit type holds.
static std::optional<std::vector<uint8_t>>
parseIntegerBytes(std::string_view text, ElementType type) {
  if (auto number = parseNumber<int64_t>(text))
    return integerBytes(*number, type);
  auto large = parseNumber<uint64_t>(text);
  return large && getByteSize(type) == sizeof *large
             ? integerBytes(static_cast<int64_t>(*large), type)
             : std::nullopt;
}

bool tonno::isNumber(std::string_view text) {
  return parseNumber<int64_t>(text) || parseNumber<uint64_t>(text);
}

static Result<std::vector<uint8_t>> parseScalarBytes(std::string_view text,
                                                     ElementType type) {
  if (!isFloatingPoint(type)) {
    if (auto bytes = parseIntegerBytes(text, type))
      return *bytes;
    return Error{isNumber(text)
                     ? "the number does not fit its type"
                     : "'" + std::string(text) + "' is not an integer"};
  }
  std::string_view digits = text;
  bool isSuffixed = digits.size() > 1 && digits.back() == 'f' &&
                    !std::isalpha(static_cast<unsigned char>(
                        digits[digits.size() - 2])); // and not inf
  if (isSuffixed)
    digits.remove_suffix(1);
  auto number = parseNumber<double>(digits);
  if (!number)
    return Error{"'" + std::string(text) + "' is not a number"};
  std::vector<uint8_t> bytes;
  for (std::byte byte : encode(type, std::vector<double>{*number}))
    bytes.push_back(std::to_integer<uint8_t>(byte));
  return bytes;
}

Result<std::vector<uint8_t>> tonno::parseBytes(std::string_view text,
                                               TypeInMemory type) {
  if (type.count == 1)
    return parseScalarBytes(text, type.element);
  text = trim(text);
  if (text.starts_with('(') && text.ends_with(')'))
    text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> numbers;
  for (std::string_view rest = text;;) {
    size_t comma = rest.find(',');
    numbers.push_back(trim(rest.substr(0, comma)));
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  auto lanes = static_cast<size_t>(type.lanes);
  if (numbers.size() == 1)
    numbers.resize(lanes, numbers.front());
  if (numbers.size() != lanes)
    return Error{"the kernel has a vector of " + std::to_string(lanes) +
                 " there; write '(1, 2, ...)', or one number for all"};
  std::vector<uint8_t> bytes;
  for (std::string_view number : numbers) {
    auto one = parseScalarBytes(number, type.element);
    if (!one)
      return one;
    bytes.insert(bytes.end(), one->begin(), one->end());
  }
  bytes.resize(getByteSize(type.element) * static_cast<size_t>(type.count));
  return bytes;
}
