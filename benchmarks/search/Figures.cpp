//===- Figures of the search and their targets ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Figures.h"

#include <algorithm>

using namespace tonno;

namespace {

class Asked {
public:
  Asked(std::span<const Recording> recordings,
        std::span<const ReplayStrategy> strategies,
        const ReplayGridOptions &options, const KeptRuns &runs,
        const ReplayGrid &grid, const ReplayReport &clean)
      : recordings(recordings), strategies(strategies), options(options),
        runs(runs), grid(grid), clean(clean) {}

  Result<std::vector<Figure>> figures() &&;

private:
  void compareWithBest(const std::string &what, GoalCost RunScore::*goal,
                       double StrategySummary::*cost);
  void compareSeconds();
  void compareWorst();
  void addFractions();
  Result<StrategySummary> runOurs(const ReplayOptions &replay) const;
  Result<void> addNoisy(const std::string &what, const ReplayOptions &noisy);
  Result<void> addPending();
  Result<std::pair<double, double>> warmAndCold(const Recording &recording,
                                                const Recording &sibling) const;
  Result<void> addWarm();

  const std::vector<SpaceScore> &ours() const {
    return clean.strategies.front().spaces;
  }

  std::span<const Recording> recordings;
  std::span<const ReplayStrategy> strategies;
  const ReplayGridOptions &options;
  const KeptRuns &runs;
  const ReplayGrid &grid;
  const ReplayReport &clean;
  std::vector<Figure> result;
};

} // namespace

/// Adds the ratio of tonno's cost to the lowest cost of the other strategies.
void Asked::compareWithBest(const std::string &what, GoalCost RunScore::*goal,
                            double StrategySummary::*cost) {
  auto best = std::ranges::min_element(clean.strategies.begin() + 1,
                                       clean.strategies.end(), {}, cost);
  if (best == clean.strategies.end())
    return;
  auto index = static_cast<size_t>(best - clean.strategies.begin());
  RatioEstimate estimate =
      compareGoals(collectGoalCosts(grid.front(), goal),
                   collectGoalCosts(grid[index], goal), &GoalScore::trials);
  result.push_back({what + ", ours / the best other (" + best->name + ")",
                    printRatio(estimate), "<= 0.7", "<= 0.4"});
}

void Asked::compareSeconds() {
  auto pattern =
      std::ranges::find(clean.strategies, "pattern", &StrategySummary::name);
  if (pattern == clean.strategies.end())
    return;
  auto index = static_cast<size_t>(pattern - clean.strategies.begin());
  RatioEstimate estimate = compareGoals(
      collectGoalCosts(grid.front(), &RunScore::within5),
      collectGoalCosts(grid[index], &RunScore::within5), &GoalScore::seconds);
  result.push_back({"recorded seconds to within 5 %, ours / pattern",
                    printRatio(estimate), "<= 0.5", "<= 0.3"});
  std::vector<double> finals;
  for (size_t i = 0; i < recordings.size(); ++i)
    finals.push_back(ours()[i].finalSeconds / pattern->spaces[i].finalSeconds);
  result.push_back({"final time, ours / pattern",
                    printFixed(geometricMean(finals), 3), "<= 1", ""});
}

void Asked::compareWorst() {
  auto random =
      std::ranges::find(clean.strategies, "random", &StrategySummary::name);
  if (random == clean.strategies.end())
    return;
  double worst = 0;
  std::string name;
  for (size_t i = 0; i < recordings.size(); ++i) {
    double ratio = ours()[i].within5.trials / random->spaces[i].within5.trials;
    if (ratio > worst) {
      worst = ratio;
      name = recordings[i].name();
    }
  }
  result.push_back(
      {"worst space, trials to within 5 %, ours / random (" + name + ")",
       printFixed(worst, 2), "<= 1", "<= 0.5"});
}

/// Returns the fractions after 50, 100 and 200 trials, within the budget.
static std::string fractionsOf(const StrategySummary &summary) {
  std::string text;
  for (size_t i = 1; i < std::min<size_t>(4, summary.fractions.size()); ++i)
    text += (text.empty() ? "" : " / ") + printFixed(summary.fractions[i], 3);
  return text;
}

void Asked::addFractions() {
  result.push_back({"mean fraction of the optimum after 50 / 100 / 200 trials",
                    fractionsOf(clean.strategies.front()), ".90 / .955 / .985",
                    ".95 / .98 / .998"});
}

Result<StrategySummary> Asked::runOurs(const ReplayOptions &replay) const {
  ReplayGridOptions changed = options;
  changed.replay = replay;
  auto one = strategies.first(1);
  auto run = TONNO_TRY(runs.run(recordings, one, changed));
  return summarize(recordings, one, changed, run).strategies.front();
}

/// Adds the figure for noisy times: the loss against those without noise.
Result<void> Asked::addNoisy(const std::string &what,
                             const ReplayOptions &noisy) {
  auto summary = TONNO_TRY(runOurs(noisy));
  const std::vector<double> &before = clean.strategies.front().fractions;
  double least = 0;
  for (size_t i = 1; i < std::min<size_t>(4, before.size()); ++i)
    least = std::min(least, summary.fractions[i] - before[i]);
  result.push_back({what + ", and by how much it is less",
                    fractionsOf(summary) + "; " + printFixed(-least, 3),
                    "<= .01", "0"});
  return {};
}

Result<void> Asked::addPending() {
  ReplayOptions pending = options.replay;
  pending.pending = 64;
  auto summary = TONNO_TRY(runOurs(pending));
  if (summary.fractions.empty())
    return {};
  double before = clean.strategies.front().fractions.back();
  double loss = 1 - summary.fractions.back() / before;
  size_t trials = scoredTrials[summary.fractions.size() - 1];
  result.push_back({"loss at 64 pending against 1, after " +
                        std::to_string(trials) + " trials",
                    printFixed(loss * 100, 2) + " %", "<= 2 %", "<= 0.5 %"});
  return {};
}

