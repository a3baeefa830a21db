//===- A condition, knob by knob ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/PartialCondition.h"

#include "tonno/Core/ConstraintArithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

using namespace tonno;
using constraint::Kind;
using constraint::Node;

static constexpr int64_t least = std::numeric_limits<int64_t>::min();
static constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

PartialCondition::PartialCondition(const Node &condition,
                                   const constraint::Code &code,
                                   std::span<const Knob> knobs)
    : code(&code), scope(knobs.size(), condition.knobs) {
  add(condition, knobs);
}

/// The operands of nested sums, or products.
void PartialCondition::collectOperands(const Node &node, Kind kind,
                                       std::vector<const Node *> &all) const {
  for (const Node &operand : node.operands)
    if (operand.kind == kind && !operand.isLeaf())
      collectOperands(operand, kind, all);
    else
      all.push_back(&operand);
}

/// Whether no subset of the operands overflows.
bool PartialCondition::mayMerge(const Part &part) const {
  constexpr double bound = 0x1p62;
  double sum = 0, product = 1;
  for (uint32_t operand : part.operands) {
    const Range &range = parts[operand].range;
    double magnitude = std::max(std::abs(static_cast<double>(range.low)),
                                std::abs(static_cast<double>(range.high)));
    sum += magnitude;
    product *= std::max(magnitude, 1.0);
  }
  return (part.kind == Kind::add ? sum : product) < bound;
}

uint32_t PartialCondition::add(const Node &node, std::span<const Knob> knobs) {
  Part part = {node.kind, KnobSet(knobs.size(), node.knobs), {}, node.values, 0,
               {}};
  if (node.isLeaf()) {
    if (!node.knobs.empty())
      part.knob = node.knobs[0];
  } else if (node.kind == Kind::add || node.kind == Kind::multiply) {
    std::vector<const Node *> operands;
    collectOperands(node, node.kind, operands);
    for (const Node *operand : operands)
      part.operands.push_back(add(*operand, knobs));
    if (!mayMerge(part)) {
      part.operands.clear();
      for (const Node &operand : node.operands)
        part.operands.push_back(add(operand, knobs));
    }
  } else {
    for (const Node &operand : node.operands)
      part.operands.push_back(add(operand, knobs));
  }
  if (node.isLeaf()) {
    auto [low, high] =
        std::minmax_element(part.values.begin(), part.values.end());
    part.range = {*low, *high, false};
  } else {
    part.range = rangeOf(part, PartialPoint(knobs.size()));
  }
  parts.push_back(std::move(part));
  return static_cast<uint32_t>(parts.size() - 1);
}

