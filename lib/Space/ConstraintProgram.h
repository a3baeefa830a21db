//===- Constraints, compiled for a space ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SPACE_CONSTRAINTPROGRAM_H
#define TONNO_LIB_SPACE_CONSTRAINTPROGRAM_H

#include "tonno/Space/Constraint.h"
#include "tonno/Space/SearchSpace.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tonno {

/// A set of knobs of a space, by their indices.
class KnobSet {
public:
  explicit KnobSet(size_t knobs) : words((knobs + 63) / 64) {}
  KnobSet(size_t knobs, std::span<const uint32_t> members) : KnobSet(knobs) {
    for (uint32_t knob : members)
      insert(knob);
  }

  bool contains(size_t knob) const { return words[knob / 64] >> knob % 64 & 1; }
  void insert(size_t knob) { words[knob / 64] |= uint64_t(1) << knob % 64; }
  void erase(size_t knob) { words[knob / 64] &= ~(uint64_t(1) << knob % 64); }

  void clear() { std::ranges::fill(words, 0); }
  void insert(const KnobSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] |= other.words[i];
  }
  bool isWithin(const KnobSet &other) const { return countWithout(other) == 0; }
  bool meets(const KnobSet &other) const {
    uint64_t common = 0;
    for (size_t i = 0; i < words.size(); ++i)
      common |= words[i] & other.words[i];
    return common != 0;
  }
  /// Returns the number of knobs that are not in `other`.
  size_t countWithout(const KnobSet &other) const {
    size_t count = 0;
    for (size_t i = 0; i < words.size(); ++i)
      count += static_cast<size_t>(std::popcount(words[i] & ~other.words[i]));
    return count;
  }
  size_t count() const {
    size_t count = 0;
    for (uint64_t word : words)
      count += static_cast<size_t>(std::popcount(word));
    return count;
  }

  /// Returns the knobs of the set, ascending.
  std::vector<uint32_t> members() const {
    std::vector<uint32_t> all;
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t word = words[i]; word; word &= word - 1)
        all.push_back(static_cast<uint32_t>(i * 64) +
                      static_cast<uint32_t>(std::countr_zero(word)));
    return all;
  }

  std::optional<size_t> greatest() const {
    for (size_t i = words.size(); i-- > 0;)
      if (words[i])
        return i * 64 + 63 - static_cast<size_t>(std::countl_zero(words[i]));
    return std::nullopt;
  }

private:
  std::vector<uint64_t> words;
};

/// Value of a condition at a point.
enum class Truth : uint8_t {
  broken,
  holds,
  undefined, ///< it divides by zero or leaves 64 bits
};

/// Limits the combinations of options that a table may hold. The limits do not
/// affect the results.
struct ConstraintLimits {
  uint64_t truths = 16384; ///< of a condition: a byte each
  uint64_t values = 512;   ///< of an integer: 8 bytes each
};

namespace constraint {

enum class Kind : uint8_t;
struct Node;

/// The location of an instruction's operand.
enum class From : uint8_t {
  slot,     ///< in slot `operand`
  constant, ///< values[operand]
  knob,     ///< values[operand + the option of `knob`]
  table,    ///< in table `operand`
};

struct Instruction {
  Kind operation{};
  From from = From::slot;
  uint16_t slot = 0;
  uint32_t knob = 0;
  uint32_t operand = 0;
};

/// An array over the options of some knobs, the last one varying fastest.
struct Table {
  uint32_t firstAxis = 0; ///< of Code::axes
  uint32_t axes = 0;
  uint32_t offset = 0; ///< of Code::truths or Code::values
};

struct Axis {
  uint32_t knob = 0;
  uint32_t stride = 0;
};

/// A condition or an integer, compiled for a register machine. Subexpressions
/// of few knobs with few options are tables.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<int64_t> values;
  std::vector<Truth> truths;
  std::vector<Table> tables;
  std::vector<Axis> axes;

  /// Evaluates the code where each knob of the space has this option.
  Truth run(const uint32_t *options) const;
  /// Evaluates an integer and stores its value; `broken` if the value is 0.
  Truth run(const uint32_t *options, int64_t *value) const;
};

/// The values that an expression may have; none where low > high: it is
/// undefined.
struct Range {
  int64_t low, high;
  bool mayBeUndefined;

  bool isUndefined() const { return low > high; }
};

} // namespace constraint

/// A partial assignment: some knobs with options, the others open.
struct PartialPoint {
  explicit PartialPoint(size_t knobs) : options(knobs), decided(knobs) {}

