//===- Default spaces for the CPU -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_HOSTANNOTATION_H
#define TONNO_TRANSFORMS_HOSTANNOTATION_H

#include "tonno/Transforms/HostTraits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Gives each linalg op of the function that has no `tonno.lowering_config` one
/// with knobs, whose options, defaults and constraints follow from the op, its
/// shape and the CPU; `tonno.constraints` of the function get the constraints.
/// No name is one that the kernel's closure has already, and each default is
/// legal.
///
/// Left alone are ops that would not become vectors (dynamic shapes,
/// convolutions, gathers, reductions to several results), those without a
/// choice (fills, shapes smaller than a vector), and all of a function with a
/// schedule or a pipeline. Returns how many ops were annotated.
unsigned annotateForHost(mlir::func::FuncOp function, const HostTraits &host);

} // namespace tonno

#endif // TONNO_TRANSFORMS_HOSTANNOTATION_H
