//===- The choice among the best ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Finals.h"
#include "Trend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace tonno;

namespace {

class Finals {
public:
  Finals(Sampler &sampler, size_t candidates, const ProtocolOptions &options,
         uint64_t seed)
      : sampler(sampler), options(options), generator(seed), left(candidates),
        trend(candidates + 1), scores(candidates + 1),
        allowedError(options.finalsError), watch(sampler) {
    std::iota(left.begin(), left.end(), firstCandidate);
  }

  Result<std::vector<Finalist>, Failure> run();

private:
  Result<void, Failure> warmUpAll();
  Result<void, Failure> takeRound();
  Result<void, Failure> playStage();
  void score();
  std::vector<double> behind(size_t entrant, size_t other) const;
  double computeStandardError(const std::vector<double> &scores) const;
  bool isDecided() const;
  std::vector<size_t> ranking() const;
  void drop(double z, size_t most = std::numeric_limits<size_t>::max());

  Sampler &sampler;
  const ProtocolOptions &options;
  std::mt19937_64 generator;
  std::vector<size_t> left;         ///< entrants, after a stage best first
  std::vector<TimedSample> samples; ///< a block for each layout
  Trend trend;
  /// Logs of seconds, less the trend, by entrant and round. An entrant is in
  /// all rounds from the first on until it leaves.
  std::vector<std::vector<double>> scores;
  double allowedError;
  size_t rounds = 0;
  Stopwatch watch;
  std::vector<size_t> leavers; ///< the first to leave first
};

} // namespace

Result<void, Failure> Finals::takeRound() {
  if (rounds % options.layoutRounds == 0) {
    if (auto drawn = sampler.redraw(); !drawn)
      return drawn;
    TONNO_TRY(warmUp(sampler, baselineEntrant, options.warmupSeconds));
  }
  std::vector<size_t> order = left;
  order.push_back(baselineEntrant);
  std::ranges::shuffle(order, generator);
  for (size_t entrant : order) {
    auto sample = TONNO_TRY(sampler.sample(entrant));
    samples.push_back(
        {entrant, rounds / options.layoutRounds, std::log(sample)});
    watch.add(sample);
  }
  ++rounds;
  return {};
}

void Finals::score() {
  std::vector<double> adjusted = trend.removeFrom(samples);
  for (std::vector<double> &own : scores)
    own.clear();
  for (size_t i = 0; i < samples.size(); ++i)
    scores[samples[i].entrant].push_back(adjusted[i]);
}

/// Returns the differences of two entrants' scores in the rounds of both.
std::vector<double> Finals::behind(size_t entrant, size_t other) const {
  std::vector<double> differences;
  for (size_t round = 0; round < scores[entrant].size(); ++round)
    differences.push_back(scores[entrant][round] - scores[other][round]);
  return differences;
}

/// Returns the standard error of a score: that of its rounds, or that of their
/// means over layouts, within which rounds are correlated, if it is larger.
double Finals::computeStandardError(const std::vector<double> &scores) const {
  double ofRounds = trimmedMean(scores).standardError;
  std::vector<double> blocks;
  for (size_t at = 0; at + options.layoutRounds <= scores.size();
       at += options.layoutRounds)
    blocks.push_back(
        pseudoMedian(std::span(scores).subspan(at, options.layoutRounds)));
  if (blocks.size() < 2)
    return ofRounds;
  return std::max(ofRounds, trimmedMean(std::move(blocks)).standardError);
}

bool Finals::isDecided() const {
  if (rounds >= options.maxFinalRounds ||
      watch.seconds() > options.finalsSeconds)
    return true;
  std::vector<double> errors;
  for (size_t entrant : left)
    errors.push_back(computeStandardError(scores[entrant]));
  return median(errors) <= allowedError;
}

/// However little time there is: an error can't be told from one.
static constexpr size_t leastRounds = 2;

Result<void, Failure> Finals::playStage() {
  size_t look = std::max<size_t>(options.firstRounds, rounds);
  for (;;) {
    while (rounds < leastRounds ||
           (rounds < look && watch.seconds() <= options.finalsSeconds))
      if (auto taken = takeRound(); !taken)
        return taken;
    score();
    drop(options.raceZ);
    if (left.size() == 1 || isDecided())
      return {};
    auto more =
        static_cast<size_t>(static_cast<double>(look) * options.roundsGrowth);
    look = std::min<size_t>(look + std::max<size_t>(more, 1),
                            options.maxFinalRounds);
  }
}

/// Returns the entrants by their scores, best first.
std::vector<size_t> Finals::ranking() const {
  std::vector<std::pair<double, size_t>> ranking;
  for (size_t entrant : left)
    ranking.emplace_back(trimmedMean(scores[entrant]).mean, entrant);
  std::ranges::sort(ranking);
  std::vector<size_t> entrants;
  for (const auto &[score, entrant] : ranking)
    entrants.push_back(entrant);
  return entrants;
}

/// Lets those go that clearly lie behind the leader, and the worse ones beyond
/// `most`.
void Finals::drop(double z, size_t most) {
  std::vector<size_t> ranked = ranking(), staying, leaving;
  for (size_t rank = 0; rank < ranked.size(); ++rank) {
    bool stays =
        rank == 0 ||
        (rank < most && signedRankZ(behind(ranked[rank], ranked.front())) <= z);
    (stays ? staying : leaving).push_back(ranked[rank]);
  }
  leavers.insert(leavers.end(), leaving.rbegin(), leaving.rend());
  left = std::move(staying);
}

/// The code of all of them; and finds out how long they take.
Result<void, Failure> Finals::warmUpAll() {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (size_t entrant = 0; entrant < scores.size(); ++entrant) {
    auto warm = TONNO_TRY(warmUp(sampler, entrant, 0));
    least = std::min(least, warm);
    most = std::max(most, warm);
  }
  sampler.expectSeconds(least, most);
  return {};
}

Result<std::vector<Finalist>, Failure> Finals::run() {
  if (left.size() > 1)
    TONNO_TRY(warmUpAll());
  while (left.size() > 1) {
    TONNO_TRY(playStage());
    drop(options.dropZ, (left.size() + 1) / 2);
    allowedError *= options.errorShrink;
  }
  std::vector<size_t> order = left;
  order.insert(order.end(), leavers.rbegin(), leavers.rend());
  std::vector<Finalist> finalists;
  for (size_t entrant : order) {
    // The winner was in all of them.
    std::vector<double> differences = behind(entrant, order.front());
    size_t count = differences.size();
    finalists.push_back({entrant - firstCandidate,
                         count == 0 ? 0 : median(std::move(differences)),
                         count});
  }
  return finalists;
}

Result<std::vector<Finalist>, Failure>
tonno::chooseByHalving(Sampler &sampler, size_t candidates,
                       const ProtocolOptions &options, uint64_t seed) {
  return Finals(sampler, candidates, options, seed).run();
}

void tonno::mapFields(JsonFields &fields, Finalist &finalist) {
  fields("candidate", finalist.candidate);
  fields("behind", finalist.behind);
  fields("rounds", finalist.rounds);
}
