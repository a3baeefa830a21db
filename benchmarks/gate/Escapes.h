//===- Mutants that are not always caught ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_ESCAPES_H
#define BENCHMARKS_GATE_ESCAPES_H

#include "GateKernel.h"

namespace tonno::gate {

/// Returns true if the gate may miss a mutant. tonno-benchmark-gate found all
/// others, and the tests must, too.
bool mayEscape(std::string_view kernel, std::string_view mutant,
               const Cell &cell);

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_ESCAPES_H
