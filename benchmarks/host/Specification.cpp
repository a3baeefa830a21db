//===- Specification of a comparison --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Specification.h"
#include "JsonFile.h"

using namespace tonno;

template <typename T>
static void readIfAny(const Json &json, const char *key, T &value) {
  if (auto found = json.find(key); found != json.end())
    found->get_to(value);
}

static void readIfAny(const Json &json, const char *key,
                      std::filesystem::path &path) {
  std::string text;
  readIfAny(json, key, text);
  path = text;
}

namespace tonno {

static void from_json(const Json &json, SideSpec &side) {
  json.at("name").get_to(side.name);
  side.library = json.at("library").get<std::string>();
}

static void from_json(const Json &json, CaseSpec &spec) {
  json.at("name").get_to(spec.name);
  spec.tuned = json.at("tuned").get<std::string>();
  readIfAny(json, "default", spec.standard);
  json.at("opponents").get_to(spec.opponents);
}

static void from_json(const Json &json, RowSpec &row) {
  json.at("name").get_to(row.name);
  json.at("cases").get_to(row.cases);
}

static void from_json(const Json &json, Specification &spec) {
  std::string state(toString(spec.cacheState));
  readIfAny(json, "cache_state", state);
  auto parsed = parseCacheState(state);
  if (!parsed)
    throw Json::other_error::create(501, "there is no cache state " + state,
                                    &json);
  spec.cacheState = *parsed;
  readIfAny(json, "passes", spec.passes);
  readIfAny(json, "rounds", spec.rounds);
  readIfAny(json, "pass_seconds", spec.passSeconds);
  readIfAny(json, "screen_factor", spec.screenFactor);
  readIfAny(json, "seed", spec.seed);
  readIfAny(json, "blas", spec.blas);
  json.at("rows").get_to(spec.rows);
  if (spec.passes < 3 || spec.rounds < 3)
    throw Json::other_error::create(
        501, "fewer than three passes or rounds have no interval", &json);
}

} // namespace tonno

Result<Specification>
tonno::readSpecification(const std::filesystem::path &path) {
  return readJson<Specification>(path);
}
