//===- Micro-benchmarks of the host ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_HOSTPEAKS_H
#define TONNO_LIB_RUNTIME_HOST_HOSTPEAKS_H

#include "tonno/Core/DevicePeaks.h"

#include <span>

namespace tonno {

/// Measures the multiply-adds of the widest vectors, and the bandwidth of each
/// level of the memory, with a thread on each of the cores. Takes less than a
/// second. Other work on the cores makes peaks too low, never too high.
/// Uses at most `mostBytes` of memory, without the bandwidth of the memory if
/// these are too few.
DevicePeaks measureHostPeaks(std::span<const int> cores, const PeakQuery &query,
                             uint64_t mostBytes);

/// Returns the size in bytes of the data or unified cache of a level of the
/// first core; 0 if it has none.
uint64_t getCacheBytes(unsigned level);

/// Returns the cores that share that cache.
unsigned getCacheSharers(unsigned level);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_HOSTPEAKS_H
