//===- Search spaces of knobs ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_SEARCHSPACE_H
#define TONNO_SPACE_SEARCHSPACE_H

#include "tonno/Core/Configuration.h"
#include "tonno/Core/Json.h"
#include "tonno/Space/Constraint.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// A count of points; saturates at its greatest value.
__extension__ using PointCount = unsigned __int128;

PointCount saturatingProduct(PointCount a, PointCount b);
PointCount saturatingSum(PointCount a, PointCount b);

/// Returns the digits of a count up to 2^64, of another "over 2^64".
std::string formatCount(PointCount count);

/// Returns a number up to 2^64, of another count the text "over 2^64".
Json countToJson(PointCount count);
/// Returns an estimate, or "over 2^64" if it is infinite.
Json countToJson(double count);

/// A value that a knob may take: a JSON integer, boolean or string; an array of
/// those; or, for any other attribute, `{"mlir": "<its text>"}`. The type of an
/// integer is the knob's, common to all its options, and is part of the
/// kernel's hash; within arrays, integers are i64, and other types are text.
using Option = Json;

/// A named tunable value with the options it may take.
struct Knob {
  std::string name;
  std::vector<Option> options; ///< distinct, at least one
  uint32_t defaultIndex = 0;   ///< of the option used without a selection

  std::optional<uint32_t> findOptionIndex(const Option &option) const;
  bool operator==(const Knob &) const = default;
};

/// A named size of the problem, a constant to constraints.
struct Dimension {
  std::string name;
  int64_t size = 0;

  bool operator==(const Dimension &) const = default;
};

class ConstraintProgram;

/// The knobs of one kernel, and the constraints over them and the kernel's
/// dimensions. Points are stored as option indices (Configuration), in the
/// order of `knobs`. Copies share compiled constraints.
class SearchSpace {
public:
  SearchSpace() = default;
  explicit SearchSpace(std::vector<Knob> knobs) : knobList(std::move(knobs)) {}

  /// Creates a space with constraints, a conjunction evaluated in order. Fails
  /// on two knobs or dimensions with one name, an unknown name, a comparison of
  /// incompatible kinds, and a division by zero or an overflow at a point that
  /// satisfies those earlier constraints that depend on no other knobs.
  ///
  /// The last error is always found if the constraint's knobs have up to 4
  /// million combinations of options, or intervals prove that there is none.
  /// Otherwise draws a million; undefined points that are not drawn count as
  /// illegal.
  static Result<SearchSpace, ConstraintError>
  create(std::vector<Knob> knobs, std::vector<std::string> constraints,
         std::vector<Dimension> dimensions = {});

  const std::vector<Knob> &knobs() const { return knobList; }
  const Knob *find(std::string_view name) const;
  const std::vector<std::string> &constraints() const { return conditions; }
  /// Returns the compiled constraints.
  std::span<const ConstraintProgram> compiledConstraints() const;

  /// Returns the dimensions, in the order of their first appearance.
  const std::vector<Dimension> &dimensions() const { return dimensionList; }
  /// Returns the dimensions that these constraints name.
  std::vector<Dimension>
  getConstraintDimensions(std::span<const size_t> constraints) const;
  /// Returns the same space without dimensions that no constraint names: equal
  /// for two kernels that differ in names of other dimensions alone.
  SearchSpace withoutUnusedDimensions() const;

  /// Returns the number of points, legal or not; saturates at 2^64 - 1.
  uint64_t size() const;
  /// Returns the number of points, legal or not; saturates at 2^128 - 1.
  PointCount count() const;
  Configuration defaultConfiguration() const;

  /// Returns true if every constraint holds at the point.
  bool isLegal(const Configuration &configuration) const {
    return !brokenConstraint(configuration);
  }
  /// Returns the index of the first broken constraint.
  std::optional<size_t>
  brokenConstraint(const Configuration &configuration) const;

  /// Returns the first legal point, in the order of `at`, that agrees with the
  /// default configuration in each knob with `isFixed`, which has one value for
  /// each knob. Searches like LegalPoints; if that takes long in that order,
  /// tries other orders, and returns any legal point that agrees. Gives up
  /// after 2^25 steps, a second or two: then returns none, and sets
  /// `hasReachedStepLimit`.
  std::optional<Configuration>
  firstLegal(const std::vector<bool> &isFixed,
             bool *hasReachedStepLimit = nullptr) const;

  /// Returns the space with another default: a point of the space, legal or
  /// not.
  SearchSpace withDefault(const Configuration &configuration) const;

  /// Returns the point with this number, the last knob varying fastest.
  /// Precondition: index < size() and the size does not saturate.
  Configuration at(uint64_t index) const;

  /// Returns the form used in records, messages and the CLI: {"BM": 64, "BN":
  /// 32}.
  Json values(const Configuration &configuration) const;

  /// Returns the point with these values, the inverse of `values`. Every knob
  /// must be named; the Error for an unknown knob or option lists the known
  /// ones, that for a broken constraint quotes it.
  Result<Configuration> configuration(const Json &values) const;

  bool operator==(const SearchSpace &other) const {
    return knobList == other.knobList && conditions == other.conditions &&
           dimensionList == other.dimensionList;
  }

private:
  friend class LegalPoints;
  std::vector<Knob> knobList;
  std::vector<std::string> conditions;
  std::vector<Dimension> dimensionList;
  std::shared_ptr<const std::vector<ConstraintProgram>> programs;
};

/// Enumerates the legal points of a space in the order of SearchSpace::at. A
/// constraint is checked once its last knob has an option, and by intervals
/// before; knobs that have no part in a failure are not varied to get out of
/// it. So legal points are found fast where constraints have few knobs each;
/// where they have many, it may still take time exponential in their number.
class LegalPoints {
public:
  /// Gives up after this many steps: a tried option of a knob, or four parts of
  /// a constraint whose intervals are computed, is a step.
  explicit LegalPoints(
      const SearchSpace &space,
      uint64_t mostSteps = std::numeric_limits<uint64_t>::max());
  LegalPoints(LegalPoints &&) noexcept;
  LegalPoints &operator=(LegalPoints &&) noexcept;
  ~LegalPoints();

  /// Returns the next legal point; none at the end, or after giving up.
  std::optional<Configuration> next();
  bool hasReachedStepLimit() const;

private:
  friend class SearchSpace;
  static std::optional<Configuration>
  firstLegal(const SearchSpace &space, const std::vector<bool> &isFixed,
             uint64_t mostSteps, bool &hasReachedStepLimit);

  struct State;
  std::unique_ptr<State> state;
};

/// Returns "M=1024 K=512", each with `separator` before it but the first.
std::string formatDimensions(std::span<const Dimension> dimensions,
                             std::string_view separator = " ");

void mapFields(JsonFields &fields, Knob &knob);
void mapFields(JsonFields &fields, Dimension &dimension);
void to_json(Json &json, const SearchSpace &space);
void from_json(const Json &json, SearchSpace &space);

} // namespace tonno

#endif // TONNO_SPACE_SEARCHSPACE_H
