//===- Scores of searches on recorded spaces ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"
#include "tonno/Space/Random.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace tonno;

/// Returns the number of trials, at most that of the points.
static size_t trialsOn(const Recording &recording,
                       const ReplayOptions &options) {
  return std::min(options.trials, recording.trials().size());
}

static GoalCost costUntil(const ReplayRun &run, double seconds,
                          const ReplayOptions &budgets, size_t budget) {
  for (size_t i = 0; i < std::min(run.steps.size(), budget); ++i)
    if (run.steps[i].best <= seconds)
      return {true, static_cast<double>(i + 1), run.steps[i].spent};
  GoalCost cost = {false, static_cast<double>(budget), 0};
  if (run.steps.empty())
    return cost;
  auto trials = static_cast<double>(run.steps.size());
  double each = run.steps.back().spent / trials;
  if (each * cost.trials > budgets.seconds)
    cost.trials = std::max(trials, budgets.seconds / each);
  cost.seconds = each * cost.trials;
  return cost;
}

RunScore tonno::scoreRun(const ReplayRun &run, const Recording &recording,
                         const ReplayOptions &options) {
  RunScore score;
  size_t budget = trialsOn(recording, options);
  score.within5 =
      costUntil(run, recording.bestSeconds() * 1.05, options, budget);
  score.within1 =
      costUntil(run, recording.bestSeconds() * 1.01, options, budget);
  score.trials = run.steps.size();
  score.proposingSeconds = run.proposingSeconds;
  for (const ReplayStep &step : run.steps)
    score.best.push_back(step.best);
  if (!run.steps.empty())
    score.seconds = run.steps.back().spent;
  size_t asked = std::min(options.trials, scoredTrials.back());
  score.best.resize(std::max(budget, asked),
                    run.steps.empty() ? std::numeric_limits<double>::infinity()
                                      : run.steps.back().best);
  return score;
}

GoalScore tonno::scoreGoal(std::span<const GoalCost> costs) {
  assert(!costs.empty() && "no runs");
  GoalScore score;
  std::vector<double> trials;
  for (const GoalCost &cost : costs) {
    score.reached += cost.isReached;
    score.trials += cost.trials;
    score.seconds += cost.seconds;
    trials.push_back(cost.trials);
  }
  score.runs = costs.size();
  double successes = std::max(0.5, static_cast<double>(score.reached));
  score.trials /= successes;
  score.seconds /= successes;
  score.medianTrials = median(std::move(trials));
  return score;
}

