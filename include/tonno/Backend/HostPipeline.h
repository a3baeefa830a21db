//===- The passes of the host backend -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_HOSTPIPELINE_H
#define TONNO_BACKEND_HOSTPIPELINE_H

#include "tonno/Backend/ReferencePasses.h"

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tonno {

/// What the pipeline must know of a chip.
struct HostPipelineTraits {
  bool hasBf16 = true;   ///< it rounds to bf16 itself
  bool dotsBf16 = false; ///< it has AVX-512's `vdpbf16ps`
  bool isX86 = false;    ///< streams need a fence, bf16 is added up in f32
};

/// From a module with a kernel at any level, its knobs resolved, to the LLVM
/// dialect with its entry point, in three parts: the kernel becomes one
/// function on buffers; it is tiled and vectorised as its configuration says,
/// or lowered by its own schedule or pipeline; whatever is left becomes LLVM.
/// An empty name stands for every public function.
void buildHostPipeline(mlir::OpPassManager &pm, llvm::StringRef kernel,
                       const HostPipelineTraits &traits = {});

/// The same without the schedule, by passes of its own (ReferencePasses.td): to
/// launches of many workgroups, which threads can share.
void buildReferencePipeline(mlir::OpPassManager &pm, llvm::StringRef kernel,
                            const BlockLoopsPassOptions &blocking = {});

/// Registers `tonno-lower-host`, `tonno-lower-reference` and the passes they
/// are made of.
void registerHostPipelines();

} // namespace tonno

#endif // TONNO_BACKEND_HOSTPIPELINE_H
