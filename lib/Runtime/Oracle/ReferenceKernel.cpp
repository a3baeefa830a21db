//===- The reference of a problem, and how its results move ---------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceKernel.h"
#include "tonno/Core/Problem.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

static Result<void> checkBuffers(const Signature &signature,
                                 const Signature &reference) {
  if (signature.size() != reference.size())
    return Error{"the reference has " + std::to_string(reference.size()) +
                 " buffers, the kernel " + std::to_string(signature.size())};
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &ours = signature[i];
    const BufferSpec &theirs = reference[i];
    if (ours.shape != theirs.shape || ours.access != theirs.access)
      return Error{"the reference disagrees about buffer " + ours.name};
    // Integers wrap alike only where they are equally wide.
    bool isFloat = isFloatingPoint(ours.elementType) &&
                   isFloatingPoint(theirs.elementType);
    if (!isFloat && ours.elementType != theirs.elementType)
      return Error{"buffer " + ours.name + " has element type " +
                   std::string(toString(ours.elementType)) +
                   ", in the reference " +
                   std::string(toString(theirs.elementType))};
    for (const BufferSpec *buffer : {&ours, &theirs})
      if (auto checked = buffer->checkLayout(); !checked)
        return checked;
  }
  return {};
}

static Error asError(const Failure &failure) {
  return Error{"the reference failed: " + failure.message};
}

Result<ReferenceKernel> ReferenceKernel::load(Device &host,
                                              const Artifact &artifact,
                                              const Signature &signature) {
  const std::vector<BufferSpec> &buffers = artifact.plan.buffers;
  TONNO_TRY(checkBuffers(signature, artifact.plan.signature()));
  auto executable = host.load(artifact);
  if (!executable)
    return Error{"the reference does not load: " + executable.error().message};
  auto block = DeviceBlock::allocate(host, BufferSet::bytesFor(buffers));
  if (!block)
    return asError(block.error());
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(host, buffers, block->start(), layout);
  if (!set)
    return asError(set.error());
  return ReferenceKernel(host, artifact, signature, std::move(*executable),
                         std::move(*block), std::move(*set));
}

static Result<std::vector<std::byte>, Failure>
download(Device &host, const BufferSpec &buffer, DevicePointer from) {
  std::vector<std::byte> memory(buffer.bytes());
  TONNO_TRY(host.download(memory, from));
  return buffer.isDense() ? std::move(memory) : gather(buffer, memory);
}

/// Without a copy on the way: large results take longer to move than to
/// compute.
static Result<std::vector<double>, Failure>
downloadDoubles(Device &host, const BufferSpec &buffer, DevicePointer from) {
  std::vector<double> values(buffer.elements());
  TONNO_TRY(host.download(std::as_writable_bytes(std::span(values)), from));
  return values;
}

/// What is in the reference's buffer, as values and in the kernel's type.
static Result<void, Failure> takeResult(Device &host, const BufferSpec &buffer,
                                        DevicePointer from, ElementType type,
                                        std::vector<double> &values,
                                        std::vector<std::byte> &rounded) {
  if (buffer.elementType == ElementType::f64 && buffer.isDense()) {
    auto found = TONNO_TRY(downloadDoubles(host, buffer, from));
    values = std::move(found);
  } else {
    auto found = TONNO_TRY(download(host, buffer, from));
    values = decode(buffer.elementType, found);
    rounded = std::move(found);
  }
  if (isFloatingPoint(type))
    rounded = encode(type, values);
  return {};
}

Result<ReferenceResults> ReferenceKernel::run(const Values &inputs) {
  return run(encodeAll(std::span(plan.buffers).first(inputs.size()), inputs));
}

Result<ReferenceResults> ReferenceKernel::run(const BufferContents &inputs) {
  if (auto filled = set.fill(inputs); !filled)
    return asError(filled.error());
  if (auto launched = host.launch(*executable, set.pointers()); !launched)
    return asError(launched.error());
  ReferenceResults results;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto &values = results.values.emplace_back();
    auto &rounded = results.rounded.emplace_back();
    if (isOutput(signature[i]))
      if (auto taken = takeResult(host, plan.buffers[i], set.pointers()[i],
                                  signature[i].elementType, values, rounded);
          !taken)
        return asError(taken.error());
  }
  return results;
}

Result<void> ReferenceKernel::checkAccesses(const Values &inputs) {
  if (!host.guardsBlocks())
    return {};
  auto edge = BufferSet::placeAt(BufferSet::Edge::end, host, plan.buffers);
  if (!edge)
    return asError(edge.error());
  std::swap(set, *edge);
  auto results = run(inputs);
  std::swap(set, *edge);
  return results ? Result<void>() : results.error();
}

double ReferenceKernel::coarsestRoundoff() const {
  double coarsest = 0;
  for (const BufferSpec &buffer : plan.buffers)
    if (isFloatingPoint(buffer.elementType))
      coarsest = std::max(coarsest, unitRoundoff(buffer.elementType));
  return coarsest;
}

/// Far over the roundings of the reference, far below the size of the inputs.
static double stepOf(const ReferenceKernel &reference) {
  constexpr double inDoubles = 1e-6;
  return std::max(inDoubles, 8 * reference.coarsestRoundoff());
}

/// Uniform in [-1, 1), the same on every machine.
static double drawSigned(std::mt19937_64 &generator) {
  return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1;
}

/// Returns inputs moved by a share of their size, times what `draw` gives for
/// each element of a buffer.
template <typename Draw>
static Values moved(const Signature &signature, const Values &inputs,
                    double share, InputScale scale, Draw draw) {
  Values values = inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!isFloatingPoint(signature[i].elementType))
      continue;
    double usual = scale == InputScale::own ? 0 : rootMeanSquare(inputs[i]);
    for (double &value : values[i])
      if (std::isfinite(value))
        value += share * std::max(usual, std::fabs(value)) * draw(i);
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
    auto other =
        reference.run(moved(signature, inputs, step, scale,
                            [&](size_t) { return drawSigned(generator); }));
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
    auto other = reference.run(
        moved(signature, inputs, share, scale,
              [&](size_t) -> double { return generator() >> 63 ? 1 : -1; }));
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
  // The number of each buffer among those that are moved.
  std::vector<size_t> numbers(inputs.size());
  size_t drawn = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (isFloatingPoint(signature[i].elementType) && !inputs[i].empty())
      numbers[i] = drawn++;
  size_t combined = std::min<size_t>(drawn, 4);
  Reach reach = {results, results};
  for (size_t signs = 0; signs < size_t{1} << combined; ++signs) {
    auto other = reference.run(
        moved(signature, inputs, share, scale, [&](size_t buffer) -> double {
          return signs >> numbers[buffer] % combined & 1 ? 1 : -1;
        }));
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
    auto others = TONNO_TRY(reference.run(changed));
    for (size_t i = 0; i < results.size(); ++i)
      changes[i].add(results[i], others.values[i]);
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
