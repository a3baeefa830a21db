//===- How a reference's results move when inputs do ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Problem.h"
#include "tonno/Runtime/Elements.h"
#include "ReferenceKernel.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// Far over the roundings of the reference, far below the size of the inputs.
static double stepOf(const ReferenceKernel &reference) {
  constexpr double inDoubles = 1e-6;
  return std::max(inDoubles, 8 * reference.coarsestRoundoff());
}

/// Uniform in [-1, 1), the same on every machine.
static double drawSigned(std::mt19937_64 &generator) {
  return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1;
}

static double usualSize(const std::vector<double> &values, InputScale scale) {
  return scale == InputScale::own ? 0 : rootMeanSquare(values);
}

/// Inputs moved by a share of their size, times what `draw` gives for each.
template <typename Draw>
static Values moved(const Signature &signature, const Values &inputs,
                    double share, InputScale scale, Draw draw) {
  Values values = inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!isFloatingPoint(signature[i].elementType))
      continue;
    double usual = usualSize(inputs[i], scale);
    for (double &value : values[i])
      if (std::isfinite(value))
        value += share * std::max(usual, std::fabs(value)) * draw();
  }
  return values;
}

/// Takes in how far the results of a run that was disturbed by a share are off.
static void widen(Values &sensitivity, const Values &disturbed,
                  const Values &results, double share) {
  for (size_t i = 0; i < results.size(); ++i)
    for (size_t e = 0; e < results[i].size(); ++e) {
      double change = std::fabs(disturbed[i][e] - results[i][e]) / share;
      if (std::isfinite(change))
        sensitivity[i][e] = std::max(sensitivity[i][e], change);
    }
}

