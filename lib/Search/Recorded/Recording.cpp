//===- Recorded spaces ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Recording.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

using namespace tonno;
namespace fs = std::filesystem;

std::vector<Configuration> Recording::points() const {
  std::vector<Configuration> points;
  points.reserve(recorded.size());
  for (const RecordedTrial &trial : recorded)
    points.push_back(trial.configuration);
  return points;
}

std::optional<size_t>
Recording::find(const Configuration &configuration) const {
  auto found = places.find(configuration);
  if (found == places.end())
    return std::nullopt;
  return found->second;
}

RecordingBuilder::RecordingBuilder(std::vector<std::string> parameters)
    : names(std::move(parameters)), indices(names.size()) {}

/// Returns an integer for whole numbers, as most options are: 2.0 is 2.
static Option makeNumberOption(double value) {
  static constexpr double largest = 0x1p53; // beyond, doubles skip integers
  if (value == std::floor(value) && std::fabs(value) <= largest)
    return static_cast<int64_t>(value);
  return value;
}

static bool isPlain(const Option &option) {
  if (option.is_number_float())
    return std::isfinite(option.get<double>());
  return option.is_number() || option.is_boolean() || option.is_string();
}

static bool isText(const Json &value) {
  return value.is_object() && value.size() == 1 && value.contains("mlir") &&
         value["mlir"].is_string();
}

/// Returns true if the value can be printed as UTF-8.
static bool isUtf8(const Json &json) {
  try {
    (void)json.dump();
    return true;
  } catch (const Json::exception &) {
    return false;
  }
}

Result<Option>
RecordingBuilder::normalizeOption(const Json &value, size_t parameter,
                                  const std::string &origin) const {
  Option option = value;
  if (value.is_number_float() && std::isfinite(value.get<double>()))
    option = makeNumberOption(value.get<double>());
  else if (value.is_null())
    option = "None"; // as Python has it
  bool isList = option.is_array() && !option.empty() &&
                std::ranges::all_of(option, isPlain);
  bool fits = !option.is_number_unsigned() || option.get<uint64_t>() >> 63 == 0;
  bool isNumber = option.is_number() || option.is_boolean();
  if (((isPlain(option) && fits) || isList || isText(option)) &&
      (isNumber || isUtf8(option)))
    return option;
  return Error{
      origin + ": '" + names[parameter] + "' is " + printed(value) +
      ", which is not a number, boolean, text in UTF-8, or list of those"};
}

static bool isValidCost(double value) {
  return std::isfinite(value) && value >= 0;
}

static Result<void> check(const RecordedEntry &entry) {
  if (entry.status == Status::ok &&
      (!std::isfinite(entry.seconds) || entry.seconds <= 0))
    return Error{entry.origin + ": the time is " +
                 std::to_string(entry.seconds) +
                 " s; a configuration that ran has a positive time, and one "
                 "that failed has a status that says so"};
  for (double part : {entry.cost.compile, entry.cost.run, entry.cost.other})
    if (!isValidCost(part))
      return Error{entry.origin + ": the measurement time is " +
                   std::to_string(part) + " s, which is not a time"};
  return {};
}

Result<void> RecordingBuilder::add(RecordedEntry entry) {
  if (entry.values.size() != names.size())
    return Error{entry.origin + ": the entry has " +
                 std::to_string(entry.values.size()) + " values for " +
                 std::to_string(names.size()) + " parameters"};
  TONNO_TRY(check(entry));
  if (entry.status == Status::contended || entry.status == Status::lost ||
      entry.status == Status::bounded) {
    ++recording.disturbedCount;
    return {};
  }
  RecordedTrial trial{{}, entry.status, 0, entry.cost, entry.usage};
  if (trial.ok())
    trial.seconds = entry.seconds;
  for (size_t i = 0; i < names.size(); ++i) {
    auto option = TONNO_TRY(normalizeOption(entry.values[i], i, entry.origin));
    auto next = static_cast<uint32_t>(indices[i].size());
    trial.configuration.indices.push_back(
        indices[i].try_emplace(std::move(option), next).first->second);
  }
  auto [place, isNew] = recording.places.try_emplace(trial.configuration,
                                                     recording.recorded.size());
  if (isNew) {
    recording.recorded.push_back(std::move(trial));
    origins.push_back(std::move(entry.origin));
    return {};
  }
  const RecordedTrial &earlier = recording.recorded[place->second];
  std::string twice = entry.origin + ": the entry has the parameters of " +
                      origins[place->second];
  if (earlier.status != trial.status)
    return Error{twice + ", but another outcome; remove the one that is wrong"};
  if (earlier.seconds != trial.seconds)
    return Error{twice + ", but another time; remove the one that is wrong"};
  return Error{twice + " and the same outcome; remove one of them"};
}

