//===- Configurations of kernels of dynamic shapes --------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KERNELS_DYNAMICCONFIGURATIONS_H
#define TONNO_LIB_TRANSFORMS_KERNELS_DYNAMICCONFIGURATIONS_H

#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/DynamicDimensions.h"

namespace tonno {

/// The attributes that an annotator adds to a kernel.
struct AddedConfigurations {
  /// Configurations of the kernel's ops, by their numbers in a walk; null for
  /// ops without any.
  llvm::SmallVector<mlir::DictionaryAttr> ofOps;
  mlir::Attribute constraints; ///< of the kernel; null without any
  unsigned numConfigured = 0;  ///< ops
};

/// Returns what the annotator adds to the kernel where dimensions of unknown
/// sizes have this one. With `resolves`, knobs are replaced by their defaults.
mlir::FailureOr<AddedConfigurations>
findConfigurations(mlir::func::FuncOp kernel,
                   const DynamicDimensions &dimensions, int64_t size,
                   const Annotator &annotate, bool resolves);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KERNELS_DYNAMICCONFIGURATIONS_H
