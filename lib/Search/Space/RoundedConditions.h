//===- Conditions on sums, weakened ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_SPACE_ROUNDEDCONDITIONS_H
#define TONNO_LIB_SEARCH_SPACE_ROUNDEDCONDITIONS_H

#include "tonno/Core/PartialCondition.h"

#include <deque>
#include <span>
#include <vector>

namespace tonno {

/// Comparisons of sums, weakened so that few remainders are left of them: the
/// terms are rounded (after M. Dyer, "Approximate Counting by Dynamic
/// Programming", 2003), and an equation holds for the remainders of division by
/// a number. What satisfies the condition satisfies the weakened one; the
/// points of a diagram of these that are illegal are to be rejected.
class RoundedConditions {
public:
  /// Of those conditions that compare sums of three or more terms. Together
  /// they leave so few remainders that in a diagram of them about `mostOptions`
  /// options are tried.
  RoundedConditions(std::span<const constraint::Node *const> conditions,
                    std::span<const Knob> knobs, double mostOptions);

  const std::deque<PartialCondition> &all() const { return rounded; }

private:
  std::deque<constraint::Code> codes; ///< of `rounded`
  std::deque<PartialCondition> rounded;
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_SPACE_ROUNDEDCONDITIONS_H
