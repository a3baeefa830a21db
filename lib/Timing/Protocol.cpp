//===- How candidates are timed -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Protocol.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace tonno;

namespace {

/// The samples of both sides.
struct Samples {
  explicit Samples(const Sampler &sampler) : watch(sampler) {}

  std::vector<double> candidate;
  std::vector<double> baseline;
  Stopwatch watch; ///< since before the first

  Result<double, Failure> take(Sampler &sampler, size_t entrant) {
    auto sample = sampler.sample(entrant);
    if (sample) {
      (entrant == firstCandidate ? candidate : baseline).push_back(*sample);
      watch.add(*sample);
    }
    return sample;
  }
};

} // namespace

bool tonno::becomesIncumbent(const Measurement &measured, double incumbentHigh,
                             const ProtocolOptions &options) {
  return measured.ratioInterval.high < options.leadFactor * incumbentHigh;
}

void MedianRatioCriterion::add(double ratio) {
  ratios.push_back(ratio);
  if (ratios.size() >= (isLong ? options.longSamples : options.maxSamples))
    isDone = true;
  if (isLong && ratios.size() == 2 &&
      std::ranges::min(ratios) > options.longRaceFactor * incumbentHigh)
    isDone = true;
  if (ratios.size() < nextLook)
    return;
  nextLook += std::max<size_t>(2, nextLook / 4);
  // Widths are of logarithms: 2 % of a ratio of 0.2 are not 2 % of 1.
  Interval interval = medianInterval(ratios, 1.96);
  double halfWidth = std::log(interval.high / interval.low) / 2;
  if (halfWidth < options.targetHalfWidth ||
      interval.low > options.raceFactor * incumbentHigh)
    isDone = true;
}

Result<double, Failure> tonno::warmUp(Sampler &sampler, size_t entrant,
                                      double seconds) {
  constexpr double leastCost = 1e-6; // of taking a sample
  Stopwatch watch(sampler);
  double least = std::numeric_limits<double>::infinity();
  do {
    auto sample = sampler.warm(entrant);
    if (!sample)
      return sample;
    least = std::min(least, *sample);
    watch.add(std::max(*sample, leastCost));
  } while (watch.seconds() < seconds);
  return least;
}

/// The baseline for as long as the clocks need, and the candidate's code.
static Result<void, Failure> warmUpBoth(Sampler &sampler, double seconds) {
  auto baseline = TONNO_TRY(warmUp(sampler, baselineEntrant, seconds));
  auto candidate = TONNO_TRY(warmUp(sampler, firstCandidate, 0));
  sampler.expectSeconds(std::min(baseline, candidate),
                        std::max(baseline, candidate));
  return {};
}

/// Pairs that a measurement has even if they take very long.
static constexpr size_t leastPairs = 3;

Result<PairedMeasurement, Failure>
tonno::measurePaired(Sampler &sampler, const ProtocolOptions &options,
                     double incumbentHigh, TrialLength length) {
  bool isLong = length == TrialLength::longLaunches;
  if (!isLong)
    TONNO_TRY(warmUpBoth(sampler, options.warmupSeconds));
  Samples samples(sampler);
  std::vector<double> ratios;
  PairedMeasurement result;
  MedianRatioCriterion criterion(options, incumbentHigh, length);
  const size_t pruneAfter = isLong ? 1 : options.pruneAfter;
  const double pruneFactor =
      isLong ? options.longPruneFactor : options.pruneFactor;
  bool outOfTime = false;
  while (!criterion.done() && !outOfTime) {
    // The first two of long launches share a sample of the baseline: what is
    // far behind needs no more.
    if (!isLong || ratios.size() != 1)
      TONNO_TRY(samples.take(sampler, baselineEntrant));
    auto candidate = TONNO_TRY(samples.take(sampler, firstCandidate));
    ratios.push_back(candidate / samples.baseline.back());
    criterion.add(ratios.back());
    if (ratios.size() >= leastPairs &&
        samples.watch.seconds() > options.trialSeconds)
      outOfTime = true;
    if (ratios.size() == pruneAfter &&
        *std::min_element(ratios.begin(), ratios.end()) >
            pruneFactor * incumbentHigh) {
      result.status = Status::pruned;
      break;
    }
  }
  result.measurement = {Distribution::of(samples.candidate),
                        Distribution::of(samples.baseline), median(ratios),
                        medianInterval(ratios, 3)};
  return result;
}

ProtocolOptions tonno::makeLimitProtocol(ProtocolOptions options,
                                         double least) {
  double shift = std::log(least) - options.fasterFloor;
  options.fasterFloor += shift;
  options.tieCeiling += shift;
  return options;
}

