//===- Matrix instructions of simulated GPUs ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMMATRIX_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMMATRIX_H

#include "tonno/Core/LaunchPlan.h"

#include <cstdint>
#include <span>

namespace tonno {

/// Thread that takes part in a collective.
struct SimParticipant {
  uint32_t lane; ///< in its subgroup; all the same where a workgroup meets
  const uint64_t *operands;
  uint64_t *results;
};

/// Performs SimCollective::multiply, by the table of instructions: whatever
/// code the lanes run, elements lie where the table says. The elements of lanes
/// that are missing are NaN, and 85 for integers. Sums are exact, rounded once.
void multiply(std::span<const SimParticipant> participants);

/// Returns a sum's bits; integers wrap around.
uint32_t encodeSum(double sum, ElementType type);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMMATRIX_H
