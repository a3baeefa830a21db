//===- Constraints without faults -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintSafety.h"
#include "tonno/Core/ConstraintArithmetic.h"

#include <algorithm>
#include <random>

using namespace tonno;
using namespace tonno::constraint;

namespace {

/// The values that an expression may have.
struct IntegerRange {
  int64_t low, high;

  bool has(int64_t value) const { return low <= value && value <= high; }
};

/// Tries points of one constraint.
class Checker {
public:
  Checker(std::span<const Knob> knobs, const ConstraintProgram &program,
          std::span<const ConstraintProgram> earlier);

  bool isProved(const Node &condition) const;
  bool findsUndefined();
  ConstraintError describe(const Constraint &constraint, const Node &tree);

private:
  std::optional<IntegerRange> rangeOf(const Node &node) const;
  bool triesEach();
  bool draws();
  bool isUndefined() const;

  std::span<const Knob> knobs;
  const ConstraintProgram &program;
  std::vector<const ConstraintProgram *> guards;
  std::vector<uint32_t> point;
};

} // namespace

Checker::Checker(std::span<const Knob> knobs, const ConstraintProgram &program,
                 std::span<const ConstraintProgram> earlier)
    : knobs(knobs), program(program), point(knobs.size()) {
  for (const ConstraintProgram &each : earlier)
    if (std::includes(program.knobs().begin(), program.knobs().end(),
                      each.knobs().begin(), each.knobs().end()))
      guards.push_back(&each);
}

/// What the corners of a box give: each operation but `mod` is monotonous in
/// each operand, the other one fixed, where no divisor changes its sign.
static std::optional<IntegerRange> cornersOf(Kind kind, IntegerRange a,
                                             IntegerRange b) {
  IntegerRange range = {std::numeric_limits<int64_t>::max(),
                        std::numeric_limits<int64_t>::min()};
  for (int64_t left : {a.low, a.high})
    for (int64_t right : {b.low, b.high}) {
      int64_t value;
      if (!apply(kind, left, right, value))
        return std::nullopt;
      range = {std::min(range.low, value), std::max(range.high, value)};
    }
  return range;
}

static std::optional<IntegerRange> combine(Kind kind, IntegerRange a,
                                           IntegerRange b) {
  bool divides =
      kind == Kind::floordiv || kind == Kind::ceildiv || kind == Kind::mod;
  if (divides && b.has(0))
    return std::nullopt;
  if (kind == Kind::mod)
    return IntegerRange{0,
                        b.low == std::numeric_limits<int64_t>::min()
                            ? std::numeric_limits<int64_t>::max()
                            : std::max(std::abs(b.low), std::abs(b.high)) - 1};
  if (kind >= Kind::equal)
    return IntegerRange{0, 1};
  return cornersOf(kind, a, b);
}

/// Where it may be undefined, none. What guards it within the constraint does
/// not count.
std::optional<IntegerRange> Checker::rangeOf(const Node &node) const {
  if (node.isLeaf()) {
    auto [low, high] =
        std::minmax_element(node.values.begin(), node.values.end());
    return IntegerRange{*low, *high};
  }
  std::vector<IntegerRange> ranges;
  for (const Node &operand : node.operands) {
    std::optional<IntegerRange> range = rangeOf(operand);
    if (!range)
      return std::nullopt;
    ranges.push_back(*range);
  }
  switch (node.kind) {
  case Kind::logicalNot:
  case Kind::conjunction:
  case Kind::disjunction:
    return IntegerRange{0, 1};
  case Kind::conditional:
    return IntegerRange{std::min(ranges[1].low, ranges[2].low),
                        std::max(ranges[1].high, ranges[2].high)};
  case Kind::negate:
    return combine(Kind::subtract, {0, 0}, ranges[0]);
  default:
    return combine(node.kind, ranges[0], ranges[1]);
  }
}

bool Checker::isProved(const Node &condition) const {
  return rangeOf(condition).has_value();
}

bool Checker::isUndefined() const {
  if (program.evaluate(point) != Truth::undefined)
    return false;
  return std::all_of(guards.begin(), guards.end(),
                     [&](const ConstraintProgram *guard) {
                       return guard->evaluate(point) == Truth::holds;
                     });
}

bool Checker::triesEach() {
  for (uint64_t left = countCombinations(program.knobs(), knobs); left > 0;
       --left) {
    if (isUndefined())
      return true;
    for (uint32_t knob : program.knobs()) {
      if (++point[knob] < knobs[knob].options.size())
        break;
      point[knob] = 0;
    }
  }
  return false;
}

bool Checker::draws() {
  std::mt19937_64 random;
  for (int i = 0; i < 1000000; ++i) {
    for (uint32_t knob : program.knobs())
      point[knob] =
          static_cast<uint32_t>(random() % knobs[knob].options.size());
    if (isUndefined())
      return true;
  }
  return false;
}

bool Checker::findsUndefined() {
  return countCombinations(program.knobs(), knobs) <= mostTried ? triesEach()
                                                                : draws();
}

ConstraintError Checker::describe(const Constraint &constraint,
                                  const Node &tree) {
  auto quote = [&](const Node &node) {
    return "`" + constraint.text().substr(node.begin, node.end - node.begin) +
           "`";
  };
  const Node *culprit = &tree;
  evaluate(tree, point.data(), &culprit);
  std::string where;
  for (uint32_t knob : culprit->knobs)
    where += (where.empty() ? " where " : ", ") +
             quoteKnobName(knobs[knob].name) + " = " +
             printed(knobs[knob].options[point[knob]]);
  const Node &last = culprit->operands.back();
  bool divides = culprit->kind == Kind::floordiv ||
                 culprit->kind == Kind::ceildiv || culprit->kind == Kind::mod;
  if (divides && evaluate(last, point.data()) == 0)
    return {quote(*culprit) + " divides by zero" + where +
                "; put a condition in front that excludes it, such as `" +
                constraint.text().substr(last.begin, last.end - last.begin) +
                " != 0`",
            culprit->begin + 1};
  return {quote(*culprit) + " needs more than 64 bits" + where +
              "; put a condition in front that excludes it",
          culprit->begin + 1};
}

Result<void, ConstraintError>
constraint::checkDefined(const Constraint &constraint,
                         std::span<const Knob> knobs,
                         const ConstraintProgram &program,
                         std::span<const ConstraintProgram> earlier) {
  auto tree = resolve(constraint, knobs);
  if (!tree)
    return tree.error();
  Checker checker(knobs, program, earlier);
  if (checker.isProved(*tree) || !checker.findsUndefined())
    return {};
  return checker.describe(constraint, *tree);
}
