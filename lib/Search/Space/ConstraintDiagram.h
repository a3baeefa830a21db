//===- ConstraintDiagram.h - The points that conditions allow - -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_SEARCH_CONSTRAINTDIAGRAM_H
#define TONNO_LIB_SEARCH_CONSTRAINTDIAGRAM_H

#include "PartialCondition.h"

#include "tonno/Core/ConstraintProgram.h"
#include "tonno/Search/Diagram.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace tonno {

/// The order in which knobs get options: each after those above it in a forest.
/// The knobs of a condition stand one above the other.
struct KnobOrder {
  Diagram::Forest forest;
  std::vector<std::optional<uint32_t>> parents;
  std::vector<uint32_t> upward; ///< each knob before its parent

  /// By greedy elimination of the knob that joins the fewest others (min-fill),
  /// large domains counting a little; `spread` perturbs it.
  static KnobOrder create(std::span<const PartialCondition *const> conditions,
                          std::span<const Knob> knobs, double spread,
                          Random &random);
};

/// Builds the diagram of what some conditions allow, by one order of the knobs.
/// Below a knob, what is left of the conditions decides; where that is equal,
/// so is the diagram.
class ConstraintDiagram {
public:
  ConstraintDiagram(std::span<const PartialCondition *const> conditions,
                    std::span<const Knob> knobs, KnobOrder order);

  /// None where it takes more work than that: options tried, and 64 points at
  /// which a condition is evaluated count as one.
  std::optional<Diagram> build(size_t mostWork);

  size_t work() const { return workDone; }

  /// How many different remainders of a condition were met.
  size_t remainders(size_t condition) const {
    return classes[condition].size();
  }

private:
  /// What is left of a condition. Equal classes, equal remainders.
  using Class = uint32_t;
  static constexpr Class satisfied = 0, broken = ~Class(0);

  struct KeyHash {
    size_t operator()(const std::vector<int64_t> &key) const;
  };
  using Key = std::vector<int64_t>;
  template <typename Value>
  using Table = std::unordered_map<Key, Value, KeyHash>;

  uint32_t nodeOf(uint32_t knob);
  bool descend(uint32_t knob, uint32_t option,
               std::vector<Diagram::Branch> &branches);
  Class remainderOf(uint32_t condition);
  Class tabulate(uint32_t condition, const std::vector<uint32_t> &open,
                 size_t combinations);
  Class classOf(uint32_t condition, Key key);

  std::span<const PartialCondition *const> conditions;
  std::span<const Knob> knobs;
  KnobOrder order;
  Diagram::Builder builder;
  PartialPoint point;

  std::vector<std::vector<uint32_t>> touching; ///< each knob's conditions
  /// Those with knobs both among a knob and those below it, and above it.
  std::vector<std::vector<uint32_t>> crossing;

  std::vector<Class> current;           ///< of each condition
  std::vector<Table<Class>> remembered; ///< of each condition, by its key
  std::vector<Table<Class>> classes;
  std::vector<Table<uint32_t>> nodes; ///< of each knob, by the crossing classes
  size_t workDone = 0;
  size_t workAllowed = 0;
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_CONSTRAINTDIAGRAM_H
