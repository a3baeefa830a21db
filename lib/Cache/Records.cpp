//===- What is stored of trials and winners -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Records.h"
#include "tonno/Core/Hash.h"

using namespace tonno;

/// What the keys are hashes of. Whoever changes it, or what a member means,
/// changes the schema's number.
static Json keyJson(const ProblemIdentity &identity) {
  Json json = identity;
  json["schema"] = 2;
  return json;
}

/// Of the canonical text. Bytes that are no UTF-8 have none: then of the CBOR,
/// which starts as no text does, so that different ones have different keys.
static std::string hashOf(const Json &json) {
  try {
    return sha256(json.dump());
  } catch (const Json::type_error &) {
    std::string bytes;
    Json::to_cbor(json, bytes);
    return sha256(bytes);
  }
}

void tonno::to_json(Json &json, const ProblemIdentity &identity) {
  json = Json{{"kernel", identity.kernelHash}, {"triple", identity.triple},
              {"chip", identity.chip},         {"features", identity.features},
              {"backend", identity.backend},   {"device", identity.device},
              {"policy", identity.policy}};
}

void tonno::from_json(const Json &json, ProblemIdentity &identity) {
  json.at("kernel").get_to(identity.kernelHash);
  json.at("triple").get_to(identity.triple);
  json.at("chip").get_to(identity.chip);
  json.at("features").get_to(identity.features);
  json.at("backend").get_to(identity.backend);
  json.at("device").get_to(identity.device);
  identity.policy = json.at("policy");
}

std::string ProblemIdentity::trialKey(const Json &values) const {
  Json json = keyJson(*this);
  json["configuration"] = values;
  return hashOf(json);
}

std::string ProblemIdentity::decisionKey(const SearchSpace &space,
                                         const Json &search) const {
  Json json = keyJson(*this);
  json["search"] = search;
  json["space"] = space;
  return hashOf(json);
}

/// However it was timed.
static ProblemIdentity untimed(ProblemIdentity identity) {
  if (identity.policy.is_object())
    identity.policy.erase("protocol");
  return identity;
}

std::string ProblemIdentity::latestKey(const SearchSpace &space) const {
  return untimed(*this).decisionKey(space, "latest");
}

std::string ProblemIdentity::bestKey() const {
  Json json = keyJson(untimed(*this));
  json["best"] = true;
  return hashOf(json);
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
  case Status::compile_timeout:
  case Status::out_of_memory:
  case Status::hang:
  case Status::contended:
  case Status::lost:
    return false;
  }
  return false;
}

void tonno::to_json(Json &json, const TrialRecord &record) {
  json = Json{{"values", record.values},
              {"status", record.status},
              {"message", record.message},
              {"usage", record.usage},
              {"artifact", record.artifactHash}};
  putOptional(json, "measurement", record.measurement);
}

void tonno::from_json(const Json &json, TrialRecord &record) {
  json.at("values").get_to(record.values);
  json.at("status").get_to(record.status);
  json.at("message").get_to(record.message);
  json.at("usage").get_to(record.usage);
  json.at("artifact").get_to(record.artifactHash);
  getOptional(json, "measurement", record.measurement);
}

void tonno::to_json(Json &json, const DecisionRecord &record) {
  json =
      Json{{"kernel", record.kernel},         {"values", record.values},
           {"artifact", record.artifactHash}, {"comparison", record.comparison},
           {"trials", record.trials},         {"seed", record.seed},
           {"strategy", record.strategy},     {"versions", record.versions}};
  if (!record.environment.empty())
    json["environment"] = record.environment;
  putOptional(json, "condition", record.condition);
}

void tonno::from_json(const Json &json, DecisionRecord &record) {
  json.at("kernel").get_to(record.kernel);
  json.at("values").get_to(record.values);
  json.at("artifact").get_to(record.artifactHash);
  json.at("comparison").get_to(record.comparison);
  json.at("trials").get_to(record.trials);
  json.at("seed").get_to(record.seed);
  json.at("strategy").get_to(record.strategy);
  json.at("versions").get_to(record.versions);
  record.environment = json.value("environment", record.environment);
  getOptional(json, "condition", record.condition);
}
