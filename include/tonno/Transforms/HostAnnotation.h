//===- HostAnnotation.h - Default spaces for the CPU ------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_HOSTANNOTATION_H
#define TONNO_TRANSFORMS_HOSTANNOTATION_H

#include "tonno/Transforms/HostTraits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Gives each linalg op of the function that has no `tonno.lowering_config` one
/// with knobs, whose options and constraints follow from the op, its shape and
/// the CPU; `tonno.constraints` of the function get the constraints. Ops with
/// dynamic shapes, and those that a schedule gains nothing on (a fill), are left
/// alone. Returns how many ops were annotated.
unsigned annotateForHost(mlir::func::FuncOp function, const HostTraits &host);

} // namespace tonno

#endif // TONNO_TRANSFORMS_HOSTANNOTATION_H