double tonno::geometricMean(std::span<const double> values) {
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Returns the mean best time after each trial; runs without a valid time count
/// as `worst`.
static std::vector<double> meanBest(std::span<const RunScore> runs,
                                    double worst) {
  std::vector<double> mean(runs.front().best.size());
  for (const RunScore &run : runs)
    for (size_t i = 0; i < mean.size(); ++i)
      mean[i] +=
          std::min(run.best[i], worst) / static_cast<double>(runs.size());
  return mean;
}

SpaceScore tonno::scoreSpace(const Recording &recording,
                             const RandomBaseline &baseline,
                             std::span<const RunScore> runs) {
  assert(!runs.empty() && "no runs");
  SpaceScore score;
  size_t budget = runs.front().best.size();
  for (size_t trials : scoredTrials) {
    if (trials > budget)
      break;
    double sum = 0;
    for (const RunScore &run : runs)
      sum += recording.bestSeconds() / run.best[trials - 1];
    score.fractions.push_back(sum / static_cast<double>(runs.size()));
  }
  std::vector<GoalCost> within5, within1;
  std::vector<double> finals;
  double proposing = 0, trials = 0;
  for (const RunScore &run : runs) {
    within5.push_back(run.within5);
    within1.push_back(run.within1);
    finals.push_back(run.best.back());
    proposing += run.proposingSeconds;
    trials += static_cast<double>(run.trials);
  }
  score.within5 = scoreGoal(within5);
  score.within1 = scoreGoal(within1);
  score.score = baseline.score(meanBest(runs, baseline.worstSeconds()));
  score.finalSeconds = geometricMean(finals);
  score.proposingSeconds = proposing / std::max(1.0, trials);
  return score;
}

GoalCosts tonno::collectGoalCosts(std::span<const std::vector<RunScore>> spaces,
                                  GoalCost RunScore::*goal) {
  GoalCosts costs;
  for (const std::vector<RunScore> &runs : spaces) {
    costs.emplace_back();
    for (const RunScore &run : runs)
      costs.back().push_back(run.*goal);
  }
  return costs;
}

/// Returns the log ratio; 0 if both costs are 0, that is not recorded.
static double logOver(double one, double other) {
  return one == other ? 0 : std::log(one / other);
}

/// Returns the mean log ratio over the seeds with these indices in each space.
static double logRatio(const GoalCosts &one, const GoalCosts &other,
                       GoalFigure figure,
                       const std::vector<std::vector<size_t>> &seeds) {
  double sum = 0;
  for (size_t space = 0; space < one.size(); ++space) {
    std::vector<GoalCost> ones, others;
    for (size_t seed : seeds[space]) {
      ones.push_back(one[space][seed]);
      others.push_back(other[space][seed]);
    }
    sum += logOver(scoreGoal(ones).*figure, scoreGoal(others).*figure);
  }
  return sum / static_cast<double>(one.size());
}

RatioEstimate tonno::compareGoals(const GoalCosts &one, const GoalCosts &other,
                                  GoalFigure figure) {
  assert(!one.empty() && one.size() == other.size() && "other spaces");
  std::vector<std::vector<size_t>> seeds;
  for (const std::vector<GoalCost> &space : one) {
    seeds.emplace_back(space.size());
    for (size_t i = 0; i < space.size(); ++i)
      seeds.back()[i] = i;
  }
  RatioEstimate estimate;
  estimate.ratio = std::exp(logRatio(one, other, figure, seeds));
  constexpr size_t resamples = 1000;
  Random random(1); // the estimate is a function of the runs
  std::vector<double> ratios;
  for (size_t i = 0; i < resamples; ++i) {
    for (std::vector<size_t> &space : seeds)
      for (size_t &seed : space)
        seed = random.below(space.size());
    ratios.push_back(logRatio(one, other, figure, seeds));
  }
  std::ranges::sort(ratios);
  constexpr size_t tail = resamples / 40; // 2.5 %
  estimate.interval = {std::exp(ratios[tail]),
                       std::exp(ratios[resamples - 1 - tail])};
  return estimate;
}

static constexpr size_t fewestScored = 20;
static constexpr size_t firstScored = 10;

RandomBaseline::RandomBaseline(const Recording &recording)
    : points(recording.trials().size()) {
  for (const RecordedTrial &trial : recording.trials())
    if (trial.ok())
      times.push_back(trial.seconds);
  std::ranges::sort(times);
  way = times[times.size() / 2] - times.front();
  constexpr double near = 0.05;
  // The expected distance decreases with the draws, so search by bisection.
  size_t low = 1, high = points;
  while (low < high) {
    size_t draws = low + (high - low) / 2;
    if (expectedDistance(draws) <= near * way)
      high = draws;
    else
      low = draws + 1;
  }
  scoredDraws = std::min(std::max(low, fewestScored), points);
}

/// Returns the expectation of `value` at the best time. C(points - i, draws) /
/// C(points, draws) is the probability that none of the best i is drawn.
template <typename Value>
double RandomBaseline::expected(size_t draws, double ofNothing,
                                Value value) const {
  double sum = 0, missed = 1;
  constexpr double negligible = 1e-16;
  for (size_t i = 0; i < times.size() && missed > negligible; ++i) {
    auto left = static_cast<double>(points - i);
    double stillMissed =
        missed * std::max(0.0, left - static_cast<double>(draws)) / left;
    sum += (missed - stillMissed) * value(times[i]);
    missed = stillMissed;
  }
  return sum + missed * ofNothing;
}

double RandomBaseline::expectedSeconds(size_t draws) const {
  return expected(draws, times.back(), [](double time) { return time; });
}

/// Computes the expected distance directly rather than as a difference of
/// expectations, so that rounding leaves 0 if the optimum is certain or all
/// times are equal.
double RandomBaseline::expectedDistance(size_t draws) const {
  return expected(draws, times.back() - times.front(),
                  [this](double time) { return time - times.front(); });
}

double RandomBaseline::expectedFraction(size_t draws) const {
  return expected(draws, 0,
                  [this](double time) { return times.front() / time; });
}

double RandomBaseline::missProbability(double factor, size_t draws) const {
  double limit = times.front() * factor;
  return 1 - expected(draws, 0,
                      [limit](double time) { return time <= limit ? 1 : 0; });
}

double RandomBaseline::drawsUntil(double factor, size_t cap) const {
  double drawn = 0;
  for (size_t draws = 0; draws < cap; ++draws)
    drawn += missProbability(factor, draws); // one more is drawn
  return drawn / (1 - missProbability(factor, cap));
}

std::optional<double>
RandomBaseline::score(const std::vector<double> &best) const {
  constexpr double negligible = 0.01;
  double sum = 0;
  size_t count = 0;
  for (size_t draws = firstScored; draws <= std::min(scoredDraws, best.size());
       ++draws) {
    double distance = expectedDistance(draws);
    if (distance <= negligible * way || way == 0)
      break;
    sum += 1 - (best[draws - 1] - times.front()) / distance;
    ++count;
  }
  if (count == 0)
    return std::nullopt;
  return sum / static_cast<double>(count);
}
