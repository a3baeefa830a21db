//===- What simulated threads do together ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMCOLLECTIVES_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMCOLLECTIVES_H

#include "tonno/Core/SimObject.h"

#include <span>

namespace tonno {

/// One of those that take part in a collective.
struct SimParticipant {
  uint32_t lane; ///< in its subgroup; all the same where a workgroup meets
  const uint64_t *operands;
  uint64_t *results;
};

struct SimCollectiveRule {
  enum class Scope { workgroup, subgroup } scope;
  /// Fills in the results. In the order of threads, at least one.
  void (*run)(std::span<const SimParticipant> participants);
};

/// Null for what this version does not know.
const SimCollectiveRule *simCollectiveRule(SimCollective kind);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMCOLLECTIVES_H
