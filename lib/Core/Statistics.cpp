//===- Robust statistics of samples ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace tonno;

/// Interpolates linearly between the order statistics.
double tonno::quantileOfSorted(std::span<const double> sorted, double q) {
  assert(!sorted.empty() && "no samples");
  double position = q * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<size_t>(position);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double tonno::median(std::vector<double> samples) {
  assert(!samples.empty() && "no samples");
  auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  if (samples.size() % 2 == 1)
    return *middle;
  return (*std::max_element(samples.begin(), middle) + *middle) / 2;
}

Interval tonno::medianInterval(std::vector<double> samples, double z) {
  assert(!samples.empty() && "no samples");
  std::sort(samples.begin(), samples.end());
  auto n = static_cast<double>(samples.size());
  auto rank = static_cast<long>(std::floor((n - z * std::sqrt(n)) / 2));
  auto k = static_cast<size_t>(std::max(rank, 1L));
  return {samples[k - 1], samples[samples.size() - k]};
}

MeanEstimate tonno::estimateMean(std::span<const double> samples) {
  assert(samples.size() > 1 && "a standard error needs two samples");
  auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (double sample : samples)
    mean += sample / n;
  double squares = 0;
  for (double sample : samples)
    squares += (sample - mean) * (sample - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

double tonno::studentQuantile(double z, double degreesOfFreedom) {
  double v = degreesOfFreedom;
  double z2 = z * z;
  double g1 = z * (z2 + 1) / 4;
  double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + g1 / v + g2 / (v * v) + g3 / (v * v * v);
}

MeanEstimate tonno::trimmedMean(std::vector<double> samples) {
  size_t n = samples.size(), cut = n / 4;
  auto first = samples.begin() + static_cast<ptrdiff_t>(cut);
  auto last = samples.end() - static_cast<ptrdiff_t>(cut) - 1;
  std::ranges::nth_element(samples, first);
  std::ranges::nth_element(std::ranges::subrange(first + 1, samples.end()),
                           last);
  auto middle = std::span(samples).subspan(cut, n - 2 * cut);
  double mean = estimateMean(middle).mean;
  std::fill_n(samples.begin(), cut, *first);
  std::fill_n(samples.rbegin(), cut, *last);
  // Winsorised: all n samples, with the outer ones moved to the ends of the
  // middle half.
  double error = estimateMean(samples).standardError * static_cast<double>(n) /
                 static_cast<double>(middle.size());
  return {mean, error};
}

double tonno::pseudoMedian(std::span<const double> samples) {
  std::vector<double> means;
  for (size_t i = 0; i < samples.size(); ++i)
    for (size_t j = i; j < samples.size(); ++j)
      means.push_back((samples[i] + samples[j]) / 2);
  return median(std::move(means));
}

double tonno::signedRankZ(std::span<const double> differences) {
  std::vector<double> left;
  std::ranges::copy_if(differences, std::back_inserter(left),
                       [](double difference) { return difference != 0; });
  if (left.empty())
    return 0;
  std::ranges::sort(left, {}, [](double value) { return std::abs(value); });
  double positive = 0;
  for (size_t i = 0; i < left.size();) {
    size_t end = i;
    while (end < left.size() && std::abs(left[end]) == std::abs(left[i]))
      ++end;
    double rank = static_cast<double>(i + 1 + end) / 2;
    for (; i < end; ++i)
      if (left[i] > 0)
        positive += rank;
  }
  auto n = static_cast<double>(left.size());
  double mean = n * (n + 1) / 4;
  return (positive - mean) / std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
}

Distribution Distribution::of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples.size(), samples.front(), quantileOfSorted(samples, 0.25),
          quantileOfSorted(samples, 0.5), quantileOfSorted(samples, 0.75)};
}

void tonno::to_json(Json &json, const Interval &interval) {
  json = Json::array({interval.low, interval.high});
}

void tonno::from_json(const Json &json, Interval &interval) {
  json.at(0).get_to(interval.low);
  json.at(1).get_to(interval.high);
}

void tonno::mapFields(JsonFields &fields, Distribution &distribution) {
  fields("n", distribution.n);
  fields("min", distribution.min);
  fields("q1", distribution.q1);
  fields("median", distribution.median);
  fields("q3", distribution.q3);
}
