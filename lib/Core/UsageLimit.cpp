//===- Limits of the user on resources ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/UsageLimit.h"
#include "tonno/Core/Trim.h"

#include <charconv>
#include <cmath>
#include <utility>

using namespace tonno;

EnumNames tonno::getEnumNames(Resource) {
  static constexpr std::string_view names[] = {
      "workspace", "code-size", "shared", "stack",
      "spills",    "registers", "energy"};
  static_assert(std::size(names) == static_cast<size_t>(Resource::energy) + 1);
  return {"resource", names};
}

std::optional<uint64_t> tonno::getUsed(const ResourceUsage &usage,
                                       Resource resource) {
  switch (resource) {
  case Resource::workspace:
    return usage.workspaceBytes;
  case Resource::code_size:
    return usage.codeBytes;
  case Resource::shared:
    return usage.sharedBytes;
  case Resource::stack:
    return usage.stackBytes;
  case Resource::spills:
    return usage.spillBytes;
  case Resource::registers:
    return usage.registers;
  case Resource::energy:
    return std::nullopt;
  }
  return std::nullopt;
}

void tonno::mapFields(JsonFields &fields, UsageLimit &limit) {
  fields("resource", limit.resource);
  fields("most", limit.most);
}

/// Returns the bytes of a unit, none if there is no such unit.
static std::optional<double> getUnitBytes(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},           {"B", 1},          {"kB", 1e3},
      {"KB", 1e3},       {"MB", 1e6},       {"GB", 1e9},
      {"KiB", 1L << 10}, {"MiB", 1L << 20}, {"GiB", 1L << 30}};
  for (auto [name, bytes] : units)
    if (name == unit)
      return bytes;
  return std::nullopt;
}

/// Parses "1.5 MB", or a number of something else than bytes.
static std::optional<uint64_t> parseAmount(std::string_view text,
                                           bool isBytes) {
  double number = 0;
  auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(),
                                         number, std::chars_format::fixed);
  if (problem != std::errc())
    return std::nullopt;
  std::string_view unit = trim({rest, text.data() + text.size()});
  auto bytes = getUnitBytes(unit);
  if (!bytes || (!isBytes && !unit.empty()))
    return std::nullopt;
  double amount = number * *bytes;
  constexpr double most = 1LL << 53; // integers that a double has
  if (!(amount >= 0 && amount <= most) || amount != std::floor(amount))
    return std::nullopt;
  return static_cast<uint64_t>(amount);
}

std::string tonno::listResources() {
  std::string known;
  for (std::string_view each : getEnumNames(Resource()).names)
    known += (known.empty() ? "" : ", ") + std::string(each);
  return known;
}

std::optional<double> tonno::parseMultiple(std::string_view text) {
  double multiple = 0;
  auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(),
                                         multiple, std::chars_format::fixed);
  std::string_view unit = {rest, text.data() + text.size()};
  bool isValid = problem == std::errc() && trim(unit) == "x" && multiple > 0;
  return isValid ? std::optional(multiple) : std::nullopt;
}

std::optional<Result<double>> tonno::parseTimeLimit(std::string_view text) {
  size_t sign = text.find("<=");
  if (sign == std::string_view::npos || trim(text.substr(0, sign)) != "time")
    return std::nullopt;
  auto most = parseMultiple(trim(text.substr(sign + 2)));
  if (!most)
    return Error{"'" + std::string(text) +
                 "' has no multiple of the default's time; give one such as "
                 "1.05x"};
  return *most;
}

Result<UsageLimit> tonno::parseUsageLimit(std::string_view text) {
  std::string quoted = "'" + std::string(text) + "'";
  size_t sign = text.find("<=");
  if (sign == std::string_view::npos)
    return Error{quoted +
                 " is not a limit; give one such as 'workspace <= 1MB'"};
  auto name = trim(text.substr(0, sign));
  auto resource = parseEnum<Resource>(name);
  if (!resource)
    return Error{"unknown resource '" + std::string(name) + "' in " + quoted +
                 "; the resources are: " + listResources() + ", time"};
  if (*resource == Resource::energy)
    return Error{quoted + " limits energy, which is not known before a "
                          "candidate is chosen; give '--objective=energy'"};
  bool isBytes = *resource != Resource::registers;
  auto most = parseAmount(trim(text.substr(sign + 2)), isBytes);
  if (!most)
    return Error{quoted + " has no " +
                 (isBytes ? "number of bytes; give one such as 1500, 64KiB or "
                            "1.5MB"
                          : "whole number; give one such as 128")};
  return UsageLimit{*resource, *most};
}

std::string tonno::describeAmount(Resource resource, uint64_t amount) {
  std::string_view unit = resource == Resource::registers ? ""
                          : resource == Resource::energy  ? " uJ"
                                                          : " bytes";
  return std::to_string(amount) + std::string(unit);
}

std::string tonno::toString(const UsageLimit &limit) {
  return std::string(toString(limit.resource)) +
         " <= " + std::to_string(limit.most);
}

std::optional<std::string>
tonno::findExcess(const ResourceUsage &usage,
                  std::span<const UsageLimit> limits) {
  for (const UsageLimit &limit : limits) {
    std::string name(toString(limit.resource));
    auto used = getUsed(usage, limit.resource);
    if (!used)
      return name + " is unknown, so the limit of " +
             describeAmount(limit.resource, limit.most) + " cannot be checked";
    if (*used > limit.most)
      return name + " is " + describeAmount(limit.resource, *used) +
             ", above the limit of " +
             describeAmount(limit.resource, limit.most);
  }
  return std::nullopt;
}
