//===- HostPipeline.h - The passes of the host backend ----------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_BACKEND_HOSTPIPELINE_H
#define TONNO_BACKEND_HOSTPIPELINE_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tonno {

/// From a module with a kernel on tensors, its knobs resolved, to the LLVM
/// dialect with its entry point: tiled and vectorised as its configuration
/// says. An empty name stands for every public function.
void buildHostPipeline(mlir::OpPassManager &pm, llvm::StringRef kernel);

/// The same without the schedule: linalg ops become plain loops.
void buildPlainLoopsPipeline(mlir::OpPassManager &pm, llvm::StringRef kernel);

/// Registers `tonno-lower-host`, `tonno-lower-plain-loops` and the passes they
/// are made of.
void registerHostPipelines();

} // namespace tonno

#endif // TONNO_BACKEND_HOSTPIPELINE_H
