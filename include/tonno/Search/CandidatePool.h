//===- Observations and candidate pools of strategies ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_CANDIDATEPOOL_H
#define TONNO_SEARCH_CANDIDATEPOOL_H

#include "tonno/Core/Trial.h"
#include "tonno/Space/Encoding.h"
#include "tonno/Space/LegalSpace.h"

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tonno {

/// A point that was tried. The ratio is its time over the baseline's, in
/// whatever unit the trials have; none: it failed.
struct Observation {
  Configuration configuration;
  std::optional<double> ratio;

  /// Returns true if the observation is better; failures are worse than any
  /// time.
  bool isBetterThan(const Observation &other) const {
    return ratio && (!other.ratio || *ratio < *other.ratio);
  }
};

/// Trials of a space's points, in the order in which they were observed.
class Observations {
public:
  /// Adds a trial, or replaces the trial of the same point.
  void add(const Trial &trial);

  std::span<const Observation> all() const { return list; }
  const Observation *find(const Configuration &point) const;
  /// Returns the best observation; null if none succeeded.
  const Observation *best() const;
  /// Returns the best `count` successful observations, or all if there are
  /// fewer; ties are ordered by age, the earlier first.
  std::vector<const Observation *> best(size_t count) const;

private:
  std::vector<Observation> list;
  std::unordered_map<Configuration, size_t, ConfigurationHash> places;
};

/// The legal points that were neither proposed nor observed.
class FreshPoints {
public:
  explicit FreshPoints(std::shared_ptr<const LegalSpace> space)
      : sampler(std::move(space)) {}

  bool isFresh(const Configuration &point) const {
    return !taken.contains(point) && sampler.space().contains(point);
  }

  /// Marks the point as no longer fresh. Returns true if it was fresh.
  bool take(const Configuration &point);

  /// Draws a fresh point, uniformly if legal points are drawn uniformly; the
  /// point stays fresh. Returns none if no fresh points exist, or if they are
  /// few among too many legal points to list and the affordable draws did not
  /// find one.
  std::optional<Configuration> draw(Random &random);

  /// Returns a sampler of legal points that need not be fresh.
  LegalSampler &legal() { return sampler; }
  const LegalSpace &space() const { return sampler.space(); }

private:
  std::optional<Configuration> draw(size_t mostDraws, Random &random);
  std::optional<Configuration> drawListed(Random &random);

  LegalSampler sampler;
  std::unordered_set<Configuration, ConfigurationHash> taken;

  /// The fresh points, and some that no longer are; listed once draws find
  /// hardly any.
  std::optional<std::vector<Configuration>> listed;
  bool triesList = true;
};

/// A point that may be proposed, and how it came up.
struct PoolMember {
  enum class Origin { neighbour, mutant, cross, random };

  Configuration point;
  Origin origin = Origin::random;
  size_t parent = 0; ///< the place among the best, from 0, of what it varies
};

/// Distinct fresh points for models to rank: what lies around the best, between
/// them, and anywhere.
class CandidatePool {
public:
  struct Options {
    size_t elites = 8;         ///< the best, that are varied
    size_t neighboured = 4;    ///< of which all single changes are taken
    uint32_t radius = 16;      ///< of a knob's change, in options by value
    size_t mutants = 40;       ///< of each of the best, in one to three knobs
    size_t crosses = 60;       ///< between two of the best
    size_t randomPoints = 300; ///< of all legal ones
  };

  CandidatePool(FreshPoints &fresh, const Encoding &encoding, Random &random,
                const Options &options)
      : fresh(fresh), encoding(encoding), random(random), options(options) {}

  std::vector<PoolMember> draw(const Observations &observations);

private:
  void add(Configuration point, PoolMember::Origin origin, size_t parent);
  void addNeighbours(const Configuration &point, size_t parent);
  void addMutants(const Configuration &point, size_t parent);
  void addCrosses(std::span<const Observation *const> elites);

  FreshPoints &fresh;
  const Encoding &encoding;
  Random &random;
  const Options &options;
  std::vector<PoolMember> members;
  std::unordered_set<Configuration, ConfigurationHash> distinct;
};

} // namespace tonno

#endif // TONNO_SEARCH_CANDIDATEPOOL_H
