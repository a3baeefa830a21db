//===- The points that conditions allow -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_CONSTRAINTDIAGRAM_H
#define TONNO_LIB_SEARCH_CONSTRAINTDIAGRAM_H

#include "OptionSets.h"

#include "tonno/Core/ConstraintProgram.h"
#include "tonno/Core/PartialCondition.h"
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
/// so is the diagram. What is left of those with one knob to go is one set of
/// options for each knob.
class ConstraintDiagram {
public:
  ConstraintDiagram(std::span<const PartialCondition *const> conditions,
                    std::span<const Knob> knobs, KnobOrder order);

  /// None where it takes more work than that; each unit takes about 0.2 us, or
  /// 16 bytes while building.
  std::optional<Diagram> build(size_t mostWork);

  size_t work() const { return workDone; }

  /// How many different remainders of a condition were met.
  size_t remainders(size_t condition) const {
    return classes[condition].size();
  }

private:
  /// What is left of a condition. Equal classes, equal remainders. Where one
  /// knob is left: the number of a set of its options.
  using Class = uint32_t;
  static constexpr Class satisfied = OptionSets::all,
                         broken = OptionSets::empty;

  /// A condition on a knob.
  struct Touch {
    uint32_t condition;
    uint32_t open; ///< how many of its knobs have no option once this has
  };

  struct KeyHash {
    size_t operator()(const std::vector<int64_t> &key) const;
  };
  using Key = std::vector<int64_t>;
  template <typename Value>
  using Table = std::unordered_map<Key, Value, KeyHash>;

  void arrange();
  bool isSet(uint32_t condition, size_t open) const;
  uint32_t nodeOf(uint32_t knob);
  bool descend(uint32_t knob, uint32_t option,
               std::vector<Diagram::Branch> &branches);
  bool update(const Touch &touch);
  Class remainderOf(const Touch &touch);
  Class decide(const Touch &touch, const Key &key);
  Class tabulate(const Touch &touch, const std::vector<uint32_t> &open,
                 size_t combinations);
  Class classOf(uint32_t condition, Key key);

  std::span<const PartialCondition *const> conditions;
  std::span<const Knob> knobs;
  KnobOrder order;
  Diagram::Builder builder;
  PartialPoint point;

  std::vector<std::vector<Touch>> touching; ///< each knob's conditions
  std::vector<uint32_t> lastKnobs;          ///< of each condition
  /// Those of which a knob decides how they leave a set of options: which
  /// knobs' sets change there.
  std::vector<std::vector<uint32_t>> narrowed;
  /// What decides about the diagram below a knob: conditions with knobs above
  /// it, and of the knob and those below it the ones whose sets these change.
  std::vector<std::vector<uint32_t>> crossing, crossingSets;

  std::vector<Class> current; ///< of each condition
  std::vector<OptionSets> sets;
  std::vector<uint32_t> allowed;        ///< the set of each knob
  std::vector<Table<Class>> remembered; ///< of each condition, by its key
  std::vector<Table<Class>> classes;
  std::vector<Table<uint32_t>> nodes; ///< of each knob, by what is crossing
  size_t workDone = 0;
  size_t workAllowed = 0;
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_CONSTRAINTDIAGRAM_H
