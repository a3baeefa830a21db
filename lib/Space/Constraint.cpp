//===- The grammar of constraints -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintTree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

using namespace tonno;
using namespace tonno::constraint;
using namespace std::string_view_literals;

namespace {

struct Token {
  enum Kind { end, integer, string, name, word, symbol };

  Kind kind = end;
  std::string_view spelling;
  std::string text;  ///< of a string or a name, without quotes
  size_t offset = 0; ///< of the spelling, in bytes from 0

  /// Returns true if the token is this keyword or symbol of the language.
  bool is(std::string_view keyword) const {
    return (kind == word || kind == symbol) && spelling == keyword;
  }
};

/// Splits a text into tokens. Throws a ConstraintError on an invalid one.
class Lexer {
public:
  explicit Lexer(std::string_view source) : source(source) {}

  Token next();

private:
  Token quoted(char quote);
  Token number();
  Token take(Token::Kind kind, size_t length);
  [[noreturn]] void fail(std::string message) const {
    throw ConstraintError{std::move(message), position + 1};
  }
  [[noreturn]] void failUnexpected() const;

  std::string_view source;
  size_t position = 0;
};

/// The spelling of an operator of two operands.
struct Operator {
  std::string_view spelling;
  Kind kind;
};

/// Recursive descent: each rule is a function of the rule's name. Throws a
/// ConstraintError at the first failure.
class Parser {
public:
  explicit Parser(std::string_view source) : source(source), lexer(source) {}

  Expression parse();
  std::vector<std::string> takeNames() { return std::move(names); }

private:
  using Rule = Expression (Parser::*)();

  Expression condition();
  Expression disjunct();
  Expression conjunct();
  Expression negation();
  Expression comparison();
  Expression sum();
  Expression product();
  Expression unary();
  Expression primary();
  Expression parenthesized();
  Expression conditional();
  Expression knob();
  Expression integer(bool isNegative);

  Expression joined(Rule operand, std::string_view separator, Kind kind);
  Expression leftToRight(Rule operand, std::span<const Operator> operators);
  Expression nested(Rule rule);
  Expression made(Kind kind, size_t begin, std::vector<Expression> operands);
  Expression leaf(Kind kind);
  [[noreturn]] void failChained(const Expression &first);

  const Operator *found(std::span<const Operator> operators) const;
  void advance();
  void expect(std::string_view keyword, const char *why);
  [[noreturn]] void failExpecting(const std::string &what) const;
  std::string getSourceText(const Expression &expression) const;

  std::string_view source;
  Lexer lexer;
  Token token;
  size_t lastEnd = 0; ///< of the token before this one
  unsigned depth = 0;
  std::vector<std::string> names;
};

} // namespace

static constexpr std::array words = {
    "and"sv, "or"sv,   "not"sv,  "floordiv"sv, "ceildiv"sv, "mod"sv,
    "if"sv,  "then"sv, "else"sv, "true"sv,     "false"sv};

/// Longer ones before those that they start with.
static constexpr std::array symbols = {"=="sv, "!="sv, "<="sv, ">="sv, "<"sv,
                                       ">"sv,  "+"sv,  "-"sv,  "*"sv,  "("sv,
                                       ")"sv,  "["sv,  "]"sv,  ","sv};

/// Operators of other languages, each with the replacement in ours. Matched
/// before `symbols`.
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

/// Returns true if the language gives this identifier a meaning of its own.
static bool isWord(std::string_view identifier) {
  return std::find(words.begin(), words.end(), identifier) != words.end();
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool continuesIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         isDigit(c);
}

static bool isIdentifier(std::string_view text) {
  return !text.empty() && !isDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), continuesIdentifier);
}

/// Returns the length of the identifier at the start of the text.
static size_t identifierLength(std::string_view text) {
  return std::find_if_not(text.begin(), text.end(), continuesIdentifier) -
         text.begin();
}

Token Lexer::take(Token::Kind kind, size_t length) {
  Token token{kind, source.substr(position, length), {}, position};
  position += length;
  return token;
}

