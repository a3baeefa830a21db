//===- Robust statistics of samples ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_STATISTICS_H
#define TONNO_CORE_STATISTICS_H

#include "tonno/Core/Json.h"

#include <span>
#include <vector>

namespace tonno {

struct Interval {
  double low = 0;
  double high = 0;

  double halfWidth() const { return (high - low) / 2; }
};

/// Returns the median of at least one sample.
double median(std::vector<double> samples);

/// Returns the q-quantile of at least one sample, in ascending order,
/// interpolated between neighbours: 0.5 is the median.
double quantileOfSorted(std::span<const double> sorted, double q);

/// Returns the median of the means of all pairs, each sample paired with itself
/// too (Hodges and Lehmann 1963): nearly as efficient as the mean on normal
/// noise, and robust to outliers. Quadratic.
double pseudoMedian(std::span<const double> samples);

/// Returns a distribution-free interval of the median from order statistics:
/// the samples of rank floor((n - z sqrt n) / 2) from either end. z = 1.96 is
/// 95 %; fewer than six samples give their full range, which covers less.
Interval medianInterval(std::vector<double> samples, double z);

/// Mean and its standard error.
struct MeanEstimate {
  double mean = 0;
  double standardError = 0;
};
MeanEstimate estimateMean(std::span<const double> samples);

/// Computes the mean of the middle half, and its standard error from the
/// winsorised variance (Tukey and McLaughlin 1963). Up to a quarter of the
/// samples may be outliers; on normal noise the efficiency is five sixths of
/// the mean's, the median's is two thirds. Precondition: at least two samples.
MeanEstimate trimmedMean(std::vector<double> samples);

/// Returns the Student-t quantile, with this many degrees of freedom, that has
/// the tail of the normal quantile z (Hill's expansion, Abramowitz and Stegun
/// 26.7.5).
double studentQuantile(double z, double degreesOfFreedom);

/// Returns Wilcoxon's signed-rank statistic of paired differences, as a normal
/// quantile. Zeros are left out, ties share a rank; the variance is not
/// corrected for them. 0 without differences.
double signedRankZ(std::span<const double> differences);

/// Five numbers that describe a set of samples.
struct Distribution {
  size_t n = 0;
  double min = 0;
  double q1 = 0;
  double median = 0;
  double q3 = 0;

  static Distribution of(std::vector<double> samples);
};

void to_json(Json &json, const Interval &interval);
void from_json(const Json &json, Interval &interval);
void mapFields(JsonFields &fields, Distribution &distribution);

} // namespace tonno

#endif // TONNO_CORE_STATISTICS_H
