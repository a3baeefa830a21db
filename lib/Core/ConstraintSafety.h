//===- Constraints without faults -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTSAFETY_H
#define TONNO_CORE_CONSTRAINTSAFETY_H

#include "tonno/Core/ConstraintProgram.h"
#include "tonno/Core/ConstraintTree.h"

namespace tonno::constraint {

/// Whether the constraint divides by zero or leaves 64 bits at no point that
/// the earlier constraints allow, of which those count that depend on no other
/// knobs. The error names the operation and such a point.
///
/// Proved by intervals where that is possible, else by trying each combination
/// of options of the knobs that it depends on. Where those are more than
/// mostTried, a million of them are drawn (with a fixed seed): what they don't
/// meet stays unsaid, and such a point counts as illegal.
Result<void, ConstraintError>
checkDefined(const Constraint &constraint, std::span<const Knob> knobs,
             const ConstraintProgram &program,
             std::span<const ConstraintProgram> earlier);

inline constexpr uint64_t mostTried = uint64_t(1) << 22;

} // namespace tonno::constraint

#endif // TONNO_CORE_CONSTRAINTSAFETY_H
