//===- The words of constraints -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintLexer.h"

#include <algorithm>
#include <array>
#include <utility>

using namespace tonno;
using namespace tonno::constraint;
using namespace std::string_view_literals;

static constexpr std::array words = {
    "and"sv, "or"sv,   "not"sv,  "floordiv"sv, "ceildiv"sv, "mod"sv,
    "if"sv,  "then"sv, "else"sv, "true"sv,     "false"sv};

/// Longer ones before those that they start with.
static constexpr std::array symbols = {"=="sv, "!="sv, "<="sv, ">="sv, "<"sv,
                                       ">"sv,  "+"sv,  "-"sv,  "*"sv,  "("sv,
                                       ")"sv,  "["sv,  "]"sv,  ","sv};

/// What other languages write, and ours instead. Looked for before `symbols`.
static constexpr std::array<std::pair<std::string_view, std::string_view>, 22>
    foreign = {{{"===", "`==`"},
                {"!==", "`!=`"},
                {"&&", "`and`"},
                {"||", "`or`"},
                {"<>", "`!=`"},
                {"=<", "`<=`"},
                {"=>", "`>=`, or `if a then b else true` for \"implies\""},
                {"->", "`if a then b else true` for \"implies\""},
                {"**", "a product"},
                {"//", "`floordiv`"},
                {"<<", "a product with a power of two"},
                {">>", "`floordiv` a power of two"},
                {"\u2264", "`<=`"},
                {"\u2265", "`>=`"},
                {"\u2260", "`!=`"},
                {"\u00d7", "`*`"},
                {"&", "`and`"},
                {"|", "`or`"},
                {"%", "`mod`"},
                {"/", "`floordiv`"},
                {"?", "`if a then b else c`"},
                {";", "`,`"}}};

bool constraint::isWord(std::string_view identifier) {
  return std::find(words.begin(), words.end(), identifier) != words.end();
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool continuesIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         isDigit(c);
}

bool constraint::isIdentifier(std::string_view text) {
  return !text.empty() && !isDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), continuesIdentifier);
}

/// How many characters there are before one that ends an identifier.
static size_t identifierLength(std::string_view text) {
  return std::find_if_not(text.begin(), text.end(), continuesIdentifier) -
         text.begin();
}

Token Lexer::take(Token::Kind kind, size_t length) {
  Token token{kind, source.substr(position, length), {}, position};
  position += length;
  return token;
}

/// One character in words: bytes that are no printable ASCII by number, since
/// they may be no text at all.
static std::string describe(char c) {
  if (c > ' ' && c <= '~')
    return std::string("`") + c + "`";
  constexpr std::string_view digits = "0123456789abcdef";
  auto byte = static_cast<uint8_t>(c);
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

ConstraintError Lexer::unexpected() const {
  std::string_view rest = source.substr(position);
  if (rest.front() == '=')
    return {"write `==` for \"is equal to\"", position + 1};
  if (rest.front() == '!')
    return {"write `not` instead of `!`", position + 1};
  return {describe(rest.front()) +
              " has no meaning here; a name that contains it is written in "
              "backquotes",
          position + 1};
}

/// Text up to the closing quote. A backquote within backquotes is doubled.
Result<Token, ConstraintError> Lexer::quoted(char quote) {
  std::string text;
  size_t at = position + 1;
  for (; at < source.size(); ++at) {
    if (source[at] == quote) {
      if (quote != '`' || source.substr(at + 1, 1) != "`")
        break;
      ++at;
    }
    text += source[at];
  }
  if (at >= source.size())
    return ConstraintError{std::string("no ") + quote + " ends this " +
                               (quote == '`' ? "name" : "string"),
                           position + 1};
  if (quote == '`' && text.empty())
    return ConstraintError{"expected a knob's name in the backquotes",
                           position + 1};
  Token token =
      take(quote == '`' ? Token::name : Token::string, at + 1 - position);
  token.text = std::move(text);
  return token;
}

Result<Token, ConstraintError> Lexer::number() {
  size_t length = identifierLength(source.substr(position));
  std::string_view spelling = source.substr(position, length);
  if (!std::all_of(spelling.begin(), spelling.end(), isDigit))
    return ConstraintError{"expected a decimal integer, but found `" +
                               std::string(spelling) + "`",
                           position + 1};
  if (source.substr(position + length, 1) == ".")
    return ConstraintError{"numbers are integers: multiply both sides instead "
                           "of writing a fraction",
                           position + 1};
  return take(Token::integer, length);
}

Result<Token, ConstraintError> Lexer::next() {
  position =
      std::min(source.find_first_not_of(" \t\r\n", position), source.size());
  std::string_view rest = source.substr(position);
  if (rest.empty())
    return take(Token::end, 0);
  char first = rest.front();
  if (first == '"' || first == '\'' || first == '`')
    return quoted(first);
  if (isDigit(first))
    return number();
  if (size_t length = identifierLength(rest)) {
    std::string_view name = rest.substr(0, length);
    Token token = take(isWord(name) ? Token::word : Token::name, length);
    token.text = name;
    return token;
  }
  for (const auto &[theirs, ours] : foreign)
    if (rest.starts_with(theirs))
      return ConstraintError{"write " + std::string(ours) + " instead of `" +
                                 std::string(theirs) + "`",
                             position + 1};
  for (std::string_view symbol : symbols)
    if (rest.starts_with(symbol))
      return take(Token::symbol, symbol.size());
  return unexpected();
}