  std::vector<uint32_t> options; ///< of those that are decided
  KnobSet decided;
};

/// Values that a condition may take at the points that a partial one leaves.
enum class Outlook { broken, open, holds };

/// A condition without `,` and `and` at its top, compiled twice: as code for
/// points, and as a tree of intervals for points of which only some knobs are
/// decided. A condition that is undefined at a point is broken there.
class Condition {
public:
  Condition(const constraint::Node &condition, std::span<const Knob> knobs,
            ConstraintLimits limits);

  /// Returns the knobs that the condition depends on.
  const KnobSet &knobs() const { return scope; }
  const constraint::Code &code() const { return compiled; }

  /// Evaluates the condition where each knob of the space has this option.
  Truth evaluate(const uint32_t *options) const {
    return compiled.run(options);
  }

  /// Returns the number of parts, which the cost of an outlook is proportional
  /// to.
  size_t size() const { return parts.size(); }

  /// Evaluates the condition by intervals: `broken` and `holds` are certain,
  /// `open` is not.
  Outlook outlook(const PartialPoint &point) const;

  /// Appends numbers: at two points with the same decided knobs that have the
  /// same numbers, the open knobs decide alike. They are the values of the
  /// largest parts without open knobs.
  void appendKey(const PartialPoint &point, std::vector<int64_t> &key) const;

  /// Returns how far the knob alone moves a comparison's sides apart, as a
  /// share of the effect of all knobs; 0 for other conditions.
  double computeInfluence(uint32_t knob) const;

  /// Returns true if the condition holds at a point that decides all its knobs.
  bool holds(const PartialPoint &point) const {
    return evaluate(point.options.data()) == Truth::holds;
  }

  /// Returns false if intervals prove the condition to be defined everywhere.
  bool mayBeUndefined() const { return parts.back().range.mayBeUndefined; }

private:
  /// A node of the condition. Sums and products of more than two are one where
  /// no order of evaluation overflows.
  struct Part {
    constraint::Kind kind;
    KnobSet knobs;
    std::vector<uint32_t> operands; ///< of `parts`
    std::vector<int64_t> values;    ///< of a leaf, by option
    uint32_t knob = 0;              ///< of a leaf that has `knobs`
    constraint::Range range;        ///< with all knobs open
  };

  uint32_t add(const constraint::Node &node, std::span<const Knob> knobs);
  bool mayMerge(const Part &part) const;

  constraint::Range computeRange(const Part &part,
                                 const PartialPoint &point) const;
  constraint::Range computeJoinRange(const Part &part,
                                     const PartialPoint &point) const;
  void appendKey(const Part &part, const PartialPoint &point,
                 std::vector<int64_t> &key,
                 std::optional<int64_t> modulus) const;

  std::vector<Part> parts; ///< the whole condition last
  constraint::Code compiled;
  KnobSet scope;
};

/// A constraint over the knobs of a space, compiled: 10 to 50 ns an evaluation.
class ConstraintProgram {
public:
  using Limits = ConstraintLimits;

  /// Compiles a constraint: resolves names to knobs, or dimensions, which are
  /// constants, and checks types. Arithmetic and `<` and the like are on
  /// integers; `==` and `!=` compare values of one kind. A knob with options of
  /// several kinds equals what its option equals. A string compared with a knob
  /// must be one of its options.
  static Result<ConstraintProgram, ConstraintError>
  compile(const Constraint &constraint, std::span<const Knob> knobs,
          Limits limits = {}, std::span<const Dimension> dimensions = {});

  /// Evaluates the constraint at the point with these options, one for each
  /// knob that it was compiled for. A point where an earlier conjunct is broken
  /// is not undefined.
  Truth evaluate(std::span<const uint32_t> options) const {
    for (const Condition &conjunct : conditions)
      if (Truth truth = conjunct.evaluate(options.data());
          truth != Truth::holds)
        return truth;
    return Truth::holds;
  }

  /// Returns the conjuncts in order of evaluation. The constraint holds if all
  /// of them hold.
  std::span<const Condition> conjuncts() const { return conditions; }

  /// Returns the indices of the knobs that the constraint depends on,
  /// ascending.
  const std::vector<uint32_t> &knobs() const { return dependencies; }

private:
  std::vector<Condition> conditions;
  std::vector<uint32_t> dependencies;
};

} // namespace tonno

#endif // TONNO_LIB_SPACE_CONSTRAINTPROGRAM_H