/// Rounds of a block: fewer if the test's seconds would not do for three.
static size_t blockRounds(const ProtocolOptions &options,
                          const Samples &samples) {
  size_t rounds = samples.candidate.size();
  if (rounds == 0)
    return options.blockRounds;
  double roundSeconds = samples.watch.seconds() / static_cast<double>(rounds);
  double affordable = options.testSeconds / (3 * roundSeconds);
  return static_cast<size_t>(
      std::clamp(affordable, 1.0, static_cast<double>(options.blockRounds)));
}

Result<Comparison, Failure>
tonno::compareWithBaseline(Sampler &sampler, const ProtocolOptions &options,
                           uint64_t seed) {
  std::mt19937_64 generator(seed);
  Samples samples(sampler);
  std::vector<double> blocks;
  MeanEstimate estimate;
  auto end = [&](double z) {
    double degrees = static_cast<double>(blocks.size() - 1);
    return studentQuantile(z, degrees) * estimate.standardError;
  };
  Verdict verdict = Verdict::tie;
  for (size_t look = options.firstLook;;) {
    TONNO_TRY(sampler.redraw());
    TONNO_TRY(sampler.reload());
    TONNO_TRY(warmUpBoth(sampler, options.warmupSeconds));
    std::vector<double> logs;
    for (size_t round = 0; round < blockRounds(options, samples); ++round) {
      bool baselineFirst = generator() & 1;
      for (bool baseline : {baselineFirst, !baselineFirst}) {
        TONNO_TRY(
            samples.take(sampler, baseline ? baselineEntrant : firstCandidate));
      }
      logs.push_back(
          std::log(samples.baseline.back() / samples.candidate.back()));
    }
    blocks.push_back(pseudoMedian(logs));

    bool outOfTime = samples.watch.seconds() > options.testSeconds;
    if (samples.candidate.size() < look && !outOfTime)
      continue;
    if (blocks.size() < 3)
      continue; // no error can be told from two
    estimate = estimateMean(blocks);
    bool faster = samples.candidate.size() >= options.minRounds &&
                  estimate.mean - end(options.fasterZ) > options.fasterFloor;
    bool tie = estimate.mean + end(1.96) < options.tieCeiling;
    if (faster)
      verdict = Verdict::faster;
    if (faster || tie || outOfTime || look >= options.maxRounds)
      break;
    look = std::min(2 * look, options.maxRounds);
  }
  double margin = end(1.96);
  return Comparison{
      verdict,
      Distribution::of(samples.candidate),
      Distribution::of(samples.baseline),
      std::exp(estimate.mean),
      {std::exp(estimate.mean - margin), std::exp(estimate.mean + margin)},
      samples.candidate.size(),
      /*overheadBound=*/false,
      /*contended=*/false,
      std::exp(estimate.mean - end(options.fasterZ))};
}

void tonno::mapFields(JsonFields &fields, ProtocolOptions &o) {
  fields("cache_state", o.cacheState);
  fields("batch_seconds", o.batchSeconds);
  fields("max_batch", o.maxBatch);
  fields("max_batch_seconds", o.maxBatchSeconds);
  fields("stolen_share", o.stolenShare);
  fields("max_retakes", o.maxRetakes);
  fields("contended_share", o.contendedShare);
  fields("warmup_seconds", o.warmupSeconds);
  fields("prune_after", o.pruneAfter);
  fields("prune_factor", o.pruneFactor);
  fields("min_samples", o.minSamples);
  fields("max_samples", o.maxSamples);
  fields("target_half_width", o.targetHalfWidth);
  fields("race_factor", o.raceFactor);
  fields("lead_factor", o.leadFactor);
  fields("trial_seconds", o.trialSeconds);
  fields("long_launch_seconds", o.longLaunchSeconds);
  fields("long_prune_factor", o.longPruneFactor);
  fields("long_race_factor", o.longRaceFactor);
  fields("long_samples", o.longSamples);
  fields("cache_share", o.cacheShare);
  fields("max_rotation_sets", o.maxRotationSets);
  fields("max_flushed_sets", o.maxFlushedSets);
  fields("max_rotation_bytes", o.maxRotationBytes);
  fields("finalist_margin", o.finalistMargin);
  fields("max_finalists", o.maxFinalists);
  fields("first_rounds", o.firstRounds);
  fields("rounds_growth", o.roundsGrowth);
  fields("layout_rounds", o.layoutRounds);
  fields("max_final_rounds", o.maxFinalRounds);
  fields("finals_error", o.finalsError);
  fields("error_shrink", o.errorShrink);
  fields("drop_z", o.dropZ);
  fields("race_z", o.raceZ);
  fields("finals_seconds", o.finalsSeconds);
  fields("block_rounds", o.blockRounds);
  fields("first_look", o.firstLook);
  fields("min_rounds", o.minRounds);
  fields("max_rounds", o.maxRounds);
  fields("faster_floor", o.fasterFloor);
  fields("faster_z", o.fasterZ);
  fields("tie_ceiling", o.tieCeiling);
  fields("test_seconds", o.testSeconds);
}
