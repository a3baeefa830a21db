//===- Compiling constraints ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/ConstraintProgram.h"
#include "tonno/Core/ConstraintTree.h"

#include <algorithm>

using namespace tonno;
using namespace tonno::constraint;

namespace {

/// Emits the code of one condition. The value of each node goes to the slot of
/// its depth.
class Emitter {
public:
  Emitter(std::span<const Knob> knobs, ConstraintProgram::Limits limits)
      : knobs(knobs), limits(limits), options(knobs.size()) {}

  Code emitAll(const Node &condition);

private:
  void emit(const Node &node, uint16_t slot);
  void emitJoin(const Node &node, uint16_t slot);
  void emitConditional(const Node &node, uint16_t slot);
  void emitOperation(const Node &node, uint16_t slot);

  bool isTable(const Node &node) const;
  Instruction operandFrom(const Node &node);
  uint32_t addTable(const Node &node, size_t offset);
  uint32_t truthTable(const Node &node);
  template <typename Visit>
  void forEachCombination(const Node &node, Visit visit);

  size_t add(Operation operation, uint16_t slot, Instruction operand = {});
  void land(size_t jump) {
    code.instructions[jump].operand =
        static_cast<uint32_t>(code.instructions.size());
  }

  std::span<const Knob> knobs;
  ConstraintProgram::Limits limits;
  std::vector<uint32_t> options; ///< the combination being visited
  Code code;
};

} // namespace

size_t Emitter::add(Operation operation, uint16_t slot, Instruction operand) {
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

/// With `options` set to each combination of the node's knobs, in the order of
/// a table.
template <typename Visit>
void Emitter::forEachCombination(const Node &node, Visit visit) {
  for (uint64_t left = countCombinations(node.knobs, knobs); left > 0; --left) {
    visit();
    for (size_t i = node.knobs.size(); i-- > 0;) {
      uint32_t knob = node.knobs[i];
      if (++options[knob] < knobs[knob].options.size())
        break;
      options[knob] = 0;
    }
  }
}

uint32_t Emitter::addTable(const Node &node, size_t offset) {
  Table table{static_cast<uint32_t>(code.dimensions.size()),
              static_cast<uint32_t>(node.knobs.size()),
              static_cast<uint32_t>(offset)};
  uint32_t stride = 1;
  for (size_t i = node.knobs.size(); i-- > 0;) {
    code.dimensions.push_back({node.knobs[i], stride});
    stride *= static_cast<uint32_t>(knobs[node.knobs[i]].options.size());
  }
  code.tables.push_back(table);
  return static_cast<uint32_t>(code.tables.size() - 1);
}

uint32_t Emitter::truthTable(const Node &node) {
  size_t offset = code.truths.size();
  forEachCombination(node, [&] {
    std::optional<int64_t> value = evaluate(node, options.data());
    code.truths.push_back(!value   ? Truth::undefined
                          : *value ? Truth::holds
                                   : Truth::broken);
  });
  return addTable(node, offset);
}

/// Of a node that is a table of integers, or of what is numbered. Where some
/// are undefined, a check goes before.
Instruction Emitter::operandFrom(const Node &node) {
  size_t offset = code.values.size();
  bool isDefined = true;
  forEachCombination(node, [&] {
    std::optional<int64_t> value = evaluate(node, options.data());
    isDefined &= value.has_value();
    code.values.push_back(value.value_or(0));
  });
  if (!isDefined) {
    Instruction check;
    check.operand = truthTable(node);
    add(Operation::require, 0, check);
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

/// Conditions from left to right, until one decides.
void Emitter::emitJoin(const Node &node, uint16_t slot) {
  bool isAnd = node.kind == Kind::conjunction;
  std::vector<size_t> jumps;
  for (const Node &operand : node.operands) {
    if (&operand != &node.operands.front())
      jumps.push_back(
          add(isAnd ? Operation::jumpIfBroken : Operation::jumpIfHolds, slot));
    emit(operand, slot);
  }
  for (size_t jump : jumps)
    land(jump);
}

void Emitter::emitConditional(const Node &node, uint16_t slot) {
  emit(node.operands[0], slot);
  size_t toElse = add(Operation::jumpIfBroken, slot);
  emit(node.operands[1], slot);
  size_t toEnd = add(Operation::jump, slot);
  land(toElse);
  emit(node.operands[2], slot);
  land(toEnd);
}

static Operation operationOf(Kind kind) {
  return static_cast<Operation>(static_cast<int>(kind) -
                                static_cast<int>(Kind::negate) +
                                static_cast<int>(Operation::negate));
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
  add(operationOf(node.kind), slot, operand);
}

void Emitter::emit(const Node &node, uint16_t slot) {
  if (isTable(node) && node.isCondition()) {
    Instruction operand;
    operand.operand = truthTable(node);
    add(Operation::test, slot, operand);
  } else if (isTable(node)) {
    Instruction operand = operandFrom(node);
    add(Operation::load, slot, operand);
  } else if (node.kind == Kind::conjunction || node.kind == Kind::disjunction) {
    emitJoin(node, slot);
  } else if (node.kind == Kind::conditional) {
    emitConditional(node, slot);
  } else {
    emitOperation(node, slot);
  }
}

Code Emitter::emitAll(const Node &condition) {
  code.knobs = condition.knobs;
  emit(condition, 0);
  if (code.instructions.size() == 1)
    code.instructions[0].operation = Operation::decide;
  else
    add(Operation::end, 0);
  return std::move(code);
}

Result<ConstraintProgram, ConstraintError>
ConstraintProgram::compile(const Constraint &source,
                           std::span<const Knob> knobs, Limits limits) {
  auto tree = resolve(source, knobs);
  if (!tree)
    return tree.error();
  ConstraintProgram program;
  for (const Node *conjunct : constraint::conjuncts(*tree))
    program.codes.push_back(Emitter(knobs, limits).emitAll(*conjunct));
  program.dependencies = tree->knobs;
  return program;
}

Code ConstraintProgram::compile(const Node &condition,
                                std::span<const Knob> knobs) {
  return Emitter(knobs, Limits()).emitAll(condition);
}
