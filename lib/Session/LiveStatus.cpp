//===- How far the tuning of a kernel is ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LiveStatus.h"

#include "tonno/Core/Duration.h"
#include "tonno/Session/Progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

using namespace tonno;

std::string tonno::formatStatuses(const std::map<Status, size_t> &counts) {
  std::string text;
  for (auto [status, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            std::string(toString(status));
  return text;
}

/// Formats the whole seconds of a duration: "42 s", "12 min 5 s", "2 h 3 min".
static std::string formatWhole(double seconds) {
  auto whole = static_cast<uint64_t>(std::max(0.0, std::round(seconds)));
  auto join = [](uint64_t one, const char *unit, uint64_t other,
                 const char *otherUnit) {
    return std::to_string(one) + unit +
           (other ? " " + std::to_string(other) + otherUnit : "");
  };
  if (whole < 60)
    return std::to_string(whole) + " s";
  if (whole < 3600)
    return join(whole / 60, " min", whole % 60, " s");
  return join(whole / 3600, " h", whole % 3600 / 60, " min");
}

static std::string countTrials(const LiveStatus &status) {
  return std::to_string(status.trials) + "/" +
         std::to_string(status.plannedTrials) + " trials";
}

/// Describes the incumbent: "1.31 ms, 3.39x [3.32, 3.46] the default".
static std::string describeBest(const Measurement &best) {
  // The interval of the speedup is that of the ratio, turned around.
  Speedup speedup{1 / best.ratio,
                  {1 / best.ratioInterval.high, 1 / best.ratioInterval.low}};
  return formatSeconds(best.seconds.median) + ", " + formatSpeedup(speedup) +
         " the default";
}

/// Describes shares: "compiling 61 %, verifying 8 %, timing 25 %, idle 6 %".
static std::string describeTimes(const SessionState &state) {
  const SessionTimes &times = state.times;
  std::string text;
  for (auto [name, seconds] :
       {std::pair("compiling", times.compiling),
        std::pair("verifying", times.verifying),
        std::pair("timing", times.timing), std::pair("idle", times.idle)}) {
    char share[32];
    std::snprintf(share, sizeof share, " %.0f %%",
                  100 * seconds / state.seconds);
    text += (text.empty() ? "" : ", ") + std::string(name) + share;
  }
  return text;
}

/// Describes the time left: "4 s of the search, 9 s in all".
static std::string describeLeft(const LiveStatus &status, double now) {
  const SessionState &state = status.state;
  if (!state.phaseSecondsLeft)
    return "";
  double since = std::max(0.0, now - status.reportedAt);
  std::string text = "about " + formatWhole(*state.phaseSecondsLeft - since) +
                     " of the " + std::string(toString(state.phase));
  if (state.sessionSecondsLeft)
    text += ", " + formatWhole(*state.sessionSecondsLeft - since) + " in all";
  return text;
}

/// Describes the state of the device: "3705 MHz, 62 C, held back by heat".
static std::string describeDevice(const LiveStatus &status) {
  std::string text = status.device;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  auto addNumber = [&](std::optional<double> value, const char *unit) {
    char number[32];
    std::snprintf(number, sizeof number, "%.0f %s", value.value_or(0), unit);
    if (value)
      add(number);
  };
  if (const auto &condition = status.state.condition) {
    addNumber(condition->clockMHz, "MHz");
    addNumber(condition->temperature, "C");
    if (condition->throttleReasons)
      for (const std::string &reason : *condition->throttleReasons)
        add("held back by " + reason);
  }
  if (status.state.isContended)
    add("other processes use it");
  return text;
}

std::vector<LiveRegion::Line> tonno::describeStatus(const LiveStatus &status,
                                                    double now) {
  double seconds =
      status.state.seconds + std::max(0.0, now - status.reportedAt);
  std::vector<LiveRegion::Line> lines = {
      {"@" + status.kernel, "  " + std::string(toString(status.state.phase)) +
                                ", " + countTrials(status) + " in " +
                                formatWhole(seconds)}};
  if (!status.statuses.empty())
    lines.front().text += ": " + formatStatuses(status.statuses);
  auto add = [&](const std::string &label, const std::string &text) {
    if (!text.empty())
      lines.push_back({label, text});
  };
  add("  best    ",
      status.best ? describeBest(*status.best) + "  " + status.bestValues : "");
  add("  time    ",
      status.state.seconds > 0 ? describeTimes(status.state) : "");
  add("  left    ", describeLeft(status, now));
  add("  device  ", describeDevice(status));
  return lines;
}

std::string tonno::summarizeStatus(const LiveStatus &status, double now) {
  std::string text = "@" + status.kernel + " " +
                     std::string(toString(status.state.phase)) + ", " +
                     countTrials(status) + " in " +
                     formatWhole(status.state.seconds +
                                 std::max(0.0, now - status.reportedAt));
  if (status.best)
    text += "; best " + describeBest(*status.best);
  std::string left = describeLeft(status, now);
  return text + (left.empty() ? "" : "; left: " + left);
}
