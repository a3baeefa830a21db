//===- tonno.statistics ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "Refusal.h"

#include "tonno/Core/AcceptedError.h"
#include "tonno/Core/Statistics.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

using Samples = std::vector<double>;

/// Returns the samples, if they are as statistics assume.
static Samples checked(Samples samples, size_t fewest) {
  if (samples.size() < fewest)
    throw Refusal("at least " + std::to_string(fewest) +
                  (fewest == 1 ? " sample is" : " samples are") +
                  " needed, not " + std::to_string(samples.size()));
  if (std::ranges::any_of(samples,
                          [](double each) { return std::isnan(each); }))
    throw Refusal("a sample is not a number");
  return samples;
}

static double checkedZ(double z) {
  if (!(z >= 0 && std::isfinite(z)))
    throw Refusal(
        "z must be a quantile of the normal distribution, such as 1.96, not " +
        std::to_string(z));
  return z;
}

static std::tuple<double, double> toEstimateTuple(MeanEstimate estimate) {
  return {estimate.mean, estimate.standardError};
}

/// Returns output, unit and number of each error of a text, and the text in its
/// usual form.
static std::pair<std::string,
                 std::vector<std::tuple<std::string, std::string, double>>>
readErrors(const std::string &text) {
  auto errors = valueOrThrow(parseAcceptedErrors(text));
  std::vector<std::tuple<std::string, std::string, double>> read;
  for (const AcceptedError &each : errors)
    read.emplace_back(each.output, std::string(toString(each.unit)), each.most);
  return {toString(errors), read};
}

void tonno::python::bindStatistics(nb::module_ &module) {
  module.def("parse_accepted_errors", &readErrors);
  module.def("median", [](const Samples &samples) {
    return median(checked(samples, 1));
  });
  module.def("pseudo_median", [](const Samples &samples) {
    return pseudoMedian(checked(samples, 1));
  });
  module.def("median_interval", [](const Samples &samples, double z) {
    Interval interval = medianInterval(checked(samples, 1), checkedZ(z));
    return std::tuple(interval.low, interval.high);
  });
  module.def("estimate_mean", [](const Samples &samples) {
    return toEstimateTuple(estimateMean(checked(samples, 2)));
  });
  module.def("trimmed_mean", [](const Samples &samples) {
    return toEstimateTuple(trimmedMean(checked(samples, 2)));
  });
  module.def("student_quantile", [](double z, double degreesOfFreedom) {
    if (!(degreesOfFreedom >= 1))
      throw Refusal("the degrees of freedom must be at least 1");
    return studentQuantile(z, degreesOfFreedom);
  });
  module.def("signed_rank_z", [](const Samples &differences) {
    return signedRankZ(checked(differences, 0));
  });
  module.def("distribution", [](const Samples &samples) {
    Distribution each = Distribution::of(checked(samples, 1));
    return std::tuple(each.n, each.min, each.q1, each.median, each.q3);
  });
}
