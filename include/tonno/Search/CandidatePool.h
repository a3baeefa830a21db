//===- Candidates worth a look --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_CANDIDATEPOOL_H
#define TONNO_SEARCH_CANDIDATEPOOL_H

#include "tonno/Search/Encoding.h"
#include "tonno/Search/FreshPoints.h"
#include "tonno/Search/Observations.h"

#include <string>

namespace tonno {

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