Result<Values> tonno::findSensitivity(ReferenceKernel &reference,
                                      const Signature &signature,
                                      const Values &inputs,
                                      const Values &results, InputScale scale,
                                      size_t runs, std::mt19937_64 &generator) {
  Values most(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    for (double result : results[i])
      most[i].push_back(std::isfinite(result) ? std::fabs(result) : 0);
  const double step = stepOf(reference);
  for (size_t run = 0; run < runs; ++run) {
    auto other = reference.run(moved(signature, inputs, step, scale,
                                     [&] { return drawSigned(generator); }));
    if (!other)
      return other.error();
    widen(most, other->values, results, step);
  }
  return most;
}

void tonno::widenSensitivity(Values &sensitivity, const Values &nudged,
                             const Values &results) {
  widen(sensitivity, nudged, results, roundingNudge);
}

/// Each input moves by a sign of its own: all together would move sums by far
/// more than roundings do. Of results that depend on two inputs, one at a
/// boundary is missed 3 % of the time.
static constexpr int signedRuns = 12;

void tonno::widenReach(Reach &reach, const Values &results) {
  for (size_t i = 0; i < results.size(); ++i)
    for (size_t e = 0; e < results[i].size(); ++e) {
      double result = results[i][e];
      if (std::isnan(result))
        continue;
      reach.lowest[i][e] = std::min(reach.lowest[i][e], result);
      reach.highest[i][e] = std::max(reach.highest[i][e], result);
    }
}

Result<Reach> tonno::findReach(ReferenceKernel &reference,
                               const Signature &signature, const Values &inputs,
                               const Values &results, double share,
                               InputScale scale, std::mt19937_64 &generator) {
  Reach reach = {results, results};
  for (int run = 0; run < signedRuns; ++run) {
    auto other =
        reference.run(moved(signature, inputs, share, scale, [&]() -> double {
          return generator() >> 63 ? 1 : -1;
        }));
    if (!other)
      return other.error();
    widenReach(reach, other->values);
  }
  return reach;
}

Result<Reach> tonno::findElementwiseReach(ReferenceKernel &reference,
                                          const Signature &signature,
                                          const Values &inputs,
                                          const Values &results, double share,
                                          InputScale scale) {
  std::vector<size_t> drawn;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (isFloatingPoint(signature[i].elementType) && !inputs[i].empty())
      drawn.push_back(i);
  size_t combined = std::min<size_t>(drawn.size(), 4);
  Reach reach = {results, results};
  for (size_t signs = 0; signs < size_t{1} << combined; ++signs) {
    Values values = inputs;
    for (size_t n = 0; n < drawn.size(); ++n) {
      double step = signs >> n % combined & 1 ? share : -share;
      double usual = usualSize(inputs[drawn[n]], scale);
      for (double &value : values[drawn[n]])
        if (std::isfinite(value))
          value += step * std::max(usual, std::fabs(value));
    }
    auto other = reference.run(values);
    if (!other)
      return other.error();
    widenReach(reach, other->values);
  }
  return reach;
}

static constexpr double least = 64, most = 4096;

/// Inputs of a buffer that are changed, and by how many of them a result is not
/// changed by chance.
static constexpr unsigned probes = 6, fewProbes = 3;

static bool differ(double one, double other) {
  return one != other && !(std::isnan(one) && std::isnan(other));
}

namespace {
/// How often each result of one output changed.
class Changes {
public:
  explicit Changes(size_t elements) : counts(elements) {}

  void add(const std::vector<double> &results,
           const std::vector<double> &changed) {
    for (size_t e = 0; e < results.size(); ++e)
      counts[e] += differ(results[e], changed[e]);
  }
  /// Of `inputs` in all.
  double fanIn(double inputs) const {
    if (counts.empty())
      return 0;
    double sum = 0;
    unsigned often = 0;
    for (unsigned count : counts) {
      sum += count;
      often = std::max(often, count);
    }
    double share = sum / static_cast<double>(counts.size());
    if (often >= fewProbes)
      share = std::max<double>(share, often);
    return inputs * share / probes;
  }

private:
  std::vector<unsigned> counts;
};
} // namespace

/// Of the inputs of one buffer.
static Result<double> fanInOf(size_t buffer, ReferenceKernel &reference,
                              const Values &inputs, const Values &results,
                              std::mt19937_64 &generator) {
  const std::vector<double> &numbers = inputs[buffer];
  auto size = static_cast<double>(numbers.size());
  auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  if (*low == 0 && *high == 0)
    return 0.0; // terms of 0 are not rounded
  std::vector<Changes> changes;
  for (const std::vector<double> &output : results)
    changes.emplace_back(output.size());
  for (unsigned probe = 0; probe < probes; ++probe) {
    Values changed = inputs;
    double &number = changed[buffer][generator() % numbers.size()];
    if (*low == *high)
      number /= 2;
    else
      number = number - *low > *high - number ? *low : *high;
    auto others = reference.run(changed);
    if (!others)
      return others.error();
    for (size_t i = 0; i < results.size(); ++i)
      changes[i].add(results[i], others->values[i]);
  }
  double fanIn = 0;
  for (const Changes &output : changes)
    fanIn = std::max(fanIn, output.fanIn(size));
  return fanIn;
}

Result<double> tonno::estimateFanIn(ReferenceKernel &reference,
                                    const Signature &signature,
                                    const Values &inputs, const Values &results,
                                    std::mt19937_64 &generator) {
  double fanIn = least, largest = least;
  bool areFloats = false;
  for (size_t i = 0; i < signature.size(); ++i) {
    largest = std::max(largest, static_cast<double>(signature[i].elements()));
    if (!isInput(signature[i]) || !isFloatingPoint(signature[i].elementType))
      continue;
    areFloats = true;
    if (static_cast<double>(inputs[i].size()) <= least)
      continue;
    auto found = fanInOf(i, reference, inputs, results, generator);
    if (!found)
      return found;
    fanIn = std::max(fanIn, *found);
  }
  // Others may be indices, which nobody can change.
  return std::min(areFloats ? fanIn : largest, most);
}
