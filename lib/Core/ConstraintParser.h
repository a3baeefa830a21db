//===- The grammar of constraints -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTPARSER_H
#define TONNO_CORE_CONSTRAINTPARSER_H

#include "tonno/Core/ConstraintExpression.h"
#include "ConstraintLexer.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonno::constraint {

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

} // namespace tonno::constraint

#endif // TONNO_CORE_CONSTRAINTPARSER_H
