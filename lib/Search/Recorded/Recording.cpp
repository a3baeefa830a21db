//===- A space whose points were all measured -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Recording.h"

using namespace tonno;

std::vector<Configuration> Recording::points() const {
  std::vector<Configuration> points;
  points.reserve(recorded.size());
  for (const RecordedTrial &trial : recorded)
    points.push_back(trial.configuration);
  return points;
}

std::optional<size_t>
Recording::find(const Configuration &configuration) const {
  auto found = places.find(configuration);
  if (found == places.end())
    return std::nullopt;
  return found->second;
}