/// Describes a character for a message; bytes that are no printable ASCII by
/// number, since they may be invalid UTF-8.
static std::string describe(char c) {
  if (c > ' ' && c <= '~')
    return std::string("`") + c + "`";
  constexpr std::string_view digits = "0123456789abcdef";
  auto byte = static_cast<uint8_t>(c);
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

void Lexer::failUnexpected() const {
  char first = source[position];
  if (first == '=')
    fail("write `==` for \"is equal to\"");
  if (first == '!')
    fail("write `not` instead of `!`");
  fail(describe(first) + " has no meaning here; a name that contains it is "
                         "written in backquotes");
}

/// Reads text up to the closing quote. A backquote within backquotes is
/// doubled.
Token Lexer::quoted(char quote) {
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
    fail(std::string("no ") + quote + " ends this " +
         (quote == '`' ? "name" : "string"));
  if (quote == '`' && text.empty())
    fail("expected a knob's name in the backquotes");
  Token token =
      take(quote == '`' ? Token::name : Token::string, at + 1 - position);
  token.text = std::move(text);
  return token;
}

Token Lexer::number() {
  size_t length = identifierLength(source.substr(position));
  std::string_view spelling = source.substr(position, length);
  if (!std::all_of(spelling.begin(), spelling.end(), isDigit))
    fail("expected a decimal integer, but found `" + std::string(spelling) +
         "`");
  if (source.substr(position + length, 1) == ".")
    fail("numbers are integers: multiply both sides instead of writing a "
         "fraction");
  return take(Token::integer, length);
}

Token Lexer::next() {
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
      fail("write " + std::string(ours) + " instead of `" +
           std::string(theirs) + "`");
  for (std::string_view symbol : symbols)
    if (rest.starts_with(symbol))
      return take(Token::symbol, symbol.size());
  failUnexpected();
}

static constexpr Operator comparisons[] = {
    {"==", Kind::equal},     {"!=", Kind::notEqual}, {"<", Kind::less},
    {"<=", Kind::lessEqual}, {">", Kind::greater},   {">=", Kind::greaterEqual},
};
static constexpr Operator sums[] = {{"+", Kind::add}, {"-", Kind::subtract}};
static constexpr Operator products[] = {{"*", Kind::multiply},
                                        {"floordiv", Kind::floordiv},
                                        {"ceildiv", Kind::ceildiv},
                                        {"mod", Kind::mod}};

/// Parentheses and the like, which take several functions a level.
static constexpr unsigned maxNesting = 100;

[[noreturn]] static void fail(std::string message, size_t offset) {
  throw ConstraintError{std::move(message), offset + 1};
}

void Parser::failExpecting(const std::string &what) const {
  std::string got = token.kind == Token::end
                        ? "the end"
                        : "`" + std::string(token.spelling) + "`";
  fail("expected " + what + ", but found " + got, token.offset);
}

void Parser::advance() {
  lastEnd = token.offset + token.spelling.size();
  token = lexer.next();
}

void Parser::expect(std::string_view keyword, const char *why) {
  if (!token.is(keyword))
    failExpecting("`" + std::string(keyword) + "` " + why);
  advance();
}

std::string Parser::getSourceText(const Expression &expression) const {
  return std::string(
      source.substr(expression.begin, expression.end - expression.begin));
}

const Operator *Parser::found(std::span<const Operator> operators) const {
  for (const Operator &each : operators)
    if (token.is(each.spelling))
      return &each;
  return nullptr;
}

/// Creates a list by moves, since an initializer list would copy.
template <typename... Expressions>
static std::vector<Expression>
makeExpressionList(Expressions &&...expressions) {
  std::vector<Expression> list;
  list.reserve(sizeof...(expressions));
  (list.push_back(std::forward<Expressions>(expressions)), ...);
  return list;
}

Expression Parser::made(Kind kind, size_t begin,
                        std::vector<Expression> operands) {
  Expression node;
  node.kind = kind;
  node.begin = begin;
  node.end = lastEnd;
  for (const Expression &operand : operands)
    node.height = std::max(node.height, operand.height + 1);
  if (node.height > maxHeight)
    fail("nests deeper than " + std::to_string(maxHeight) +
             " operations; split it into several constraints",
         begin);
  node.operands = std::move(operands);
  return node;
}

/// Returns the current token as a leaf and advances.
Expression Parser::leaf(Kind kind) {
  size_t begin = token.offset;
  std::string text = token.text;
  advance();
  Expression node = made(kind, begin, {});
  node.text = std::move(text);
  return node;
}

/// Parses a rule one level deeper.
Expression Parser::nested(Rule rule) {
  if (depth == maxNesting)
    fail("nests deeper than " + std::to_string(maxNesting) +
             " levels; split it into several constraints",
         token.offset);
  ++depth;
  Expression node = (this->*rule)();
  --depth;
  return node;
}

Expression Parser::parse() {
  advance();
  if (token.kind == Token::end)
    fail("expected a condition such as `BM mod 16 == 0`, but the text is empty",
         token.offset);
  Expression node = condition();
  if (token.kind == Token::end)
    return node;
  if (token.is(")") || token.is("]"))
    fail("nothing opens this `" + std::string(token.spelling) + "`",
         token.offset);
  failExpecting("an operator, `and`, `or`, `,` or the end");
}

/// Parses operand (separator operand)* as one node.
Expression Parser::joined(Rule operand, std::string_view separator, Kind kind) {
  size_t begin = token.offset;
  Expression first = (this->*operand)();
  if (!token.is(separator))
    return first;
  std::vector<Expression> operands = makeExpressionList(std::move(first));
  while (token.is(separator)) {
    advance();
    operands.push_back((this->*operand)());
  }
  return made(kind, begin, std::move(operands));
}

Expression Parser::condition() {
  return joined(&Parser::disjunct, ",", Kind::conjunction);
}

Expression Parser::disjunct() {
  return joined(&Parser::conjunct, "or", Kind::disjunction);
}

Expression Parser::conjunct() {
  return joined(&Parser::negation, "and", Kind::conjunction);
}

Expression Parser::negation() {
  if (!token.is("not"))
    return comparison();
  size_t begin = token.offset;
  advance();
  return made(Kind::logicalNot, begin,
              makeExpressionList(nested(&Parser::negation)));
}

/// Throws the error of a second comparison after `first`.
void Parser::failChained(const Expression &first) {
  size_t offset = token.offset;
  std::string second(token.spelling);
  std::string rest;
  try {
    advance();
    rest = getSourceText(sum());
  } catch (const ConstraintError &) { // of what is only quoted
    rest = "...";
  }
  fail("comparisons do not chain; write `" + getSourceText(first) + " and " +
           getSourceText(first.operands.back()) + " " + second + " " + rest +
           "`",
       offset);
}

Expression Parser::comparison() {
  size_t begin = token.offset;
  Expression left = sum();
  const Operator *comparison = found(comparisons);
  if (!comparison)
    return left;
  advance();
  Expression node =
      made(comparison->kind, begin, makeExpressionList(std::move(left), sum()));
  if (found(comparisons))
    failChained(node);
  return node;
}

Expression Parser::leftToRight(Rule operand,
                               std::span<const Operator> operators) {
  size_t begin = token.offset;
  Expression left = (this->*operand)();
  while (const Operator *found = this->found(operators)) {
    advance();
    left = made(found->kind, begin,
                makeExpressionList(std::move(left), (this->*operand)()));
  }
  return left;
}

Expression Parser::sum() { return leftToRight(&Parser::product, sums); }

Expression Parser::product() { return leftToRight(&Parser::unary, products); }

Expression Parser::unary() {
  if (!token.is("-"))
    return primary();
  size_t begin = token.offset;
  advance();
  if (token.kind != Token::integer)
    return made(Kind::negate, begin,
                makeExpressionList(nested(&Parser::unary)));
  Expression literal = integer(/*isNegative=*/true);
  literal.begin = begin;
  return literal;
}

/// Parses a literal, including its `-`, since the least integer has no positive
/// counterpart.
Expression Parser::integer(bool isNegative) {
  std::string_view digits = token.spelling;
  uint64_t magnitude = 0;
  auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  constexpr uint64_t greatest = std::numeric_limits<int64_t>::max();
  if (read.ec != std::errc() || magnitude > greatest + isNegative)
    fail("the integer needs more than 64 bits", token.offset);
  Expression node = leaf(Kind::integer);
  node.number = static_cast<int64_t>(isNegative ? -magnitude : magnitude);
  return node;
}

Expression Parser::primary() {
  if (token.kind == Token::integer)
    return integer(/*isNegative=*/false);
  if (token.kind == Token::string)
    return leaf(Kind::string);
  if (token.kind == Token::name)
    return knob();
  if (token.is("("))
    return nested(&Parser::parenthesized);
  if (token.is("if"))
    return nested(&Parser::conditional);
  if (token.is("not"))
    fail("`not` within a comparison needs parentheses: `(not ...)`",
         token.offset);
  if (!token.is("true") && !token.is("false"))
    failExpecting("a knob, an integer, a string or `(`");
  bool holds = token.is("true");
  Expression node = leaf(Kind::boolean);
  node.number = holds;
  return node;
}

Expression Parser::parenthesized() {
  size_t begin = token.offset;
  advance();
  Expression node = disjunct();
  if (token.is(","))
    fail("write `and` instead of `,` within parentheses", token.offset);
  expect(")", "to close the parenthesis");
  node.begin = begin;
  node.end = lastEnd;
  return node;
}

Expression Parser::conditional() {
  size_t begin = token.offset;
  std::vector<Expression> operands;
  for (const char *keyword : {"if", "then", "else"}) {
    expect(keyword, "of `if a then b else c`");
    operands.push_back(disjunct());
  }
  return made(Kind::conditional, begin, std::move(operands));
}

Expression Parser::knob() {
  Expression node = leaf(Kind::knob);
  if (std::find(names.begin(), names.end(), node.text) == names.end())
    names.push_back(node.text);
  if (!token.is("["))
    return node;
  advance();
  if (token.kind != Token::integer)
    failExpecting("the index of an element, an integer from 0");
  node.number = integer(/*isNegative=*/false).number;
  expect("]", "after the index");
  node.kind = Kind::element;
  node.end = lastEnd;
  return node;
}

std::string Constraint::renamed(
    const std::function<std::string(const std::string &)> &rename) const {
  std::string text;
  size_t copied = 0;
  Lexer lexer(source); // throws nothing: the text was parsed
  for (Token token = lexer.next(); token.kind != Token::end;
       token = lexer.next()) {
    if (token.kind != Token::name)
      continue;
    text += source.substr(copied, token.offset - copied) +
            quoteKnobName(rename(token.text));
    copied = token.offset + token.spelling.size();
  }
  return text + source.substr(copied);
}

std::string ConstraintError::text() const {
  return column == 0 ? message
                     : "column " + std::to_string(column) + ": " + message;
}

Result<Constraint, ConstraintError> Constraint::parse(std::string_view text) {
  Parser parser(text);
  Constraint constraint;
  try {
    constraint.root = std::make_shared<const Expression>(parser.parse());
  } catch (const ConstraintError &error) {
    return error;
  }
  constraint.source = text;
  constraint.names = parser.takeNames();
  return constraint;
}

std::vector<std::string_view> tonno::getConstraintWords() {
  return {words.begin(), words.end()};
}

bool tonno::isPlainName(std::string_view name) {
  return isIdentifier(name) && !isWord(name);
}

std::string tonno::quoteKnobName(std::string_view name) {
  if (isPlainName(name))
    return std::string(name);
  std::string quoted = "`";
  for (char c : name)
    quoted += c == '`' ? "``" : std::string(1, c);
  return quoted + "`";
}
