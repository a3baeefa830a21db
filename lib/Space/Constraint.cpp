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

  /// Whether it is this word or symbol of the language.
  bool is(std::string_view keyword) const {
    return (kind == word || kind == symbol) && spelling == keyword;
  }
};

/// Cuts a text into tokens.
class Lexer {
public:
  explicit Lexer(std::string_view source) : source(source) {}

  Result<Token, ConstraintError> next();

private:
  Result<Token, ConstraintError> quoted(char quote);
  Result<Token, ConstraintError> number();
  Token take(Token::Kind kind, size_t length);
  ConstraintError unexpected() const;

  std::string_view source;
  size_t position = 0;
};

/// What a rule of the grammar gives; none after a failure.
using Parsed = std::optional<Expression>;

/// The spelling of an operator of two operands.
struct Operator {
  std::string_view spelling;
  Kind kind;
};

/// Recursive descent: each rule is a function of the rule's name.
class Parser {
public:
  explicit Parser(std::string_view source) : source(source), lexer(source) {}

  Parsed parse();
  ConstraintError error() const { return *failure; }
  std::vector<std::string> takeNames() { return std::move(names); }

private:
  using Rule = Parsed (Parser::*)();

  Parsed condition();
  Parsed disjunct();
  Parsed conjunct();
  Parsed negation();
  Parsed comparison();
  Parsed sum();
  Parsed product();
  Parsed unary();
  Parsed primary();
  Parsed parenthesized();
  Parsed conditional();
  Parsed knob();
  Parsed integer(bool isNegative);

  Parsed joined(Rule operand, std::string_view separator, Kind kind);
  Parsed leftToRight(Rule operand, std::span<const Operator> operators);
  Parsed nested(Rule rule);
  Parsed made(Kind kind, size_t begin, std::vector<Expression> operands);
  Parsed leaf(Kind kind);
  Parsed chained(const Expression &first);

  const Operator *found(std::span<const Operator> operators) const;
  bool advance();
  bool expect(std::string_view keyword, const char *why);
  std::nullopt_t fail(std::string message, size_t offset);
  std::nullopt_t failExpecting(const std::string &what);
  std::string textOf(const Expression &expression) const;

  std::string_view source;
  Lexer lexer;
  Token token;
  size_t lastEnd = 0; ///< of the token before this one
  unsigned depth = 0;
  std::vector<std::string> names;
  std::optional<ConstraintError> failure; ///< the first
};

} // namespace

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

std::nullopt_t Parser::fail(std::string message, size_t offset) {
  if (!failure)
    failure = ConstraintError{std::move(message), offset + 1};
  return std::nullopt;
}

std::nullopt_t Parser::failExpecting(const std::string &what) {
  std::string got = token.kind == Token::end
                        ? "the end"
                        : "`" + std::string(token.spelling) + "`";
  return fail("expected " + what + ", but found " + got, token.offset);
}

bool Parser::advance() {
  lastEnd = token.offset + token.spelling.size();
  auto next = lexer.next();
  if (next) {
    token = *std::move(next);
    return true;
  }
  fail(next.error().message, next.error().column - 1);
  return false;
}

bool Parser::expect(std::string_view keyword, const char *why) {
  if (token.is(keyword))
    return advance();
  failExpecting("`" + std::string(keyword) + "` " + why);
  return false;
}

std::string Parser::textOf(const Expression &expression) const {
  return std::string(
      source.substr(expression.begin, expression.end - expression.begin));
}

const Operator *Parser::found(std::span<const Operator> operators) const {
  for (const Operator &each : operators)
    if (token.is(each.spelling))
      return &each;
  return nullptr;
}

/// (An initializer list would copy.)
template <typename... Expressions>
static std::vector<Expression> listOf(Expressions &&...expressions) {
  std::vector<Expression> list;
  list.reserve(sizeof...(expressions));
  (list.push_back(std::forward<Expressions>(expressions)), ...);
  return list;
}

