//===- Candidates worth a look --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/CandidatePool.h"

#include <algorithm>
#include <numeric>

using namespace tonno;
using Origin = PoolMember::Origin;

void CandidatePool::add(Configuration point, Origin origin, size_t parent) {
  if (fresh.isFresh(point) && distinct.insert(point).second)
    members.push_back({std::move(point), origin, parent});
}

void CandidatePool::addNeighbours(const Configuration &point, size_t parent) {
  Configuration other = point;
  for (size_t knob = 0; knob < encoding.knobs(); ++knob) {
    for (uint32_t option :
         encoding.neighbours(knob, point.indices[knob], options.radius)) {
      other.indices[knob] = option;
      add(other, Origin::neighbour, parent);
    }
    other.indices[knob] = point.indices[knob];
  }
}

void CandidatePool::addMutants(const Configuration &point, size_t parent) {
  std::vector<uint32_t> knobs(encoding.knobs());
  std::iota(knobs.begin(), knobs.end(), 0);
  for (size_t i = 0; i < options.mutants; ++i) {
    size_t count = std::min<size_t>(1 + random.below(3), knobs.size());
    for (size_t k = 0; k < count; ++k)
      std::swap(knobs[k], knobs[k + random.below(knobs.size() - k)]);
    if (auto mutant = fresh.legal().complete(
            point, std::span(knobs).first(count), random))
      add(*std::move(mutant), Origin::mutant, parent);
  }
}

void CandidatePool::addCrosses(std::span<const Observation *const> elites) {
  if (elites.size() < 2)
    return;
  for (size_t i = 0; i < options.crosses; ++i) {
    size_t one = random.below(elites.size());
    size_t other = random.below(elites.size());
    if (auto cross = fresh.legal().cross(elites[one]->configuration,
                                         elites[other]->configuration, random))
      add(*std::move(cross), Origin::cross, std::min(one, other));
  }
}

std::vector<PoolMember> CandidatePool::draw(const Observations &observations) {
  std::vector<const Observation *> elites = observations.best(options.elites);
  for (size_t i = fresh.space().affordable(options.randomPoints); i > 0; --i)
    if (auto point = fresh.legal().draw(random))
      add(*std::move(point), Origin::random, 0);
  for (size_t i = 0; i < elites.size(); ++i) {
    if (i < options.neighboured)
      addNeighbours(elites[i]->configuration, i);
    addMutants(elites[i]->configuration, i);
  }
  addCrosses(elites);
  return std::move(members);
}
