//===- Protocol.cpp - How candidates are timed ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Protocol.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace tonno;

namespace {

/// The samples of both sides.
struct Samples {
  std::vector<double> candidate;
  std::vector<double> baseline;

  double seconds = 0; ///< spent in timed launches

  Result<double, Failure> take(Sampler &sampler, size_t entrant) {
    auto sample = sampler.sample(entrant);
    if (sample) {
      (entrant == firstCandidate ? candidate : baseline).push_back(*sample);
      seconds += *sample;
    }
    return sample;
  }
};

} // namespace

void MedianRatioCriterion::add(double ratio) {
  ratios.push_back(ratio);
  if (ratios.size() >= options.maxSamples)
    isDone = true;
  if (ratios.size() < nextLook)
    return;
  nextLook += std::max<size_t>(2, nextLook / 4);
  // Of logarithms: 2 % of a ratio of 0.2 are not 2 % of a ratio of 1.
  Interval interval = medianInterval(ratios, 1.96);
  double halfWidth = std::log(interval.high / interval.low) / 2;
  if (halfWidth < options.targetHalfWidth ||
      interval.low > options.raceFactor * incumbentHigh)
    isDone = true;
}

Result<void, Failure> tonno::warmUp(Sampler &sampler, size_t entrant,
                                    double seconds) {
  double spent = 0;
  do {
    auto sample = sampler.sample(entrant);
    if (!sample)
      return sample.error();
    spent += std::max(*sample, 1e-7);
  } while (spent < seconds);
  return {};
}

/// The baseline for as long as the clocks need, and the candidate's code.
static Result<void, Failure> warmUpBoth(Sampler &sampler, double seconds) {
  auto warm = warmUp(sampler, baselineEntrant, seconds);
  return warm ? warmUp(sampler, firstCandidate, 0) : warm;
}

Result<PairedMeasurement, Failure>
tonno::measurePaired(Sampler &sampler, const ProtocolOptions &options,
                     double incumbentHigh) {
  if (auto warm = warmUpBoth(sampler, options.warmupSeconds); !warm)
    return warm.error();
  Samples samples;
  std::vector<double> ratios;
  PairedMeasurement result;
  MedianRatioCriterion criterion(options, incumbentHigh);
  bool outOfTime = false;
  while (!criterion.done() && !outOfTime) {
    auto baseline = samples.take(sampler, baselineEntrant);
    if (!baseline)
      return baseline.error();
    auto candidate = samples.take(sampler, firstCandidate);
    if (!candidate)
      return candidate.error();
    ratios.push_back(*candidate / *baseline);
    criterion.add(ratios.back());
    if (ratios.size() >= options.pruneAfter &&
        samples.seconds > options.trialSeconds)
      outOfTime = true;
    if (ratios.size() == options.pruneAfter &&
        *std::min_element(ratios.begin(), ratios.end()) >
            options.pruneFactor * incumbentHigh) {
      result.status = Status::pruned;
      break;
    }
  }
  result.measurement = {Distribution::of(samples.candidate),
                        Distribution::of(samples.baseline), median(ratios),
                        medianInterval(ratios, 3)};
  return result;
}

/// Rounds of a block: fewer if the test's seconds would not do for three.
static size_t blockRounds(const ProtocolOptions &options,
                          const Samples &samples) {
  size_t rounds = samples.candidate.size();
  if (rounds == 0)
    return options.blockRounds;
  double roundSeconds = samples.seconds / static_cast<double>(rounds);
  double affordable = options.testSeconds / (3 * roundSeconds);
  return static_cast<size_t>(
      std::clamp(affordable, 1.0, static_cast<double>(options.blockRounds)));
}

