//===- How to run an artifact ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"

#include <algorithm>
#include <array>
#include <utility>

using namespace tonno;

namespace {
struct ElementTypeRow {
  std::string_view name;
  size_t bytes;
};
} // namespace

/// Sizes of buffers stay sums without overflow.
static constexpr uint64_t mostAlignment = uint64_t(1) << 30;

/// More than any machine has cores.
static constexpr uint32_t mostThreads = 1024;

// In the order of the enumerations.
static constexpr std::array<ElementTypeRow, 9> elementTypes = {{{"f64", 8},
                                                                {"f32", 4},
                                                                {"f16", 2},
                                                                {"bf16", 2},
                                                                {"i64", 8},
                                                                {"i32", 4},
                                                                {"i16", 2},
                                                                {"i8", 1},
                                                                {"i1", 1}}};
static constexpr std::array<std::string_view, 4> accesses = {
    "read", "write", "read_write", "workspace"};

size_t tonno::sizeOf(ElementType type) {
  return elementTypes[static_cast<size_t>(type)].bytes;
}

std::string_view tonno::toString(ElementType type) {
  return elementTypes[static_cast<size_t>(type)].name;
}

std::string_view tonno::toString(Access access) {
  return accesses[static_cast<size_t>(access)];
}

uint64_t BufferSpec::elements() const {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= static_cast<uint64_t>(extent);
  return count;
}

uint64_t BufferSpec::bytes() const {
  if (isDense() || elements() == 0)
    return elements() * sizeOf(elementType);
  uint64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    last += static_cast<uint64_t>((shape[i] - 1) * strides[i]);
  return (last + 1) * sizeOf(elementType);
}

/// Elements from the first to behind the last; none where that is no int64_t or
/// two of them may share a place. Dimensions are pairs of stride and extent.
static std::optional<int64_t>
spanOf(std::vector<std::pair<int64_t, int64_t>> dimensions) {
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
      strides[i - 1] = 0; // which spanOf refuses
  return strides;
}

Result<void> BufferSpec::checkLayout() const {
  auto refuse = [&](const std::string &why) {
    return Error{"buffer " + name + " " + why};
  };
  auto isNegative = [](int64_t n) { return n < 0; };
  if (std::any_of(shape.begin(), shape.end(), isNegative))
    return refuse("has a negative extent");
  if (!isDense() && strides.size() != shape.size())
    return refuse("has " + std::to_string(strides.size()) + " strides for " +
                  std::to_string(shape.size()) + " dimensions");
  if (std::any_of(strides.begin(), strides.end(), isNegative))
    return refuse("has a negative stride");
  if (alignment > mostAlignment)
    return refuse("has an alignment beyond " + std::to_string(mostAlignment));
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return {};
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  std::vector<int64_t> steps = isDense() ? denseStrides(shape) : strides;
  for (size_t i = 0; i < shape.size(); ++i)
    dimensions.emplace_back(steps[i], shape[i]);
  std::optional<int64_t> span = spanOf(dimensions);
  int64_t bytes = 0;
  if (span &&
      !__builtin_mul_overflow(*span, static_cast<int64_t>(sizeOf(elementType)),
                              &bytes) &&
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

void tonno::to_json(Json &json, ElementType type) {
  json = std::string(toString(type));
}

void tonno::from_json(const Json &json, ElementType &type) {
  auto text = json.get<std::string>();
  for (size_t i = 0; i < elementTypes.size(); ++i)
    if (elementTypes[i].name == text) {
      type = static_cast<ElementType>(i);
      return;
    }
  throw WrongValue("unknown element type '" + text + "'", json);
}

void tonno::to_json(Json &json, Access access) {
  json = std::string(toString(access));
}

void tonno::from_json(const Json &json, Access &access) {
  auto text = json.get<std::string>();
  for (size_t i = 0; i < accesses.size(); ++i)
    if (accesses[i] == text) {
      access = static_cast<Access>(i);
      return;
    }
  throw WrongValue("unknown access '" + text + "'", json);
}

void tonno::to_json(Json &json, const BufferSpec &buffer) {
  json = Json{{"name", buffer.name},
              {"element_type", buffer.elementType},
              {"shape", buffer.shape},
              {"access", buffer.access},
              {"alignment", buffer.alignment}};
  if (!buffer.isDense())
    json["strides"] = buffer.strides;
  if (buffer.input)
    json["input"] = *buffer.input;
}

void tonno::from_json(const Json &json, BufferSpec &buffer) {
  json.at("name").get_to(buffer.name);
  json.at("element_type").get_to(buffer.elementType);
  json.at("shape").get_to(buffer.shape);
  json.at("access").get_to(buffer.access);
  json.at("alignment").get_to(buffer.alignment);
  buffer.strides.clear();
  if (json.contains("strides"))
    json.at("strides").get_to(buffer.strides);
  buffer.input.reset();
  if (json.contains("input"))
    buffer.input = json.at("input").get<InputSpec>();
  if (auto checked = buffer.checkLayout(); !checked)
    throw WrongValue(checked.error().message, json);
}

void tonno::to_json(Json &json, const PlainArgument &argument) {
  json = Json{{"position", argument.position}};
  if (argument.value.empty())
    json["local_bytes"] = argument.localBytes;
  else
    json["value"] = argument.value;
}

void tonno::from_json(const Json &json, PlainArgument &argument) {
  argument = {};
  json.at("position").get_to(argument.position);
  if (json.contains("value"))
    json.at("value").get_to(argument.value);
  else
    json.at("local_bytes").get_to(argument.localBytes);
}

void tonno::to_json(Json &json, const Launch &launch) {
  json = Json{{"symbol", launch.symbol}, {"buffers", launch.buffers}};
  // The host's plans need not speak of grids.
  if (launch.geometry != LaunchGeometry())
    json.update({{"grid", launch.geometry.grid},
                 {"block", launch.geometry.block},
                 {"shared_bytes", launch.geometry.sharedBytes}});
  if (!launch.plain.empty())
    json["plain"] = launch.plain;
  if (launch.threads != 1)
    json["threads"] = launch.threads;
}

void tonno::from_json(const Json &json, Launch &launch) {
  json.at("symbol").get_to(launch.symbol);
  json.at("buffers").get_to(launch.buffers);
  launch.geometry = {};
  launch.plain.clear();
  if (json.contains("plain"))
    json.at("plain").get_to(launch.plain);
  launch.threads = 1;
  if (json.contains("threads"))
    json.at("threads").get_to(launch.threads);
  if (launch.threads == 0 || launch.threads > mostThreads)
    throw WrongValue(launch.symbol + " has " + std::to_string(launch.threads) +
                         " threads; there are 1 to " +
                         std::to_string(mostThreads),
                     json);
  if (!json.contains("grid"))
    return;
  json.at("grid").get_to(launch.geometry.grid);
  json.at("block").get_to(launch.geometry.block);
  json.at("shared_bytes").get_to(launch.geometry.sharedBytes);
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
