//===- Measurement.cpp - The statistics of a trial's samples --------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Measurement.h"

#include <array>

using namespace tonno;

// In the order of the enumeration.
static constexpr std::array<std::string_view, 4> verdicts = {
    "faster", "tie", "no-baseline", "interrupted"};

std::string_view tonno::toString(Verdict verdict) {
  return verdicts[static_cast<size_t>(verdict)];
}

void tonno::to_json(Json &json, Verdict verdict) {
  json = std::string(toString(verdict));
}

void tonno::from_json(const Json &json, Verdict &verdict) {
  auto text = json.get<std::string>();
  for (size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i] == text) {
      verdict = static_cast<Verdict>(i);
      return;
    }
  throw WrongValue("unknown verdict '" + text + "'", json);
}

void tonno::to_json(Json &json, const Measurement &measurement) {
  json = Json{{"seconds", measurement.seconds},
              {"baseline_seconds", measurement.baselineSeconds},
              {"ratio", measurement.ratio},
              {"ratio_interval", measurement.ratioInterval}};
  if (measurement.overheadBound)
    json["overhead_bound"] = true;
  if (measurement.contended)
    json["contended"] = true;
}

void tonno::from_json(const Json &json, Measurement &measurement) {
  json.at("seconds").get_to(measurement.seconds);
  json.at("baseline_seconds").get_to(measurement.baselineSeconds);
  json.at("ratio").get_to(measurement.ratio);
  json.at("ratio_interval").get_to(measurement.ratioInterval);
  measurement.overheadBound = json.value("overhead_bound", false);
  measurement.contended = json.value("contended", false);
}

double Comparison::chosenSeconds() const {
  if (baselineSeconds.n == 0)
    return seconds.median;
  return verdict == Verdict::tie ? baselineSeconds.median
                                 : baselineSeconds.median / speedup;
}

void tonno::to_json(Json &json, const Comparison &comparison) {
  json = Json{{"verdict", comparison.verdict},
              {"seconds", comparison.seconds},
              {"baseline_seconds", comparison.baselineSeconds},
              {"speedup", comparison.speedup},
              {"speedup_interval", comparison.speedupInterval},
              {"rounds", comparison.rounds}};
  if (comparison.shownSpeedup)
    json["shown_speedup"] = *comparison.shownSpeedup;
  if (comparison.overheadBound)
    json["overhead_bound"] = true;
  if (comparison.contended)
    json["contended"] = true;
}

void tonno::from_json(const Json &json, Comparison &comparison) {
  json.at("verdict").get_to(comparison.verdict);
  json.at("seconds").get_to(comparison.seconds);
  json.at("baseline_seconds").get_to(comparison.baselineSeconds);
  json.at("speedup").get_to(comparison.speedup);
  json.at("speedup_interval").get_to(comparison.speedupInterval);
  json.at("rounds").get_to(comparison.rounds);
  if (auto shown = json.find("shown_speedup"); shown != json.end())
    comparison.shownSpeedup = shown->get<double>();
  comparison.overheadBound = json.value("overhead_bound", false);
  comparison.contended = json.value("contended", false);
}
