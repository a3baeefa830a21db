//===- Points drawn with a look ahead -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_IMPORTANCESAMPLER_H
#define TONNO_LIB_SEARCH_IMPORTANCESAMPLER_H

#include "tonno/Core/PartialCondition.h"

#include "tonno/Search/Diagram.h"

namespace tonno {

/// Draws points of a diagram one knob after the other, and leaves out what
/// breaks further conditions as soon as intervals tell.
class ImportanceSampler {
public:
  ImportanceSampler(const Diagram &diagram,
                    std::span<const PartialCondition *const> conditions,
                    size_t knobs);

  /// Draws a point and returns its weight: the probability with which the
  /// diagram draws it, over that with which it was drawn. 0: a dead end. The
  /// weights of those that satisfy the conditions have their share of the
  /// diagram's points as mean.
  double draw(Random &random, Configuration &drawn);

  /// How many parts of conditions intervals were found of, about.
  size_t work() const { return workDone; }

private:
  /// A condition on the knob that is to get an option.
  struct Check {
    const PartialCondition *condition;
    bool isDecided; ///< by that
  };
  void collectChecks(uint32_t knob);
  bool mayHold(uint32_t knob, uint32_t option);

  const Diagram &diagram;
  std::vector<std::vector<const PartialCondition *>> conditions; ///< by knob
  std::vector<Check> checks;
  PartialPoint point;
  size_t workDone = 0;
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_IMPORTANCESAMPLER_H
