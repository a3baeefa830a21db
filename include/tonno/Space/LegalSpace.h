//===- The legal points, to draw from -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_LEGALSPACE_H
#define TONNO_SPACE_LEGALSPACE_H

#include "tonno/Space/Random.h"
#include "tonno/Space/SearchSpace.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

class Diagram;
class Encoding;

/// The precision of the number of legal points, and the uniformity of draws.
enum class Exactness {
  exact,       ///< counted; draws are uniform
  estimated,   ///< draws are uniform, and their share was estimated by drawing
  approximate, ///< draws are from those points that were found
};

EnumNames getEnumNames(Exactness);

/// The number of legal points of a space.
struct LegalCount {
  double points = 0;    ///< rounded where exact and over 2^53; may be infinite
  PointCount exact = 0; ///< `points` where exact; saturates
  double share = 0;     ///< of all points of the space
  Exactness exactness = Exactness::exact;
  double low = 0, high = 0; ///< 95 % interval of `points`
  /// True for an approximate count that is a lower bound: `points` counts the
  /// points found only.
  bool isLeast = false;
  /// The number of points found by sampling, for an approximate count.
  double effectiveSamples = 0;
};

/// The legal points of a space, as a set to draw from, however few they are.
/// Never enumerated. Immutable: threads may share it.
class LegalSpace {
public:
  /// Bounds on the work of building, beyond which it is content with less.
  struct Limits {
    size_t mostWork = 600000;   ///< for one diagram
    size_t mostInAll = 1500000; ///< for those of all orders of the knobs
    size_t orders = 8;      ///< of the knobs, of which the best one is taken
    size_t fewEdges = 3000; ///< a diagram that needs no better order
    /// Limits the sampling that estimates the points admitted by relaxed
    /// constraints: options drawn, about 10 ns each.
    size_t mostDrawn = size_t(1) << 24;
    /// Limits the listing of legal points that are too rare to be drawn: steps
    /// of LegalPoints, about 10 ns each.
    uint64_t mostListing = uint64_t(1) << 27;
  };

  /// Creates the set of points that satisfy the space's constraints.
  static std::shared_ptr<const LegalSpace> create(const SearchSpace &space,
                                                  Limits limits);
  static std::shared_ptr<const LegalSpace> create(const SearchSpace &space) {
    return create(space, Limits());
  }

  /// Creates the set of these points; duplicates count once.
  static std::shared_ptr<const LegalSpace>
  of(const SearchSpace &space, std::vector<Configuration> points);

  const SearchSpace &space() const { return searchSpace; }
  const LegalCount &count() const { return legalCount; }
  bool contains(const Configuration &point) const;

  /// Returns true if the set was created from a list.
  bool isListed() const { return isList; }

  /// Returns all legal points in the order of SearchSpace::at; none if there
  /// are more than `most`, or finding them takes long.
  std::optional<std::vector<Configuration>> list(size_t most = size_t(1)
                                                               << 20) const;

  /// Returns the memory of the diagram.
  size_t bytes() const;

  /// Returns the number of draws, at most `draws` but always some, that take no
  /// more than a tenth of a second or two.
  size_t limitDraws(size_t draws) const;

  /// The work of building the set, in the units of Limits.
  struct Work {
    size_t inAll = 0; ///< for diagrams, those that were given up too
    size_t drawn = 0; ///< options, to estimate
  };
  const Work &work() const { return workDone; }

  /// Returns the indices of constraints that are not, or only partly, in the
  /// diagram since they are too complex; draws reject points that break them.
  std::span<const size_t> tangledConstraints() const { return tangled; }

private:
  friend class LegalSampler;
  explicit LegalSpace(SearchSpace space);
  /// Sets the count to the number of the diagram's points, all of them legal.
  void setExactCount();
  /// Sets the count; `share` is relative to the diagram's points.
  void setCount(double points, double share, double low, double high,
                Exactness exactness);
  double partOfDiagram(double share) const;
  void estimate(const Limits &limits);
  void listFound(const Limits &limits, std::vector<Configuration> found);

  SearchSpace searchSpace;
  std::shared_ptr<const Diagram> diagram; ///< of at least the legal points
  bool isList = false; ///< the diagram is all there is to know
  double accepted = 1; ///< of the diagram's points
  std::vector<size_t> tangled;
  LegalCount legalCount;
  Work workDone;
};

/// Draws legal points. Each strategy needs its own, since draws use internal
/// buffers.
class LegalSampler {
public:
  explicit LegalSampler(std::shared_ptr<const LegalSpace> space);
  LegalSampler(LegalSampler &&) noexcept;
  ~LegalSampler();

  /// Draws uniformly; none if there are no legal points, or none was found.
  std::optional<Configuration> draw(Random &random);

  /// Draws uniformly among the points that agree with `point` in all knobs but
  /// `freeKnobs`.
  std::optional<Configuration> complete(const Configuration &point,
                                        std::span<const uint32_t> freeKnobs,
                                        Random &random);

  /// Draws uniformly among the points with each knob's option from one of two
  /// points.
  std::optional<Configuration>
  cross(const Configuration &one, const Configuration &other, Random &random);

  /// Returns a legal point with the least distance: the sum over the differing
  /// knobs of |difference of the option indices| / (options - 1) + 1/2. If the
  /// count is not exact, returns a point close to the minimum.
  std::optional<Configuration> nearest(const Configuration &point,
                                       Random &random);

  const LegalSpace &space() const { return *legalSpace; }

  /// Returns the work of all draws so far: visited edges of the diagram, and
  /// options of drawn points, legal or not. A unit takes about 10 ns.
  uint64_t work() const;

private:
  std::optional<Configuration> drawWithin(Random &random);
  void fixAllKnobs(const Configuration &point);

  std::shared_ptr<const LegalSpace> legalSpace;
  struct State;
  std::unique_ptr<State> state;
  uint64_t steps = 0; ///< of `work`, but those of counting within ranges
};

/// Finds what comes nearest to a configuration of another space whose knobs
/// have the same names: the same kernel's, at another shape or on another
/// device.
class PointTransfer {
public:
  explicit PointTransfer(std::shared_ptr<const LegalSpace> space);

  /// Transfers values of another space to a legal point. Replaces a missing
  /// option by the nearest one, by ratio, if the knob is ordered, and an
  /// illegal point by a near legal one. None if knobs differ, an option has no
  /// near one, or no point is legal.
  std::optional<Configuration> transfer(const Json &values);

private:
  std::optional<uint32_t> nearestOption(size_t knob, const Json &value) const;

  std::shared_ptr<const LegalSpace> space;
  std::shared_ptr<const Encoding> encoding;
  LegalSampler sampler;
  Random random{1};
};

/// Finds constraints of a space, by index, that no configuration satisfies
/// together, while without any one of them some may. Returns none if the space
/// is not empty or the answer is unknown. Takes bounded work.
std::optional<std::vector<size_t>>
conflictingConstraints(const SearchSpace &space);

/// Describes the conflicting constraints for a message: `constraints "A < 2"
/// and "A > 4" together`, or just `constraints`.
std::string describeConflict(const SearchSpace &space);

} // namespace tonno

#endif // TONNO_SPACE_LEGALSPACE_H