/// What the corners of a box give; everything where one overflows. Each
/// operation is monotonous in each operand, the other one fixed.
template <typename Range>
static Range cornersOf(Kind kind, const Range &a, const Range &b) {
  bool mayBeUndefined = a.mayBeUndefined || b.mayBeUndefined;
  Range range = {greatest, least, mayBeUndefined};
  for (int64_t left : {a.low, a.high})
    for (int64_t right : {b.low, b.high}) {
      int64_t value;
      if (!constraint::apply(kind, left, right, value))
        return {least, greatest, true};
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  return range;
}

template <typename Range>
static Range divide(Kind kind, const Range &a, Range b) {
  if (b.low <= 0 && b.high >= 0) {
    b.mayBeUndefined = true;
    if (b.low < 0 && b.high > 0)
      return {least, greatest, true};
    b.low += b.low == 0;
    b.high -= b.high == 0;
    if (b.isUndefined())
      return b;
  }
  if (kind != Kind::mod)
    return cornersOf(kind, a, b);
  bool mayBeUndefined = a.mayBeUndefined || b.mayBeUndefined;
  if (b.low == least)
    return {0, greatest, mayBeUndefined};
  int64_t divisor = std::max(std::abs(b.low), std::abs(b.high));
  bool isSmall = b.low > 0 && a.low >= 0 && a.high < b.low;
  if (isSmall)
    return {a.low, a.high, mayBeUndefined};
  return {0, a.low >= 0 ? std::min(a.high, divisor - 1) : divisor - 1,
          mayBeUndefined};
}

template <typename Range>
static Range compare(Kind kind, const Range &a, const Range &b) {
  bool never = false, always = false;
  switch (kind) {
  case Kind::equal:
  case Kind::notEqual:
    never = a.high < b.low || b.high < a.low;
    always = a.low == a.high && b.low == b.high && a.low == b.low;
    if (kind == Kind::notEqual)
      std::swap(never, always);
    break;
  case Kind::less:
    never = a.low >= b.high;
    always = a.high < b.low;
    break;
  case Kind::lessEqual:
    never = a.low > b.high;
    always = a.high <= b.low;
    break;
  case Kind::greater:
    never = a.high <= b.low;
    always = a.low > b.high;
    break;
  default:
    never = a.high < b.low;
    always = a.low >= b.high;
    break;
  }
  return {always ? 1 : 0, never ? 0 : 1, a.mayBeUndefined || b.mayBeUndefined};
}

template <typename Range>
static Range combine(Kind kind, const Range &a, const Range &b) {
  constexpr Range undefined = {1, 0, true};
  if (a.isUndefined() || b.isUndefined())
    return undefined;
  bool mayBeUndefined = a.mayBeUndefined || b.mayBeUndefined;
  if (int64_t value; a.low == a.high && b.low == b.high)
    return constraint::apply(kind, a.low, b.low, value)
               ? Range{value, value, mayBeUndefined}
               : undefined;
  if (kind >= Kind::equal)
    return compare(kind, a, b);
  if (kind == Kind::floordiv || kind == Kind::ceildiv || kind == Kind::mod)
    return divide(kind, a, b);
  return cornersOf(kind, a, b);
}

template <typename Range> static Range unite(const Range &a, const Range &b) {
  if (a.isUndefined() || b.isUndefined()) {
    const Range &defined = a.isUndefined() ? b : a;
    return {defined.low, defined.high, true};
  }
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.mayBeUndefined || b.mayBeUndefined};
}

/// `and` and `or`, from left to right, until an operand ends it.
PartialCondition::Range
PartialCondition::rangeOfJoin(const Part &part,
                              const PartialPoint &point) const {
  bool isAnd = part.kind == Kind::conjunction;
  int64_t ended = isAnd ? 0 : 1;
  bool passesAll = true; // each operand so far, where it is defined
  bool mayBeUndefined = false;
  for (uint32_t operand : part.operands) {
    Range range = rangeOf(parts[operand], point);
    if (range.isUndefined())
      return passesAll ? range : Range{ended, ended, true};
    mayBeUndefined |= range.mayBeUndefined;
    if (isAnd ? range.high <= 0 : range.low > 0)
      return {ended, ended, mayBeUndefined};
    passesAll &= isAnd ? range.low > 0 : range.high <= 0;
  }
  return passesAll ? Range{!ended, !ended, mayBeUndefined}
                   : Range{0, 1, mayBeUndefined};
}

PartialCondition::Range
PartialCondition::rangeOfConditional(const Part &part,
                                     const PartialPoint &point) const {
  Range condition = rangeOf(parts[part.operands[0]], point);
  if (condition.isUndefined())
    return condition;
  Range range = condition.high <= 0 ? rangeOf(parts[part.operands[2]], point)
                : condition.low > 0
                    ? rangeOf(parts[part.operands[1]], point)
                    : unite(rangeOf(parts[part.operands[1]], point),
                            rangeOf(parts[part.operands[2]], point));
  range.mayBeUndefined |= condition.mayBeUndefined;
  return range;
}

