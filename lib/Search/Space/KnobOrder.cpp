//===- In which order knobs get options -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintDiagram.h"

#include <cmath>
#include <limits>

using namespace tonno;

namespace {

/// The knobs that are left, joined where they share a condition.
class Elimination {
public:
  Elimination(std::span<const PartialCondition *const> conditions,
              std::span<const Knob> knobs)
      : knobs(knobs), left(knobs.size()),
        neighbours(knobs.size(), KnobSet(knobs.size())) {
    for (uint32_t knob = 0; knob < knobs.size(); ++knob)
      left.insert(knob);
    for (const PartialCondition *condition : conditions)
      for (uint32_t knob : condition->knobs().members()) {
        neighbours[knob].insert(condition->knobs());
        neighbours[knob].erase(knob);
      }
  }

  bool isDone() const { return left.count() == 0; }
  std::vector<uint32_t> candidates() const { return left.members(); }

  double costOf(uint32_t knob) const {
    double fill = 0, size = 0;
    for (uint32_t neighbour : neighbours[knob].members()) {
      // A neighbour counts as not joined with itself.
      fill += static_cast<double>(
                  neighbours[knob].countWithout(neighbours[neighbour])) -
              1;
      size += std::log(static_cast<double>(knobs[neighbour].options.size()));
    }
    return fill / 2 + 0.3 * size;
  }

  /// Joins its neighbours with each other; returns them.
  KnobSet eliminate(uint32_t knob) {
    KnobSet joined = neighbours[knob];
    left.erase(knob);
    for (uint32_t neighbour : joined.members()) {
      neighbours[neighbour].insert(joined);
      neighbours[neighbour].erase(neighbour);
      neighbours[neighbour].erase(knob);
    }
    return joined;
  }

private:
  std::span<const Knob> knobs;
  KnobSet left;
  std::vector<KnobSet> neighbours; ///< among those left
};

} // namespace

KnobOrder KnobOrder::create(std::span<const PartialCondition *const> conditions,
                            std::span<const Knob> knobs, double spread,
                            Random &random) {
  Elimination elimination(conditions, knobs);
  KnobOrder order;
  order.parents.resize(knobs.size());
  order.forest.children.resize(knobs.size());
  std::vector<size_t> position(knobs.size());
  std::vector<KnobSet> above(knobs.size(), KnobSet(knobs.size()));
  while (!elimination.isDone()) {
    uint32_t best = 0;
    double leastCost = std::numeric_limits<double>::infinity();
    for (uint32_t knob : elimination.candidates()) {
      double cost = elimination.costOf(knob) + spread * random.uniform();
      if (cost < leastCost) {
        leastCost = cost;
        best = knob;
      }
    }
    position[best] = order.upward.size();
    order.upward.push_back(best);
    above[best] = elimination.eliminate(best);
  }
  // A knob hangs below the next of its neighbours to be eliminated.
  for (uint32_t knob = 0; knob < knobs.size(); ++knob) {
    std::optional<uint32_t> &parent = order.parents[knob];
    for (uint32_t other : above[knob].members())
      if (!parent || position[other] < position[*parent])
        parent = other;
    if (parent)
      order.forest.children[*parent].push_back(knob);
    else
      order.forest.roots.push_back(knob);
  }
  return order;
}
