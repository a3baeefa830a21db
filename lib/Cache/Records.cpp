//===- Records of trials and decisions ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Records.h"
#include "tonno/Core/Hash.h"

using namespace tonno;

/// Returns the data that keys are hashes of. A change of its members or of
/// their meaning requires a new schema number.
static Json keyJson(const ProblemIdentity &identity) {
  Json json = identity;
  json["schema"] = 2;
  return json;
}

/// Hashes the canonical JSON text, or its CBOR encoding if a string is not
/// valid UTF-8. No text starts like CBOR, so that different values have
/// different keys.
static std::string computeHash(const Json &json) {
  try {
    return sha256(json.dump());
  } catch (const Json::type_error &) {
    std::string bytes;
    Json::to_cbor(json, bytes);
    return sha256(bytes);
  }
}

void tonno::mapFields(JsonFields &fields, ProblemIdentity &identity) {
  fields("kernel", identity.kernelHash);
  fields("triple", identity.triple);
  fields("chip", identity.chip);
  fields("features", identity.features);
  fields("backend", identity.backend);
  fields("device", identity.device);
  fields("policy", identity.policy);
}

std::string ProblemIdentity::trialKey(const Json &values) const {
  Json json = keyJson(*this);
  json["configuration"] = values;
  return computeHash(json);
}

std::string ProblemIdentity::decisionKey(const SearchSpace &space,
                                         const Json &search) const {
  Json json = keyJson(*this);
  json["search"] = search;
  json["space"] = space.withoutUnusedDimensions();
  return computeHash(json);
}

/// Returns the identity without the protocol of timing.
static ProblemIdentity withoutTimingProtocol(ProblemIdentity identity) {
  if (identity.policy.is_object())
    identity.policy.erase("protocol");
  return identity;
}

std::string ProblemIdentity::latestKey(const SearchSpace &space) const {
  return withoutTimingProtocol(*this).decisionKey(space, "latest");
}

std::string ProblemIdentity::bestKey() const {
  Json json = keyJson(withoutTimingProtocol(*this));
  json["best"] = true;
  return computeHash(json);
}

TrialRecord TrialRecord::of(const Trial &trial, const SearchSpace &space) {
  return {space.values(trial.configuration),
          trial.status,
          trial.message,
          trial.measurement,
          trial.usage,
          trial.artifactHash};
}

bool tonno::isLasting(Status status) {
  switch (status) {
  case Status::ok:
  case Status::pruned:
  case Status::compile_error:
  case Status::compile_crash:
  case Status::load_error:
  case Status::unlaunchable:
  case Status::fault:
  case Status::wrong:
  case Status::out_of_bounds:
  case Status::nondeterministic:
    return true;
  case Status::bounded: // by this session's incumbent
  case Status::compile_timeout:
  case Status::out_of_memory:
  case Status::hang:
  case Status::contended:
  case Status::lost:
    return false;
  }
  return false;
}

void tonno::mapFields(JsonFields &fields, TrialRecord &record) {
  fields("values", record.values);
  fields("status", record.status);
  fields("message", record.message);
  fields("usage", record.usage);
  fields("artifact", record.artifactHash);
  fields("measurement", record.measurement);
}

void tonno::mapFields(JsonFields &fields, DecisionRecord &record) {
  fields("kernel", record.kernel);
  fields("values", record.values);
  fields("artifact", record.artifactHash);
  fields("comparison", record.comparison);
  fields("trials", record.trials);
  fields("seed", record.seed);
  fields("strategy", record.strategy);
  fields("versions", record.versions);
  fields("environment", record.environment, {});
  fields("condition", record.condition);
  fields("ended_by_seconds", record.endedBySeconds);
}
