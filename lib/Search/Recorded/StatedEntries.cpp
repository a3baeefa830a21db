//===- Entries whose unit is yet to be found ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StatedEntries.h"

using namespace tonno;

Result<void> StatedEntries::add(RecordedEntry entry,
                                const Result<RecordedCost> &cost,
                                std::optional<double> clock) {
  if (!cost)
    return cost.error();
  entry.cost = *cost;
  costs.push_back({entry.cost, clock});
  entries.push_back(std::move(entry));
  return {};
}

Result<Recording> StatedEntries::finish(std::string name,
                                        std::optional<double> unit) && {
  if (parameters.empty())
    return Error{"it has no entries"};
  double whole = unit.value_or(1e-3);
  double compile = compileUnit(costs, unit);
  if (unit && compile != *unit)
    notes.emplace_back("what compiling took is read as seconds, not as the "
                       "stated milliseconds: its timestamps tell so");
  RecordingBuilder builder(std::move(parameters));
  for (RecordedEntry &entry : entries) {
    entry.cost.compile *= compile;
    entry.cost.run *= whole;
    entry.cost.other *= whole;
    if (auto added = builder.add(std::move(entry)); !added)
      return added.error();
  }
  for (size_t i = 0; i < excluded; ++i)
    builder.exclude();
  for (std::string &note : notes)
    builder.note(std::move(note));
  return std::move(builder).finish(std::move(name));
}

Result<double> tonno::numberAt(const Json &object, const char *name,
                               const std::string &origin) {
  auto found = object.find(name);
  if (found == object.end() || found->is_null())
    return 0;
  if (!found->is_number())
    return Error{origin + ": '" + name + "' is " + printed(*found) +
                 ", which is no number"};
  return found->get<double>();
}

Result<std::vector<Json>>
tonno::valuesOf(const Json &configuration,
                const std::vector<std::string> &parameters,
                const std::string &origin, bool exactly) {
  std::vector<Json> values;
  for (const std::string &name : parameters) {
    auto found = configuration.find(name);
    if (found == configuration.end())
      return Error{origin + ": the parameter '" + name +
                   "' is missing, which other entries have"};
    values.push_back(*found);
  }
  if (exactly && configuration.size() != parameters.size())
    for (const auto &[name, value] : configuration.items())
      if (std::ranges::find(parameters, name) == parameters.end())
        return Error{origin + ": it has a parameter '" + name +
                     "', which other entries don't have"};
  return values;
}

std::optional<double> tonno::clockOf(const Json &entry) {
  auto found = entry.find("timestamp");
  if (found == entry.end() || !found->is_string())
    return std::nullopt;
  return parseTimestamp(found->get_ref<const std::string &>());
}