Parsed Parser::made(Kind kind, size_t begin, std::vector<Expression> operands) {
  Expression node;
  node.kind = kind;
  node.begin = begin;
  node.end = lastEnd;
  for (const Expression &operand : operands)
    node.height = std::max(node.height, operand.height + 1);
  if (node.height > maxHeight)
    return fail("nests deeper than " + std::to_string(maxHeight) +
                    " operations; split it into several constraints",
                begin);
  node.operands = std::move(operands);
  return node;
}

/// The current token as a leaf; moves past it.
Parsed Parser::leaf(Kind kind) {
  size_t begin = token.offset;
  std::string text = token.text;
  if (!advance())
    return std::nullopt;
  Parsed node = made(kind, begin, {});
  node->text = std::move(text);
  return node;
}

/// The rule, one level deeper.
Parsed Parser::nested(Rule rule) {
  if (depth == maxNesting)
    return fail("nests deeper than " + std::to_string(maxNesting) +
                    " levels; split it into several constraints",
                token.offset);
  ++depth;
  Parsed node = (this->*rule)();
  --depth;
  return node;
}

Parsed Parser::parse() {
  if (!advance())
    return std::nullopt;
  if (token.kind == Token::end)
    return fail("expected a condition such as `BM mod 16 == 0`, but the text "
                "is empty",
                token.offset);
  Parsed node = condition();
  if (!node || token.kind == Token::end)
    return node;
  if (token.is(")") || token.is("]"))
    return fail("nothing opens this `" + std::string(token.spelling) + "`",
                token.offset);
  return failExpecting("an operator, `and`, `or`, `,` or the end");
}

/// operand (separator operand)*, as one node.
Parsed Parser::joined(Rule operand, std::string_view separator, Kind kind) {
  size_t begin = token.offset;
  Parsed first = (this->*operand)();
  if (!first || !token.is(separator))
    return first;
  std::vector<Expression> operands;
  operands.push_back(*std::move(first));
  while (token.is(separator)) {
    if (!advance())
      return std::nullopt;
    Parsed next = (this->*operand)();
    if (!next)
      return std::nullopt;
    operands.push_back(*std::move(next));
  }
  return made(kind, begin, std::move(operands));
}

Parsed Parser::condition() {
  return joined(&Parser::disjunct, ",", Kind::conjunction);
}

Parsed Parser::disjunct() {
  return joined(&Parser::conjunct, "or", Kind::disjunction);
}

Parsed Parser::conjunct() {
  return joined(&Parser::negation, "and", Kind::conjunction);
}

Parsed Parser::negation() {
  if (!token.is("not"))
    return comparison();
  size_t begin = token.offset;
  if (!advance())
    return std::nullopt;
  Parsed operand = nested(&Parser::negation);
  if (!operand)
    return std::nullopt;
  return made(Kind::logicalNot, begin, listOf(*std::move(operand)));
}

/// The failure of a second comparison after `first`.
Parsed Parser::chained(const Expression &first) {
  size_t offset = token.offset;
  std::string second(token.spelling);
  std::string rest = "...";
  if (advance())
    if (Parsed operand = sum())
      rest = textOf(*operand);
  failure.reset(); // of what is only quoted
  return fail("comparisons don't chain; write `" + textOf(first) + " and " +
                  textOf(first.operands.back()) + " " + second + " " + rest +
                  "`",
              offset);
}

Parsed Parser::comparison() {
  size_t begin = token.offset;
  Parsed left = sum();
  const Operator *comparison = left ? found(comparisons) : nullptr;
  if (!comparison)
    return left;
  if (!advance())
    return std::nullopt;
  Parsed right = sum();
  if (!right)
    return std::nullopt;
  Parsed node = made(comparison->kind, begin,
                     listOf(*std::move(left), *std::move(right)));
  if (node && found(comparisons))
    return chained(*node);
  return node;
}

Parsed Parser::leftToRight(Rule operand, std::span<const Operator> operators) {
  size_t begin = token.offset;
  Parsed left = (this->*operand)();
  while (left) {
    const Operator *found = this->found(operators);
    if (!found)
      break;
    if (!advance())
      return std::nullopt;
    Parsed right = (this->*operand)();
    if (!right)
      return std::nullopt;
    left =
        made(found->kind, begin, listOf(*std::move(left), *std::move(right)));
  }
  return left;
}

