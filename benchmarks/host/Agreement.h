//===- Comparison of outputs ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_HOST_AGREEMENT_H
#define BENCHMARKS_HOST_AGREEMENT_H

#include "tonno/Core/LaunchPlan.h"

#include <cstddef>
#include <span>

namespace tonno {

/// Checks that two outputs are equal but for rounding: integers exactly, floats
/// within 2^10 units (f16 and bf16: 8) of their root mean square and of
/// themselves. The tuned kernel has passed the gate; this check finds opponents
/// that compute something else or omit something. The Error names the first
/// element that differs.
Result<void> checkAgreement(const BufferSpec &buffer,
                            std::span<const std::byte> expected,
                            std::span<const std::byte> found);

} // namespace tonno

#endif // BENCHMARKS_HOST_AGREEMENT_H
