//===- The grammar of constraints -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintParser.h"

#include <algorithm>
#include <charconv>
#include <limits>

using namespace tonno;
using namespace tonno::constraint;

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
