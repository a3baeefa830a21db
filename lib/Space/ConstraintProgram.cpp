//===- Compiling and evaluating constraints -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintTree.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <ranges>

using namespace tonno;
using namespace tonno::constraint;

static constexpr int64_t least = std::numeric_limits<int64_t>::min();
static constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

/// Computes the quotient, rounded down or up. Returns false if it is undefined.
static bool divideRounded(int64_t a, int64_t b, bool isUp, int64_t &result) {
  if (b == 0 || (b == -1 && a == least))
    return false;
  result = a / b;
  if (a % b != 0 && ((a < 0) == (b < 0)) == isUp)
    result += isUp ? 1 : -1;
  return true;
}

/// Computes the remainder, from 0 to |b| - 1. Returns false if it is undefined.
static bool remainder(int64_t a, int64_t b, int64_t &result) {
  if (b == 0)
    return false;
  result = b == -1 ? 0 : a % b; // the machine traps on the least by -1
  if (result < 0)
    result = b < 0 ? result - b : result + b;
  return true;
}

/// Computes an operation on two values. Returns false where it is undefined: it
/// overflows, or divides by zero.
static bool apply(Kind kind, int64_t a, int64_t b, int64_t &result) {
  switch (kind) {
  case Kind::add:
    return !__builtin_add_overflow(a, b, &result);
  case Kind::subtract:
    return !__builtin_sub_overflow(a, b, &result);
  case Kind::multiply:
    return !__builtin_mul_overflow(a, b, &result);
  case Kind::floordiv:
    return divideRounded(a, b, /*isUp=*/false, result);
  case Kind::ceildiv:
    return divideRounded(a, b, /*isUp=*/true, result);
  case Kind::mod:
    return remainder(a, b, result);
  case Kind::equal:
    result = a == b;
    return true;
  case Kind::notEqual:
    result = a != b;
    return true;
  case Kind::less:
    result = a < b;
    return true;
  case Kind::lessEqual:
    result = a <= b;
    return true;
  case Kind::greater:
    result = a > b;
    return true;
  case Kind::greaterEqual:
    result = a >= b;
    return true;
  default:
    return false;
  }
}

static uint32_t indexIn(const Code &code, uint32_t tableIndex,
                        const uint32_t *options) {
  const Table &table = code.tables[tableIndex];
  const Axis *axis = code.axes.data() + table.firstAxis;
  uint32_t index = table.offset;
  for (uint32_t i = 0; i < table.axes; ++i)
    index += axis[i].stride * options[axis[i].knob];
  return index;
}

static int64_t readOperand(const Code &code, const Instruction &at,
                           const int64_t *slots, const uint32_t *options) {
  switch (at.from) {
  case From::slot:
    return slots[at.operand];
  case From::constant:
    return code.values[at.operand];
  case From::knob:
    return code.values[at.operand + options[at.knob]];
  case From::table:
    return code.values[indexIn(code, at.operand, options)];
  }
  __builtin_unreachable();
}

/// Runs code. Conditions need no value, whose computation takes time.
template <bool hasValue>
static Truth execute(const Code &code, const uint32_t *options,
                     int64_t *value) {
  int64_t slots[maxHeight + 1]; // one for each level at most
  const Instruction *at = code.instructions.data();
  if (at->operation == Kind::decide) // the only instruction of most code
    return code.truths[indexIn(code, at->operand, options)];
  for (;; ++at) {
    int64_t &slot = slots[at->slot];
    switch (at->operation) {
    case Kind::load:
      slot = readOperand(code, *at, slots, options);
      break;
    case Kind::test: {
      Truth truth = code.truths[indexIn(code, at->operand, options)];
      if (truth == Truth::undefined)
        return truth;
      slot = truth == Truth::holds;
      break;
    }
    case Kind::require:
      if (code.truths[indexIn(code, at->operand, options)] == Truth::undefined)
        return Truth::undefined;
      break;
    case Kind::jump:
      at = &code.instructions[at->operand] - 1;
      break;
    case Kind::jumpIfBroken:
      if (!slot)
        at = &code.instructions[at->operand] - 1;
      break;
    case Kind::jumpIfHolds:
      if (slot)
        at = &code.instructions[at->operand] - 1;
      break;
    case Kind::end:
      if constexpr (hasValue)
        *value = slots[0];
      return slots[0] ? Truth::holds : Truth::broken;
    case Kind::negate:
      if (__builtin_sub_overflow(int64_t(0), slot, &slot))
        return Truth::undefined;
      break;
    case Kind::logicalNot:
      slot = !slot;
      break;
    default:
      if (!apply(at->operation, slot, readOperand(code, *at, slots, options),
                 slot))
        return Truth::undefined;
    }
  }
}

