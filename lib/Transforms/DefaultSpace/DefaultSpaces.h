//===- Default spaces of targets ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_DEFAULTSPACES_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_DEFAULTSPACES_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Transforms/DefaultSchedule.h"
#include "tonno/Transforms/HostChip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Gives each linalg op of the function without a `tonno.lowering_config` one
/// with knobs: options, legal defaults and `tonno.constraints` follow from the
/// op, its shape and the CPU; `tonno-annotate` describes which ops are left
/// alone. Names are new to the kernel's closure. Returns their number.
unsigned annotateForHost(mlir::func::FuncOp function, const HostTraits &host);

/// Inlines calls and converts tensor ops to linalg. Returns a function with the
/// former body; null, with the function unchanged, if that is not possible.
mlir::OwningOpRef<mlir::func::FuncOp> flattenBody(mlir::func::FuncOp function);

/// Swaps the bodies of two functions of one type.
void swapBodies(mlir::func::FuncOp one, mlir::func::FuncOp other);

/// Returns the private functions that have a body and a use.
llvm::SmallVector<mlir::SymbolOpInterface> findCallees(mlir::ModuleOp module);

/// Returns the groups of ops that the host's schedule fuses: of those with a
/// configuration, and of those that are fused into them.
OpGroups findHostGroups(mlir::func::FuncOp function);

/// Returns the number of iterations of an op's loops; 0 if unknown.
int64_t countIterations(mlir::Operation *op);

/// Returns the number of elements that an op reads and writes: the matrix units
/// make iterations of a contraction cheap. 0 if unknown.
int64_t countElements(mlir::Operation *op);

/// Gives each configured op that can share the most of `options`, and says
/// nothing of threads, one knob `T`, by default the first option. Ops that are
/// fused are shared with their root. Returns how many ops have it.
unsigned offerThreads(mlir::func::FuncOp function,
                      llvm::ArrayRef<int64_t> options);

/// Gives one linalg op of each launch that the function will have on the GPU (a
/// contraction, the first reduction, or the first elementwise op) such a
/// configuration, if none of the launch has one. Returns their number. Ops that
/// get a thread for each point, and ops within loops, are left alone.
unsigned annotateForGpu(mlir::func::FuncOp function, const GpuChip &chip);

/// Returns the groups of ops that become one launch on a GPU; none if the
/// function can't be lowered for it.
OpGroups findGpuGroups(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_DEFAULTSPACES_H
