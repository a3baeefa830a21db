//===- Conditions over knobs ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_CONSTRAINT_H
#define TONNO_SPACE_CONSTRAINT_H

#include "tonno/Core/Result.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

namespace constraint {
struct Expression;
} // namespace constraint

/// Why a constraint can't be used, and where in its text.
struct ConstraintError {
  std::string message;
  size_t column = 0; ///< in bytes, from 1; 0 where it is no constraint's fault
  size_t index = 0;  ///< of the constraint, where there are several

  /// Formats the error: "column 5: ...", or only the message without a column.
  std::string text() const;
};

/// A condition over knobs and dimensions as people write it, parsed:
///
///   condition  ::= disjunct (`,` disjunct)*              `,` is a weaker `and`
///   disjunct   ::= conjunct (`or` conjunct)*
///   conjunct   ::= negation (`and` negation)*
///   negation   ::= `not` negation | comparison
///   comparison ::= sum ((`==` | `!=` | `<` | `<=` | `>` | `>=`) sum)?
///   sum        ::= product ((`+` | `-`) product)*
///   product    ::= unary ((`*` | `floordiv` | `ceildiv` | `mod`) unary)*
///   unary      ::= `-` unary | primary
///   primary    ::= integer | string | `true` | `false` | knob | dimension
///                | knob `[` integer `]` | `(` condition-without-comma `)`
///                | `if` disjunct `then` disjunct `else` disjunct
///   knob       ::= identifier | '`' characters '`'     a ` in them is doubled
///   dimension  ::= identifier
///   string     ::= '"' characters '"' | "'" characters "'"
///
/// Integers are decimal, of 64 bits with a sign. `floordiv`, `ceildiv` and
/// `mod` are those of MLIR's affine expressions, and a negative divisor is
/// allowed: quotients round down and up, and a mod b is never negative. `and`,
/// `or`, `,` and `if` evaluate from left to right, and what they don't need is
/// not evaluated: `U != 0, 64 mod U == 0` divides by no zero. `knob[i]` is
/// element i of a knob whose options are lists. A dimension is the constant
/// that the search space states.
class Constraint {
public:
  /// Parentheses nest up to 100 levels, and sums and products have up to 256
  /// terms; `and`, `or` and `,` join any number.
  static Result<Constraint, ConstraintError> parse(std::string_view text);

  const std::string &text() const { return source; }

  /// Returns the names of its knobs and dimensions, each once, in order of
  /// appearance.
  const std::vector<std::string> &getNames() const { return names; }

  const constraint::Expression &expression() const { return *root; }

  /// Returns the text with these names in place of its own.
  std::string
  renamed(const std::function<std::string(const std::string &)> &rename) const;

private:
  Constraint() = default;

  std::string source;
  std::vector<std::string> names;
  std::shared_ptr<const constraint::Expression> root;
};

/// Quotes the name of a knob, which is not empty, as in a constraint's text: in
/// backquotes if it is no identifier or a keyword.
std::string quoteKnobName(std::string_view name);

/// Returns the words of the language, which name no knob without backquotes.
std::vector<std::string_view> getConstraintWords();

/// Returns true if constraints can have the name without backquotes: an
/// identifier that is no word of the language.
bool isPlainName(std::string_view name);

} // namespace tonno

#endif // TONNO_SPACE_CONSTRAINT_H
