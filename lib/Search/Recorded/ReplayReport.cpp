//===- Reports of replays as text and JSON --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

using namespace tonno;

static double mean(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}

/// Returns the mean of the scores, or none if no space has one.
static std::optional<double> meanScore(const std::vector<SpaceScore> &spaces) {
  std::vector<double> scores;
  for (const SpaceScore &space : spaces)
    if (space.score)
      scores.push_back(*space.score);
  return scores.empty() ? std::nullopt : std::optional(mean(scores));
}

static StrategySummary summarizeSpaces(std::vector<SpaceScore> spaces) {
  auto figures = [&](auto figure) {
    std::vector<double> values;
    for (const SpaceScore &space : spaces)
      values.push_back(figure(space));
    return values;
  };
  auto costs = [&](GoalScore SpaceScore::*goal, GoalFigure figure) {
    return geometricMean(
        figures([&](const SpaceScore &space) { return space.*goal.*figure; }));
  };
  auto shareReached = [&](GoalScore SpaceScore::*goal) {
    return mean(figures([&](const SpaceScore &space) {
      return static_cast<double>((space.*goal).reached) /
             static_cast<double>((space.*goal).runs);
    }));
  };
  StrategySummary summary;
  for (size_t i = 0; i < spaces.front().fractions.size(); ++i)
    summary.fractions.push_back(mean(
        figures([i](const SpaceScore &space) { return space.fractions[i]; })));
  summary.trialsWithin5 = costs(&SpaceScore::within5, &GoalScore::trials);
  summary.trialsWithin1 = costs(&SpaceScore::within1, &GoalScore::trials);
  summary.secondsWithin5 = costs(&SpaceScore::within5, &GoalScore::seconds);
  summary.secondsWithin1 = costs(&SpaceScore::within1, &GoalScore::seconds);
  summary.reachedWithin5 = shareReached(&SpaceScore::within5);
  summary.reachedWithin1 = shareReached(&SpaceScore::within1);
  summary.score = meanScore(spaces);
  summary.proposingSeconds = mean(
      figures([](const SpaceScore &space) { return space.proposingSeconds; }));
  summary.spaces = std::move(spaces);
  return summary;
}

ReplayReport tonno::summarize(std::span<const Recording> recordings,
                              std::span<const ReplayStrategy> strategies,
                              const ReplayGridOptions &options,
                              const ReplayGrid &grid) {
  ReplayReport report;
  std::vector<RandomBaseline> baselines;
  for (const Recording &recording : recordings) {
    report.recordings.push_back(
        {recording.name(), recording.trials().size(),
         recording.trials().size() - recording.okCount(), recording.excluded(),
         recording.disturbed(), recording.bestSeconds(), recording.notes()});
    baselines.emplace_back(recording);
  }
  report.trials = options.replay.trials;
  report.seconds = options.replay.seconds;
  report.seeds = options.seeds;
  report.pending = options.replay.pending;
  report.noise = options.replay.noise;
  GoalCosts first5 = collectGoalCosts(grid.front(), &RunScore::within5);
  GoalCosts first1 = collectGoalCosts(grid.front(), &RunScore::within1);
  for (size_t i = 0; i < strategies.size(); ++i) {
    std::vector<SpaceScore> spaces;
    for (size_t space = 0; space < recordings.size(); ++space)
      spaces.push_back(
          scoreSpace(recordings[space], baselines[space], grid[i][space]));
    StrategySummary &summary =
        report.strategies.emplace_back(summarizeSpaces(std::move(spaces)));
    summary.name = strategies[i].name;
    GoalCosts goals5 = collectGoalCosts(grid[i], &RunScore::within5);
    GoalCosts goals1 = collectGoalCosts(grid[i], &RunScore::within1);
    summary.trialsRatio5 = compareGoals(goals5, first5, &GoalScore::trials);
    summary.trialsRatio1 = compareGoals(goals1, first1, &GoalScore::trials);
    summary.secondsRatio5 = compareGoals(goals5, first5, &GoalScore::seconds);
  }
  return report;
}

/// Formats cells in columns of these widths; aligns the first to the left,
/// others to the right.
static std::string line(const std::vector<std::string> &cells,
                        const std::vector<size_t> &widths) {
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string gap(widths[i] - std::min(widths[i], cells[i].size()), ' ');
    text += i == 0 ? cells[i] + gap : "  " + gap + cells[i];
  }
  text.resize(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

static std::string aligned(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const std::vector<std::string> &row : rows)
    text += line(row, widths);
  return text;
}

std::string tonno::printFixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

/// Formats a cost, with a mark if not every run reached the goal.
static std::string cost(double value, double reached, int digits) {
  return printFixed(value, digits) + (reached < 1 ? "*" : "");
}

std::string tonno::printRatio(const RatioEstimate &estimate) {
  return printFixed(estimate.ratio, 2) + " [" +
         printFixed(estimate.interval.low, 2) + ", " +
         printFixed(estimate.interval.high, 2) + "]";
}

static std::string overall(const ReplayReport &report) {
  std::vector<std::vector<std::string>> rows = {{"strategy"}};
  for (size_t i = 0; i < report.strategies.front().fractions.size(); ++i)
    rows[0].push_back("f" + std::to_string(scoredTrials[i]));
  for (const char *title :
       {"to 5 %", "to 1 %", "s to 5 %", "s to 1 %", "score", "ms/trial",
        "to 5 % over the first", "to 1 % over the first"})
    rows[0].emplace_back(title);
  for (const StrategySummary &each : report.strategies) {
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(each.name);
    for (double fraction : each.fractions)
      row.push_back(printFixed(fraction, 3));
    row.push_back(cost(each.trialsWithin5, each.reachedWithin5, 1));
    row.push_back(cost(each.trialsWithin1, each.reachedWithin1, 1));
    row.push_back(cost(each.secondsWithin5, each.reachedWithin5, 0));
    row.push_back(cost(each.secondsWithin1, each.reachedWithin1, 0));
    row.push_back(each.score ? printFixed(*each.score, 3) : "-");
    row.push_back(printFixed(each.proposingSeconds * 1e3, 2));
    row.push_back(printRatio(each.trialsRatio5));
    row.push_back(printRatio(each.trialsRatio1));
  }
  return aligned(rows);
}

