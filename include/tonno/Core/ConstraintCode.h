//===- A condition as instructions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTCODE_H
#define TONNO_CORE_CONSTRAINTCODE_H

#include <cstdint>
#include <vector>

namespace tonno {

/// What becomes of a condition at a point.
enum class Truth : uint8_t {
  broken,
  holds,
  undefined, ///< it divides by zero or leaves 64 bits
};

namespace constraint {

enum class Operation : uint8_t {
  // slot = operand
  load,
  // slot = truth of table `operand`; ends where that is undefined
  test,
  // ends where table `operand` says undefined
  require,
  // ends with the truth of table `operand`
  decide,
  // go to instruction `operand`: always, if slot is 0, if slot isn't 0
  jump,
  jumpIfBroken,
  jumpIfHolds,
  // ends with slot 0
  end,
  // slot = operation(slot)
  negate,
  logicalNot,
  // slot = slot operation operand; ends where that is undefined
  add,
  subtract,
  multiply,
  floordiv,
  ceildiv,
  mod,
  equal,
  notEqual,
  less,
  lessEqual,
  greater,
  greaterEqual,
};

/// Where the operand of an instruction is.
enum class From : uint8_t {
  slot,     ///< in slot `operand`
  constant, ///< values[operand]
  knob,     ///< values[operand + the option of `knob`]
  table,    ///< in table `operand`
};

struct Instruction {
  Operation operation = Operation::end;
  From from = From::slot;
  uint16_t slot = 0;
  uint32_t knob = 0;
  uint32_t operand = 0;
};

/// An array over the options of some knobs, the last one varying fastest.
struct Table {
  uint32_t firstDimension = 0; ///< of Code::dimensions
  uint32_t dimensions = 0;
  uint32_t offset = 0; ///< of Code::truths or Code::values
};

struct Dimension {
  uint32_t knob = 0;
  uint32_t stride = 0;
};

/// A condition without `,` and `and` at its top, compiled: a register machine.
/// What few knobs with few options determine stands in tables.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<int64_t> values;
  std::vector<Truth> truths;
  std::vector<Table> tables;
  std::vector<Dimension> dimensions;
  std::vector<uint32_t> knobs; ///< those that it depends on, ascending

  /// `options` holds an option index for each knob of the space, of which only
  /// those of `knobs` are read.
  Truth run(const uint32_t *options) const;
};

} // namespace constraint
} // namespace tonno

#endif // TONNO_CORE_CONSTRAINTCODE_H
