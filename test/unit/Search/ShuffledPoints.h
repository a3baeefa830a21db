//===- Random search among listed points ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_SEARCH_SHUFFLEDPOINTS_H
#define TEST_UNIT_SEARCH_SHUFFLEDPOINTS_H

#include "tonno/Search/Replay.h"
#include "tonno/Space/Random.h"

namespace tonno {

/// Proposes each of the points once, in random order.
class ShuffledPoints : public SearchStrategy {
public:
  ShuffledPoints(std::vector<Configuration> all, uint64_t seed)
      : points(std::move(all)) {
    Random(seed).shuffle(std::span(points));
  }
  std::vector<Configuration> propose(size_t n) override {
    size_t first = next;
    next = std::min(points.size(), next + n);
    return {points.begin() + static_cast<ptrdiff_t>(first),
            points.begin() + static_cast<ptrdiff_t>(next)};
  }
  void observe(std::span<const Trial>) override {}

private:
  std::vector<Configuration> points;
  size_t next = 0;
};

inline ReplayStrategy shuffledPoints() {
  return {
      "shuffled", [](const ReplaySpace &space, uint64_t seed) {
        return Result(std::unique_ptr<SearchStrategy>(
            std::make_unique<ShuffledPoints>(space.recording.points(), seed)));
      }};
}

} // namespace tonno

#endif // TEST_UNIT_SEARCH_SHUFFLEDPOINTS_H
