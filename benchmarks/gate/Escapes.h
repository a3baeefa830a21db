//===- Mutants that are not always caught ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_ESCAPES_H
#define BENCHMARKS_GATE_ESCAPES_H

#include "GateKernel.h"

namespace tonno::gate {

/// Whether the gate may let a mutant pass: of each other one,
/// tonno-benchmark-gate found all, and the tests must.
bool mayEscape(std::string_view kernel, std::string_view mutant,
               const Cell &cell);

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_ESCAPES_H
