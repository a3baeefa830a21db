//===- Timing candidates one after the other ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Unpaired.h"

#include <numeric>

using namespace tonno;

Result<UnpairedMeasurement, Failure>
tonno::measureUnpaired(Sampler &sampler, const UnpairedOptions &options,
                       double firstSeconds, const IsDisturbed &isDisturbed) {
  std::vector<double> samples;
  if (options.warmup == 0)
    samples.push_back(firstSeconds);
  bool isShort = firstSeconds < options.shortSeconds;
  uint64_t uncounted = options.warmup + (isShort ? options.shortWarmup : 0);
  for (uint64_t i = 1; options.warmup > 0 && i < uncounted; ++i)
    TONNO_TRY(sampler.warm(firstCandidate));
  for (uint64_t retake = 0;; ++retake) {
    while (samples.size() < options.samples) {
      auto sample = TONNO_TRY(sampler.sample(firstCandidate));
      samples.push_back(sample);
    }
    if (retake == options.retakes || !isDisturbed(samples))
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
