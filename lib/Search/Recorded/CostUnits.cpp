//===- What measuring took, in seconds ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CostUnits.h"
#include "tonno/Core/Statistics.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

using namespace tonno;

/// How far, as the logarithm of a ratio, costs are from the time that passed
/// between entries.
static double misfit(const std::vector<StatedCost> &costs, double compileUnit) {
  std::vector<double> ratios;
  for (size_t i = 1; i < costs.size(); ++i) {
    if (!costs[i].clock || !costs[i - 1].clock)
      continue;
    double passed = *costs[i].clock - *costs[i - 1].clock;
    const RecordedCost &cost = costs[i].cost;
    double stated = cost.compile * compileUnit + (cost.run + cost.other) * 1e-3;
    if (passed > 0 && stated > 0)
      ratios.push_back(std::fabs(std::log(stated / passed)));
  }
  constexpr size_t fewest = 5; // of which a median tells something
  return ratios.size() < fewest ? -1 : median(ratios);
}

double tonno::compileUnit(const std::vector<StatedCost> &costs,
                          std::optional<double> stated) {
  constexpr double second = 1, millisecond = 1e-3;
  if (stated && *stated != millisecond)
    return *stated;
  double inSeconds = misfit(costs, second);
  double inMilliseconds = misfit(costs, millisecond);
  constexpr double clearly = 0.1; // where compiling took time that shows
  if (inSeconds >= 0 && inMilliseconds >= 0 &&
      std::fabs(inSeconds - inMilliseconds) > clearly)
    return inSeconds < inMilliseconds ? second : millisecond;
  if (stated)
    return *stated;
  std::vector<double> compiles;
  for (const StatedCost &each : costs)
    if (each.cost.compile > 0)
      compiles.push_back(each.cost.compile);
  constexpr double fastest = 10;
  bool isSeconds = !compiles.empty() && median(compiles) < fastest;
  return isSeconds ? second : millisecond;
}

std::optional<double> tonno::parseTimestamp(const std::string &text) {
  int year = 0, hours = 0, minutes = 0;
  unsigned month = 0, day = 0;
  double seconds = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion)
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%*[ T]%2d:%2d:%12lf", &year, &month,
                  &day, &hours, &minutes, &seconds) != 6)
    return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(month),
                                   std::chrono::day(day)};
  if (!date.ok() || !std::isfinite(seconds))
    return std::nullopt;
  auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return (static_cast<double>(days) * 24 + hours) * 3600 + minutes * 60 +
         seconds;
}

std::optional<double> tonno::secondsPerUnit(const std::string &unit) {
  static const std::map<std::string, double> known = {{"s", 1},
                                                      {"second", 1},
                                                      {"seconds", 1},
                                                      {"ms", 1e-3},
                                                      {"milisecond", 1e-3},
                                                      {"miliseconds", 1e-3},
                                                      {"millisecond", 1e-3},
                                                      {"milliseconds", 1e-3},
                                                      {"us", 1e-6},
                                                      {"microsecond", 1e-6},
                                                      {"microseconds", 1e-6},
                                                      {"ns", 1e-9},
                                                      {"nanosecond", 1e-9},
                                                      {"nanoseconds", 1e-9}};
  auto found = known.find(unit);
  if (found == known.end())
    return std::nullopt;
  return found->second;
}