Truth Code::run(const uint32_t *options) const {
  return execute<false>(*this, options, nullptr);
}

Truth Code::run(const uint32_t *options, int64_t *value) const {
  return execute<true>(*this, options, value);
}

namespace {

/// Emits the code of one condition. The value of each node goes to the slot of
/// its depth.
class Emitter {
public:
  Emitter(std::span<const Knob> knobs, ConstraintLimits limits)
      : knobs(knobs), limits(limits) {}

  Code emitAll(const Node &node);

private:
  void emit(const Node &node, uint16_t slot);
  void emitJoin(const Node &node, uint16_t slot);
  void emitConditional(const Node &node, uint16_t slot);
  void emitOperation(const Node &node, uint16_t slot);

  bool isTable(const Node &node) const;
  Instruction operandFrom(const Node &node);
  uint32_t addTable(const Node &node, size_t offset);
  uint32_t truthTable(const Node &node);
  std::vector<std::optional<int64_t>> tabulateValues(const Node &node) const;

  size_t add(Kind operation, uint16_t slot, Instruction operand = {});
  void patchJump(size_t jump) {
    code.instructions[jump].operand =
        static_cast<uint32_t>(code.instructions.size());
  }

  std::span<const Knob> knobs;
  ConstraintLimits limits;
  Code code;
};

} // namespace

size_t Emitter::add(Kind operation, uint16_t slot, Instruction operand) {
  operand.operation = operation;
  operand.slot = slot;
  code.instructions.push_back(operand);
  return code.instructions.size() - 1;
}

bool Emitter::isTable(const Node &node) const {
  return node.isLeaf() ||
         countCombinations(node.knobs, knobs) <=
             (node.isCondition() ? limits.truths : limits.values);
}

/// Returns the value at each combination of options of the node's knobs, in the
/// order of a table; none where it is undefined.
std::vector<std::optional<int64_t>>
Emitter::tabulateValues(const Node &node) const {
  if (node.isLeaf())
    return {node.values.begin(), node.values.end()};
  Code plain = compile(node, knobs, {0, 0}); // whose tables are leaves
  std::vector<std::optional<int64_t>> values;
  std::vector<uint32_t> options(knobs.size());
  for (uint64_t left = countCombinations(node.knobs, knobs); left > 0; --left) {
    int64_t value = 0;
    bool isDefined = plain.run(options.data(), &value) != Truth::undefined;
    values.push_back(isDefined ? std::optional(value) : std::nullopt);
    for (uint32_t knob : node.knobs | std::views::reverse) {
      if (++options[knob] < knobs[knob].options.size())
        break;
      options[knob] = 0;
    }
  }
  return values;
}

uint32_t Emitter::addTable(const Node &node, size_t offset) {
  Table table{static_cast<uint32_t>(code.axes.size()),
              static_cast<uint32_t>(node.knobs.size()),
              static_cast<uint32_t>(offset)};
  uint32_t stride = 1;
  for (size_t i = node.knobs.size(); i-- > 0;) {
    code.axes.push_back({node.knobs[i], stride});
    stride *= static_cast<uint32_t>(knobs[node.knobs[i]].options.size());
  }
  code.tables.push_back(table);
  return static_cast<uint32_t>(code.tables.size() - 1);
}

uint32_t Emitter::truthTable(const Node &node) {
  size_t offset = code.truths.size();
  for (std::optional<int64_t> value : tabulateValues(node))
    code.truths.push_back(!value   ? Truth::undefined
                          : *value ? Truth::holds
                                   : Truth::broken);
  return addTable(node, offset);
}

