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
