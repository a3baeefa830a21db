//===- Result files in the T4 format --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Statistics.h"
#include "tonno/Search/RecordingFile.h"
#include "EntryParser.h"
#include "StatedEntries.h"

#include <algorithm>
#include <map>

using namespace tonno;

namespace {

class T4Reader {
public:
  explicit T4Reader(double timeUnit) : timeUnit(timeUnit) {}

  Result<void> take(const JsonEntry &entry);

  StatedEntries entries;

private:
  Result<void> readOutcome(const Json &entry, RecordedEntry &recorded) const;
  Result<void> readTime(const Json &entry, RecordedEntry &recorded) const;

  double timeUnit; ///< of what states none, in seconds
};

} // namespace

static std::optional<Status> statusOfInvalidity(const std::string &invalidity) {
  static const std::map<std::string, Status> known = {
      {"correct", Status::ok},        {"compile", Status::compile_error},
      {"runtime", Status::fault},     {"timeout", Status::hang},
      {"correctness", Status::wrong}, {"constraints", Status::unlaunchable}};
  auto found = known.find(invalidity);
  if (found == known.end())
    return std::nullopt;
  return found->second;
}

/// What was measured of the kernel's time.
static const Json *findTime(const Json &entry) {
  auto measurements = entry.find("measurements");
  if (measurements == entry.end() || !measurements->is_array())
    return nullptr;
  auto objectives = decodeMember<std::vector<std::string>>(entry, "objectives");
  const Json *found = nullptr;
  for (const Json &each : *measurements) {
    auto name = decodeMember<std::string>(each, "name");
    auto unit = decodeMember<std::string>(each, "unit");
    if (name && *name == "time")
      return &each;
    if (name && unit && secondsPerUnit(*unit) && objectives &&
        objectives->size() == 1 && objectives->front() == *name)
      found = &each;
  }
  return found;
}

Result<void> T4Reader::readTime(const Json &entry,
                                RecordedEntry &recorded) const {
  const Json *time = findTime(entry);
  if (!time || !time->contains("value"))
    return Error{recorded.origin + ": it has no measurement 'time', and no "
                                   "objective in a unit of time"};
  double unit = timeUnit;
  if (auto stated = decodeMember<std::string>(*time, "unit");
      stated && !stated->empty()) {
    auto known = secondsPerUnit(*stated);
    if (!known)
      return Error{recorded.origin + ": its time is in '" + *stated +
                   "', which is no unit of time"};
    unit = *known;
  }
  const Json &value = (*time)["value"];
  auto several = decode<std::vector<double>>(value);
  if (value.is_number())
    recorded.seconds = value.get<double>() * unit;
  else if (several && !several->empty())
    recorded.seconds = median(std::move(*several)) * unit;
  else
    return Error{recorded.origin + ": it is correct, but its time is " +
                 printed(value)};
  return {};
}

Result<void> T4Reader::readOutcome(const Json &entry,
                                   RecordedEntry &recorded) const {
  auto invalidity = decodeMember<std::string>(entry, "invalidity");
  auto status = invalidity ? statusOfInvalidity(*invalidity) : std::nullopt;
  if (!status)
    return Error{recorded.origin + ": its 'invalidity' is " +
                 printed(entry.value("invalidity", Json())) +
                 "; known are correct, compile, runtime, timeout, correctness "
                 "and constraints"};
  recorded.status = *status;
  return *status == Status::ok ? readTime(entry, recorded) : Result<void>();
}

/// In the file's unit.
static Result<RecordedCost> costOfTimes(const Json &entry,
                                        const std::string &origin) {
  auto times = entry.find("times");
  if (times == entry.end() || !times->is_object())
    return RecordedCost{};
  bool isOfSchema = times->contains("compilation_time");
  auto compile =
      numberAt(*times, isOfSchema ? "compilation_time" : "compilation", origin);
  auto validation = numberAt(*times, "validation", origin);
  auto framework = numberAt(*times, "framework", origin);
  auto benchmark = numberAt(*times, "benchmark", origin);
  for (auto *part : {&compile, &validation, &framework, &benchmark})
    if (!*part)
      return part->error();
  if (!times->contains("benchmark"))
    if (auto runs = decodeMember<std::vector<double>>(*times, "runtimes"))
      for (double run : *runs)
        *benchmark += run;
  return RecordedCost{*compile, *validation + *benchmark, *framework};
}

Result<void> T4Reader::take(const JsonEntry &entry) {
  RecordedEntry recorded;
  recorded.origin = "result " + std::to_string(entry.number);
  auto configuration = entry.members.is_object()
                           ? entry.members.find("configuration")
                           : entry.members.end();
  if (configuration == entry.members.end() || !configuration->is_object() ||
      configuration->empty())
    return Error{recorded.origin + ": it has no 'configuration'"};
  if (entries.parameters.empty())
    for (const auto &[name, value] : configuration->items())
      entries.parameters.push_back(name);
  auto values = valuesOf(*configuration, entries.parameters, recorded.origin,
                         /*exactly=*/true);
  if (!values)
    return values.error();
  recorded.values = std::move(*values);
  if (auto read = readOutcome(entry.members, recorded); !read)
    return read;
  if (recorded.status == Status::unlaunchable) {
    entries.exclude();
    return {};
  }
  auto cost = costOfTimes(entry.members, recorded.origin);
  return entries.add(std::move(recorded), cost, clockOf(entry.members));
}

/// What stands around the results, before them or after.
static Result<Json> readHeader(const std::string &text) {
  auto header = parseEntries(text, {"results", Json::value_t::array},
                             [](const JsonEntry &) { return Result<void>(); });
  if (!header)
    return Error{header.error().isAtEnd
                     ? "it is cut off: copy or download it again (" +
                           header.error().message + ")"
                     : header.error().message};
  if (!header->is_object() || !header->contains("results"))
    return Error{"it has no list 'results': it is no T4 file"};
  return std::move(*header);
}

Result<Recording> tonno::parseT4File(const std::string &text,
                                     const std::string &name) {
  auto header = readHeader(text);
  if (!header)
    return header.error();
  auto metadata = header->value("metadata", Json::object());
  auto stated = decodeMember<std::string>(metadata, "timeunit");
  std::optional<double> unit = stated ? secondsPerUnit(*stated) : std::nullopt;
  if (stated && !unit)
    return Error{"its 'timeunit' is '" + *stated +
                 "', which is no unit of time"};
  constexpr double millisecond = 1e-3;
  T4Reader reader(unit.value_or(millisecond));
  auto read =
      parseEntries(text, {"results", Json::value_t::array},
                   [&](const JsonEntry &entry) { return reader.take(entry); });
  if (!read)
    return Error{read.error().message};
  return std::move(reader.entries).finish(name, unit);
}