Parsed Parser::sum() { return leftToRight(&Parser::product, sums); }

Parsed Parser::product() { return leftToRight(&Parser::unary, products); }

Parsed Parser::unary() {
  if (!token.is("-"))
    return primary();
  size_t begin = token.offset;
  if (!advance())
    return std::nullopt;
  if (token.kind == Token::integer) {
    Parsed literal = integer(/*isNegative=*/true);
    if (literal)
      literal->begin = begin;
    return literal;
  }
  Parsed operand = nested(&Parser::unary);
  if (!operand)
    return std::nullopt;
  return made(Kind::negate, begin, listOf(*std::move(operand)));
}

/// A literal, of which `-` belongs to the number: the least has no counterpart.
Parsed Parser::integer(bool isNegative) {
  std::string_view digits = token.spelling;
  uint64_t magnitude = 0;
  auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  constexpr uint64_t greatest = std::numeric_limits<int64_t>::max();
  if (read.ec != std::errc() || magnitude > greatest + isNegative)
    return fail("this integer needs more than 64 bits", token.offset);
  Parsed node = leaf(Kind::integer);
  if (node)
    node->number = static_cast<int64_t>(isNegative ? -magnitude : magnitude);
  return node;
}

Parsed Parser::primary() {
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
    return fail("`not` within a comparison needs parentheses: `(not ...)`",
                token.offset);
  if (!token.is("true") && !token.is("false"))
    return failExpecting("a knob, an integer, a string or `(`");
  bool holds = token.is("true");
  Parsed node = leaf(Kind::boolean);
  if (node)
    node->number = holds;
  return node;
}

Parsed Parser::parenthesized() {
  size_t begin = token.offset;
  if (!advance())
    return std::nullopt;
  Parsed node = disjunct();
  if (!node)
    return std::nullopt;
  if (token.is(","))
    return fail("write `and` instead of `,` within parentheses", token.offset);
  if (!expect(")", "to close the parenthesis"))
    return std::nullopt;
  node->begin = begin;
  node->end = lastEnd;
  return node;
}

Parsed Parser::conditional() {
  size_t begin = token.offset;
  std::vector<Expression> operands;
  for (const char *keyword : {"if", "then", "else"}) {
    if (!expect(keyword, "of `if a then b else c`"))
      return std::nullopt;
    Parsed operand = disjunct();
    if (!operand)
      return std::nullopt;
    operands.push_back(*std::move(operand));
  }
  return made(Kind::conditional, begin, std::move(operands));
}

Parsed Parser::knob() {
  Parsed node = leaf(Kind::knob);
  if (!node)
    return std::nullopt;
  if (std::find(names.begin(), names.end(), node->text) == names.end())
    names.push_back(node->text);
  if (!token.is("["))
    return node;
  if (!advance())
    return std::nullopt;
  if (token.kind != Token::integer)
    return failExpecting("the index of an element, an integer from 0");
  Parsed index = integer(/*isNegative=*/false);
  if (!index || !expect("]", "after the index"))
    return std::nullopt;
  node->kind = Kind::element;
  node->number = index->number;
  node->end = lastEnd;
  return node;
}

std::string ConstraintError::text() const {
  return column == 0 ? message
                     : "column " + std::to_string(column) + ": " + message;
}

Result<Constraint, ConstraintError> Constraint::parse(std::string_view text) {
  Parser parser(text);
  Parsed root = parser.parse();
  if (!root)
    return parser.error();
  Constraint constraint;
  constraint.source = text;
  constraint.names = parser.takeNames();
  constraint.root = std::make_shared<const Expression>(*std::move(root));
  return constraint;
}

std::string tonno::quoteKnobName(std::string_view name) {
  if (isIdentifier(name) && !isWord(name))
    return std::string(name);
  std::string quoted = "`";
  for (char c : name)
    quoted += c == '`' ? "``" : std::string(1, c);
  return quoted + "`";
}
