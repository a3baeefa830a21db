//===- A device's clocks and heat -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_DEVICECONDITION_H
#define TONNO_CORE_DEVICECONDITION_H

#include "tonno/Core/Json.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The state of a device while it was measured (clocks, temperature and the
/// like). Members that no available tool reports are unknown.
struct DeviceCondition {
  std::optional<double> clockMHz; ///< of the compute units
  std::optional<double> memoryClockMHz;
  std::optional<double> temperature; ///< in degrees Celsius
  /// Why the clocks are below their highest: "power cap", "heat"; empty if they
  /// are not held back.
  std::optional<std::vector<std::string>> throttleReasons;

  bool operator==(const DeviceCondition &) const = default;
};

void mapFields(JsonFields &fields, DeviceCondition &condition);

} // namespace tonno

#endif // TONNO_CORE_DEVICECONDITION_H
