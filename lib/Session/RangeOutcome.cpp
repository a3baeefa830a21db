//===- Figures of a kernel of several shapes ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuneObserver.h"

#include <algorithm>

using namespace tonno;

double RangeOutcome::worstRegret() const {
  double worst = 1;
  for (const ShapeOutcome &shape : shapes)
    worst = std::max(worst, shape.regret);
  return worst;
}

double RangeOutcome::meanRegret() const {
  double sum = 0;
  for (const ShapeOutcome &shape : shapes)
    sum += shape.weight * shape.regret;
  return sum;
}
