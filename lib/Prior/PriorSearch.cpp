//===- A search that begins with a prior ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PriorSearch.h"
#include "PriorModel.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tonno;

/// Points drawn anew for each proposal; then neighbours of the most promising
/// few, for some rounds.
static constexpr size_t numDrawn = 1000;
static constexpr size_t numRounds = 3;
static constexpr size_t numImproved = 4;
/// Points of which it matters how sure their predictions are.
static constexpr size_t numFinalists = 64;

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
    : options(options), fresh(space), encoding(space->space()), random(seed),
      strategy(std::move(strategy)) {
  const std::vector<Knob> &knobs = space->space().knobs();
  for (const std::string &knob : task.knobs)
    knobOrder.push_back(static_cast<size_t>(
        std::ranges::find(knobs, knob, &Knob::name) - knobs.begin()));
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

std::vector<Json> PriorSearch::values(const Configuration &point) const {
  std::vector<Json> values;
  for (size_t knob : knobOrder)
    values.push_back(
        fresh.space().space().knobs()[knob].options[point.indices[knob]]);
  return values;
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
  std::optional<Configuration> best = findBest(believed.model);
  if (best)
    reasons[*best] = "expected to be the best, by " + believed.name;
  return best;
}

/// Returns the most promising fresh point that some draws and rounds of
/// improvement find; none if no point is fresh.
std::optional<Configuration> PriorSearch::findBest(const PriorModel &model) {
  std::vector<Configuration> pool;
  std::vector<std::vector<Json>> asked;
  std::vector<double> losses;
  std::unordered_set<Configuration, ConfigurationHash> distinct;
  auto add = [&](Configuration point) {
    if (!fresh.isFresh(point) || !distinct.insert(point).second)
      return;
    asked.push_back(values(point));
    pool.push_back(std::move(point));
  };
  // Returns the most promising points, of those that were not improved.
  std::unordered_set<size_t> improved;
  auto findFirst = [&](size_t most) {
    std::ranges::copy(
        model.predictLosses(std::span(asked).subspan(losses.size())),
        std::back_inserter(losses));
    std::vector<size_t> order;
    for (size_t i = 0; i < pool.size(); ++i)
      if (!improved.contains(i))
        order.push_back(i);
    most = std::min(most, order.size());
    std::ranges::partial_sort(
        order, order.begin() + static_cast<ptrdiff_t>(most), {},
        [&](size_t i) { return std::pair(losses[i], i); });
    order.resize(most);
    return order;
  };
  size_t wanted = fresh.space().limitDraws(numDrawn);
  for (size_t i = 0; i < wanted; ++i)
    if (auto point = fresh.draw(random))
      add(*std::move(point));
  for (size_t round = 0; round < numRounds; ++round)
    for (size_t i : findFirst(numImproved)) {
      improved.insert(i);
      for (size_t knob = 0; knob < encoding.knobs(); ++knob)
        for (uint32_t option :
             encoding.neighbours(knob, pool[i].indices[knob], /*radius=*/16)) {
          Configuration neighbour = pool[i];
          neighbour.indices[knob] = option;
          add(std::move(neighbour));
        }
    }
  improved.clear();
  std::vector<size_t> finalists = findFirst(numFinalists);
  if (finalists.empty())
    return std::nullopt;
  std::vector<std::vector<Json>> ofFinalists;
  for (size_t i : finalists)
    ofFinalists.push_back(asked[i]);
  std::vector<PriorModel::Prediction> predictions = model.predict(ofFinalists);
  auto best = std::ranges::min_element(
      predictions, {}, [&](const PriorModel::Prediction &each) {
        return each.loss - options.caution * each.deviation;
      });
  return pool[finalists[static_cast<size_t>(best - predictions.begin())]];
}

std::vector<Configuration> PriorSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n) {
    std::optional<Configuration> chosen = next();
    if (!chosen)
      break;
    fresh.take(*chosen);
    ++*numProposed;
    proposed.push_back(*std::move(chosen));
  }
  while (proposed.size() < n) {
    std::vector<Configuration> others = strategy->propose(n - proposed.size());
    if (others.empty())
      break;
    // The strategy does not know what is pending.
    for (Configuration &point : others)
      if (fresh.take(point))
        proposed.push_back(std::move(point));
  }
  return proposed;
}

void PriorSearch::observe(std::span<const Trial> trials) {
  strategy->observe(trials);
  for (const Trial &trial : trials) {
    fresh.take(trial.configuration);
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
      each.model.observe(values(trial.configuration), logTime);
  }
}

std::string PriorSearch::explain(const Configuration &candidate) const {
  auto own = reasons.find(candidate);
  return own != reasons.end() ? own->second : strategy->explain(candidate);
}
