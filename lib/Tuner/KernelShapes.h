//===- Shapes of one kernel -------------------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_KERNELSHAPES_H
#define TONNO_LIB_TUNER_KERNELSHAPES_H

#include "tonno/Space/AnchorShapes.h"
#include "tonno/Tuner/PrepareModule.h"

namespace tonno {

/// The shapes that a kernel's `tonno.shapes` states, and some that stand for
/// all.
struct KernelShapes {
  Shapes stated; ///< of the kernel's own dimensions
  std::vector<AnchorShape> anchors;
  std::vector<AnchorShape> probes; ///< between the anchors

  /// The Error names a dimension that has several ranges, or a condition that
  /// no shape meets.
  static Result<KernelShapes, LocatedError> find(mlir::func::FuncOp kernel);
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_KERNELSHAPES_H
