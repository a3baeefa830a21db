//===- Timing candidates one after the other ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Unpaired.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

namespace {

/// Follows a candidate's runs, and finds out whether it is far slower than the
/// best one.
class CandidateRuns {
public:
  CandidateRuns(const Sampler &sampler, const UnpairedOptions &options,
                double firstSeconds, double bestSeconds)
      : longest(
            std::max(options.shortSeconds, options.pruneFactor * bestSeconds)),
        loadSeconds(options.loadSeconds), firstSeconds(firstSeconds),
        watch(sampler) {}

  /// Returns true if the runs so far, this one the last, prune the candidate.
  bool isPrunedBy(double seconds) {
    fastest = std::min(fastest, seconds);
    bool isFirst = ++numRuns == 1;
    if (!isFirst)
      watch.add(seconds);
    return fastest > longest && (!isFirst || seconds >= loadSeconds);
  }
  UnpairedMeasurement measured(std::vector<double> samples,
                               bool isPruned) const {
    UnpairedMeasurement measured;
    measured.distribution = Distribution::of(samples);
    measured.seconds = measured.distribution.median;
    measured.isPruned = isPruned;
    measured.samples = std::move(samples);
    measured.fastestSeconds = fastest;
    measured.samplingSeconds = firstSeconds + watch.seconds();
    return measured;
  }
  UnpairedMeasurement pruned() const {
    return measured({fastest}, /*isPruned=*/true);
  }

private:
  double longest, loadSeconds;
  double firstSeconds; ///< taken before the watch began
  Stopwatch watch;
  double fastest = std::numeric_limits<double>::infinity();
  size_t numRuns = 0;
};

} // namespace

Result<UnpairedMeasurement, Failure>
tonno::measureUnpaired(Sampler &sampler, const UnpairedOptions &options,
                       double firstSeconds, const UnpairedLimits &limits,
                       const IsDisturbed &isDisturbed) {
  CandidateRuns runs(sampler, options, firstSeconds, limits.bestSeconds);
  if (runs.isPrunedBy(firstSeconds))
    return runs.pruned();
  std::vector<double> samples;
  if (options.warmup == 0)
    samples.push_back(firstSeconds);
  bool isShort = firstSeconds < options.shortSeconds;
  uint64_t uncounted = options.warmup + (isShort ? options.shortWarmup : 0);
  for (uint64_t i = 1; options.warmup > 0 && i < uncounted; ++i) {
    if (limits.isTimeUp())
      break;
    auto seconds = TONNO_TRY(sampler.warm(firstCandidate));
    if (runs.isPrunedBy(seconds))
      return runs.pruned();
  }
  for (uint64_t retake = 0;; ++retake) {
    while (samples.size() < options.samples && !limits.isTimeUp()) {
      auto sample = TONNO_TRY(sampler.sample(firstCandidate));
      samples.push_back(sample);
      if (runs.isPrunedBy(sample))
        return runs.pruned();
    }
    if (samples.empty())
      samples.push_back(firstSeconds); // all that there was time for
    if (retake == options.retakes || limits.isTimeUp() || !isDisturbed(samples))
      break;
    samples.clear();
  }
  double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  double mean = sum / static_cast<double>(samples.size());
  auto measured = runs.measured(std::move(samples), /*isPruned=*/false);
  if (options.estimate == Estimate::mean)
    measured.seconds = mean;
  return measured;
}

UnpairedRange UnpairedMeasurement::range() const {
  constexpr double z = 3; // as of the ratios of pairs
  return {seconds, {fastestSeconds, medianInterval(samples, z).high}};
}
