//===- A lower bound on the time of a kernel ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_TIMEBOUND_H
#define TONNO_CORE_TIMEBOUND_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/Json.h"
#include "tonno/Core/LaunchPlan.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

struct KernelUsage;

/// Time that no launch of a kernel is below, by its binary, and why.
struct TimeBound {
  double seconds = 0;
  /// The time by the chip's data sheet (matrix units or FMA for the products,
  /// bandwidth for the buffers) as a share of `seconds`: 0 to 1; 0 if it is
  /// unknown, as on the host.
  double share = 0;
  /// Part that takes the time: on the host "ports"; else "matrix", "issue",
  /// "FMA", "special", "LDS", "cache", "DRAM", "latency", "waves" if units idle
  /// in the last round of workgroups, or "peak" if the code bounds it less than
  /// the data sheet.
  std::string limit = {};

  bool operator==(const TimeBound &) const = default;

  /// Returns true if a candidate may be left out for it: its own code keeps
  /// units busy that long. The other limits hold for cold caches only, and of
  /// all candidates nearly alike.
  bool isThroughputLimit() const {
    return limit != "DRAM" && limit != "peak" && limit != "latency";
  }

  /// Formats the bound: "0.81 of peak: LDS"; on the host "12.3 us: ports".
  std::string toString() const;
};

/// A candidate is not measured if its time bound exceeds the best time by this
/// factor.
inline constexpr double boundMargin = 1.1;

void mapFields(JsonFields &fields, TimeBound &bound);

/// Work of a kernel in any configuration. Unknown parts are zero.
struct KernelWork {
  uint64_t macs = 0; ///< multiply-adds of contractions
  ElementType operand = ElementType::f32;
  ElementType sum = ElementType::f32;
  uint64_t bytesRead = 0;    ///< from device memory, of inputs
  uint64_t bytesWritten = 0; ///< to device memory, of results
  /// Products of f32 or f64 factors of which nothing is known, so that every
  /// schedule makes them.
  uint64_t products = 0;

  bool operator==(const KernelWork &) const = default;
};

void mapFields(JsonFields &fields, KernelWork &work);

/// Returns the multiply-adds per second of the chip's fastest unit for these
/// types, by its data sheet.
double peakMacs(const GpuChip &chip, ElementType operand, ElementType sum);

/// Bounds the time of all launches of a plan from below. None of the unknown
/// takes time: latencies and barriers that other subgroups may hide, memory
/// beyond the inputs' and results' own bytes, code that may be skipped. Caches
/// are cold, as they are when candidates are timed. Returns none if nothing is
/// known of a launched kernel's code.
std::optional<TimeBound> boundTime(const std::vector<KernelUsage> &kernels,
                                   const LaunchPlan &plan,
                                   const KernelWork &work, const GpuChip &chip);

} // namespace tonno

#endif // TONNO_CORE_TIMEBOUND_H