/// Returns an operand for a node that is a table of integers, or of the numbers
/// of equal values. Emits a check before it if some are undefined.
Instruction Emitter::operandFrom(const Node &node) {
  size_t offset = code.values.size();
  bool isDefined = true;
  for (std::optional<int64_t> value : tabulateValues(node)) {
    isDefined &= value.has_value();
    code.values.push_back(value.value_or(0));
  }
  if (!isDefined) {
    Instruction check;
    check.operand = truthTable(node);
    add(Kind::require, 0, check);
  }
  Instruction operand;
  operand.operand = static_cast<uint32_t>(offset);
  operand.from = node.knobs.empty()       ? From::constant
                 : node.knobs.size() == 1 ? From::knob
                                          : From::table;
  if (operand.from == From::knob)
    operand.knob = node.knobs[0];
  if (operand.from == From::table)
    operand.operand = addTable(node, offset);
  return operand;
}

/// Emits conditions from left to right; the first decisive one ends the
/// evaluation.
void Emitter::emitJoin(const Node &node, uint16_t slot) {
  bool isAnd = node.kind == Kind::conjunction;
  std::vector<size_t> jumps;
  for (const Node &operand : node.operands) {
    if (&operand != &node.operands.front())
      jumps.push_back(
          add(isAnd ? Kind::jumpIfBroken : Kind::jumpIfHolds, slot));
    emit(operand, slot);
  }
  for (size_t jump : jumps)
    patchJump(jump);
}

void Emitter::emitConditional(const Node &node, uint16_t slot) {
  emit(node.operands[0], slot);
  size_t toElse = add(Kind::jumpIfBroken, slot);
  emit(node.operands[1], slot);
  size_t toEnd = add(Kind::jump, slot);
  patchJump(toElse);
  emit(node.operands[2], slot);
  patchJump(toEnd);
}

void Emitter::emitOperation(const Node &node, uint16_t slot) {
  emit(node.operands[0], slot);
  Instruction operand;
  if (node.operands.size() == 2) {
    const Node &right = node.operands[1];
    if (isTable(right) && !right.isCondition()) {
      operand = operandFrom(right);
    } else {
      operand.operand = slot + 1;
      emit(right, static_cast<uint16_t>(slot + 1));
    }
  }
  add(node.kind, slot, operand);
}

void Emitter::emit(const Node &node, uint16_t slot) {
  if (isTable(node) && node.isCondition()) {
    Instruction operand;
    operand.operand = truthTable(node);
    add(Kind::test, slot, operand);
  } else if (isTable(node)) {
    Instruction operand = operandFrom(node);
    add(Kind::load, slot, operand);
  } else if (node.kind == Kind::conjunction || node.kind == Kind::disjunction) {
    emitJoin(node, slot);
  } else if (node.kind == Kind::conditional) {
    emitConditional(node, slot);
  } else {
    emitOperation(node, slot);
  }
}

Code Emitter::emitAll(const Node &node) {
  emit(node, 0);
  if (code.instructions.size() == 1 &&
      code.instructions[0].operation == Kind::test && limits.truths > 0)
    code.instructions[0].operation = Kind::decide;
  else
    add(Kind::end, 0);
  return std::move(code);
}

Code constraint::compile(const Node &node, std::span<const Knob> knobs,
                         ConstraintLimits limits) {
  return Emitter(knobs, limits).emitAll(node);
}

Condition::Condition(const Node &condition, std::span<const Knob> knobs,
                     ConstraintLimits limits)
    : compiled(compile(condition, knobs, limits)),
      scope(knobs.size(), condition.knobs) {
  add(condition, knobs);
}

/// Collects the operands of nested sums, or products.
static void collectOperands(const Node &node, Kind kind,
                            std::vector<const Node *> &all) {
  for (const Node &operand : node.operands)
    if (operand.kind == kind)
      collectOperands(operand, kind, all);
    else
      all.push_back(&operand);
}

