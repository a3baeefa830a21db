//===- The statistics of a trial's samples --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Measurement.h"

#include <utility>

using namespace tonno;

EnumNames tonno::getEnumNames(CacheState) {
  static constexpr std::string_view names[] = {"cold", "warm"};
  return {"cache state", names};
}

EnumNames tonno::getEnumNames(Verdict) {
  static constexpr std::string_view names[] = {"faster", "tie", "no-baseline",
                                               "interrupted", "less"};
  return {"verdict", names};
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

void tonno::mapFields(JsonFields &fields, EventCounts &events) {
  fields("cycles", events.cycles);
  fields("executed_instructions", events.executedInstructions);
  fields("branch_misses", events.branchMisses);
  fields("l1d_misses", events.l1dMisses);
  fields("llc_misses", events.llcMisses);
}

void tonno::mapFields(JsonFields &fields, Measurement &measurement) {
  fields("seconds", measurement.seconds);
  fields("baseline_seconds", measurement.baselineSeconds);
  fields("ratio", measurement.ratio);
  fields("ratio_interval", measurement.ratioInterval);
  fields("overhead_bound", measurement.overheadBound, false);
  fields("contended", measurement.contended, false);
  fields("of_values", measurement.ofValues, false);
  fields("events", measurement.events, {});
  if (!fields.read() || measurement.ofValues)
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

void tonno::mapFields(JsonFields &fields, Speedup &speedup) {
  fields("speedup", speedup.ratio);
  fields("speedup_interval", speedup.interval);
  if (fields.read())
    checkInterval(*fields.read(), "speedup_interval", speedup.interval);
}

void tonno::mapFields(JsonFields &fields, Comparison &comparison) {
  fields("verdict", comparison.verdict);
  fields("seconds", comparison.seconds);
  fields("baseline_seconds", comparison.baselineSeconds);
  fields("speedup", comparison.speedup);
  fields("speedup_interval", comparison.speedupInterval);
  fields("rounds", comparison.rounds);
  fields("shown_speedup", comparison.shownSpeedup);
  fields("cache_state", comparison.cacheState, CacheState::cold);
  fields("other_cache_state", comparison.otherSpeedup);
  fields("overhead_bound", comparison.overheadBound, false);
  fields("contended", comparison.contended, false);
  if (!fields.read())
    return;
  const Json &json = *fields.read();
  checkTimes(json, "seconds", comparison.seconds);
  checkTimes(json, "baseline_seconds", comparison.baselineSeconds);
  checkInterval(json, "speedup_interval", comparison.speedupInterval);
  if (comparison.speedup <= 0)
    refuse(json, "speedup", comparison.speedup, "a speedup is more than 0");
  if (comparison.shownSpeedup && *comparison.shownSpeedup < 0)
    refuse(json, "shown_speedup", *comparison.shownSpeedup,
           "no ratio of times is negative");
}
