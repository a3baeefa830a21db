//===- Rates of a tuned kernel, and the device's limit --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_KERNELRATES_H
#define TONNO_SESSION_KERNELRATES_H

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/DevicePeaks.h"
#include "tonno/Engine/Runner.h"

#include <map>

namespace tonno {

/// The rates of a kernel that takes some seconds.
struct KernelRates {
  double operations = 0; ///< a second; 0 if the work is unknown
  double bytes = 0;      ///< a second; 0 if the traffic is unknown
  std::optional<RooflineLimit> limit;
  /// The limit's time as a share of the kernel's; 0 without a limit.
  double share = 0;
  /// Why there is no limit; none without a time, either.
  std::optional<NoLimit> noLimit = {};

  /// Returns the factor by which a kernel at the limit is faster; none without
  /// a limit.
  std::optional<double> headroom() const {
    return share > 0 ? std::optional(1 / share) : std::nullopt;
  }
};

void mapFields(JsonFields &fields, KernelRates &rates);

/// Returns the rates of a launch of these seconds. There is no limit if the
/// kernel is clearly faster: then the peaks are too low, as on a machine that
/// was busy when they were measured.
KernelRates computeRates(const KernelWork &work,
                         const std::optional<DevicePeaks> &peaks,
                         CacheState state, double seconds);

/// Finds the peaks of a runner's device, which are measured once for each
/// query and kept in the store.
class PeakFinder {
public:
  /// Called after peaks were measured, which took these seconds.
  using Report = std::function<void(const PeakQuery &query, double seconds)>;

  PeakFinder(RecordStore &store, Runner &runner, Report report)
      : store(store), runner(runner), report(std::move(report)) {}

  /// Returns none if the device has no micro-benchmarks, or if they fail.
  std::optional<DevicePeaks> find(const DeviceDescription &device,
                                  const PeakQuery &query);

private:
  std::optional<DevicePeaks> measure(const PeakQuery &query);

  RecordStore &store;
  Runner &runner;
  Report report;
  std::map<PeakQuery, std::optional<DevicePeaks>> found;
};

} // namespace tonno

#endif // TONNO_SESSION_KERNELRATES_H
