//===- The passes of tonno ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_PASSES_H
#define TONNO_TRANSFORMS_PASSES_H

#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tonno {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tonno/Transforms/Passes.h.inc"

} // namespace tonno

#endif // TONNO_TRANSFORMS_PASSES_H
