//===- Reference of a problem and its sensitivity -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceKernel.h"
#include "tonno/Core/Problem.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
      TONNO_TRY(buffer->checkLayout());
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

/// Downloads a result of the reference, as values and in the kernel's type.
static Result<void, Failure>
downloadResult(Device &host, const BufferSpec &buffer, DevicePointer from,
               ElementType type, std::vector<double> &values,
               std::vector<std::byte> &rounded) {
  if (buffer.elementType == ElementType::f64 && buffer.isDense()) {
    // Downloads in place: a copy takes longer than the computation.
    values.resize(buffer.elements());
    TONNO_TRY(host.download(std::as_writable_bytes(std::span(values)), from));
  } else {
    rounded.resize(buffer.bytes());
    TONNO_TRY(host.download(rounded, from));
    if (!buffer.isDense())
      rounded = gather(buffer, rounded);
    values = decode(buffer.elementType, rounded);
  }
  if (isFloatingPoint(type))
    rounded = encode(type, values);
  return {};
}

Result<ReferenceResults> ReferenceKernel::run(const Values &inputs) {
  BufferContents encoded(inputs.size());
  BufferViews views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ElementType type = plan.buffers[i].elementType;
    if (type == ElementType::f64) { // not copied before the upload
      views.push_back(std::as_bytes(std::span(inputs[i])));
      continue;
    }
    encoded[i] = encode(type, inputs[i]);
    views.emplace_back(encoded[i]);
  }
  return run(views);
}

Result<ReferenceResults> ReferenceKernel::run(const BufferContents &inputs) {
  return run(BufferViews(inputs.begin(), inputs.end()));
}

Result<ReferenceResults> ReferenceKernel::run(const BufferViews &inputs) {
  if (auto filled = set.fill(inputs); !filled)
    return asError(filled.error());
  if (auto launched = host.launch(*executable, set.pointers()); !launched)
    return asError(launched.error());
  ReferenceResults results;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto &values = results.values.emplace_back();
    auto &rounded = results.rounded.emplace_back();
    if (isOutput(signature[i]))
      if (auto taken =
              downloadResult(host, plan.buffers[i], set.pointers()[i],
                             signature[i].elementType, values, rounded);
          !taken)
        return asError(taken.error());
  }
  return results;
}

Result<void> ReferenceKernel::checkAccesses(const Values &inputs) {
  if (!host.guardsBlocks())
    return {};
  auto edge =
      BufferSet::allocateAtEdge(BufferSet::Edge::end, host, plan.buffers);
  if (!edge)
    return asError(edge.error());
  std::swap(set, *edge);
  auto results = run(inputs);
  std::swap(set, *edge);
  return results ? Result<void>() : results.error();
}

/// Draws uniformly from [-1, 1), the same on every machine.
static double drawSigned(std::mt19937_64 &generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
}

