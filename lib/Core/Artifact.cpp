//===- A candidate, compiled, and what it computes ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Artifact.h"
#include "tonno/Core/Hash.h"
#include "tonno/Core/Problem.h"

#include <cmath>

using namespace tonno;

std::string Artifact::hash() const {
  if (!origin.empty())
    return sha256(origin + Json(plan.launches).dump());
  return sha256({reinterpret_cast<const char *>(binary.data()), binary.size()});
}

void tonno::to_json(Json &json, const Artifact &artifact) {
  json = Json{
      {"target", artifact.target}, {"triple", artifact.triple},
      {"chip", artifact.chip},     {"binary", Json::binary(artifact.binary)},
      {"plan", artifact.plan},     {"usage", artifact.usage}};
  if (!artifact.origin.empty())
    json["origin"] = artifact.origin;
}

void tonno::from_json(const Json &json, Artifact &artifact) {
  json.at("target").get_to(artifact.target);
  json.at("triple").get_to(artifact.triple);
  json.at("chip").get_to(artifact.chip);
  artifact.binary = json.at("binary").get_binary();
  json.at("plan").get_to(artifact.plan);
  json.at("usage").get_to(artifact.usage);
  artifact.origin = json.value("origin", "");
}

double tonno::roundingNudgeOf(unsigned n) {
  constexpr double golden = 0.6180339887498949;
  double fraction = std::fmod(golden * (n + 1), 1);
  return roundingNudge * (0.5 + fraction / 2) * (n % 3 == 1 ? -1 : 1);
}

void tonno::to_json(Json &json, const Problem &problem) {
  json = Json{{"reference", problem.reference},
              {"reduction_length", problem.reductionLength},
              {"exact", problem.exact},
              {"sums_of_products", problem.sumsOfProducts},
              {"accumulator", problem.accumulator},
              {"has_steps", problem.hasSteps}};
  if (problem.isRounded)
    json["is_rounded"] = true;
  if (problem.takesAnyIntegers)
    json["takes_any_integers"] = true;
  if (!problem.computesReals)
    json["computes_reals"] = false;
  if (problem.isElementwise)
    json["is_elementwise"] = true;
  if (problem.isFinite)
    json["is_finite"] = true;
  if (problem.hasAnyZero)
    json["has_any_zero"] = true;
  if (problem.isRelaxed)
    json["is_relaxed"] = true;
  if (problem.multipliesResults)
    json["multiplies_results"] = true;
  if (!problem.besideSteps.empty())
    json["beside_steps"] = problem.besideSteps;
  putOptional(json, "nudged", problem.nudged);
  putOptional(json, "plain", problem.plain);
}

void tonno::from_json(const Json &json, Problem &problem) {
  json.at("reference").get_to(problem.reference);
  json.at("reduction_length").get_to(problem.reductionLength);
  json.at("exact").get_to(problem.exact);
  json.at("sums_of_products").get_to(problem.sumsOfProducts);
  json.at("accumulator").get_to(problem.accumulator);
  json.at("has_steps").get_to(problem.hasSteps);
  problem.isRounded = json.value("is_rounded", false);
  problem.takesAnyIntegers = json.value("takes_any_integers", false);
  problem.computesReals = json.value("computes_reals", true);
  problem.isElementwise = json.value("is_elementwise", false);
  problem.isFinite = json.value("is_finite", false);
  problem.hasAnyZero = json.value("has_any_zero", false);
  problem.isRelaxed = json.value("is_relaxed", false);
  problem.multipliesResults = json.value("multiplies_results", false);
  if (json.contains("beside_steps"))
    json.at("beside_steps").get_to(problem.besideSteps);
  getOptional(json, "nudged", problem.nudged);
  getOptional(json, "plain", problem.plain);
}
