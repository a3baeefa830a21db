//===- A condition, knob by knob ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_PARTIALCONDITION_H
#define TONNO_CORE_PARTIALCONDITION_H

#include "tonno/Core/KnobSet.h"

#include "tonno/Core/ConstraintCode.h"
#include "tonno/Core/ConstraintTree.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tonno {

/// Some knobs with options, the others still open.
struct PartialPoint {
  explicit PartialPoint(size_t knobs) : options(knobs), decided(knobs) {}

  std::vector<uint32_t> options; ///< of those that are decided
  KnobSet decided;
};

/// What may become of a condition.
enum class Outlook { broken, open, holds };

/// A condition at points of which only some knobs are decided. One that is
/// undefined at a point is broken there.
class PartialCondition {
public:
  /// The code is compiled from the node.
  PartialCondition(const constraint::Node &condition,
                   const constraint::Code &code, std::span<const Knob> knobs);

  const KnobSet &knobs() const { return scope; }

  /// How many parts it has: what an outlook costs.
  size_t size() const { return parts.size(); }

  /// By intervals: broken and holds are certain, open is not.
  Outlook outlook(const PartialPoint &point) const;

  /// Appends numbers: at two points with the same decided knobs that have the
  /// same numbers, the open knobs decide alike. They are the values of the
  /// largest parts without open knobs.
  void appendKey(const PartialPoint &point, std::vector<int64_t> &key) const;

  /// For a comparison: by how much the knob alone moves its sides apart, as a
  /// share of what all knobs do. Else 0.
  double influenceOf(uint32_t knob) const;

  /// Whether it holds where all its knobs are decided.
  bool holds(const PartialPoint &point) const {
    return code->run(point.options.data()) == Truth::holds;
  }

private:
  /// The values that a part may have; none where low > high: it is undefined.
  struct Range {
    int64_t low, high;
    bool mayBeUndefined;

    bool isUndefined() const { return low > high; }
    bool isTrue() const { return low > 0 && !mayBeUndefined; }
    bool isFalse() const { return high <= 0 && !isUndefined(); }
  };

  /// A node of the condition. Sums and products of more than two are one where
  /// no order of evaluation overflows.
  struct Part {
    constraint::Kind kind;
    KnobSet knobs;
    std::vector<uint32_t> operands; ///< of `parts`
    std::vector<int64_t> values;    ///< of a leaf, by option
    uint32_t knob = 0;              ///< of a leaf that has `knobs`
    Range range;                    ///< with all knobs open
  };

  uint32_t add(const constraint::Node &node, std::span<const Knob> knobs);
  void collectOperands(const constraint::Node &node, constraint::Kind kind,
                       std::vector<const constraint::Node *> &all) const;
  bool mayMerge(const Part &part) const;

  Range rangeOf(const Part &part, const PartialPoint &point) const;
  Range rangeOfJoin(const Part &part, const PartialPoint &point) const;
  Range rangeOfConditional(const Part &part, const PartialPoint &point) const;
  void appendKey(const Part &part, const PartialPoint &point,
                 std::vector<int64_t> &key,
                 std::optional<int64_t> modulus) const;
  std::optional<int64_t> modulusOf(const Part &part) const;
  void appendValue(const Part &part, Range range,
                   std::vector<int64_t> &key) const;

  std::vector<Part> parts; ///< the whole condition last
  const constraint::Code *code;
  KnobSet scope;
};

} // namespace tonno

#endif // TONNO_CORE_PARTIALCONDITION_H
