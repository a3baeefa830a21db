//===- The words of constraints -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTLEXER_H
#define TONNO_CORE_CONSTRAINTLEXER_H

#include "tonno/Core/Constraint.h"

#include <optional>

namespace tonno::constraint {

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

/// Whether the language gives this identifier a meaning of its own.
bool isWord(std::string_view identifier);
bool isIdentifier(std::string_view text);

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

} // namespace tonno::constraint

#endif // TONNO_CORE_CONSTRAINTLEXER_H
