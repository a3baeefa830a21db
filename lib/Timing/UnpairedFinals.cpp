//===- Finals among candidates whose medians overlap ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/UnpairedFinals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

using namespace tonno;

namespace {

class UnpairedFinals {
public:
  UnpairedFinals(Sampler &sampler, std::span<const std::vector<double>> trials,
                 const UnpairedFinalsOptions &options, double seconds,
                 uint64_t seed)
      : sampler(sampler), options(options), seconds(seconds), generator(seed),
        samples(trials.begin(), trials.end()), rounds(trials.size()),
        left(trials.size()), watch(sampler) {
    std::iota(left.begin(), left.end(), 0);
  }

  Result<std::vector<Finalist>, Failure> run();

private:
  double estimate(size_t candidate) const;
  double expectRoundSeconds() const;
  Result<void, Failure> playRound();
  void dropSlower();
  std::vector<Finalist> rank() const;

  Sampler &sampler;
  const UnpairedFinalsOptions &options;
  double seconds;
  std::mt19937_64 generator;
  std::vector<std::vector<double>> samples; ///< by candidate
  std::vector<size_t> rounds;               ///< by candidate
  std::vector<size_t> left;                 ///< candidates
  size_t numSamples = 0;
  Stopwatch watch;
};

} // namespace

/// Returns the mean of the fastest samples.
double UnpairedFinals::estimate(size_t candidate) const {
  std::vector<double> sorted = samples[candidate];
  std::ranges::sort(sorted);
  double share = options.fastShare * static_cast<double>(sorted.size());
  auto count = static_cast<size_t>(std::max(1.0, std::floor(share)));
  std::span<const double> fastest = std::span(sorted).first(count);
  return std::accumulate(fastest.begin(), fastest.end(), 0.0) /
         static_cast<double>(count);
}

/// Returns the seconds that a round is expected to take: as the samples so far
/// did, or as the medians of the trials.
double UnpairedFinals::expectRoundSeconds() const {
  if (numSamples > 0)
    return watch.seconds() / static_cast<double>(numSamples) *
           static_cast<double>(left.size());
  double sum = 0;
  for (size_t candidate : left)
    sum += median(samples[candidate]);
  return sum;
}

Result<void, Failure> UnpairedFinals::playRound() {
  std::vector<size_t> order = left;
  std::ranges::shuffle(order, generator);
  for (size_t candidate : order) {
    auto sample = TONNO_TRY(sampler.sample(firstCandidate + candidate));
    samples[candidate].push_back(sample);
    ++rounds[candidate];
    ++numSamples;
    watch.add(sample);
  }
  return {};
}

/// Drops the candidates of which no sample is as fast as half of the leader's.
void UnpairedFinals::dropSlower() {
  size_t leader =
      std::ranges::min(left, {}, [&](size_t each) { return estimate(each); });
  double bound = median(samples[leader]);
  std::erase_if(left, [&](size_t candidate) {
    return candidate != leader && std::ranges::min(samples[candidate]) > bound;
  });
}

/// Returns those that are left before those that left, by their estimates.
std::vector<Finalist> UnpairedFinals::rank() const {
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  if (numSamples > 0)
    std::ranges::sort(order, {}, [&](size_t candidate) {
      bool hasLeft = std::ranges::find(left, candidate) == left.end();
      return std::tuple(hasLeft, estimate(candidate), candidate);
    });
  std::vector<Finalist> ranking;
  for (size_t candidate : order)
    ranking.push_back({candidate,
                       std::log(estimate(candidate) / estimate(order.front())),
                       rounds[candidate]});
  return ranking;
}

Result<std::vector<Finalist>, Failure> UnpairedFinals::run() {
  for (uint64_t round = 1; left.size() > 1 && round <= options.maxRounds;
       ++round) {
    if (watch.seconds() + expectRoundSeconds() > seconds)
      break;
    TONNO_TRY(playRound());
    if (round >= options.roundsToLeave)
      dropSlower();
  }
  return rank();
}

std::vector<size_t>
tonno::findContenders(std::span<const UnpairedRange> candidates, size_t most) {
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.empty())
    return order;
  auto best = std::ranges::min_element(
      order, {}, [&](size_t each) { return candidates[each].estimate; });
  std::rotate(order.begin(), best, best + 1);
  std::ranges::sort(order.begin() + 1, order.end(), {}, [&](size_t each) {
    return std::pair(candidates[each].interval.low, each);
  });
  order.resize(std::min(order.size(), std::max<size_t>(most, 1)));
  return order;
}

std::vector<size_t>
tonno::findOverlapping(std::span<const UnpairedRange> candidates, size_t most) {
  std::vector<size_t> contenders = findContenders(candidates, most);
  if (contenders.empty())
    return contenders;
  size_t best = contenders.front();
  std::erase_if(contenders, [&](size_t each) {
    return each != best &&
           candidates[each].interval.low >= candidates[best].interval.high;
  });
  return contenders;
}

Result<std::vector<Finalist>, Failure> tonno::playUnpairedFinals(
    Sampler &sampler, std::span<const std::vector<double>> samples,
    const UnpairedFinalsOptions &options, double seconds, uint64_t seed) {
  return UnpairedFinals(sampler, samples, options, seconds, seed).run();
}