std::vector<double> ReferenceKernel::findSizes(const Values &inputs,
                                               InputScale scale) const {
  std::vector<double> sizes(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (scale == InputScale::buffer &&
        isFloatingPoint(signature[i].elementType))
      sizes[i] = rootMeanSquare(inputs[i]);
  return sizes;
}

template <typename Draw>
Values ReferenceKernel::move(const Values &inputs, double share,
                             std::span<const double> sizes, Draw draw) const {
  Values values = inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!isFloatingPoint(signature[i].elementType))
      continue;
    for (double &value : values[i])
      if (std::isfinite(value))
        value += share * std::max(sizes[i], std::fabs(value)) * draw(i);
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

Result<Values> ReferenceKernel::findSensitivity(const Values &inputs,
                                                const Values &results,
                                                InputScale scale, size_t runs,
                                                std::mt19937_64 &generator) {
  // Far over the roundings of the reference, far below the inputs' size.
  double step = 1e-6;
  for (const BufferSpec &buffer : plan.buffers)
    if (isFloatingPoint(buffer.elementType))
      step = std::max(step, 8 * unitRoundoff(buffer.elementType));
  Values most(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    for (double result : results[i])
      most[i].push_back(std::isfinite(result) ? std::fabs(result) : 0);
  const std::vector<double> sizes = findSizes(inputs, scale);
  for (size_t n = 0; n < runs; ++n) {
    auto other = TONNO_TRY(run(move(
        inputs, step, sizes, [&](size_t) { return drawSigned(generator); })));
    widen(most, other.values, results, step);
  }
  return most;
}

void tonno::widenSensitivity(Values &sensitivity, const Values &nudged,
                             const Values &results) {
  widen(sensitivity, nudged, results, roundingNudge);
}

void tonno::widenResultRange(ResultRange &reach, const Values &results) {
  for (size_t i = 0; i < results.size(); ++i)
    for (size_t e = 0; e < results[i].size(); ++e) {
      double result = results[i][e];
      if (std::isnan(result))
        continue;
      reach.lowest[i][e] = std::min(reach.lowest[i][e], result);
      reach.highest[i][e] = std::max(reach.highest[i][e], result);
    }
}

Result<ResultRange> ReferenceKernel::computeResultRange(
    const Values &inputs, const Values &results, double share, InputScale scale,
    bool isElementwise, std::mt19937_64 &generator) {
  // Misses a boundary of two inputs 3 % of the time.
  constexpr size_t signedRuns = 12;
  // The ordinal of each buffer among the changed ones.
  std::vector<size_t> numbers(inputs.size());
  size_t drawn = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (isFloatingPoint(signature[i].elementType) && !inputs[i].empty())
      numbers[i] = drawn++;
  size_t combined = std::min<size_t>(drawn, 4);
  size_t runs = isElementwise ? size_t{1} << combined : signedRuns;
  ResultRange reach = {results, results};
  const std::vector<double> sizes = findSizes(inputs, scale);
  for (size_t n = 0; n < runs; ++n) {
    auto drawSign = [&](size_t buffer) -> double {
      bool isUp = isElementwise ? n >> numbers[buffer] % combined & 1
                                : generator() >> 63;
      return isUp ? 1 : -1;
    };
    widenResultRange(
        reach, TONNO_TRY(run(move(inputs, share, sizes, drawSign))).values);
  }
  return reach;
}

Result<double> ReferenceKernel::estimateFanIn(size_t buffer,
                                              const Values &inputs,
                                              const Values &results,
                                              std::mt19937_64 &generator) {
  // Inputs that are changed, and how many of them are no chance.
  constexpr unsigned probes = 6, fewProbes = 3;
  const std::vector<double> &numbers = inputs[buffer];
  auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  if (*low == 0 && *high == 0)
    return 0.0;                               // terms of 0 are not rounded
  std::vector<std::vector<unsigned>> changes; // of each result of each output
  for (const std::vector<double> &output : results)
    changes.emplace_back(output.size());
  for (unsigned probe = 0; probe < probes; ++probe) {
    Values changed = inputs;
    double &number = changed[buffer][generator() % numbers.size()];
    if (*low == *high)
      number /= 2;
    else
      number = number - *low > *high - number ? *low : *high;
    auto others = TONNO_TRY(run(changed));
    for (size_t i = 0; i < results.size(); ++i)
      for (size_t e = 0; e < results[i].size(); ++e) {
        double before = results[i][e], after = others.values[i][e];
        changes[i][e] +=
            before != after && !(std::isnan(before) && std::isnan(after));
      }
  }
  double share = 0;
  for (const std::vector<unsigned> &counts : changes) {
    if (counts.empty())
      continue;
    double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    share = std::max(share, sum / static_cast<double>(counts.size()));
    if (unsigned often = *std::ranges::max_element(counts); often >= fewProbes)
      share = std::max<double>(share, often);
  }
  return static_cast<double>(numbers.size()) * share / probes;
}

Result<double> ReferenceKernel::estimateFanIn(const Values &inputs,
                                              const Values &results,
                                              std::mt19937_64 &generator) {
  constexpr double least = 64, most = 4096;
  double fanIn = least, largest = least;
  bool areFloats = false;
  for (size_t i = 0; i < signature.size(); ++i) {
    largest = std::max(largest, static_cast<double>(signature[i].elements()));
    if (!isInput(signature[i]) || !isFloatingPoint(signature[i].elementType))
      continue;
    areFloats = true;
    if (static_cast<double>(inputs[i].size()) > least)
      fanIn = std::max(fanIn,
                       TONNO_TRY(estimateFanIn(i, inputs, results, generator)));
  }
  // Integer inputs may be indices, which can't be changed.
  return std::min(areFloats ? fanIn : largest, most);
}
