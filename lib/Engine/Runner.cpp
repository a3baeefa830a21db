//===- Verifies and times artifacts ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Runner.h"

#include <algorithm>
#include <array>

using namespace tonno;

void tonno::mapFields(JsonFields &fields, OracleOptions &options) {
  fields("allow_nondeterminism", options.allowNondeterminism);
  fields("allow_lower_precision", options.allowLowerPrecision);
  fields("allow_nan", options.allowNan);
}

void tonno::mapFields(JsonFields &fields, DeviceDescription &description) {
  fields("kind", description.kind);
  fields("name", description.name);
  fields("uuid", description.uuid);
  fields("cache_bytes", description.cacheBytes);
  fields("chip", description.chip, {});
  fields("driver", description.driver, {});
  fields("memory_bytes", description.memoryBytes, 0);
  fields("environment", description.environment, {});
}

void tonno::mapFields(JsonFields &fields, RunnerSession &session) {
  fields("problem", session.problem);
  fields("signature", session.signature);
  fields("protocol", session.protocol);
  fields("seed", session.seed);
  fields("oracle", session.oracle);
}

// In the order of the enumeration.
static constexpr std::array<std::string_view, 4> kinds = {"measure", "choose",
                                                          "compare", "verify"};

void tonno::to_json(Json &json, RunRequest::Kind kind) {
  json = kinds[static_cast<size_t>(kind)];
}

void tonno::from_json(const Json &json, RunRequest::Kind &kind) {
  auto text = json.get<std::string>();
  const auto *known = std::find(kinds.begin(), kinds.end(), text);
  if (known == kinds.end())
    throw WrongValue("unknown request '" + text + "'", json);
  kind = static_cast<RunRequest::Kind>(known - kinds.begin());
}

void tonno::mapFields(JsonFields &fields, RunRequest &request) {
  fields("kind", request.kind);
  fields("candidate", request.candidate);
  fields("baseline", request.baseline);
  fields("finalists", request.finalists);
  fields("incumbent_high", request.incumbentHigh);
  fields("seconds", request.seconds);
  fields("accept_contended", request.acceptContended, false);
  fields("launch_seconds", request.launchSeconds, 0);
  fields("announces_entrants", request.announcesEntrants, false);
}

void tonno::mapFields(JsonFields &fields, RunResult &result) {
  fields("status", result.status);
  fields("message", result.message);
  fields("seconds", result.seconds);
  fields("finalists", result.finalists);
  fields("measurement", result.measurement);
  fields("comparison", result.comparison);
  fields("condition", result.condition);
  fields("failed_entrant", result.failedEntrant);
  fields("device_held", result.deviceHeld, false);
}