static std::string bySpace(const ReplayReport &report) {
  std::vector<std::vector<std::string>> rows = {{"trials to 5 % on"}};
  for (const StrategySummary &strategy : report.strategies)
    rows[0].push_back(strategy.name);
  for (size_t space = 0; space < report.recordings.size(); ++space) {
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(report.recordings[space].name);
    for (const StrategySummary &strategy : report.strategies) {
      const GoalScore &goal = strategy.spaces[space].within5;
      row.push_back(cost(goal.trials, goal.reached < goal.runs ? 0 : 1, 1));
    }
  }
  return aligned(rows);
}

static std::string replayedOn(const ReplayReport &report) {
  std::vector<std::vector<std::string>> rows = {
      {"recording", "points", "failed", "excluded", "disturbed", "best ms"}};
  for (const ReplayedRecording &each : report.recordings)
    rows.push_back({each.name, std::to_string(each.trials),
                    std::to_string(each.failed), std::to_string(each.excluded),
                    std::to_string(each.disturbed),
                    printFixed(each.bestSeconds * 1e3, 4)});
  return aligned(rows);
}

std::string tonno::printTable(const ReplayReport &report) {
  std::ostringstream head;
  head << report.seeds << " seeds, " << report.trials << " trials, ";
  if (std::isfinite(report.seconds))
    head << "at most " << report.seconds << " s, ";
  head << report.pending << " pending";
  if (report.noise > 0)
    head << ", " << report.noise * 100 << " % noise";
  head << ", " << report.recordings.size() << " recordings\n";
  return head.str() + "\n" + replayedOn(report) + "\n" + overall(report) +
         "\n" + bySpace(report) +
         "\nexcluded: entries that break constraints known without measuring. "
         "disturbed: entries\nwith unreliable times. f25: mean share of the "
         "optimum after 25 trials. to 5 %: all\ntrials / runs that came within "
         "5 % of the optimum, geometric mean; * some runs\nnever did. s: "
         "recorded seconds. score: against random (0) and the optimum at\nonce "
         "(1); - random search is at the optimum.\n";
}

namespace tonno {

static void to_json(Json &json, const GoalScore &goal) {
  json = Json{{"runs", goal.runs},
              {"reached", goal.reached},
              {"trials", goal.trials},
              {"seconds", goal.seconds},
              {"median_trials", goal.medianTrials}};
}

static void to_json(Json &json, const RatioEstimate &estimate) {
  json = Json{{"ratio", estimate.ratio}, {"interval", estimate.interval}};
}

/// Keys fractions by the number of trials.
static Json fractionsJson(const std::vector<double> &fractions) {
  Json json = Json::object();
  for (size_t i = 0; i < fractions.size(); ++i)
    json[std::to_string(scoredTrials[i])] = fractions[i];
  return json;
}

static void to_json(Json &json, const SpaceScore &space) {
  json = Json{{"fractions", fractionsJson(space.fractions)},
              {"within_5_percent", space.within5},
              {"within_1_percent", space.within1},
              {"proposing_seconds", space.proposingSeconds}};
  putOptional(json, "score", space.score);
  if (std::isfinite(space.finalSeconds)) // JSON has no infinity
    json["final_seconds"] = space.finalSeconds;
}

static Json summaryJson(const StrategySummary &summary,
                        const std::vector<ReplayedRecording> &recordings) {
  Json spaces = Json::array();
  for (size_t i = 0; i < recordings.size(); ++i) {
    spaces.push_back(summary.spaces[i]);
    spaces.back()["recording"] = recordings[i].name;
  }
  Json json = {{"strategy", summary.name},
               {"fractions", fractionsJson(summary.fractions)},
               {"within_5_percent",
                {{"trials", summary.trialsWithin5},
                 {"seconds", summary.secondsWithin5},
                 {"reached", summary.reachedWithin5},
                 {"trials_over_first", summary.trialsRatio5},
                 {"seconds_over_first", summary.secondsRatio5}}},
               {"within_1_percent",
                {{"trials", summary.trialsWithin1},
                 {"seconds", summary.secondsWithin1},
                 {"reached", summary.reachedWithin1},
                 {"trials_over_first", summary.trialsRatio1}}},
               {"proposing_seconds", summary.proposingSeconds},
               {"recordings", std::move(spaces)}};
  putOptional(json, "score", summary.score);
  return json;
}

void to_json(Json &json, const ReplayReport &report) {
  json = Json{{"budget_trials", report.trials}, {"seeds", report.seeds},
              {"pending", report.pending},      {"noise", report.noise},
              {"recordings", Json::array()},    {"strategies", Json::array()}};
  if (std::isfinite(report.seconds)) // JSON has no infinity
    json["budget_seconds"] = report.seconds;
  for (const ReplayedRecording &each : report.recordings)
    json["recordings"].push_back({{"name", each.name},
                                  {"trials", each.trials},
                                  {"failed", each.failed},
                                  {"excluded", each.excluded},
                                  {"disturbed", each.disturbed},
                                  {"best_seconds", each.bestSeconds},
                                  {"notes", each.notes}});
  for (const StrategySummary &summary : report.strategies)
    json["strategies"].push_back(summaryJson(summary, report.recordings));
}

} // namespace tonno
