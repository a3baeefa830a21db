//===- Timing candidates one after the other ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Unpaired.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

namespace {

/// Finds out whether a candidate is far slower than the best one.
class PruneRule {
public:
  PruneRule(const UnpairedOptions &options, double bestSeconds)
      : longest(
            std::max(options.shortSeconds, options.pruneFactor * bestSeconds)),
        loadSeconds(options.loadSeconds) {}

  /// Returns true if the runs so far, this one the last, prune the candidate.
  bool isPrunedBy(double seconds) {
    fastest = std::min(fastest, seconds);
    bool isFirst = ++runs == 1;
    return fastest > longest && (!isFirst || seconds >= loadSeconds);
  }
  UnpairedMeasurement pruned() const {
    return {fastest, Distribution::of({fastest}), /*isPruned=*/true};
  }

private:
  double longest, loadSeconds;
  double fastest = std::numeric_limits<double>::infinity();
  size_t runs = 0;
};

} // namespace

Result<UnpairedMeasurement, Failure>
tonno::measureUnpaired(Sampler &sampler, const UnpairedOptions &options,
                       double firstSeconds, const UnpairedLimits &limits,
                       const IsDisturbed &isDisturbed) {
  PruneRule rule(options, limits.bestSeconds);
  if (rule.isPrunedBy(firstSeconds))
    return rule.pruned();
  std::vector<double> samples;
  if (options.warmup == 0)
    samples.push_back(firstSeconds);
  bool isShort = firstSeconds < options.shortSeconds;
  uint64_t uncounted = options.warmup + (isShort ? options.shortWarmup : 0);
  for (uint64_t i = 1; options.warmup > 0 && i < uncounted; ++i) {
    if (limits.isTimeUp())
      break;
    auto seconds = TONNO_TRY(sampler.warm(firstCandidate));
    if (rule.isPrunedBy(seconds))
      return rule.pruned();
  }
  for (uint64_t retake = 0;; ++retake) {
    while (samples.size() < options.samples && !limits.isTimeUp()) {
      auto sample = TONNO_TRY(sampler.sample(firstCandidate));
      samples.push_back(sample);
      if (rule.isPrunedBy(sample))
        return rule.pruned();
    }
    if (samples.empty())
      samples.push_back(firstSeconds); // all that there was time for
    if (retake == options.retakes || limits.isTimeUp() || !isDisturbed(samples))
      break;
    samples.clear();
  }
  UnpairedMeasurement measured;
  measured.distribution = Distribution::of(samples);
  double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  measured.seconds = options.estimate == Estimate::mean
                         ? sum / static_cast<double>(samples.size())
                         : measured.distribution.median;
  return measured;
}
