//===- What a binary needs to run -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/ResourceUsage.h"

#include <limits>
#include <tuple>

using namespace tonno;

bool tonno::needsLess(const ResourceUsage &a, const ResourceUsage &b) {
  auto known = [](const std::optional<uint64_t> &number) {
    return number.value_or(std::numeric_limits<uint64_t>::max());
  };
  auto order = [&](const ResourceUsage &usage) {
    return std::tuple(known(usage.spillBytes), -usage.occupancy.value_or(0),
                      known(usage.registers), known(usage.instructions));
  };
  return order(a) < order(b);
}

void tonno::to_json(Json &json, const ResourceUsage &usage) {
  json = Json::object();
  putOptional(json, "code_bytes", usage.codeBytes);
  putOptional(json, "workspace_bytes", usage.workspaceBytes);
  putOptional(json, "registers", usage.registers);
  putOptional(json, "spill_bytes", usage.spillBytes);
  putOptional(json, "stack_bytes", usage.stackBytes);
  putOptional(json, "shared_bytes", usage.sharedBytes);
  putOptional(json, "instructions", usage.instructions);
  putOptional(json, "occupancy", usage.occupancy);
}

void tonno::from_json(const Json &json, ResourceUsage &usage) {
  getOptional(json, "code_bytes", usage.codeBytes);
  getOptional(json, "workspace_bytes", usage.workspaceBytes);
  getOptional(json, "registers", usage.registers);
  getOptional(json, "spill_bytes", usage.spillBytes);
  getOptional(json, "stack_bytes", usage.stackBytes);
  getOptional(json, "shared_bytes", usage.sharedBytes);
  getOptional(json, "instructions", usage.instructions);
  getOptional(json, "occupancy", usage.occupancy);
}