Result<Comparison, Failure>
tonno::compareWithBaseline(Sampler &sampler, const ProtocolOptions &options,
                           uint64_t seed) {
  std::mt19937_64 generator(seed);
  Samples samples;
  std::vector<double> blocks;
  MeanEstimate estimate;
  auto end = [&](double z) {
    double degrees = static_cast<double>(blocks.size() - 1);
    return studentQuantile(z, degrees) * estimate.standardError;
  };
  Verdict verdict = Verdict::tie;
  for (size_t look = options.firstLook;;) {
    if (auto redrawn = sampler.redraw(); !redrawn)
      return redrawn.error();
    if (auto reloaded = sampler.reload(); !reloaded)
      return reloaded.error();
    if (auto warm = warmUpBoth(sampler, options.warmupSeconds); !warm)
      return warm.error();
    std::vector<double> logs;
    for (size_t round = 0; round < blockRounds(options, samples); ++round) {
      bool baselineFirst = generator() & 1;
      for (bool baseline : {baselineFirst, !baselineFirst}) {
        auto taken =
            samples.take(sampler, baseline ? baselineEntrant : firstCandidate);
        if (!taken)
          return taken.error();
      }
      logs.push_back(
          std::log(samples.baseline.back() / samples.candidate.back()));
    }
    blocks.push_back(pseudoMedian(logs));

    bool outOfTime = samples.seconds > options.testSeconds;
    if (samples.candidate.size() < look && !outOfTime)
      continue;
    if (blocks.size() < 3)
      continue; // no error can be told from two
    estimate = estimateMean(blocks);
    bool faster = estimate.mean - end(options.fasterZ) > options.fasterFloor;
    bool tie = estimate.mean + end(1.96) < options.tieCeiling;
    if (faster)
      verdict = Verdict::faster;
    if (faster || tie || outOfTime || look >= options.maxRounds)
      break;
    look *= 2;
  }
  double margin = end(1.96);
  return Comparison{
      verdict,
      Distribution::of(samples.candidate),
      Distribution::of(samples.baseline),
      std::exp(estimate.mean),
      {std::exp(estimate.mean - margin), std::exp(estimate.mean + margin)},
      samples.candidate.size()};
}

void tonno::to_json(Json &json, const ProtocolOptions &o) {
  json = Json{{"warmup_seconds", o.warmupSeconds},
              {"prune_after", o.pruneAfter},
              {"prune_factor", o.pruneFactor},
              {"min_samples", o.minSamples},
              {"max_samples", o.maxSamples},
              {"target_half_width", o.targetHalfWidth},
              {"race_factor", o.raceFactor},
              {"trial_seconds", o.trialSeconds},
              {"cache_share", o.cacheShare},
              {"max_rotation_sets", o.maxRotationSets},
              {"max_rotation_bytes", o.maxRotationBytes},
              {"finalist_margin", o.finalistMargin},
              {"max_finalists", o.maxFinalists},
              {"first_rounds", o.firstRounds},
              {"rounds_growth", o.roundsGrowth},
              {"layout_rounds", o.layoutRounds},
              {"max_final_rounds", o.maxFinalRounds},
              {"finals_error", o.finalsError},
              {"error_shrink", o.errorShrink},
              {"drop_z", o.dropZ},
              {"race_z", o.raceZ},
              {"finals_seconds", o.finalsSeconds},
              {"block_rounds", o.blockRounds},
              {"first_look", o.firstLook},
              {"max_rounds", o.maxRounds},
              {"faster_floor", o.fasterFloor},
              {"faster_z", o.fasterZ},
              {"tie_ceiling", o.tieCeiling},
              {"test_seconds", o.testSeconds}};
}

void tonno::from_json(const Json &json, ProtocolOptions &o) {
  json.at("warmup_seconds").get_to(o.warmupSeconds);
  json.at("prune_after").get_to(o.pruneAfter);
  json.at("prune_factor").get_to(o.pruneFactor);
  json.at("min_samples").get_to(o.minSamples);
  json.at("max_samples").get_to(o.maxSamples);
  json.at("target_half_width").get_to(o.targetHalfWidth);
  json.at("race_factor").get_to(o.raceFactor);
  json.at("trial_seconds").get_to(o.trialSeconds);
  json.at("cache_share").get_to(o.cacheShare);
  json.at("max_rotation_sets").get_to(o.maxRotationSets);
  json.at("max_rotation_bytes").get_to(o.maxRotationBytes);
  json.at("finalist_margin").get_to(o.finalistMargin);
  json.at("max_finalists").get_to(o.maxFinalists);
  json.at("first_rounds").get_to(o.firstRounds);
  json.at("rounds_growth").get_to(o.roundsGrowth);
  json.at("layout_rounds").get_to(o.layoutRounds);
  json.at("max_final_rounds").get_to(o.maxFinalRounds);
  json.at("finals_error").get_to(o.finalsError);
  json.at("error_shrink").get_to(o.errorShrink);
  json.at("drop_z").get_to(o.dropZ);
  json.at("race_z").get_to(o.raceZ);
  json.at("finals_seconds").get_to(o.finalsSeconds);
  json.at("block_rounds").get_to(o.blockRounds);
  json.at("first_look").get_to(o.firstLook);
  json.at("max_rounds").get_to(o.maxRounds);
  json.at("faster_floor").get_to(o.fasterFloor);
  json.at("faster_z").get_to(o.fasterZ);
  json.at("tie_ceiling").get_to(o.tieCeiling);
  json.at("test_seconds").get_to(o.testSeconds);
}
