//===- Verifies and times artifacts ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Runner.h"

#include <algorithm>
#include <array>

using namespace tonno;

void tonno::to_json(Json &json, const OracleOptions &options) {
  json = Json{{"allow_nondeterminism", options.allowNondeterminism},
              {"allow_lower_precision", options.allowLowerPrecision},
              {"allow_nan", options.allowNan}};
}

void tonno::from_json(const Json &json, OracleOptions &options) {
  json.at("allow_nondeterminism").get_to(options.allowNondeterminism);
  json.at("allow_lower_precision").get_to(options.allowLowerPrecision);
  json.at("allow_nan").get_to(options.allowNan);
}

void tonno::to_json(Json &json, const DeviceDescription &description) {
  json = Json{{"kind", description.kind},
              {"name", description.name},
              {"uuid", description.uuid},
              {"cache_bytes", description.cacheBytes}};
  if (!description.chip.empty())
    json["chip"] = description.chip;
  if (!description.driver.empty())
    json["driver"] = description.driver;
  if (description.memoryBytes)
    json["memory_bytes"] = description.memoryBytes;
  if (!description.environment.empty())
    json["environment"] = description.environment;
}

void tonno::from_json(const Json &json, DeviceDescription &description) {
  json.at("kind").get_to(description.kind);
  json.at("name").get_to(description.name);
  json.at("uuid").get_to(description.uuid);
  json.at("cache_bytes").get_to(description.cacheBytes);
  description.chip = json.value("chip", "");
  description.driver = json.value("driver", "");
  description.memoryBytes = json.value("memory_bytes", uint64_t(0));
  description.environment = json.value("environment", Environment());
}

void tonno::to_json(Json &json, const RunnerSession &session) {
  json = Json{{"problem", session.problem},
              {"signature", session.signature},
              {"protocol", session.protocol},
              {"seed", session.seed},
              {"oracle", session.oracle}};
}

void tonno::from_json(const Json &json, RunnerSession &session) {
  json.at("problem").get_to(session.problem);
  json.at("signature").get_to(session.signature);
  json.at("protocol").get_to(session.protocol);
  json.at("seed").get_to(session.seed);
  json.at("oracle").get_to(session.oracle);
}

// In the order of the enumeration.
static constexpr std::array<std::string_view, 4> kinds = {"measure", "choose",
                                                          "compare", "verify"};

void tonno::to_json(Json &json, const RunRequest &request) {
  json = Json{{"kind", kinds[static_cast<size_t>(request.kind)]},
              {"candidate", request.candidate},
              {"baseline", request.baseline},
              {"finalists", request.finalists},
              {"incumbent_high", request.incumbentHigh},
              {"seconds", request.seconds},
              {"accept_contended", request.acceptContended},
              {"launch_seconds", request.launchSeconds},
              {"announces_entrants", request.announcesEntrants}};
}

void tonno::from_json(const Json &json, RunRequest &request) {
  auto kind = json.at("kind").get<std::string>();
  const auto *known = std::find(kinds.begin(), kinds.end(), kind);
  if (known == kinds.end())
    throw WrongValue("unknown request '" + kind + "'", json.at("kind"));
  request.kind = static_cast<RunRequest::Kind>(known - kinds.begin());
  json.at("candidate").get_to(request.candidate);
  json.at("baseline").get_to(request.baseline);
  json.at("finalists").get_to(request.finalists);
  json.at("incumbent_high").get_to(request.incumbentHigh);
  json.at("seconds").get_to(request.seconds);
  request.acceptContended = json.value("accept_contended", false);
  request.launchSeconds = json.value("launch_seconds", 0.0);
  request.announcesEntrants = json.value("announces_entrants", false);
}

void tonno::to_json(Json &json, const RunResult &result) {
  json = Json{{"status", result.status},
              {"message", result.message},
              {"seconds", result.seconds},
              {"finalists", result.finalists}};
  if (result.measurement)
    json["measurement"] = *result.measurement;
  if (result.comparison)
    json["comparison"] = *result.comparison;
  putOptional(json, "condition", result.condition);
  putOptional(json, "failed_entrant", result.failedEntrant);
  if (result.deviceHeld)
    json["device_held"] = true;
}

void tonno::from_json(const Json &json, RunResult &result) {
  json.at("status").get_to(result.status);
  json.at("message").get_to(result.message);
  json.at("seconds").get_to(result.seconds);
  json.at("finalists").get_to(result.finalists);
  if (json.contains("measurement"))
    result.measurement = json.at("measurement").get<Measurement>();
  if (json.contains("comparison"))
    result.comparison = json.at("comparison").get<Comparison>();
  getOptional(json, "condition", result.condition);
  getOptional(json, "failed_entrant", result.failedEntrant);
  result.deviceHeld = json.value("device_held", false);
}
