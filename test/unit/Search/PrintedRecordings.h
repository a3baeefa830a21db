//===- Recordings in the formats that are read ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_SEARCH_PRINTEDRECORDINGS_H
#define TEST_UNIT_SEARCH_PRINTEDRECORDINGS_H

#include "tonno/Search/Recording.h"

#include <string>
#include <string_view>

// Reading what these print gives the same recording, but for the order of knobs
// in T4.
namespace tonno {

/// Returns a field that reads as this text.
inline std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.empty())
    return text;
  std::string field = "\"";
  for (char each : text) {
    if (each == '"')
      field += '"';
    field += each;
  }
  return field + '"';
}

/// Returns the shortest text that reads as the same number.
inline std::string number(double value) { return Json(value).dump(); }

/// Returns the field of an option. Quotes do not keep numeric text from being
/// read as a number: CSV has no types.
inline std::string fieldOf(const Option &option) {
  return csvField(option.is_string()   ? option.get<std::string>()
                  : option.is_object() ? option["mlir"].get<std::string>()
                                       : printed(option));
}

/// Returns the recording as CSV.
inline std::string printCsvFile(const Recording &recording) {
  const std::vector<Knob> &knobs = recording.space().knobs();
  std::string text;
  for (const Knob &knob : knobs)
    text += csvField(knob.name) + ",";
  text += "time_s,status,compile_s,run_s,other_s\n";
  for (const RecordedTrial &trial : recording.trials()) {
    for (size_t i = 0; i < knobs.size(); ++i)
      text += fieldOf(knobs[i].options[trial.configuration.indices[i]]) + ",";
    text += (trial.ok() ? number(trial.seconds) : std::string()) + "," +
            std::string(toString(trial.status)) + "," +
            number(trial.cost.compile) + "," + number(trial.cost.run) + "," +
            number(trial.cost.other) + "\n";
  }
  return text;
}

/// Returns the status as T4 has it, which knows less.
inline std::string_view invalidityOf(Status status) {
  switch (status) {
  case Status::ok:
  case Status::pruned:
    return "correct";
  case Status::compile_error:
  case Status::compile_crash:
    return "compile";
  case Status::compile_timeout:
  case Status::hang:
    return "timeout";
  case Status::wrong:
  case Status::out_of_bounds:
  case Status::nondeterministic:
  case Status::different_bits:
    return "correctness";
  case Status::over_limit:
  case Status::load_error:
  case Status::unlaunchable:
  case Status::out_of_memory:
  case Status::fault:
  case Status::contended:
  case Status::bounded:
  case Status::lost:
    return "runtime";
  }
  return "runtime";
}

/// Returns the recording as T4.
inline std::string printT4File(const Recording &recording) {
  Json results = Json::array();
  for (const RecordedTrial &trial : recording.trials()) {
    Json result = {
        {"configuration", recording.space().values(trial.configuration)},
        {"times",
         {{"compilation_time", trial.cost.compile},
          {"benchmark", trial.cost.run},
          {"framework", trial.cost.other},
          {"search_algorithm", 0},
          {"validation", 0},
          {"runtimes", Json::array()}}},
        {"invalidity", invalidityOf(trial.status)},
        {"correctness", trial.status == Status::ok ? 1 : 0},
        {"measurements", Json::array()},
        {"objectives", {"time"}}};
    if (trial.ok())
      result["measurements"].push_back(
          {{"name", "time"}, {"value", trial.seconds}, {"unit", "seconds"}});
    results.push_back(std::move(result));
  }
  return printed({{"schema_version", "1.0.0"},
                  {"metadata", {{"timeunit", "seconds"}}},
                  {"results", std::move(results)}},
                 1) +
         "\n";
}

} // namespace tonno

#endif // TEST_UNIT_SEARCH_PRINTEDRECORDINGS_H
