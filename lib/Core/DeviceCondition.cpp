//===- A device's clocks and heat -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/DeviceCondition.h"

using namespace tonno;

void tonno::to_json(Json &json, const DeviceCondition &condition) {
  json = Json::object();
  putOptional(json, "clock_mhz", condition.clockMHz);
  putOptional(json, "memory_clock_mhz", condition.memoryClockMHz);
  putOptional(json, "temperature", condition.temperature);
  putOptional(json, "throttle_reasons", condition.throttleReasons);
}

void tonno::from_json(const Json &json, DeviceCondition &condition) {
  getOptional(json, "clock_mhz", condition.clockMHz);
  getOptional(json, "memory_clock_mhz", condition.memoryClockMHz);
  getOptional(json, "temperature", condition.temperature);
  getOptional(json, "throttle_reasons", condition.throttleReasons);
}
