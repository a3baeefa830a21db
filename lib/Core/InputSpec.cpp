//===- Data of input buffers ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/InputSpec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

using namespace tonno;

using InputKind = InputSpec::Kind;

namespace {
struct KindRow {
  std::string_view name;
  std::string_view arguments; ///< for messages
  size_t numbers;             ///< how many of the arguments are numbers
};

struct Number {
  double value = 0;
  size_t position = 0; ///< in the text
};

/// Reads the text from left to right. Each part that it takes is behind it
/// then, with the spaces in front of it.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  Error error(size_t where, const std::string &message) const {
    return {"in the input '" + std::string(text) + "', column " +
            std::to_string(where + 1) + ": " + message};
  }
  Error expected(const std::string &what) {
    skipSpaces();
    return error(position, "expected " + what);
  }

  /// Consumes the next character if it is `c`; returns false otherwise.
  bool take(char c);
  bool atEnd();
  /// Consumes a word that may name a kind; sets `start` to its position.
  std::string_view word(size_t &start);
  Result<Number> number();
  Result<std::string> quoted();

private:
  void skipSpaces() {
    while (position < text.size() && text[position] == ' ')
      ++position;
  }

  std::string_view text;
  size_t position = 0;
};
} // namespace

// In the order of the enumeration.
static constexpr std::array<KindRow, 6> kinds = {
    {{"uniform", "(low, high)", 2},
     {"normal", "(mean, stddev)", 2},
     {"integers", "(low, high)", 2},
     {"permutation", "", 0},
     {"constant", "(value)", 1},
     {"npy", "(\"file.npy\")", 0}}};

/// Integers beyond are not all doubles.
static constexpr double largestInteger = 0x1p53;

static const KindRow &getKindRow(InputKind kind) {
  return kinds[static_cast<size_t>(kind)];
}

static std::string usage(const KindRow &row) {
  return std::string(row.name) + std::string(row.arguments);
}

static std::string knownKinds() {
  std::string list;
  for (const KindRow &row : kinds)
    list += usage(row) + ", ";
  return list + "or one of these in sorted(...)";
}

bool Reader::take(char c) {
  skipSpaces();
  if (position == text.size() || text[position] != c)
    return false;
  ++position;
  return true;
}

bool Reader::atEnd() {
  skipSpaces();
  return position == text.size();
}

std::string_view Reader::word(size_t &start) {
  skipSpaces();
  start = position;
  position = std::min(text.find_first_of(" ,()\"'", position), text.size());
  return text.substr(start, position - start);
}

Result<Number> Reader::number() {
  skipSpaces();
  Number number{0, position};
  const char *end = text.data() + text.size();
  auto [stop, status] =
      std::from_chars(text.data() + position, end, number.value);
  if (status == std::errc::invalid_argument)
    return expected("a number");
  if (status != std::errc() || !std::isfinite(number.value))
    return error(position, "the number must be finite and fit a double");
  position = static_cast<size_t>(stop - text.data());
  return number;
}

Result<std::string> Reader::quoted() {
  skipSpaces();
  size_t start = position;
  if (position == text.size() || (text[start] != '"' && text[start] != '\''))
    return expected("the name of a file in quotes");
  std::string name;
  for (++position; position < text.size(); ++position) {
    if (text[position] == text[start])
      break;
    if (text[position] == '\\' && position + 1 < text.size())
      ++position;
    name += text[position];
  }
  if (!take(text[start]))
    return error(start, "the quote is not closed");
  if (name.empty())
    return error(start, "the name of the file is empty");
  return name;
}

static Result<void> checkInteger(const Reader &reader, const Number &number) {
  if (number.value == std::floor(number.value) &&
      std::fabs(number.value) <= largestInteger)
    return {};
  return reader.error(number.position,
                      "expected an integer of magnitude up to 2^53");
}

static Result<void> setUniform(const Reader &reader, InputSpec &input,
                               const std::vector<Number> &numbers) {
  input.low = numbers[0].value;
  input.high = numbers[1].value;
  if (input.low >= input.high)
    return reader.error(numbers[1].position,
                        "the upper end must be greater than the lower");
  return {};
}

static Result<void> setIntegers(const Reader &reader, InputSpec &input,
                                const std::vector<Number> &numbers) {
  for (const Number &number : numbers)
    if (auto checked = checkInteger(reader, number); !checked)
      return checked;
  input.low = numbers[0].value;
  input.high = numbers[1].value;
  if (input.low > input.high)
    return reader.error(numbers[1].position,
                        "the upper end is less than the lower");
  return {};
}

