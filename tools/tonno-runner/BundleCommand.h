//===- tonno-runner --bundle ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_BUNDLECOMMAND_H
#define TONNO_TOOLS_BUNDLECOMMAND_H

#include "tonno/Runtime/PatientRunner.h"
#include "tonno/Runtime/RunnerProcess.h"

#include <string>

namespace tonno {

/// Options of `tonno-runner --bundle`.
struct BundleCommand {
  std::string bundle;       ///< file
  std::string output = "-"; ///< file of the results; "-" is stdout
  std::string device;       ///< empty: the default for the bundle's code
  std::string driver;       ///< DeviceOptions::driver
  std::string failures;     ///< directory for a file of each; empty: none
  double seconds = 0;       ///< for each kernel; 0: no limit
  WhenBusy whenBusy = WhenBusy::wait;
  RunnerLimits limits = {};
};

/// Runs the bundle's kernels one after the other on the device, candidates in
/// another process, and writes the results.
/// Returns the exit status: 0; 1 if a kernel has no result; 128 and the signal
/// that interrupted.
int runBundle(const BundleCommand &command);

} // namespace tonno

#endif // TONNO_TOOLS_BUNDLECOMMAND_H
