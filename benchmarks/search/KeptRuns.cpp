//===- Stored runs of long searches ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KeptRuns.h"
#include "tonno/Core/File.h"

#include <cmath>
#include <sstream>

namespace tonno {

static void to_json(Json &json, const GoalCost &cost) {
  json = Json{{"reached", cost.isReached},
              {"trials", cost.trials},
              {"seconds", cost.seconds}};
}

static void from_json(const Json &json, GoalCost &cost) {
  json.at("reached").get_to(cost.isReached);
  json.at("trials").get_to(cost.trials);
  json.at("seconds").get_to(cost.seconds);
}

static void to_json(Json &json, const RunScore &run) {
  json = Json{{"best", run.best},
              {"within_5_percent", run.within5},
              {"within_1_percent", run.within1},
              {"trials", run.trials},
              {"seconds", run.seconds},
              {"proposing_seconds", run.proposingSeconds}};
}

static void from_json(const Json &json, RunScore &run) {
  for (const Json &best : json.at("best")) // JSON has null for infinity
    run.best.push_back(best.is_null() ? INFINITY : best.get<double>());
  json.at("within_5_percent").get_to(run.within5);
  json.at("within_1_percent").get_to(run.within1);
  json.at("trials").get_to(run.trials);
  json.at("seconds").get_to(run.seconds);
  json.at("proposing_seconds").get_to(run.proposingSeconds);
}

} // namespace tonno

using namespace tonno;
namespace fs = std::filesystem;

static std::string fileName(const Recording &recording,
                            const ReplayStrategy &strategy,
                            const ReplayGridOptions &options) {
  std::ostringstream name;
  name << recording.name() << ' ' << strategy.name << ' ' << options.seeds
       << " from " << options.firstSeed << ", " << options.replay.trials
       << " trials, " << options.replay.seconds << " s, "
       << options.replay.pending << " pending, " << options.replay.noise
       << " noise, " << options.replay.finalNoise << " final noise, "
       << options.replay.enough << " enough.json";
  std::string text = std::move(name).str();
  std::ranges::replace(text, '/', '-');
  return text;
}

static Result<std::vector<RunScore>> readRuns(const std::string &text,
                                              size_t seeds) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto runs = decode<std::vector<RunScore>>(json);
  if (runs && runs->size() != seeds)
    return Error{"it has " + std::to_string(runs->size()) + " runs"};
  return runs;
}

Result<std::vector<RunScore>>
KeptRuns::runOne(const Recording &recording, const ReplayStrategy &strategy,
                 const ReplayGridOptions &options) const {
  fs::path file = folder / fileName(recording, strategy, options);
  if (!folder.empty()) {
    auto text = TONNO_TRY(readFileIfAny(file));
    if (text) {
      auto kept = readRuns(*text, options.seeds);
      return kept ? std::move(kept)
                  : kept.error().prefixed("'" + file.string() + "'");
    }
  }
  auto grid = replayGrid({&recording, 1}, {&strategy, 1}, options);
  if (!grid)
    return grid.error();
  std::vector<RunScore> runs = std::move((*grid)[0][0]);
  if (!folder.empty())
    TONNO_TRY(writeFileAtomically(file, printed(Json(runs))));
  return runs;
}

Result<ReplayGrid> KeptRuns::run(std::span<const Recording> recordings,
                                 std::span<const ReplayStrategy> strategies,
                                 const ReplayGridOptions &options) const {
  ReplayGrid grid(strategies.size());
  for (size_t i = 0; i < strategies.size(); ++i)
    for (const Recording &recording : recordings) {
      auto runs = TONNO_TRY(runOne(recording, strategies[i], options));
      grid[i].push_back(std::move(runs));
    }
  return grid;
}
