//===- The pass that tunes ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PASSES_H
#define TONNO_TUNER_PASSES_H

#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tonno {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tonno/Tuner/Passes.h.inc"

} // namespace tonno

#endif // TONNO_TUNER_PASSES_H
