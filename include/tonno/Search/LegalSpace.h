//===- LegalSpace.h - The legal points, to draw from ---------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_SEARCH_LEGALSPACE_H
#define TONNO_SEARCH_LEGALSPACE_H

#include "tonno/Core/SearchSpace.h"
#include "tonno/Search/Diagram.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tonno {

/// How well the number of legal points is known, and how uniform draws are.
enum class Exactness {
  exact,       ///< counted; draws are uniform
  estimated,   ///< draws are uniform, and their share was estimated by drawing
  approximate, ///< draws are close to uniform at best
};

/// How many points of a space are legal.
struct LegalCount {
  double points = 0; ///< rounded where exact and over 2^53
  double share = 0;  ///< of all points of the space
  Exactness exactness = Exactness::exact;
  double low = 0, high = 0; ///< 95 % interval of `points`
};

/// The legal points of a space, as a set to draw from, however few they are.
/// Never enumerated. Immutable: threads may share it.
class LegalSpace {
public:
  /// Bounds on the work of building, beyond which it is content with less.
  struct Limits {
    size_t mostWork = 400000; ///< options tried for one diagram
    size_t orders = 8;        ///< of the knobs that are tried
  };

  /// Those that the space's constraints allow.
  static std::shared_ptr<const LegalSpace> create(const SearchSpace &space,
                                                  Limits limits);
  static std::shared_ptr<const LegalSpace> create(const SearchSpace &space) {
    return create(space, Limits());
  }

  /// These, each given once or more.
  static std::shared_ptr<const LegalSpace>
  create(const SearchSpace &space, std::vector<Configuration> points);

  const SearchSpace &space() const { return searchSpace; }
  const LegalCount &count() const { return legalCount; }
  bool contains(const Configuration &point) const;

private:
  friend class LegalSampler;
  explicit LegalSpace(SearchSpace space) : searchSpace(std::move(space)) {}

  SearchSpace searchSpace;
  Diagram diagram;
  bool isListed = false; ///< the diagram is all there is to know
  LegalCount legalCount;
};

/// Draws legal points. One for each strategy: it holds what is written while
/// drawing.
class LegalSampler {
public:
  explicit LegalSampler(std::shared_ptr<const LegalSpace> space);

  /// Uniform; none: there are no legal points, or none was found.
  std::optional<Configuration> draw(Random &random);

  /// Uniform among those that agree with the point in all knobs but these.
  std::optional<Configuration> complete(const Configuration &point,
                                        std::span<const uint32_t> freeKnobs,
                                        Random &random);

  /// Uniform among those that have each knob's option from one of two.
  std::optional<Configuration>
  cross(const Configuration &one, const Configuration &other, Random &random);

  /// The one with the least distance: the sum over the knobs of |difference of
  /// option indices| / (options - 1), and a half where they differ.
  std::optional<Configuration> nearest(const Configuration &point);

  const LegalSpace &space() const { return *legalSpace; }

private:
  std::optional<Configuration> drawWithin(Random &random);

  std::shared_ptr<const LegalSpace> legalSpace;
  RestrictedDraw restricted;
  std::vector<KnobRange> ranges; ///< of the draw being made
};

} // namespace tonno

#endif // TONNO_SEARCH_LEGALSPACE_H
