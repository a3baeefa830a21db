//===- A search that begins with a prior ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PriorSearch.h"
#include "PriorPool.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tonno;

PriorTask tonno::makePriorTask(const SearchSpace &space,
                               KernelFeatures features, std::string chip) {
  PriorTask task = {std::move(features), std::move(chip), {}};
  for (const Knob &knob : space.knobs())
    task.knobs.push_back(knob.name);
  std::ranges::sort(task.knobs);
  return task;
}

/// Sources that tell the truth.
struct PriorSearch::Hypothesis {
  std::string name; ///< for reasons
  PriorModel model;
  double probability; ///< before any trial
};

PriorSearch::~PriorSearch() = default;

bool PriorSearch::knowsKernel() const { return hypotheses.size() > 1; }

PriorSearch::PriorSearch(std::shared_ptr<const LegalSpace> space,
                         const Prior &prior, PriorTask task,
                         std::unique_ptr<SearchStrategy> strategy,
                         uint64_t seed, Options options)
    : options(options),
      pool(std::make_unique<PriorPool>(std::move(space), task)), random(seed),
      strategy(std::move(strategy)) {
  addHypothesis(prior, task, "all sources of " + prior.name, options.ofAll);
  std::set<std::string> chips;
  for (const std::string &chip : hypotheses.front().model.chips())
    chips.insert(chip);
  if (chips.empty())
    hypotheses.clear();
  Prior part = {prior.name, prior.scales, prior.coverage, {}};
  double ofChips = 1 - options.ofAll - options.ofNone;
  if (chips.size() > 1)
    for (const std::string &chip : chips) {
      part.sources.clear();
      for (const PriorSource &source : prior.sources)
        if (source.task.chip == chip)
          part.sources.push_back(source);
      addHypothesis(part, task, prior.name + "'s sources on " + chip,
                    ofChips / static_cast<double>(chips.size()));
    }
  part.sources.clear();
  addHypothesis(part, task, "what was tried", options.ofNone);
}

void PriorSearch::addHypothesis(const Prior &prior, const PriorTask &task,
                                std::string name, double probability) {
  hypotheses.push_back({std::move(name), PriorModel(prior, task), probability});
}

/// Draws a hypothesis by its probability, given what was observed.
const PriorSearch::Hypothesis &PriorSearch::draw() {
  std::vector<double> logs;
  for (const Hypothesis &each : hypotheses)
    logs.push_back(std::log(each.probability) + each.model.logEvidence());
  double most = *std::ranges::max_element(logs), sum = 0;
  for (double &log : logs)
    sum += log = std::exp(log - most);
  double drawn = random.uniform() * sum;
  size_t i = 0;
  while (i + 1 < logs.size() && drawn >= logs[i])
    drawn -= logs[i++];
  return hypotheses[i];
}

std::optional<Configuration> PriorSearch::next() {
  if (!knowsKernel() || reasons.size() >= options.most)
    return std::nullopt;
  const Hypothesis &believed = draw();
  if (!believed.model.canPredict())
    return std::nullopt;
  std::optional<Configuration> best =
      pool->findBest(believed.model, -options.optimism, random);
  if (best)
    reasons[*best] = "expected to be the best, by " + believed.name;
  return best;
}

std::vector<Configuration> PriorSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n) {
    std::optional<Configuration> chosen = next();
    if (!chosen)
      break;
    pool->take(*chosen);
    ++*numProposed;
    proposed.push_back(*std::move(chosen));
  }
  while (proposed.size() < n) {
    std::vector<Configuration> others = strategy->propose(n - proposed.size());
    if (others.empty())
      break;
    // The strategy does not know what is pending.
    for (Configuration &point : others)
      if (pool->take(point))
        proposed.push_back(std::move(point));
  }
  return proposed;
}

void PriorSearch::observe(std::span<const Trial> trials) {
  strategy->observe(trials);
  for (const Trial &trial : trials) {
    pool->take(trial.configuration);
    if (trial.status == Status::lost || trial.status == Status::contended)
      continue;
    std::optional<double> ratio = trial.ratioBound;
    if (trial.measurement)
      ratio = trial.measurement->ratio;
    if (ratio && !firstRatio)
      firstRatio = ratio;
    std::optional<double> logTime;
    if (ratio && *ratio > 0)
      logTime = std::log(*ratio / *firstRatio);
    for (Hypothesis &each : hypotheses)
      each.model.observe(pool->values(trial.configuration), logTime);
  }
}

std::string PriorSearch::explain(const Configuration &candidate) const {
  auto own = reasons.find(candidate);
  return own != reasons.end() ? own->second : strategy->explain(candidate);
}
