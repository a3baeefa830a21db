//===- How many inputs a result is made of --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/FanIn.h"
#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/ReferenceKernel.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

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
