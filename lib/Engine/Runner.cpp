//===- Verifies and times artifacts ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Runner.h"

using namespace tonno;

void tonno::mapFields(JsonFields &fields, DeviceDescription &description) {
  fields("kind", description.kind);
  fields("name", description.name);
  fields("uuid", description.uuid);
  fields("cache_bytes", description.cacheBytes);
  fields("chip", description.chip, {});
  fields("driver", description.driver, {});
  fields("memory_bytes", description.memoryBytes, 0);
  fields("environment", description.environment, {});
  fields("core", description.core);
}

RunResult tonno::getDeviceHeld(const std::string &holder) {
  RunResult result;
  result.status = Status::contended;
  result.deviceHeld = true;
  result.message = "the budget's seconds ended the wait for the device, on "
                   "which another process times: " +
                   holder;
  return result;
}

void tonno::mapFields(JsonFields &fields, RunnerSession &session) {
  fields("problem", session.problem);
  fields("signature", session.signature);
  fields("protocol", session.protocol);
  fields("seed", session.seed);
  fields("oracle", session.oracle);
  fields("same_as", session.sameAs);
}

EnumNames tonno::getEnumNames(RunRequest::Kind) {
  static constexpr std::string_view names[] = {"measure", "choose", "compare",
                                               "verify",  "peaks",  "results"};
  return {"request", names};
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
  fields("peak_query", request.peakQuery, {});
  fields("directory", request.directory, "");
  fields("announces_entrants", request.announcesEntrants, false);
  fields("accepts_other_bits", request.acceptsOtherBits, false);
  fields("least_speedup", request.leastSpeedup);
  fields("of_energy", request.ofEnergy, false);
  fields("is_earlier", request.isEarlier, false);
}

void tonno::mapFields(JsonFields &fields, RunResult &result) {
  fields("status", result.status);
  fields("message", result.message);
  fields("seconds", result.seconds);
  fields("verify_seconds", result.verifySeconds, 0);
  fields("verified_seconds", result.verifiedSeconds);
  fields("finalists", result.finalists);
  fields("measurement", result.measurement);
  fields("comparison", result.comparison);
  fields("peaks", result.peaks);
  fields("condition", result.condition);
  fields("failed_entrant", result.failedEntrant);
  fields("device_held", result.deviceHeld, false);
}
