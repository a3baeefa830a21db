//===- Result of tuning a local size --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/AutotuneResult.h"

using namespace tonno;

Result<void> AutotuneResult::check() const {
  if (!bestLocalSize.empty())
    return {};
  std::string message = "no local size could be measured";
  for (const auto *sizes : {&leftOut, &failed})
    for (const SkippedSize &size : *sizes)
      message += "; " + describe(size.localSize) + ": " + size.reason;
  return Error{message};
}

void tonno::mapFields(JsonFields &fields, SkippedSize &size) {
  fields("local_size", size.localSize);
  fields("reason", size.reason);
}

void tonno::mapFields(JsonFields &fields, MeasuredSize &size) {
  fields("local_size", size.localSize);
  fields("runtime_us", size.runtimeUs);
  fields("samples_us", size.samplesUs);
}

void tonno::mapFields(JsonFields &fields, AutotuneResult &result) {
  fields("best_local_size", result.bestLocalSize);
  fields("runtime_us", result.runtimeUs);
  fields("measured", result.measured);
  fields("left_out", result.leftOut);
  fields("failed", result.failed);
  fields("overhead_bound", result.isOverheadBound);
  fields("busy", result.isBusy);
  fields("notes", result.notes);
  fields("comparison", result.comparison);
}
