//===- A condition over the knobs of a space ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/ConstraintTree.h"
#include "tonno/Core/ConstraintArithmetic.h"

using namespace tonno;
using namespace tonno::constraint;

static void collectConjuncts(const Node &condition,
                             std::vector<const Node *> &all) {
  if (condition.kind != Kind::conjunction) {
    all.push_back(&condition);
    return;
  }
  for (const Node &operand : condition.operands)
    collectConjuncts(operand, all);
}

std::vector<const Node *> constraint::conjuncts(const Node &condition) {
  std::vector<const Node *> all;
  collectConjuncts(condition, all);
  return all;
}

uint64_t constraint::countCombinations(const std::vector<uint32_t> &of,
                                       std::span<const Knob> knobs) {
  uint64_t count = 1;
  for (uint32_t knob : of)
    if (__builtin_mul_overflow(count, knobs[knob].options.size(), &count))
      return std::numeric_limits<uint64_t>::max();
  return count;
}

/// Conditions from left to right, until one is `last`.
static std::optional<int64_t> evaluateJoin(const Node &node,
                                           const uint32_t *options,
                                           const Node **culprit, int64_t last) {
  for (const Node &operand : node.operands) {
    std::optional<int64_t> value = evaluate(operand, options, culprit);
    if (!value || *value == last)
      return value;
  }
  return !last;
}

static std::optional<int64_t> evaluateOperation(const Node &node,
                                                const uint32_t *options,
                                                const Node **culprit) {
  std::optional<int64_t> left = evaluate(node.operands[0], options, culprit);
  if (!left || node.kind == Kind::logicalNot)
    return left ? std::optional<int64_t>(!*left) : left;
  std::optional<int64_t> right = 0;
  Kind kind = node.kind;
  if (kind == Kind::negate) {
    std::swap(left, right);
    kind = Kind::subtract;
  } else {
    right = evaluate(node.operands[1], options, culprit);
  }
  if (!right)
    return right;
  int64_t result;
  if (apply(kind, *left, *right, result))
    return result;
  if (culprit)
    *culprit = &node;
  return std::nullopt;
}

std::optional<int64_t> constraint::evaluate(const Node &node,
                                            const uint32_t *options,
                                            const Node **culprit) {
  if (node.isLeaf())
    return node.values[node.knobs.empty() ? 0 : options[node.knobs[0]]];
  if (node.kind == Kind::conjunction)
    return evaluateJoin(node, options, culprit, 0);
  if (node.kind == Kind::disjunction)
    return evaluateJoin(node, options, culprit, 1);
  if (node.kind != Kind::conditional)
    return evaluateOperation(node, options, culprit);
  std::optional<int64_t> holds = evaluate(node.operands[0], options, culprit);
  if (!holds)
    return holds;
  return evaluate(node.operands[*holds ? 1 : 2], options, culprit);
}
