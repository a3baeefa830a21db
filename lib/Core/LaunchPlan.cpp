//===- Launch plans of artifacts ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"

#include <algorithm>
#include <utility>

using namespace tonno;

/// Sizes of buffers stay sums without overflow.
static constexpr uint64_t mostAlignment = uint64_t(1) << 30;

/// More than any machine has cores.
static constexpr uint32_t mostThreads = 1024;

unsigned tonno::bitWidth(ElementType type) {
  static constexpr unsigned bits[] = {64, 32, 16, 16, 8,  8, 8, 8, 8, 6,
                                      6,  4,  64, 32, 16, 8, 4, 2, 1};
  return bits[static_cast<size_t>(type)];
}

size_t tonno::getByteSize(ElementType type) { return (bitWidth(type) + 7) / 8; }

EnumNames tonno::getEnumNames(ElementType) {
  static constexpr std::string_view names[] = {
      "f64",      "f32",        "f16",        "bf16",      "f8E4M3FN",
      "f8E5M2",   "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f6E2M3FN",
      "f6E3M2FN", "f4E2M1FN",   "i64",        "i32",       "i16",
      "i8",       "i4",         "i2",         "i1"};
  return {"element type", names};
}

EnumNames tonno::getEnumNames(Access) {
  static constexpr std::string_view names[] = {"read", "write", "read_write",
                                               "workspace"};
  return {"access", names};
}

uint64_t BufferSpec::elements() const {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= static_cast<uint64_t>(extent);
  return count;
}

uint64_t BufferSpec::bytes() const {
  if (isDense() || elements() == 0)
    return elements() * getByteSize(elementType);
  uint64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    last += static_cast<uint64_t>((shape[i] - 1) * strides[i]);
  return (last + 1) * getByteSize(elementType);
}

/// Elements from the first to behind the last; none where that is no int64_t or
/// two of them may share a place. Dimensions are pairs of stride and extent.
static std::optional<int64_t>
computeSpan(std::vector<std::pair<int64_t, int64_t>> dimensions) {
  std::sort(dimensions.begin(), dimensions.end());
  int64_t span = 1;
  for (auto [stride, extent] : dimensions) {
    if (extent == 1)
      continue;
    int64_t reach = 0;
    if (stride < span || __builtin_mul_overflow(stride, extent - 1, &reach) ||
        __builtin_add_overflow(span, reach, &span))
      return {};
  }
  return span;
}

static std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    if (__builtin_mul_overflow(strides[i], shape[i], &strides[i - 1]))
      strides[i - 1] = 0; // which computeSpan refuses
  return strides;
}

Result<void> BufferSpec::checkLayout() const {
  auto refuse = [&](const std::string &why) {
    return Error{"buffer " + name + " " + why};
  };
  auto isNegative = [](int64_t n) { return n < 0; };
  if (isDynamic() && sizes.size() != shape.size())
    return refuse("has sizes for " + std::to_string(sizes.size()) + " of " +
                  std::to_string(shape.size()) + " dimensions");
  for (size_t i = 0; i < shape.size(); ++i)
    if (isNegative(shape[i]) &&
        (shape[i] != anySize || !isDynamic() || sizes[i].empty()))
      return refuse("has a negative extent");
  if (!isDense() && strides.size() != shape.size())
    return refuse("has " + std::to_string(strides.size()) + " strides for " +
                  std::to_string(shape.size()) + " dimensions");
  if (std::any_of(strides.begin(), strides.end(), isNegative))
    return refuse("has a negative stride");
  if (!dims.empty() && dims.size() != shape.size())
    return refuse("has names for " + std::to_string(dims.size()) + " of " +
                  std::to_string(shape.size()) + " dimensions");
  if (alignment > mostAlignment)
    return refuse("has an alignment beyond " + std::to_string(mostAlignment));
  if (isDynamic() || std::find(shape.begin(), shape.end(), 0) != shape.end())
    return {};
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  std::vector<int64_t> steps = isDense() ? denseStrides(shape) : strides;
  for (size_t i = 0; i < shape.size(); ++i)
    dimensions.emplace_back(steps[i], shape[i]);
  std::optional<int64_t> span = computeSpan(dimensions);
  int64_t bytes = 0;
  if (span &&
      !__builtin_mul_overflow(
          *span, static_cast<int64_t>(getByteSize(elementType)), &bytes) &&
      static_cast<uint64_t>(bytes) <= mostBufferBytes)
    return {};
  return refuse(std::string("needs more than ") +
                std::to_string(mostBufferBytes >> 40) + " TiB of memory" +
                (isDense() ? "" : ", or two of its elements may share memory"));
}

