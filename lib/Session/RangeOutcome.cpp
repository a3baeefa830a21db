//===- Figures of a kernel of several shapes ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuneObserver.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

const ShapeOutcome &RangeOutcome::worst() const {
  return *std::ranges::max_element(shapes, {}, &ShapeOutcome::regret);
}

double RangeOutcome::meanRegret() const {
  double sum = 0;
  for (const ShapeOutcome &shape : shapes)
    sum += shape.weight * shape.regret;
  return sum;
}

double RangeOutcome::meanSpeedup() const {
  double sum = 0;
  for (const ShapeOutcome &shape : shapes)
    sum += shape.weight * std::log(shape.speedup);
  return std::exp(sum);
}

void tonno::mapFields(JsonFields &fields, ShapeOutcome &shape) {
  fields("sizes", shape.sizes);
  fields("weight", shape.weight);
  fields("variant", shape.variant);
  fields("best", shape.best);
  fields("best_seconds", shape.bestSeconds);
  fields("regret", shape.regret);
  fields("speedup", shape.speedup);
}

void tonno::mapFields(JsonFields &fields, RangeOutcome &range) {
  fields("shapes", range.shapes);
  fields("variants", range.variants);
  fields("conditions", range.conditions);
  fields("table", range.table);
  fields("trials", range.trials);
  fields("artifact", range.artifactHash);
  fields("verified", range.verified);
}
