//===- Defaults at one size of a kernel for all sizes -----------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_SIZEDEFAULTS_H
#define TONNO_LIB_TUNER_SIZEDEFAULTS_H

#include "tonno/Space/SearchSpace.h"
#include "tonno/Transforms/Annotator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Returns the point of the kernel's space that is nearest to the defaults of
/// the kernel at these sizes alone, as the annotator gives them. Knobs and
/// options that only one of the spaces has are left at the default. Returns
/// nothing if the point is illegal, or the kernel has a lowering of its own.
std::optional<Configuration> findDefaultAtSizes(mlir::func::FuncOp kernel,
                                                llvm::ArrayRef<Dimension> sizes,
                                                const Annotator &annotate,
                                                const SearchSpace &space);

} // namespace tonno

#endif // TONNO_LIB_TUNER_SIZEDEFAULTS_H
