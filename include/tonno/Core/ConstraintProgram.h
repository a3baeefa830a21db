//===- A constraint, compiled for a space ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTPROGRAM_H
#define TONNO_CORE_CONSTRAINTPROGRAM_H

#include "tonno/Core/ConstraintCode.h"
#include "tonno/Core/SearchSpace.h"

#include <span>

namespace tonno {

namespace constraint {
struct Node;
} // namespace constraint

/// A constraint over the knobs of a space, compiled: 10 to 50 ns an evaluation.
class ConstraintProgram {
public:
  /// How many combinations of options a table may hold. Any limits give the
  /// same truths.
  struct Limits {
    uint64_t truths = 16384; ///< of a condition: a byte each
    uint64_t values = 512;   ///< of an integer: 8 bytes each
  };

  /// Names become knobs, and types are checked. Arithmetic is on integers, and
  /// so are `<` and the like; `==` and `!=` compare anything with its kind. A
  /// knob whose options are of several kinds equals what its option equals. A
  /// string that is compared with a knob is one of its options.
  static Result<ConstraintProgram, ConstraintError>
  compile(const Constraint &constraint, std::span<const Knob> knobs,
          Limits limits);
  static Result<ConstraintProgram, ConstraintError>
  compile(const Constraint &constraint, std::span<const Knob> knobs) {
    return compile(constraint, knobs, Limits());
  }

  /// At the point with these options, one for each knob that it was compiled
  /// for. A point where an earlier conjunct is broken is not undefined.
  Truth evaluate(std::span<const uint32_t> options) const {
    for (const constraint::Code &conjunct : codes)
      if (Truth truth = conjunct.run(options.data()); truth != Truth::holds)
        return truth;
    return Truth::holds;
  }

  /// The conditions that it is a conjunction of, in order of evaluation. Where
  /// all hold, it holds.
  const std::vector<constraint::Code> &conjuncts() const { return codes; }

  /// The knobs that it depends on, ascending, as indices.
  const std::vector<uint32_t> &knobs() const { return dependencies; }

  /// A condition alone.
  static constraint::Code compile(const constraint::Node &condition,
                                  std::span<const Knob> knobs);

private:
  std::vector<constraint::Code> codes;
  std::vector<uint32_t> dependencies;
};

} // namespace tonno

#endif // TONNO_CORE_CONSTRAINTPROGRAM_H