/// Returns the options in order, with the index at which each occurred.
static std::vector<std::pair<Option, uint32_t>>
sorted(const std::map<Option, uint32_t> &options) {
  std::vector<std::pair<Option, uint32_t>> order(options.begin(),
                                                 options.end());
  auto isNumber = [](const auto &each) { return each.first.is_number(); };
  auto isBoolean = [](const auto &each) { return each.first.is_boolean(); };
  if (std::ranges::all_of(order, isNumber))
    std::ranges::sort(order, {}, [](const auto &each) {
      return each.first.template get<double>();
    });
  else if (!std::ranges::all_of(order, isBoolean)) // the map has sorted these
    std::ranges::sort(order, {}, [](const auto &each) { return each.second; });
  return order;
}

void RecordingBuilder::sortOptions() {
  std::vector<Knob> knobs;
  for (size_t i = 0; i < names.size(); ++i) {
    Knob knob{names[i], {}, 0};
    std::vector<uint32_t> moved(indices[i].size());
    for (auto &[option, index] : sorted(indices[i])) {
      moved[index] = static_cast<uint32_t>(knob.options.size());
      knob.options.push_back(option);
    }
    for (RecordedTrial &trial : recording.recorded)
      trial.configuration.indices[i] = moved[trial.configuration.indices[i]];
    knob.defaultIndex = recording.recorded.front().configuration.indices[i];
    knobs.push_back(std::move(knob));
  }
  recording.searchSpace = SearchSpace(std::move(knobs));
}

Result<Recording> RecordingBuilder::finish(std::string name) && {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].empty() ||
        std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i),
                  names[i]) != names.begin() + static_cast<ptrdiff_t>(i))
      return Error{names[i].empty()
                       ? "a parameter has no name"
                       : "two parameters are called '" + names[i] + "'"};
  if (names.empty())
    return Error{"the file has no parameters"};
  if (!isUtf8(names))
    return Error{"the names of the parameters are not UTF-8"};
  std::vector<RecordedTrial> &trials = recording.recorded;
  if (trials.empty())
    return Error{"the file has no entries"};
  for (const RecordedTrial &trial : trials)
    if (trial.ok()) {
      bool isFirst = recording.valid++ == 0;
      recording.best =
          isFirst ? trial.seconds : std::min(recording.best, trial.seconds);
      recording.worst = std::max(recording.worst, trial.seconds);
    }
  if (recording.valid == 0)
    return Error{"no configuration is valid: each of the " +
                 std::to_string(trials.size()) + " configurations failed"};
  sortOptions();
  recording.places.clear();
  for (size_t i = 0; i < trials.size(); ++i)
    recording.places.emplace(trials[i].configuration, i);
  recording.title = std::move(name);
  return std::move(recording);
}

/// Returns for each recording whether another one has the same name.
static std::vector<bool> findShared(std::span<const Recording> recordings) {
  std::map<std::string, size_t> counts;
  for (const Recording &recording : recordings)
    ++counts[recording.name()];
  std::vector<bool> isShared;
  for (const Recording &recording : recordings)
    isShared.push_back(counts[recording.name()] > 1);
  return isShared;
}

void tonno::makeNamesUnique(std::span<Recording> recordings,
                            std::span<const fs::path> files) {
  assert(recordings.size() == files.size() && "one file for each");
  std::vector<std::string> names;
  for (const Recording &recording : recordings)
    names.push_back(recording.name());
  auto renameShared = [&](auto name) {
    std::vector<bool> isShared = findShared(recordings);
    for (size_t i = 0; i < recordings.size(); ++i)
      if (isShared[i])
        recordings[i].rename(name(i));
  };
  renameShared([&](size_t i) {
    return names[i] + " (" + files[i].filename().string() + ")";
  });
  renameShared(
      [&](size_t i) { return names[i] + " (" + files[i].string() + ")"; });
  std::map<std::string, size_t> numbers;
  renameShared([&](size_t i) {
    std::string name = recordings[i].name();
    return name + " #" + std::to_string(++numbers[name]);
  });
}
