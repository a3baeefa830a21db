//===- ContentionWatch.cpp - Whether others had the device ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/ContentionWatch.h"

#include <string>

using namespace tonno;

Result<double, Failure>
ContentionWatch::time(Executable &executable,
                      std::span<const std::vector<DevicePointer>> batch) {
  std::optional<double> before = device.stolenSeconds();
  auto seconds = device.time(executable, batch);
  std::optional<double> after = device.stolenSeconds();
  isDisturbed = seconds && before && after &&
                *after - *before > options.stolenShare * *seconds;
  return seconds;
}

Result<double, Failure> ContentionWatch::takeUndisturbed(
    const std::function<Result<double, Failure>()> &take) {
  ++samples;
  for (uint64_t attempt = 0;; ++attempt) {
    auto taken = take();
    if (!taken || !isDisturbed)
      return taken;
    if (attempt == options.maxRetakes) {
      ++disturbed;
      return taken;
    }
  }
}

Result<void, Failure> ContentionWatch::check() const {
  if (static_cast<double>(disturbed) <=
      options.contendedShare * static_cast<double>(samples))
    return {};
  return Failure{Status::contended,
                 "other processes ran on the device during " +
                     std::to_string(disturbed) + " of " +
                     std::to_string(samples) + " samples"};
}
