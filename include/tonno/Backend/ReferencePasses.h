//===- The reference's own steps ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_REFERENCEPASSES_H
#define TONNO_BACKEND_REFERENCEPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace tonno {

#define GEN_PASS_DECL
#include "tonno/Backend/ReferencePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "tonno/Backend/ReferencePasses.h.inc"

} // namespace tonno

#endif // TONNO_BACKEND_REFERENCEPASSES_H
