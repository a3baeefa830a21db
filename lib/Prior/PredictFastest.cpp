//===- Prediction of the fastest configuration, without trials ------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PredictFastest.h"
#include "PriorPool.h"

#include <algorithm>
#include <cmath>
#include <ranges>

using namespace tonno;

/// Adds so many deviations to predictions. The less a prior knows, the larger
/// they are.
static constexpr double caution = 0.3;
/// Smaller gains than this turned out to be losses as often.
static constexpr double leastSpeedup = 1.1;

/// Returns true if two kernels have the same ops at sizes of their own, or no
/// ops and the same knobs.
static bool areOfOneForm(const PriorTask &one, const PriorTask &other) {
  if (one.features.ops.empty() && one.knobs != other.knobs)
    return false;
  return std::ranges::equal(one.features.ops, other.features.ops,
                            [](const OpFeatures &a, const OpFeatures &b) {
                              return a.kind == b.kind && a.bits == b.bits &&
                                     std::ranges::equal(
                                         std::views::keys(a.sizes),
                                         std::views::keys(b.sizes));
                            });
}

std::optional<PredictedConfiguration>
tonno::predictFastest(const SearchSpace &space, const Prior &prior,
                      PriorTask task, uint64_t seed,
                      std::vector<Configuration> points) {
  // The sum of the ops of other kernels is further from their whole than the
  // deviations state, and no other chip was compared. A search can try such
  // points, a build cannot.
  if (prior.coverage < leastCoverage)
    return std::nullopt;
  bool isKnown =
      std::ranges::any_of(prior.sources, [&](const PriorSource &source) {
        return source.task.chip == task.chip && areOfOneForm(source.task, task);
      });
  if (!isKnown)
    return std::nullopt;
  Configuration standard = space.defaultConfiguration();
  PriorPool pool(points.empty() ? LegalSpace::create(space)
                                : LegalSpace::of(space, std::move(points)),
                 task);
  PriorModel model(prior, std::move(task));
  if (model.sources().empty())
    return std::nullopt;
  // Afterwards losses are relative to the default's.
  model.observe(pool.values(standard), 0);
  pool.take(standard);
  Random random(seed);
  auto best = pool.findBest(model, caution, random);
  if (!best)
    return std::nullopt;
  PriorModel::Prediction expected =
      model.predict({{pool.values(*best)}}).front();
  double speedup = std::exp(-expected.loss);
  if (expected.loss + caution * expected.deviation >= 0 ||
      speedup < leastSpeedup)
    return std::nullopt;
  return PredictedConfiguration{*std::move(best), speedup};
}
