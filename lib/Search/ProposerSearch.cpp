//===- A search that a proposer takes part in -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ProposerSearch.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// After an answer without a fresh point, the proposer is asked again once
/// there are two more trials; after the next such answers, four more, eight,
/// ...
static constexpr size_t mostDoublings = 10;
/// The proposer's turn comes at least this often.
static constexpr double leastShare = 0.02;
/// Successes that a trial counts as at most.
static constexpr double weight = 3;
/// Makes the success of a trial that is faster than 90 % of the others 0.28.
static constexpr double steepness = 12;

/// Draws a probability of success from its distribution: normal, with mean and
/// deviation of the beta distribution.
double ProposerSearch::draw(const Record &record) {
  double sum = record.successes + record.failures;
  double mean = record.successes / sum;
  return mean + (std::sqrt(mean * (1 - mean) / (sum + 1)) * random.normal());
}

bool ProposerSearch::isProposersTurn() {
  bool isBetter = draw(ofProposer) > draw(ofStrategy);
  bool isRarelyAsked = random.uniform() < leastShare;
  bool hasHalf = ofProposer.proposed >= ofStrategy.proposed;
  bool isSilent = queue.empty() && observed.size() < askedAgainAt;
  return (isBetter || isRarelyAsked) && !hasHalf && !isSilent;
}

/// Returns a fresh point of the proposer.
std::optional<Configuration> ProposerSearch::next() {
  if (queue.empty()) {
    std::vector<Configuration> answer = proposer(observed);
    queue.assign(answer.begin(), answer.end());
  }
  while (!queue.empty()) {
    Configuration point = std::move(queue.front());
    queue.pop_front();
    if (seen.contains(point))
      continue;
    answersInVain = 0;
    return point;
  }
  answersInVain = std::min(answersInVain + 1, mostDoublings);
  askedAgainAt = observed.size() + (size_t(1) << answersInVain);
  return std::nullopt;
}

std::vector<Configuration> ProposerSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n) {
    std::optional<Configuration> chosen;
    if (isProposersTurn())
      chosen = next();
    if (chosen) {
      external.insert(*chosen);
      ++ofProposer.proposed;
    } else {
      std::vector<Configuration> own = strategy->propose(1);
      if (own.empty())
        break;
      // The strategy does not know what is pending.
      if (seen.contains(own.front()))
        continue;
      chosen = std::move(own.front());
      ++ofStrategy.proposed;
    }
    seen.insert(*chosen);
    proposed.push_back(*std::move(chosen));
  }
  return proposed;
}

/// Counts a trial for the side that proposed it.
void ProposerSearch::judge(const Trial &trial) {
  std::optional<double> ratio = trial.ratioBound;
  if (trial.measurement)
    ratio = trial.measurement->ratio;
  size_t others = ratios.size() + failed;
  double rank = 0;
  if (ratio) {
    auto place = std::ranges::upper_bound(ratios, *ratio);
    size_t slower = static_cast<size_t>(ratios.end() - place) + failed;
    rank = static_cast<double>(slower) /
           static_cast<double>(std::max<size_t>(others, 1));
    ratios.insert(place, *ratio);
  } else {
    ++failed;
  }
  if (others == 0)
    return; // the default, or the first that ran
  double success = std::pow(rank, steepness);
  Record &record =
      external.contains(trial.configuration) ? ofProposer : ofStrategy;
  record.successes += weight * success;
  record.failures += weight * (1 - success);
}

void ProposerSearch::observe(std::span<const Trial> trials) {
  strategy->observe(trials);
  for (const Trial &trial : trials) {
    seen.insert(trial.configuration);
    observed.push_back(trial);
    // An environmental failure says nothing about the point.
    if (trial.status != Status::lost && trial.status != Status::contended)
      judge(trial);
  }
}

std::string ProposerSearch::explain(const Configuration &candidate) const {
  return external.contains(candidate) ? "by the proposer"
                                      : strategy->explain(candidate);
}
