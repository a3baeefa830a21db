//===- Sizes as expressions of knobs --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/SizeExpression.h"
#include "tonno/Core/Trim.h"
#include "ConstraintTree.h"

#include <algorithm>

using namespace tonno;

Result<SizeExpression>
SizeExpression::parse(std::string_view text, std::span<const Knob> knobs,
                      std::span<const Dimension> dimensions) {
  std::string source(trim(text));
  auto failed = [&](const ConstraintError &error) {
    return Error{"'" + source + "' is not a size: " + error.message};
  };
  if (source.empty())
    return Error{"a size is missing"};
  std::string condition;
  for (char letter : source)
    condition += letter == '/'   ? " floordiv "
                 : letter == '%' ? " mod "
                                 : std::string(1, letter);
  auto sum = Constraint::parse(condition);
  if (!sum)
    return failed(sum.error());
  auto isPositive = Constraint::parse("(" + condition + ") >= 1");
  if (!isPositive)
    return failed(isPositive.error());
  auto resolved = constraint::resolve(*isPositive, knobs, dimensions);
  if (!resolved)
    return failed(resolved.error());
  SizeExpression expression;
  expression.size = std::make_shared<constraint::Code>(
      constraint::compile(resolved->operands[0], knobs, ConstraintLimits()));
  expression.knobs = resolved->knobs;
  expression.source = std::move(source);
  return expression;
}

Result<std::vector<SizeExpression>>
SizeExpression::parseList(std::string_view text, std::span<const Knob> knobs,
                          std::span<const Dimension> dimensions) {
  std::vector<SizeExpression> sizes;
  for (;;) {
    size_t comma = std::min(text.find(','), text.size());
    auto size = TONNO_TRY(parse(text.substr(0, comma), knobs, dimensions));
    sizes.push_back(std::move(size));
    if (comma == text.size())
      return sizes;
    text.remove_prefix(comma + 1);
  }
}

Result<int64_t>
SizeExpression::compute(const Configuration &configuration) const {
  int64_t value = 0;
  if (size->run(configuration.indices.data(), &value) == Truth::undefined)
    return Error{"'" + source + "' divides by zero, or is too large"};
  return value;
}

Result<uint64_t>
SizeExpression::evaluate(const Configuration &configuration) const {
  int64_t value = TONNO_TRY(compute(configuration));
  if (value < 1)
    return Error{"'" + source + "' is " + std::to_string(value) +
                 "; a size is at least 1"};
  return static_cast<uint64_t>(value);
}

bool SizeExpression::dependsOn(uint32_t knob) const {
  return std::ranges::find(knobs, knob) != knobs.end();
}
