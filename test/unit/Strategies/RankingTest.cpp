//===- Tests for the ablation of selectors --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/Ranking.h"
#include "search/NeuralNetwork.h"
#include "search/Selectors.h"

#include "tonno/Space/Random.h"
#include "Search/RecordedFiles.h"

#include <cmath>
#include <map>
#include <sstream>

using namespace tonno;

/// Returns a bowl of 24 by 24 points, a tenth of which fails.
static Recording bowl() {
  std::string text = "a,b,time_ms\n";
  for (int a = 0; a < 24; ++a)
    for (int b = 0; b < 24; ++b) {
      text += std::to_string(a) + "," + std::to_string(b) + ",";
      if ((a + 3 * b) % 10 != 9)
        text += std::to_string(10 + std::hypot(a - 15, b - 6));
      text += "\n";
    }
  return *parseCsvFile(text, "bowl");
}

TEST(NeuralNetwork, LearnsACurve) {
  Rows<float> rows(2);
  std::vector<double> targets;
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    auto row = rows.append();
    row[0] = static_cast<float>(random.uniform());
    row[1] = static_cast<float>(random.uniform());
    targets.push_back(100 + 5 * std::sin(4.0 * row[0]) * row[1]);
  }
  NeuralNetwork network(rows, targets, {}, 1);
  std::vector<double> found = network.predict(rows);
  double error = 0, spread = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    error += std::pow(found[i] - targets[i], 2);
    spread += std::pow(targets[i] - 101.3, 2);
  }
  EXPECT_LT(error, 0.05 * spread);
  EXPECT_EQ(NeuralNetwork(rows, targets, {}, 1).predict(rows), found);
  EXPECT_NE(NeuralNetwork(rows, targets, {}, 2).predict(rows), found);
}

TEST(NeuralNetwork, EqualTargetsAreLearnt) {
  Rows<float> rows(1, 3);
  std::vector<double> targets(3, 7);
  for (double each : NeuralNetwork(rows, targets, {}, 1).predict(rows))
    EXPECT_NEAR(each, 7, 1e-6);
}

/// Returns a task in which a third of the bowl is known.
static RankingTask taskOf(const Recording &recording, const Encoding &encoding,
                          std::vector<double> &times) {
  std::vector<Configuration> known, succeeded, candidates;
  TrainingSet all = {EncodedPoints(encoding, {}), {}, {}};
  TrainingSet some = {EncodedPoints(encoding, {}), {}, {}};
  for (size_t i = 0; i < recording.trials().size(); ++i) {
    const RecordedTrial &trial = recording.trials()[i];
    if (i % 3 != 0) {
      candidates.push_back(trial.configuration);
      times.push_back(trial.ok() ? trial.seconds : INFINITY);
      continue;
    }
    known.push_back(trial.configuration);
    all.qualities.push_back(trial.ok() ? 0.01 / trial.seconds : 0);
    all.ratios.push_back(trial.ok() ? std::optional(trial.seconds)
                                    : std::nullopt);
    if (!trial.ok())
      continue;
    succeeded.push_back(trial.configuration);
    some.qualities.push_back(-trial.seconds);
    some.ratios.emplace_back(trial.seconds);
  }
  all.points = EncodedPoints(encoding, known);
  some.points = EncodedPoints(encoding, succeeded);
  return {encoding, std::move(all), std::move(some),
          EncodedPoints(encoding, candidates)};
}

TEST(Selectors, RankEachCandidateOnceAndGoodOnesFirst) {
  Recording recording = bowl();
  Encoding encoding(recording.space());
  std::vector<double> times;
  RankingTask task = taskOf(recording, encoding, times);
  for (const Selector &selector : selectors()) {
    Random random(1);
    std::vector<size_t> order = selector.rank(task, random);
    ASSERT_EQ(order.size(), times.size()) << selector.name;
    double early = 0;
    for (size_t i = 0; i < 20; ++i)
      early += std::min(times[order[i]], 0.03) / 20;
    EXPECT_EQ(early < 0.017, selector.name != "random")
        << selector.name << ": " << early;
    std::ranges::sort(order);
    for (size_t i = 0; i < order.size(); ++i)
      ASSERT_EQ(order[i], i) << selector.name;
  }
}

/// Returns the cells of each row as numbers, by the row's first cell.
static std::map<std::string, std::vector<double>>
cellsOf(const std::string &table) {
  std::map<std::string, std::vector<double>> cells;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    size_t end = line.find(" | ");
    std::vector<double> &row = cells[line.substr(2, end - 2)];
    for (; end != std::string::npos; end = line.find(" | ", end + 1))
      row.push_back(std::strtod(line.c_str() + end + 3, nullptr));
  }
  return cells;
}

TEST(Ranking, SaysWhatSharesOfTheCandidatesFind) {
  std::vector<Recording> recordings = {bowl()};
  auto cells = cellsOf(printRanking(recordings, 12));
  const std::vector<double> &random = cells.at("random");
  ASSERT_EQ(random.size(), 6u);
  for (const Selector &selector : selectors()) {
    const std::vector<double> &found = cells.at(selector.name);
    EXPECT_EQ(found.back(), random.back()) << "all are all";
    EXPECT_TRUE(std::ranges::is_sorted(found)) << selector.name;
  }
  EXPECT_GT(random.back(), 0);
  EXPECT_GT(cells.at("the ensemble's three")[1], random[1]);
}
