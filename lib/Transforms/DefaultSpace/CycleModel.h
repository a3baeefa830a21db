//===- Figures of the cycle models for default tiles ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_CYCLEMODEL_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_CYCLEMODEL_H

#include <cstdint>

namespace tonno {

/// Bytes per cycle of a compute unit, of both vendors.
inline constexpr double sharedBandwidth = 128, cacheBandwidth = 64;

/// Cycles from a load of device memory to its use.
inline constexpr double latency = 800;

/// Cycles of a step that nothing hides: barriers, and the loop.
inline constexpr double overhead = 40;

inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_CYCLEMODEL_H
