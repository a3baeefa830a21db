//===- The statistics of a trial's samples --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Measurement.h"

#include <array>
#include <utility>

using namespace tonno;

std::string_view tonno::toString(CacheState state) {
  return state == CacheState::warm ? "warm" : "cold";
}

std::optional<CacheState> tonno::parseCacheState(std::string_view text) {
  for (CacheState state : {CacheState::cold, CacheState::warm})
    if (toString(state) == text)
      return state;
  return std::nullopt;
}

void tonno::to_json(Json &json, CacheState state) {
  json = std::string(toString(state));
}

void tonno::from_json(const Json &json, CacheState &state) {
  auto word = json.get<std::string>();
  auto parsed = parseCacheState(word);
  if (!parsed)
    throw WrongValue("unknown cache state '" + word + "'", json);
  state = *parsed;
}

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

[[noreturn]] static void refuse(const Json &json, const std::string &field,
                                double value, const char *why) {
  throw WrongValue("'" + field + "' is " + Json(value).dump() + "; " + why,
                   json);
}

/// Throws where a field has what no measurement gives; all that is stored and
/// sent comes this way.
static void checkTimes(const Json &json, const std::string &field,
                       const Distribution &times) {
  for (auto [name, value] :
       {std::pair("min", times.min), std::pair("q1", times.q1),
        std::pair("median", times.median), std::pair("q3", times.q3)})
    if (value < 0)
      refuse(json, field + "." + name, value, "no time is negative");
}

static void checkInterval(const Json &json, const std::string &field,
                          const Interval &interval) {
  if (interval.low < 0)
    refuse(json, field + ".low", interval.low, "no ratio of times is negative");
}

void tonno::mapFields(JsonFields &fields, Measurement &measurement) {
  fields("seconds", measurement.seconds);
  fields("baseline_seconds", measurement.baselineSeconds);
  fields("ratio", measurement.ratio);
  fields("ratio_interval", measurement.ratioInterval);
  fields("overhead_bound", measurement.overheadBound, false);
  fields("contended", measurement.contended, false);
  if (!fields.read())
    return;
  const Json &json = *fields.read();
  checkTimes(json, "seconds", measurement.seconds);
  checkTimes(json, "baseline_seconds", measurement.baselineSeconds);
  checkInterval(json, "ratio_interval", measurement.ratioInterval);
  if (measurement.ratio < 0)
    refuse(json, "ratio", measurement.ratio, "no ratio of times is negative");
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
  if (comparison.cacheState != CacheState::cold)
    json["cache_state"] = comparison.cacheState;
  if (comparison.otherSpeedup)
    json["other_cache_state"] = {
        {"speedup", comparison.otherSpeedup->ratio},
        {"speedup_interval", comparison.otherSpeedup->interval}};
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
  comparison.cacheState = json.value("cache_state", CacheState::cold);
  if (auto other = json.find("other_cache_state"); other != json.end()) {
    comparison.otherSpeedup.emplace();
    other->at("speedup").get_to(comparison.otherSpeedup->ratio);
    other->at("speedup_interval").get_to(comparison.otherSpeedup->interval);
    checkInterval(*other, "speedup_interval",
                  comparison.otherSpeedup->interval);
  }
  comparison.overheadBound = json.value("overhead_bound", false);
  comparison.contended = json.value("contended", false);
  checkTimes(json, "seconds", comparison.seconds);
  checkTimes(json, "baseline_seconds", comparison.baselineSeconds);
  checkInterval(json, "speedup_interval", comparison.speedupInterval);
  if (comparison.speedup <= 0)
    refuse(json, "speedup", comparison.speedup, "a speedup is more than 0");
  if (comparison.shownSpeedup && *comparison.shownSpeedup < 0)
    refuse(json, "shown_speedup", *comparison.shownSpeedup,
           "no ratio of times is negative");
}
