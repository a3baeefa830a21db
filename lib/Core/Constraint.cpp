//===- Conditions over knobs ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Constraint.h"
#include "ConstraintParser.h"

using namespace tonno;
using namespace tonno::constraint;

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
