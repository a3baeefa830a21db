//===- Whether others had the device --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/ContentionWatch.h"
#include "BusiestProcesses.h"

#include <string>

using namespace tonno;

Result<double, Failure>
ContentionWatch::time(Executable &executable,
                      std::span<const std::vector<DevicePointer>> batch) {
  std::optional<StolenSeconds> before = device.stolenSeconds();
  auto seconds = device.time(executable, batch);
  std::optional<StolenSeconds> after = device.stolenSeconds();
  if (!seconds || !before || !after) {
    isDisturbed = false;
    return seconds;
  }
  double own = after->own - before->own;
  double elsewhere = after->elsewhere - before->elsewhere;
  isDisturbed = own + elsewhere > options.stolenShare * *seconds;
  // Of several threads nobody knows which of them the launch waited for.
  bool isKnown = elsewhere == 0 && own < *seconds;
  return isAccepting && isKnown ? *seconds - own : *seconds;
}

Result<double, Failure> ContentionWatch::takeUndisturbed(
    const std::function<Result<double, Failure>()> &take) {
  ++samples;
  uint64_t retakes = isAccepting ? 0 : options.maxRetakes;
  for (uint64_t attempt = 0;; ++attempt) {
    auto taken = take();
    if (!taken || !isDisturbed)
      return taken;
    if (attempt == retakes) {
      ++disturbed;
      return taken;
    }
  }
}

bool ContentionWatch::isContended() const {
  return static_cast<double>(disturbed) >
         options.contendedShare * static_cast<double>(samples);
}

Result<void, Failure> ContentionWatch::check() const {
  if (isAccepting || !isContended())
    return {};
  std::string others = busiestProcesses();
  return Failure{Status::contended,
                 "other processes ran on the device during " +
                     std::to_string(disturbed) + " of " +
                     std::to_string(samples) + " samples" +
                     (others.empty() ? "" : " (" + others + ")")};
}
