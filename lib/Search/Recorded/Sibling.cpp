//===- The best of a recording, for another -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Sibling.h"

#include <algorithm>

using namespace tonno;

std::vector<Configuration> tonno::bestOfSibling(const Recording &sibling,
                                                const LegalSpace &space,
                                                size_t count) {
  std::vector<const RecordedTrial *> order;
  for (const RecordedTrial &trial : sibling.trials())
    if (trial.ok())
      order.push_back(&trial);
  std::ranges::sort(order, {}, [](const RecordedTrial *trial) {
    return std::pair(trial->seconds, trial); // in their order where equal
  });
  std::vector<Configuration> points;
  for (const RecordedTrial *trial : order) {
    if (points.size() == count)
      break;
    auto point = space.space().configuration(
        sibling.space().values(trial->configuration));
    if (point && space.contains(*point))
      points.push_back(std::move(*point));
  }
  return points;
}
