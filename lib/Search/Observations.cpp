//===- What is known of a space's points ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Observations.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// What has no positive time has failed, whatever its status says.
static std::optional<double> ratioOf(const Trial &trial) {
  if (!trial.measurement || !std::isfinite(trial.measurement->ratio) ||
      trial.measurement->ratio <= 0)
    return std::nullopt;
  return trial.measurement->ratio;
}

void Observations::add(const Trial &trial) {
  auto [entry, isNew] = places.try_emplace(trial.configuration, list.size());
  if (isNew)
    list.push_back({trial.configuration, ratioOf(trial)});
  else
    list[entry->second].ratio = ratioOf(trial);
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
