//===- Observations and candidate pools of strategies ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/CandidatePool.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tonno;

/// Returns the ratio of a trial; a trial without a positive time has none,
/// whatever its status.
static std::optional<double> getTrialRatio(const Trial &trial) {
  // A lower bound, as the measurement of one that was pruned.
  if (trial.status == Status::bounded)
    return trial.ratioBound;
  if (!trial.measurement || !std::isfinite(trial.measurement->ratio) ||
      trial.measurement->ratio <= 0)
    return std::nullopt;
  return trial.measurement->ratio;
}

void Observations::add(const Trial &trial) {
  auto [entry, isNew] = places.try_emplace(trial.configuration, list.size());
  if (isNew)
    list.push_back({trial.configuration, getTrialRatio(trial)});
  else
    list[entry->second].ratio = getTrialRatio(trial);
}

const Observation *Observations::find(const Configuration &point) const {
  auto entry = places.find(point);
  return entry == places.end() ? nullptr : &list[entry->second];
}

const Observation *Observations::best() const {
  const Observation *best = nullptr;
  for (const Observation &each : list)
    if (each.ratio && (!best || each.isBetterThan(*best)))
      best = &each;
  return best;
}

std::vector<const Observation *> Observations::best(size_t count) const {
  std::vector<const Observation *> ranked;
  for (const Observation &each : list)
    if (each.ratio)
      ranked.push_back(&each);
  std::ranges::sort(ranked, {}, [](const Observation *each) {
    return std::pair(*each->ratio, each);
  });
  ranked.resize(std::min(ranked.size(), count));
  return ranked;
}

bool FreshPoints::take(const Configuration &point) {
  return taken.insert(point).second && space().contains(point);
}

std::optional<Configuration> FreshPoints::draw(size_t mostDraws,
                                               Random &random) {
  for (size_t i = 0; i < mostDraws; ++i) {
    std::optional<Configuration> point = sampler.draw(random);
    if (!point || !taken.contains(*point))
      return point;
  }
  return std::nullopt;
}

std::optional<Configuration> FreshPoints::drawListed(Random &random) {
  while (!listed->empty()) {
    Configuration &point = (*listed)[random.below(listed->size())];
    if (!taken.contains(point))
      return point;
    std::swap(point, listed->back());
    listed->pop_back();
  }
  return std::nullopt;
}

std::optional<Configuration> FreshPoints::draw(Random &random) {
  if (listed)
    return drawListed(random);
  // List the remaining points if many draws in vain show that few are left.
  if (auto point = draw(space().limitDraws(300), random))
    return point;
  if (triesList) {
    triesList = false;
    if ((listed = space().list()))
      return drawListed(random);
  }
  return draw(space().limitDraws(100000), random);
}

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
  for (size_t i = fresh.space().limitDraws(options.randomPoints); i > 0; --i)
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