/// Returns the part of the name before "__".
static std::string kernelOf(const Recording &recording) {
  return recording.name().substr(0, recording.name().find("__"));
}

static double meanFraction(std::span<const RunScore> runs, double optimum) {
  double sum = 0;
  for (const RunScore &run : runs)
    sum += optimum / run.best.back();
  return sum / static_cast<double>(runs.size());
}

/// Returns tonno's costs with the sibling's best as starting points, and
/// without.
Result<std::pair<double, double>>
Asked::warmAndCold(const Recording &recording, const Recording &sibling) const {
  constexpr size_t starts = 6;
  const ReplayStrategy &cold = strategies.front();
  ReplayStrategy warm = {
      cold.name + " from " + sibling.name(),
      [&](const ReplaySpace &space,
          uint64_t seed) -> Result<std::unique_ptr<SearchStrategy>> {
        auto strategy = TONNO_TRY(cold.create(space, seed));
        return std::unique_ptr<SearchStrategy>(std::make_unique<StartingPoints>(
            bestOfSibling(sibling, *space.legal, starts), std::move(strategy)));
      }};
  ReplayGridOptions few = options;
  few.replay.trials = starts;
  std::vector<ReplayStrategy> both = {warm, cold};
  auto run = runs.run({&recording, 1}, both, few);
  if (!run)
    return run.error();
  double optimum = recording.bestSeconds();
  return std::pair(meanFraction((*run)[0][0], optimum),
                   meanFraction((*run)[1][0], optimum));
}

/// Adds the figure of warm starts: each recording with each other one of the
/// same kernel as its sibling.
Result<void> Asked::addWarm() {
  double sum = 0;
  size_t pairs = 0;
  for (const Recording &recording : recordings)
    for (const Recording &sibling : recordings) {
      if (&recording == &sibling || kernelOf(recording) != kernelOf(sibling))
        continue;
      auto fractions = TONNO_TRY(warmAndCold(recording, sibling));
      auto [warm, cold] = fractions;
      result.push_back(
          {recording.name() + " from " + sibling.name() +
               ", mean fraction after 6 trials",
           printFixed(warm, 3) + " (cold " + printFixed(cold, 3) + ")", "",
           ""});
      sum += warm;
      ++pairs;
    }
  if (pairs > 0)
    result.push_back({"warm start from a sibling: mean fraction after 6 trials",
                      printFixed(sum / static_cast<double>(pairs), 3), ">= .80",
                      ">= .90"});
  return {};
}

Result<std::vector<Figure>> Asked::figures() && {
  compareWithBest("trials to within 5 %", &RunScore::within5,
                  &StrategySummary::trialsWithin5);
  compareWithBest("trials to within 1 %", &RunScore::within1,
                  &StrategySummary::trialsWithin1);
  compareSeconds();
  addFractions();
  ReplayOptions noisy = options.replay;
  noisy.noise = 0.03;
  TONNO_TRY(addNoisy("the same with 3 % noise", noisy));
  noisy.finalNoise = 0.007; // what the first stage of a session's ends at
  TONNO_TRY(addNoisy("the same with 3 % noise and finals", noisy));
  compareWorst();
  TONNO_TRY(addWarm());
  TONNO_TRY(addPending());
  result.push_back(
      {"proposing, of a trial",
       printFixed(clean.strategies.front().proposingSeconds * 1e3, 2) + " ms",
       "", ""});
  return std::move(result);
}

Result<std::vector<Figure>>
tonno::figuresOf(std::span<const Recording> recordings,
                 std::span<const ReplayStrategy> strategies,
                 const ReplayGridOptions &options, const KeptRuns &runs,
                 const ReplayGrid &grid, const ReplayReport &clean) {
  return Asked(recordings, strategies, options, runs, grid, clean).figures();
}

std::string tonno::printFigures(const std::vector<Figure> &figures) {
  std::string text = "| what | measured | must reach | aim for |\n"
                     "| --- | --- | --- | --- |\n";
  for (const Figure &figure : figures)
    text += "| " + figure.what + " | " + figure.value + " | " + figure.must +
            " | " + figure.aim + " |\n";
  return text;
}

std::string tonno::printGoals(const ReplayReport &report) {
  std::string text = "| strategy | trials to 5 % | over the first | trials to "
                     "1 % | over the first |\n"
                     "| --- | --- | --- | --- | --- |\n";
  for (const StrategySummary &each : report.strategies)
    text += "| " + each.name + " | " + printFixed(each.trialsWithin5, 1) +
            " | " + printRatio(each.trialsRatio5) + " | " +
            printFixed(each.trialsWithin1, 1) + " | " +
            printRatio(each.trialsRatio1) + " |\n";
  return text;
}

std::vector<Configuration> tonno::bestOfSibling(const Recording &sibling,
                                                const LegalSpace &space,
                                                size_t count) {
  std::vector<const RecordedTrial *> order;
  for (const RecordedTrial &trial : sibling.trials())
    if (trial.ok())
      order.push_back(&trial);
  std::ranges::sort(order, {}, [](const RecordedTrial *trial) {
    return std::pair(trial->seconds, trial); // in their order where equal
  });
  std::vector<Configuration> points;
  for (const RecordedTrial *trial : order) {
    if (points.size() == count)
      break;
    auto point = space.space().configuration(
        sibling.space().values(trial->configuration));
    if (point && space.contains(*point))
      points.push_back(std::move(*point));
  }
  return points;
}
