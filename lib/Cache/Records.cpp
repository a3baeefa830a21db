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
std::string tonno::computeKey(const Json &question) {
  try {
    return sha256(question.dump());
  } catch (const Json::type_error &) {
    std::string bytes;
    Json::to_cbor(question, bytes);
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

Json ProblemIdentity::trialQuestion(const Json &values) const {
  Json json = keyJson(*this);
  json["configuration"] = values;
  return json;
}

Json ProblemIdentity::decisionQuestion(const SearchSpace &space,
                                       const Json &search) const {
  Json json = keyJson(*this);
  json["search"] = search;
  json["space"] = space.withoutUnusedDimensions();
  return json;
}

std::string ProblemIdentity::trialKey(const Json &values) const {
  return computeKey(trialQuestion(values));
}

std::string ProblemIdentity::decisionKey(const SearchSpace &space,
                                         const Json &search) const {
  return computeKey(decisionQuestion(space, search));
}

/// Returns the identity without the protocol of timing.
static ProblemIdentity withoutTimingProtocol(ProblemIdentity identity) {
  if (identity.policy.is_object())
    identity.policy.erase("protocol");
  return identity;
}

Json ProblemIdentity::latestQuestion(const SearchSpace &space) const {
  return withoutTimingProtocol(*this).decisionQuestion(space, latestSearch);
}

std::string ProblemIdentity::latestKey(const SearchSpace &space) const {
  return computeKey(latestQuestion(space));
}

std::string ProblemIdentity::bestKey() const {
  Json json = keyJson(withoutTimingProtocol(*this));
  json["best"] = true;
  return computeKey(json);
}

std::string ProblemIdentity::problemKey() const {
  Json json = keyJson(*this);
  json["problem"] = true;
  return computeKey(json);
}

void tonno::mapFields(JsonFields &fields, ProblemRecord &record) {
  fields("problem", record.identity);
  fields("features", record.features, {});
}

TrialRecord TrialRecord::of(const Trial &trial, const SearchSpace &space) {
  return {space.values(trial.configuration),
          trial.status,
          trial.message,
          trial.measurement,
          trial.usage,
          trial.artifactHash,
          {},
          trial.verifiedSeconds};
}

bool tonno::isLasting(Status status) {
  switch (status) {
  case Status::ok:
  case Status::pruned:
  case Status::over_limit: // the limit is part of the key
  case Status::compile_error:
  case Status::compile_crash:
  case Status::load_error:
  case Status::unlaunchable:
  case Status::fault:
  case Status::wrong:
  case Status::out_of_bounds:
  case Status::nondeterministic:
  case Status::different_bits:
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
  fields("problem", record.problem, {});
  fields("verified_seconds", record.verifiedSeconds);
}

void tonno::mapFields(JsonFields &fields, OtherBitsRecord &record) {
  fields("candidates", record.candidates);
  fields("timed", record.timed);
  fields("values", record.values);
  fields("seconds", record.seconds);
  fields("speedup", record.speedup);
  fields("needs", record.needs, {});
}

void tonno::mapFields(JsonFields &fields, ObjectiveRecord &record) {
  fields("resource", record.resource);
  fields("used", record.used);
  fields("baseline_used", record.baselineUsed);
  fields("gain", record.gain);
}

void tonno::mapFields(JsonFields &fields, FrontPoint &point) {
  fields("values", point.values);
  fields("artifact", point.artifactHash);
  fields("comparison", point.comparison);
  fields("usage", point.usage);
  fields("energy", point.energy);
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
  fields("other_bits", record.otherBits);
  fields("objective", record.objective);
  fields("front", record.front);
  fields("threads", record.threads, 1);
  fields("peaks", record.peaks);
  fields("remaining_gain", record.remainingGain);
  fields("tied", record.tied);
}