PartialCondition::Range
PartialCondition::rangeOf(const Part &part, const PartialPoint &point) const {
  if (part.operands.empty()) {
    if (part.values.size() == 1 || !point.decided.contains(part.knob))
      return part.range;
    int64_t value = part.values[point.options[part.knob]];
    return {value, value, false};
  }
  if (part.kind == Kind::conjunction || part.kind == Kind::disjunction)
    return rangeOfJoin(part, point);
  if (part.kind == Kind::conditional)
    return rangeOfConditional(part, point);
  Range range = rangeOf(parts[part.operands[0]], point);
  if (part.kind == Kind::negate)
    return combine(Kind::subtract, Range{0, 0, false}, range);
  if (part.kind == Kind::logicalNot)
    return range.isUndefined()
               ? range
               : Range{range.high <= 0, range.low <= 0, range.mayBeUndefined};
  for (size_t i = 1; i < part.operands.size(); ++i)
    range = combine(part.kind, range, rangeOf(parts[part.operands[i]], point));
  return range;
}

Outlook PartialCondition::outlook(const PartialPoint &point) const {
  Range range = rangeOf(parts.back(), point);
  if (range.isUndefined() || range.high <= 0)
    return Outlook::broken;
  return range.low > 0 && !range.mayBeUndefined ? Outlook::holds
                                                : Outlook::open;
}

/// The value of a part without open knobs; for one that may be undefined, two
/// numbers.
void PartialCondition::appendValue(const Part &part, Range range,
                                   std::vector<int64_t> &key) const {
  key.push_back(range.isUndefined() ? 0 : range.low);
  if (part.range.mayBeUndefined)
    key.push_back(range.isUndefined());
}

/// The constant that the part is a remainder of division by, if it is positive.
std::optional<int64_t> PartialCondition::modulusOf(const Part &part) const {
  if (part.kind != Kind::mod || part.operands.empty())
    return std::nullopt;
  const Range &divisor = parts[part.operands[1]].range;
  return divisor.low == divisor.high && divisor.low > 0
             ? std::optional(divisor.low)
             : std::nullopt;
}

void PartialCondition::appendKey(const Part &part, const PartialPoint &point,
                                 std::vector<int64_t> &key,
                                 std::optional<int64_t> modulus) const {
  if (part.knobs.isWithin(point.decided)) {
    if (part.knobs.count() > 0)
      appendValue(part, rangeOf(part, point), key);
    return;
  }
  if (!part.knobs.meets(point.decided))
    return;
  bool merges = part.operands.size() > 2 &&
                (part.kind == Kind::add || part.kind == Kind::multiply);
  std::optional<Range> merged; // of the operands without open knobs
  for (uint32_t index : part.operands) {
    const Part &operand = parts[index];
    if (merges && operand.knobs.isWithin(point.decided) &&
        !operand.range.mayBeUndefined) {
      Range range = rangeOf(operand, point);
      merged = merged ? combine(part.kind, *merged, range) : range;
    } else {
      appendKey(operand, point, key, modulusOf(part));
    }
  }
  if (merged && modulus)
    constraint::remainder(merged->low, *modulus, merged->low);
  if (merged)
    key.push_back(merged->low);
}

void PartialCondition::appendKey(const PartialPoint &point,
                                 std::vector<int64_t> &key) const {
  appendKey(parts.back(), point, key, std::nullopt);
}

double PartialCondition::influenceOf(uint32_t knob) const {
  const Part &whole = parts.back();
  if (whole.operands.size() != 2 || whole.kind < Kind::equal ||
      whole.kind > Kind::greaterEqual)
    return 0;
  PartialPoint point(scope.bound());
  auto width = [&] {
    double sum = 0;
    for (uint32_t side : whole.operands) {
      Range range = rangeOf(parts[side], point);
      if (!range.isUndefined())
        sum += static_cast<double>(range.high) - static_cast<double>(range.low);
    }
    return sum;
  };
  double all = width();
  point.decided.insert(knob); // its first option
  return all > 0 ? 1 - width() / all : 0;
}
