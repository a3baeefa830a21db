//===- A dialect of one op and its lowering -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef POLY_H
#define POLY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "PolyDialect.h.inc"

#define GET_OP_CLASSES
#include "PolyOps.h.inc"

namespace poly {

/// Registers `--poly-lower`.
void registerPasses();

} // namespace poly

#endif // POLY_H
