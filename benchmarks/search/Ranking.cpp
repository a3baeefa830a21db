//===- Ablation of candidate selectors ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranking.h"
#include "PatternSearch.h"
#include "Selectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

using namespace tonno;

/// Shares of the candidates that may be selected.
static constexpr std::array shares = {0.05, 0.1, 0.2, 0.3, 0.5, 1.0};
/// Fewest candidates of which a share is taken.
static constexpr size_t fewestCandidates = 20;

/// Improvements by selector and share.
using Improvements = std::vector<std::array<double, shares.size()>>;

namespace {

/// Improvements in one run of pattern search.
class Run {
public:
  Run(const Recording &recording, uint64_t seed)
      : recording(recording), encoding(recording.space()), random(~seed),
        search(LegalSpace::of(recording.space(), recording.points()), seed),
        sums(selectors().size()) {}

  /// Returns the mean over generations, in percent.
  Improvements improvements();

private:
  void rank(std::span<const Configuration> candidates);
  std::optional<double> timeOf(const Configuration &point) const;
  void observe(std::span<const Configuration> points);

  const Recording &recording;
  Encoding encoding;
  Random random;
  PatternSearch search;
  std::vector<Configuration> known;
  double best = std::numeric_limits<double>::infinity();
  Improvements sums;
  size_t generations = 0;
};

} // namespace

std::optional<double> Run::timeOf(const Configuration &point) const {
  const RecordedTrial &trial = recording.trials()[*recording.find(point)];
  return trial.ok() ? std::optional(trial.seconds) : std::nullopt;
}

void Run::observe(std::span<const Configuration> points) {
  std::vector<Trial> trials;
  for (const Configuration &point : points) {
    std::optional<double> time = timeOf(point);
    Trial &trial = trials.emplace_back();
    trial.configuration = point;
    trial.status = time ? Status::ok : Status::fault;
    if (time)
      trial.measurement.emplace().ratio = *time;
    best = std::min(best, time.value_or(best));
    known.push_back(point);
  }
  search.observe(trials);
}

void Run::rank(std::span<const Configuration> candidates) {
  std::vector<Configuration> succeeded;
  std::vector<double> qualities, times;
  std::vector<std::optional<double>> ratios, succeededRatios;
  for (const Configuration &point : known) {
    ratios.push_back(timeOf(point));
    qualities.push_back(ratios.back() ? best / *ratios.back() : 0);
    if (!ratios.back())
      continue;
    succeeded.push_back(point);
    times.push_back(-*ratios.back());
    succeededRatios.push_back(ratios.back());
  }
  RankingTask task = {
      encoding,
      {EncodedPoints(encoding, known), std::move(qualities), std::move(ratios)},
      {EncodedPoints(encoding, succeeded), std::move(times),
       std::move(succeededRatios)},
      EncodedPoints(encoding, candidates)};
  for (size_t i = 0; i < sums.size(); ++i) {
    std::vector<size_t> order = selectors()[i].rank(task, random);
    double found = best;
    size_t tried = 0;
    for (size_t share = 0; share < shares.size(); ++share) {
      auto count = static_cast<size_t>(
          std::lround(shares[share] * static_cast<double>(order.size())));
      for (; tried < count; ++tried)
        found =
            std::min(found, timeOf(candidates[order[tried]]).value_or(found));
      sums[i][share] += 100 * (1 - found / best);
    }
  }
  ++generations;
}

Improvements Run::improvements() {
  size_t all = recording.trials().size();
  observe(search.propose(all)); // the population
  for (;;) {
    std::vector<Configuration> candidates = search.propose(all);
    if (candidates.empty())
      break;
    if (candidates.size() >= fewestCandidates && std::isfinite(best))
      rank(candidates);
    observe(candidates);
  }
  for (auto &selector : sums)
    for (double &sum : selector)
      sum /= static_cast<double>(std::max<size_t>(1, generations));
  return std::move(sums);
}

/// Returns the mean and its deviation over seeds, "1.23 ± 0.04".
static std::string meanOf(std::span<const double> values) {
  auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double value : values)
    sum += value / count;
  for (double value : values)
    squares += (value - sum) * (value - sum);
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << sum;
  if (count > 1)
    text << " ± " << std::sqrt(squares / (count - 1) / count);
  return text.str();
}

std::string tonno::printRanking(std::span<const Recording> recordings,
                                size_t seeds) {
  // Means over the recordings, by seed.
  std::vector<Improvements> means(seeds, Improvements(selectors().size()));
  for (size_t seed = 0; seed < seeds; ++seed)
    for (const Recording &recording : recordings) {
      Improvements run = Run(recording, seed + 1).improvements();
      for (size_t i = 0; i < run.size(); ++i)
        for (size_t share = 0; share < shares.size(); ++share)
          means[seed][i][share] +=
              run[i][share] / static_cast<double>(recordings.size());
    }
  std::ostringstream text;
  text << "| selected by";
  for (double share : shares)
    text << " | " << 100 * share << " %";
  text << " |\n| ---";
  for (size_t i = 0; i < shares.size(); ++i)
    text << " | ---";
  text << " |\n";
  for (size_t i = 0; i < selectors().size(); ++i) {
    text << "| " << selectors()[i].name;
    for (size_t share = 0; share < shares.size(); ++share) {
      std::vector<double> values;
      for (const Improvements &mean : means)
        values.push_back(mean[i][share]);
      text << " | " << meanOf(values);
    }
    text << " |\n";
  }
  return text.str();
}