/// Returns true if no subset of the operands overflows.
bool Condition::mayMerge(const Part &part) const {
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

uint32_t Condition::add(const Node &node, std::span<const Knob> knobs) {
  Part part = {node.kind, KnobSet(knobs.size(), node.knobs), {}, node.values, 0,
               {}};
  if (node.isLeaf()) {
    if (!node.knobs.empty())
      part.knob = node.knobs[0];
    auto [low, high] = std::ranges::minmax(part.values);
    part.range = {low, high, false};
  } else {
    std::vector<const Node *> merged;
    if (node.kind == Kind::add || node.kind == Kind::multiply)
      collectOperands(node, node.kind, merged);
    for (const Node *operand : merged)
      part.operands.push_back(add(*operand, knobs));
    if (merged.empty() || !mayMerge(part)) {
      part.operands.clear();
      for (const Node &operand : node.operands)
        part.operands.push_back(add(operand, knobs));
    }
    part.range = computeRange(part, PartialPoint(knobs.size()));
  }
  parts.push_back(std::move(part));
  return static_cast<uint32_t>(parts.size() - 1);
}

/// Returns the range of an operation's values at the corners of a box; the full
/// range if one overflows. Each operation is monotonic in each operand.
static Range evaluateAtCorners(Kind kind, const Range &a, const Range &b) {
  bool mayBeUndefined = a.mayBeUndefined || b.mayBeUndefined;
  Range range = {greatest, least, mayBeUndefined};
  for (int64_t left : {a.low, a.high})
    for (int64_t right : {b.low, b.high}) {
      int64_t value;
      if (!apply(kind, left, right, value))
        return {least, greatest, true};
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  return range;
}

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
    return evaluateAtCorners(kind, a, b);
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

static Range compare(Kind kind, const Range &a, const Range &b) {
  bool never = false, always = false;
  switch (kind) {
  case Kind::equal:
    never = a.high < b.low || b.high < a.low;
    always = a.low == a.high && b.low == b.high && a.low == b.low;
    break;
  case Kind::less:
    never = a.low >= b.high;
    always = a.high < b.low;
    break;
  case Kind::lessEqual:
    never = a.low > b.high;
    always = a.high <= b.low;
    break;
  default: { // the opposite of one of these
    Range opposite = compare(kind == Kind::notEqual  ? Kind::equal
                             : kind == Kind::greater ? Kind::lessEqual
                                                     : Kind::less,
                             a, b);
    return {1 - opposite.high, 1 - opposite.low, opposite.mayBeUndefined};
  }
  }
  return {always ? 1 : 0, never ? 0 : 1, a.mayBeUndefined || b.mayBeUndefined};
}

static Range combine(Kind kind, const Range &a, const Range &b) {
  constexpr Range undefined = {1, 0, true};
  if (a.isUndefined() || b.isUndefined())
    return undefined;
  bool mayBeUndefined = a.mayBeUndefined || b.mayBeUndefined;
  if (int64_t value; a.low == a.high && b.low == b.high)
    return apply(kind, a.low, b.low, value)
               ? Range{value, value, mayBeUndefined}
               : undefined;
  if (kind >= Kind::equal)
    return compare(kind, a, b);
  if (kind == Kind::floordiv || kind == Kind::ceildiv || kind == Kind::mod)
    return divide(kind, a, b);
  return evaluateAtCorners(kind, a, b);
}

static Range unite(const Range &a, const Range &b) {
  if (a.isUndefined() || b.isUndefined()) {
    const Range &defined = a.isUndefined() ? b : a;
    return {defined.low, defined.high, true};
  }
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.mayBeUndefined || b.mayBeUndefined};
}

/// Evaluates `and` or `or` from left to right, up to a decisive operand.
Range Condition::computeJoinRange(const Part &part,
                                  const PartialPoint &point) const {
  bool isAnd = part.kind == Kind::conjunction;
  int64_t ended = isAnd ? 0 : 1;
  bool passesAll = true; // each operand so far, where it is defined
  bool mayBeUndefined = false;
  for (uint32_t operand : part.operands) {
    Range range = computeRange(parts[operand], point);
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

Range Condition::computeRange(const Part &part,
                              const PartialPoint &point) const {
  if (part.operands.empty()) {
    if (part.values.size() == 1 || !point.decided.contains(part.knob))
      return part.range;
    int64_t value = part.values[point.options[part.knob]];
    return {value, value, false};
  }
  if (part.kind == Kind::conjunction || part.kind == Kind::disjunction)
    return computeJoinRange(part, point);
  Range range = computeRange(parts[part.operands[0]], point);
  if (part.kind == Kind::conditional) {
    if (range.isUndefined())
      return range;
    auto branch = [&](size_t i) {
      return computeRange(parts[part.operands[i]], point);
    };
    Range value = range.high <= 0 ? branch(2)
                  : range.low > 0 ? branch(1)
                                  : unite(branch(1), branch(2));
    value.mayBeUndefined |= range.mayBeUndefined;
    return value;
  }
  if (part.kind == Kind::negate)
    return combine(Kind::subtract, Range{0, 0, false}, range);
  if (part.kind == Kind::logicalNot)
    return range.isUndefined()
               ? range
               : Range{range.high <= 0, range.low <= 0, range.mayBeUndefined};
  for (size_t i = 1; i < part.operands.size(); ++i)
    range =
        combine(part.kind, range, computeRange(parts[part.operands[i]], point));
  return range;
}

Outlook Condition::outlook(const PartialPoint &point) const {
  Range range = computeRange(parts.back(), point);
  if (range.isUndefined() || range.high <= 0)
    return Outlook::broken;
  return range.low > 0 && !range.mayBeUndefined ? Outlook::holds
                                                : Outlook::open;
}

void Condition::appendKey(const Part &part, const PartialPoint &point,
                          std::vector<int64_t> &key,
                          std::optional<int64_t> modulus) const {
  if (part.knobs.isWithin(point.decided)) {
    if (part.knobs.count() > 0) {
      Range range = computeRange(part, point);
      key.push_back(range.isUndefined() ? 0 : range.low);
      if (part.range.mayBeUndefined)
        key.push_back(range.isUndefined());
    }
    return;
  }
  if (!part.knobs.meets(point.decided))
    return;
  bool merges = part.operands.size() > 2 &&
                (part.kind == Kind::add || part.kind == Kind::multiply);
  std::optional<int64_t> divisor; // that the part is a remainder of
  if (part.kind == Kind::mod)
    if (const Range &range = parts[part.operands[1]].range;
        range.low == range.high && range.low > 0)
      divisor = range.low;
  std::optional<Range> merged; // of the operands without open knobs
  for (uint32_t index : part.operands) {
    const Part &operand = parts[index];
    if (merges && operand.knobs.isWithin(point.decided) &&
        !operand.range.mayBeUndefined) {
      Range range = computeRange(operand, point);
      merged = merged ? combine(part.kind, *merged, range) : range;
    } else {
      appendKey(operand, point, key, divisor);
    }
  }
  if (merged && modulus)
    remainder(merged->low, *modulus, merged->low);
  if (merged)
    key.push_back(merged->low);
}

void Condition::appendKey(const PartialPoint &point,
                          std::vector<int64_t> &key) const {
  appendKey(parts.back(), point, key, std::nullopt);
}

double Condition::computeInfluence(uint32_t knob) const {
  const Part &whole = parts.back();
  if (whole.operands.size() != 2 || whole.kind < Kind::equal ||
      whole.kind > Kind::greaterEqual)
    return 0;
  PartialPoint point(scope.greatest().value_or(0) + 1);
  auto width = [&] {
    double sum = 0;
    for (uint32_t side : whole.operands) {
      Range range = computeRange(parts[side], point);
      if (!range.isUndefined())
        sum += static_cast<double>(range.high) - static_cast<double>(range.low);
    }
    return sum;
  };
  double all = width();
  point.decided.insert(knob); // its first option
  return all > 0 ? 1 - width() / all : 0;
}

/// Adds the conditions that together are this one, in order of evaluation.
static void addConjuncts(const Node &node, std::span<const Knob> knobs,
                         ConstraintLimits limits,
                         std::vector<Condition> &conditions) {
  if (node.kind != Kind::conjunction)
    conditions.emplace_back(node, knobs, limits);
  else
    for (const Node &operand : node.operands)
      addConjuncts(operand, knobs, limits, conditions);
}

Result<ConstraintProgram, ConstraintError>
ConstraintProgram::compile(const Constraint &source,
                           std::span<const Knob> knobs, Limits limits,
                           std::span<const Dimension> dimensions) {
  auto tree = TONNO_TRY(resolve(source, knobs, dimensions));
  ConstraintProgram program;
  addConjuncts(tree, knobs, limits, program.conditions);
  program.dependencies = tree.knobs;
  return program;
}
