//===- A device's clocks and heat -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/DeviceCondition.h"

using namespace tonno;

void tonno::mapFields(JsonFields &fields, DeviceCondition &condition) {
  fields("clock_mhz", condition.clockMHz);
  fields("memory_clock_mhz", condition.memoryClockMHz);
  fields("temperature", condition.temperature);
  fields("throttle_reasons", condition.throttleReasons);
}
