//===- Running compiled conditions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/ConstraintCode.h"
#include "tonno/Core/ConstraintArithmetic.h"

using namespace tonno;
using namespace tonno::constraint;

static uint32_t indexIn(const Code &code, uint32_t tableIndex,
                        const uint32_t *options) {
  const Table &table = code.tables[tableIndex];
  const Dimension *dimension = code.dimensions.data() + table.firstDimension;
  uint32_t index = table.offset;
  for (uint32_t i = 0; i < table.dimensions; ++i)
    index += dimension[i].stride * options[dimension[i].knob];
  return index;
}

static int64_t operandOf(const Code &code, const Instruction &at,
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

static Kind kindOf(Operation operation) {
  constexpr int offset =
      static_cast<int>(Operation::add) - static_cast<int>(Kind::add);
  static_assert(static_cast<int>(Operation::greaterEqual) -
                    static_cast<int>(Kind::greaterEqual) ==
                offset);
  return static_cast<Kind>(static_cast<int>(operation) - offset);
}

Truth Code::run(const uint32_t *options) const {
  int64_t slots[maxHeight + 1]; // one for each level at most
  const Instruction *at = instructions.data();
  for (;; ++at) {
    int64_t &slot = slots[at->slot];
    switch (at->operation) {
    case Operation::load:
      slot = operandOf(*this, *at, slots, options);
      break;
    case Operation::test: {
      Truth truth = truths[indexIn(*this, at->operand, options)];
      if (truth == Truth::undefined)
        return truth;
      slot = truth == Truth::holds;
      break;
    }
    case Operation::require:
      if (truths[indexIn(*this, at->operand, options)] == Truth::undefined)
        return Truth::undefined;
      break;
    case Operation::decide:
      return truths[indexIn(*this, at->operand, options)];
    case Operation::jump:
      at = &instructions[at->operand] - 1;
      break;
    case Operation::jumpIfBroken:
      if (!slot)
        at = &instructions[at->operand] - 1;
      break;
    case Operation::jumpIfHolds:
      if (slot)
        at = &instructions[at->operand] - 1;
      break;
    case Operation::end:
      return slots[0] ? Truth::holds : Truth::broken;
    case Operation::negate:
      if (__builtin_sub_overflow(int64_t(0), slot, &slot))
        return Truth::undefined;
      break;
    case Operation::logicalNot:
      slot = !slot;
      break;
    default:
      if (!apply(kindOf(at->operation), slot,
                 operandOf(*this, *at, slots, options), slot))
        return Truth::undefined;
    }
  }
}
