//===- Resource usage of binaries -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/ResourceUsage.h"

#include <limits>
#include <tuple>

using namespace tonno;

bool tonno::usesFewerResources(const ResourceUsage &a, const ResourceUsage &b) {
  auto known = [](const std::optional<uint64_t> &number) {
    return number.value_or(std::numeric_limits<uint64_t>::max());
  };
  auto order = [&](const ResourceUsage &usage) {
    return std::tuple(known(usage.spillBytes), -usage.occupancy.value_or(0),
                      known(usage.registers), known(usage.instructions));
  };
  return order(a) < order(b);
}

void tonno::mapFields(JsonFields &fields, ResourceUsage &usage) {
  fields("code_bytes", usage.codeBytes);
  fields("workspace_bytes", usage.workspaceBytes);
  fields("registers", usage.registers);
  fields("spill_bytes", usage.spillBytes);
  fields("stack_bytes", usage.stackBytes);
  fields("shared_bytes", usage.sharedBytes);
  fields("instructions", usage.instructions);
  fields("occupancy", usage.occupancy);
  fields("vector_share", usage.vectorShare);
  fields("memory_share", usage.memoryShare);
  fields("stack_share", usage.stackShare);
  fields("loop_intensity", usage.loopIntensity);
  fields("time_bound", usage.timeBound);
}
