//===- Whether others had the device --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_CONTENTIONWATCH_H
#define TONNO_RUNTIME_CONTENTIONWATCH_H

#include "tonno/Runtime/Device.h"
#include "tonno/Timing/Protocol.h"

#include <functional>

namespace tonno {

/// Finds out whether others had the device while launches were timed, where the
/// device can tell.
class ContentionWatch {
public:
  ContentionWatch(Device &device, const ProtocolOptions &options)
      : device(device), options(options) {}

  /// Takes what others disturb as it is, and subtracts what they took.
  void accept() { isAccepting = true; }

  /// Times a batch, and notes whether others had more than a share of it.
  Result<double, Failure>
  time(Executable &executable,
       std::span<const std::vector<DevicePointer>> batch);

  /// Takes a sample by something that calls `time`, and takes it again where it
  /// was disturbed: a few times, then it counts as it is.
  Result<double, Failure>
  takeUndisturbed(const std::function<Result<double, Failure>()> &take);

  /// Returns true if more samples were disturbed than the protocol allows.
  bool isContended() const;
  /// Fails with `contended` if so, and names who disturbed, unless accepted.
  Result<void, Failure> check() const;

private:
  Device &device;
  const ProtocolOptions &options;
  bool isAccepting = false;
  bool isDisturbed = false; ///< what was timed last
  size_t samples = 0, disturbed = 0;
};

} // namespace tonno

#endif // TONNO_RUNTIME_CONTENTIONWATCH_H
