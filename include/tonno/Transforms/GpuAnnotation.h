//===- Default spaces for GPUs --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_GPUANNOTATION_H
#define TONNO_TRANSFORMS_GPUANNOTATION_H

#include "tonno/Core/GpuChip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

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

#endif // TONNO_TRANSFORMS_GPUANNOTATION_H
