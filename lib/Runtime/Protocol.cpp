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

  Result<double, Failure> take(Sampler &sampler, Side side) {
    auto sample = sampler.sample(side);
    if (sample) {
      (side == Side::candidate ? candidate : baseline).push_back(*sample);
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
  Interval interval = medianInterval(ratios, 1.96);
  if (interval.halfWidth() < options.targetHalfWidth ||
      interval.low > options.raceFactor * incumbentHigh)
    isDone = true;
}

/// Launches both sides untimed until each has run for the warm-up's seconds.
static Result<void, Failure> warmUp(Sampler &sampler, double seconds) {
  for (Side side : {Side::baseline, Side::candidate}) {
    double spent = 0;
    do {
      auto sample = sampler.sample(side);
      if (!sample)
        return sample.error();
      spent += std::max(*sample, 1e-7);
    } while (spent < seconds);
  }
  return {};
}

Result<PairedMeasurement, Failure>
tonno::measurePaired(Sampler &sampler, const ProtocolOptions &options,
                     double incumbentHigh) {
  if (auto warm = warmUp(sampler, options.warmupSeconds); !warm)
    return warm.error();
  Samples samples;
  std::vector<double> ratios;
  PairedMeasurement result;
  MedianRatioCriterion criterion(options, incumbentHigh);
  while (!criterion.done()) {
    auto baseline = samples.take(sampler, Side::baseline);
    if (!baseline)
      return baseline.error();
    auto candidate = samples.take(sampler, Side::candidate);
    if (!candidate)
      return candidate.error();
    ratios.push_back(*candidate / *baseline);
    criterion.add(ratios.back());
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

Result<Comparison, Failure>
tonno::compareWithBaseline(Sampler &sampler, const ProtocolOptions &options,
                           uint64_t seed) {
  std::mt19937_64 generator(seed);
  Samples samples;
  std::vector<double> blockMedians;
  MeanEstimate estimate;
  auto end = [&](double z) {
    double degrees = static_cast<double>(blockMedians.size() - 1);
    return studentQuantile(z, degrees) * estimate.standardError;
  };
  Verdict verdict = Verdict::tie;
  for (size_t look = options.firstLook;;) {
    if (auto redrawn = sampler.redraw(); !redrawn)
      return redrawn.error();
    if (auto warm = warmUp(sampler, options.warmupSeconds); !warm)
      return warm.error();
    std::vector<double> logs;
    for (size_t round = 0; round < options.blockRounds; ++round) {
      bool baselineFirst = generator() & 1;
      for (bool baseline : {baselineFirst, !baselineFirst}) {
        auto taken =
            samples.take(sampler, baseline ? Side::baseline : Side::candidate);
        if (!taken)
          return taken.error();
      }
      logs.push_back(
          std::log(samples.baseline.back() / samples.candidate.back()));
    }
    blockMedians.push_back(median(logs));

    bool outOfTime = samples.seconds > options.testSeconds;
    if (samples.candidate.size() < look && !outOfTime)
      continue;
    if (blockMedians.size() < 3)
      continue; // no error can be told from two
    estimate = estimateMean(blockMedians);
    bool faster = estimate.mean - end(2.33) > options.fasterFloor;
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
              {"block_rounds", o.blockRounds},
              {"first_look", o.firstLook},
              {"max_rounds", o.maxRounds},
              {"faster_floor", o.fasterFloor},
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
  json.at("block_rounds").get_to(o.blockRounds);
  json.at("first_look").get_to(o.firstLook);
  json.at("max_rounds").get_to(o.maxRounds);
  json.at("faster_floor").get_to(o.fasterFloor);
  json.at("tie_ceiling").get_to(o.tieCeiling);
  json.at("test_seconds").get_to(o.testSeconds);
}