static Result<void> setNormal(const Reader &reader, InputSpec &input,
                              const std::vector<Number> &numbers) {
  input.mean = numbers[0].value;
  input.deviation = numbers[1].value;
  if (input.deviation < 0)
    return reader.error(numbers[1].position,
                        "the standard deviation is negative");
  return {};
}

/// Takes the kind's numbers, whose brackets are around.
static Result<void> parseNumbers(Reader &reader, InputSpec &input) {
  const KindRow &row = getKindRow(input.kind);
  std::vector<Number> numbers;
  while (numbers.size() < row.numbers) {
    if (!numbers.empty() && !reader.take(','))
      return reader.expected("',' as in " + usage(row));
    auto number = TONNO_TRY(reader.number());
    numbers.push_back(number);
  }
  switch (input.kind) {
  case InputKind::uniform:
    return setUniform(reader, input, numbers);
  case InputKind::integers:
    return setIntegers(reader, input, numbers);
  case InputKind::normal:
    return setNormal(reader, input, numbers);
  default:
    input.value = numbers[0].value;
    return {};
  }
}

static Result<void> parseArguments(Reader &reader, InputSpec &input) {
  const KindRow &row = getKindRow(input.kind);
  if (row.arguments.empty())
    return {};
  if (!reader.take('('))
    return reader.expected("'(' as in " + usage(row));
  if (input.kind == InputKind::npy) {
    auto path = TONNO_TRY(reader.quoted());
    input.path = std::move(path);
  } else if (auto parsed = parseNumbers(reader, input); !parsed) {
    return parsed;
  }
  if (!reader.take(')'))
    return reader.expected("')' as in " + usage(row));
  return {};
}

static Result<void> parseData(Reader &reader, InputSpec &input) {
  size_t start = 0;
  std::string_view name = reader.word(start);
  // Accepted once: sorting twice has no effect.
  if (name == "sorted" && !input.sorted) {
    input.sorted = true;
    if (!reader.take('('))
      return reader.expected("'(' as in sorted(permutation)");
    if (auto parsed = parseData(reader, input); !parsed)
      return parsed;
    return reader.take(')') ? Result<void>() : reader.expected("')'");
  }
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].name == name) {
      input.kind = static_cast<InputKind>(i);
      return parseArguments(reader, input);
    }
  if (name == "sorted")
    return reader.error(start, "sorted(...) cannot be nested");
  return reader.error(start, "unknown input '" + std::string(name) +
                                 "'; the inputs are: " + knownKinds());
}

Result<InputSpec> InputSpec::parse(std::string_view text) {
  Reader reader(text);
  InputSpec input;
  TONNO_TRY(parseData(reader, input));
  if (!reader.atEnd())
    return reader.expected("nothing more");
  return input;
}

/// Returns the shortest text that parses to the same number.
static std::string formatNumber(double number) {
  std::array<char, 32> text;
  auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

static std::string quote(std::string_view path) {
  std::string text = "\"";
  for (char c : path) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + '"';
}

static std::string argumentsText(const InputSpec &input) {
  switch (input.kind) {
  case InputKind::uniform:
  case InputKind::integers:
    return "(" + formatNumber(input.low) + ", " + formatNumber(input.high) +
           ")";
  case InputKind::normal:
    return "(" + formatNumber(input.mean) + ", " +
           formatNumber(input.deviation) + ")";
  case InputKind::constant:
    return "(" + formatNumber(input.value) + ")";
  case InputKind::npy:
    return "(" + quote(input.path) + ")";
  case InputKind::permutation:
    break;
  }
  return "";
}

bool InputSpec::isConstant() const {
  return kind == InputKind::constant ||
         (kind == InputKind::integers && low == high) ||
         (kind == InputKind::normal && deviation == 0);
}

std::string InputSpec::text() const {
  std::string data = std::string(getKindRow(kind).name) + argumentsText(*this);
  return sorted ? "sorted(" + data + ")" : data;
}

void tonno::to_json(Json &json, const InputSpec &input) { json = input.text(); }

void tonno::from_json(const Json &json, InputSpec &input) {
  auto parsed = InputSpec::parse(json.get<std::string>());
  if (!parsed)
    throw WrongValue(parsed.error().message, json);
  input = std::move(*parsed);
}
