//===- The steps of our schedules -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_PASSES_H
#define TONNO_TRANSFORMS_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
namespace gpu {
class GPUModuleOp;
} // namespace gpu
} // namespace mlir

namespace tonno {

/// What tonno-guard-names puts behind the name of a function.
inline constexpr llvm::StringLiteral kernelSuffix = ".kernel";

#define GEN_PASS_DECL
#include "tonno/Transforms/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tonno/Transforms/Schedule/Passes.h.inc"

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES_H
