//===- ContentionWatch.h - Whether others had the device ------ -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_CONTENTIONWATCH_H
#define TONNO_RUNTIME_CONTENTIONWATCH_H

#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/Protocol.h"

#include <functional>

namespace tonno {

/// Finds out whether others had the device while launches were timed, where the
/// device can tell.
class ContentionWatch {
public:
  ContentionWatch(Device &device, const ProtocolOptions &options)
      : device(device), options(options) {}

  /// Times a batch, and notes whether others had more than a share of it.
  Result<double, Failure>
  time(Executable &executable,
       std::span<const std::vector<DevicePointer>> batch);

  /// Takes a sample by something that calls `time`, and takes it again where it
  /// was disturbed: a few times, then it counts as it is.
  Result<double, Failure>
  takeUndisturbed(const std::function<Result<double, Failure>()> &take);

  /// A Failure `contended` if too many samples were disturbed nevertheless.
  Result<void, Failure> check() const;

private:
  Device &device;
  const ProtocolOptions &options;
  bool isDisturbed = false; ///< what was timed last
  size_t samples = 0, disturbed = 0;
};

} // namespace tonno

#endif // TONNO_RUNTIME_CONTENTIONWATCH_H
