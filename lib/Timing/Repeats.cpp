//===- Calling the best candidates again ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Repeats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

using namespace tonno;

/// Candidates that find out about the noise.
static constexpr size_t numProbed = 2;
/// Fewer samples have no interval.
static constexpr size_t leastForInterval = 3;
static constexpr double z95 = 1.96;

namespace {

class Repeats {
public:
  Repeats(Sampler &sampler, std::span<const double> trials,
          const RepeatOptions &options, double seconds, uint64_t seed)
      : sampler(sampler), trials(trials), options(options), seconds(seconds),
        generator(seed), samples(trials.size()), begin(sampler.clockSeconds()) {
  }

  Result<RepeatedBest, Failure> run();

private:
  bool hasLeft(double share) const {
    return static_cast<double>(calls) <
               share * static_cast<double>(options.calls) &&
           sampler.clockSeconds() - begin < share * seconds;
  }
  Result<void, Failure> call(size_t candidate);
  bool isRepeatable() const;
  bool isPrecise(std::span<const double> values) const;
  std::vector<size_t> findContenders() const;
  Result<void, Failure> playStage(std::vector<size_t> left);
  Result<size_t, Failure> choose(std::vector<size_t> left);

  Sampler &sampler;
  std::span<const double> trials;
  const RepeatOptions &options;
  double seconds;
  std::mt19937_64 generator;
  std::vector<std::vector<double>> samples; ///< by candidate
  double begin;
  uint64_t calls = 0;
};

} // namespace

Result<void, Failure> Repeats::call(size_t candidate) {
  ++calls;
  auto sample = TONNO_TRY(sampler.sample(firstCandidate + candidate));
  samples[candidate].push_back(sample);
  return {};
}

/// Returns true if all calls gave the bits of their trials.
bool Repeats::isRepeatable() const {
  for (size_t candidate = 0; candidate < samples.size(); ++candidate)
    for (double sample : samples[candidate])
      if (std::bit_cast<uint64_t>(sample) !=
          std::bit_cast<uint64_t>(trials[candidate]))
        return false;
  return calls > 0;
}

bool Repeats::isPrecise(std::span<const double> values) const {
  if (values.size() < leastForInterval)
    return false;
  MeanEstimate estimate = estimateMean(values);
  double degrees = static_cast<double>(values.size()) - 1;
  double halfWidth = studentQuantile(z95, degrees) * estimate.standardError;
  return halfWidth <= options.precision * std::abs(estimate.mean);
}

/// Returns the candidates whose trials are no further behind the best than
/// noise explains. Calls of the best trials are worse than they were by as much
/// as noise favoured them.
std::vector<size_t> Repeats::findContenders() const {
  double noise = 0;
  for (size_t candidate = 0; candidate < samples.size(); ++candidate)
    for (double sample : samples[candidate])
      noise = std::max(noise, std::abs(sample - trials[candidate]));
  std::vector<size_t> contenders;
  for (size_t candidate = 0;
       candidate < std::min(trials.size(), options.maxCandidates); ++candidate)
    if (trials[candidate] <= trials.front() + options.noiseMargin * noise)
      contenders.push_back(candidate);
  return contenders;
}

/// Calls those that are left as often as their share of the calls allows.
Result<void, Failure> Repeats::playStage(std::vector<size_t> left) {
  auto stages = static_cast<double>(std::bit_width(left.size() - 1));
  double available = options.choiceShare * static_cast<double>(options.calls) -
                     static_cast<double>(calls);
  double rounds = available / (stages * static_cast<double>(left.size()));
  auto numRounds = static_cast<uint64_t>(std::max(1.0, std::floor(rounds)));
  for (uint64_t round = 0; round < numRounds; ++round) {
    std::ranges::shuffle(left, generator);
    for (size_t candidate : left)
      if (hasLeft(options.choiceShare))
        TONNO_TRY(call(candidate));
    if (std::ranges::all_of(left, [&](size_t candidate) {
          return isPrecise(samples[candidate]);
        }))
      break;
  }
  return {};
}

Result<size_t, Failure> Repeats::choose(std::vector<size_t> left) {
  auto estimate = [&](size_t candidate) {
    const std::vector<double> &own = samples[candidate];
    return own.empty() ? std::pair(1, trials[candidate])
                       : std::pair(0, pseudoMedian(own));
  };
  while (left.size() > 1 && hasLeft(options.choiceShare)) {
    TONNO_TRY(playStage(left));
    std::ranges::sort(left, {}, [&](size_t each) {
      return std::tuple(estimate(each), each);
    });
    left.resize((left.size() + 1) / 2);
  }
  return std::ranges::min(left, {}, estimate);
}

Result<RepeatedBest, Failure> Repeats::run() {
  for (size_t candidate = 0; candidate < std::min(numProbed, trials.size());
       ++candidate)
    if (hasLeft(1))
      TONNO_TRY(call(candidate));
  RepeatedBest best;
  if (isRepeatable()) {
    best.estimate = Distribution::of(samples[best.candidate]);
    return best;
  }
  std::vector<size_t> contenders = findContenders();
  size_t numChoosing = 0;
  if (contenders.size() > 1 && hasLeft(options.choiceShare)) {
    best.candidate = TONNO_TRY(choose(std::move(contenders)));
    numChoosing = samples[best.candidate].size();
  }
  auto fresh = [&] {
    return std::span(samples[best.candidate]).subspan(numChoosing);
  };
  while (hasLeft(1) && !isPrecise(fresh()))
    TONNO_TRY(call(best.candidate));
  if (!fresh().empty())
    best.estimate = Distribution::of({fresh().begin(), fresh().end()});
  return best;
}

Result<RepeatedBest, Failure> tonno::repeatBest(Sampler &sampler,
                                                std::span<const double> trials,
                                                const RepeatOptions &options,
                                                double seconds, uint64_t seed) {
  return Repeats(sampler, trials, options, seconds, seed).run();
}