Signature LaunchPlan::signature() const {
  Signature signature;
  for (const BufferSpec &buffer : buffers)
    if (buffer.access != Access::workspace)
      signature.push_back(buffer);
  return signature;
}

bool LaunchPlan::isLoaded(uint32_t buffer) const {
  auto isUsed = [&](bool atLoad) {
    return std::any_of(
        launches.begin(), launches.end(), [&](const Launch &launch) {
          return launch.atLoad == atLoad &&
                 std::find(launch.buffers.begin(), launch.buffers.end(),
                           buffer) != launch.buffers.end();
        });
  };
  return buffers[buffer].access == Access::workspace && isUsed(true) &&
         isUsed(false);
}

void tonno::mapFields(JsonFields &fields, BufferSpec &buffer) {
  fields("name", buffer.name);
  fields("element_type", buffer.elementType);
  fields("shape", buffer.shape);
  fields("access", buffer.access);
  fields("alignment", buffer.alignment);
  fields.list("strides", buffer.strides);
  fields.list("sizes", buffer.sizes);
  fields("input", buffer.input);
  fields.list("dims", buffer.dims);
  if (!fields.read())
    return;
  if (auto checked = buffer.checkLayout(); !checked)
    throw WrongValue(checked.error().message, *fields.read());
  // No reader allocates by sizes of a call.
  if (buffer.isDynamic())
    throw WrongValue("buffer " + buffer.name +
                         " has sizes that are known only in calls",
                     *fields.read());
}

void tonno::mapFields(JsonFields &fields, PlainArgument &argument) {
  fields("position", argument.position);
  if (fields.has("value", !argument.value.empty()))
    fields("value", argument.value);
  else
    fields("local_bytes", argument.localBytes);
}

void tonno::mapFields(JsonFields &fields, Launch &launch) {
  fields("symbol", launch.symbol);
  fields("buffers", launch.buffers);
  fields.list("plain", launch.plain);
  fields("threads", launch.threads, 1);
  fields("at_load", launch.atLoad, false);
  if (fields.read() && (launch.threads == 0 || launch.threads > mostThreads))
    throw WrongValue(launch.symbol + " has " + std::to_string(launch.threads) +
                         " threads; there are 1 to " +
                         std::to_string(mostThreads),
                     *fields.read());
  // The host's plans need not speak of grids.
  if (!fields.has("grid", launch.geometry != LaunchGeometry() ||
                              launch.dependsOnSizes()))
    return;
  fields("grid", launch.geometry.grid);
  fields.list("grid_sizes", launch.gridSizes);
  if (fields.has("condition", !launch.condition.empty()))
    fields("condition", launch.condition);
  // No reader launches by sizes of a call.
  if (fields.read() && launch.dependsOnSizes())
    throw WrongValue(launch.symbol + " depends on sizes that are known only in "
                                     "calls",
                     *fields.read());
  fields("block", launch.geometry.block);
  fields("shared_bytes", launch.geometry.sharedBytes);
}

void tonno::mapFields(JsonFields &fields, LaunchPlan &plan) {
  fields("buffers", plan.buffers);
  fields("launches", plan.launches);
  if (!fields.read())
    return;
  const Json &json = *fields.read();
  for (const Launch &launch : plan.launches)
    for (uint32_t index : launch.buffers)
      if (index >= plan.buffers.size())
        throw WrongValue(launch.symbol + " is launched with buffer " +
                             std::to_string(index) + " of " +
                             std::to_string(plan.buffers.size()),
                         json);
}
