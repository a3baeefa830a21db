//===- A compiled candidate -----------------------------------------------===//
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

void tonno::mapFields(JsonFields &fields, Artifact &artifact) {
  fields("target", artifact.target);
  fields("triple", artifact.triple);
  fields("chip", artifact.chip);
  fields.binary("binary", artifact.binary);
  fields("plan", artifact.plan);
  fields("usage", artifact.usage);
  fields("origin", artifact.origin, {});
}

double tonno::computeRoundingNudge(unsigned n) {
  constexpr double golden = 0.6180339887498949;
  double fraction = std::fmod(golden * (n + 1), 1);
  return roundingNudge * (0.5 + fraction / 2) * (n % 3 == 1 ? -1 : 1);
}

void tonno::mapFields(JsonFields &fields, Problem &problem) {
  fields("reference", problem.reference);
  fields("is_verified_in_parts", problem.isVerifiedInParts, false);
  fields("is_own_reference", problem.isOwnReference, false);
  fields("reduction_length", problem.reductionLength);
  fields("exact", problem.exact);
  fields("sums_of_products", problem.sumsOfProducts);
  fields("accumulator", problem.accumulator);
  fields("may_truncate_sums", problem.mayTruncateSums, false);
  fields("has_steps", problem.hasSteps);
  fields("is_rounded", problem.isRounded, false);
  fields("takes_any_integers", problem.takesAnyIntegers, false);
  fields("computes_reals", problem.computesReals, true);
  fields("is_elementwise", problem.isElementwise, false);
  fields("is_finite", problem.isFinite, false);
  fields("has_any_zero", problem.hasAnyZero, false);
  fields("is_relaxed", problem.isRelaxed, false);
  fields("multiplies_results", problem.multipliesResults, false);
  fields.list("beside_steps", problem.besideSteps);
  fields("nudged", problem.nudged);
  fields("plain", problem.plain);
}
