//===- What tuning a local size gave --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/AutotuneResult.h"

using namespace tonno;

Result<void> AutotuneResult::check() const {
  if (!bestLocalSize.empty())
    return {};
  std::string message = "no local size could be measured";
  for (const auto *sizes : {&leftOut, &failed})
    for (const SkippedSize &size : *sizes)
      message += "; " + describe(size.localSize) + ": " + size.reason;
  return Error{message};
}

void tonno::to_json(Json &json, const SkippedSize &size) {
  json = {{"local_size", size.localSize}, {"reason", size.reason}};
}

void tonno::from_json(const Json &json, SkippedSize &size) {
  json.at("local_size").get_to(size.localSize);
  json.at("reason").get_to(size.reason);
}

void tonno::to_json(Json &json, const MeasuredSize &size) {
  json = {{"local_size", size.localSize},
          {"runtime_us", size.runtimeUs},
          {"samples_us", size.samplesUs}};
}

void tonno::from_json(const Json &json, MeasuredSize &size) {
  json.at("local_size").get_to(size.localSize);
  json.at("runtime_us").get_to(size.runtimeUs);
  json.at("samples_us").get_to(size.samplesUs);
}

void tonno::to_json(Json &json, const AutotuneResult &result) {
  json = {{"best_local_size", result.bestLocalSize},
          {"runtime_us", result.runtimeUs},
          {"measured", result.measured},
          {"left_out", result.leftOut},
          {"failed", result.failed},
          {"overhead_bound", result.isOverheadBound},
          {"busy", result.isBusy},
          {"notes", result.notes}};
  if (result.comparison)
    json["comparison"] = *result.comparison;
}

void tonno::from_json(const Json &json, AutotuneResult &result) {
  json.at("best_local_size").get_to(result.bestLocalSize);
  json.at("runtime_us").get_to(result.runtimeUs);
  json.at("measured").get_to(result.measured);
  json.at("left_out").get_to(result.leftOut);
  json.at("failed").get_to(result.failed);
  json.at("overhead_bound").get_to(result.isOverheadBound);
  json.at("busy").get_to(result.isBusy);
  json.at("notes").get_to(result.notes);
  if (auto comparison = json.find("comparison"); comparison != json.end())
    result.comparison = comparison->get<Comparison>();
}
