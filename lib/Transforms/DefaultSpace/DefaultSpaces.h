//===- Default spaces of targets ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_DEFAULTSPACES_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_DEFAULTSPACES_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Transforms/HostChip.h"

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

/// Gives each configured op of the function that says nothing of threads
/// and that the most of `options` can share one knob, `T`, the same for all, by
/// default of the first option. What is computed together is shared with the op
/// that it is computed with. Returns how many ops have it.
unsigned offerThreads(mlir::func::FuncOp function,
                      llvm::ArrayRef<int64_t> options);

/// Gives one linalg op of each launch that the function will have on such a GPU
/// a `tonno.lowering_config` with knobs, if no op of that launch has one: a
/// contraction, the first reduction, or the first elementwise op. Options,
/// defaults and constraints follow from the launch, its shape and the chip;
/// `tonno.constraints` of the function get the constraints. No name is one that
/// the kernel's closure has already, and each default is legal.
///
/// Left alone are ops that the schedule has no choice for (convolutions,
/// gathers, reductions over several dimensions: a thread for each point),
/// those without a choice (fills, a single point), dynamic shapes, ops within
/// loops, and all of a function with a schedule or a pipeline. Returns how many
/// ops were annotated.
unsigned annotateForGpu(mlir::func::FuncOp function, const GpuChip &chip);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_DEFAULTSPACES_H
