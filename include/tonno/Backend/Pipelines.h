//===- Pipelines of the host and of GPUs ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_PIPELINES_H
#define TONNO_BACKEND_PIPELINES_H

#include "tonno/Core/GpuChip.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/Pass/Pass.h"

namespace tonno {

// The reference's own passes.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tonno/Backend/ReferencePasses.h.inc"

/// The chip's properties that the pipeline depends on.
struct HostPipelineTraits {
  bool hasBf16 = true;   ///< it rounds to bf16 itself
  bool dotsBf16 = false; ///< it has AVX-512's `vdpbf16ps`
  bool isX86 = false;    ///< streams need a fence, bf16 is added up in f32
  /// As of `--chip`, for default spaces of dynamic shapes; empty: there are
  /// none.
  std::string chip = {};
};

/// Adds the passes that lower a module with a kernel at any level, its knobs
/// resolved, to the LLVM dialect with the kernel's entry point, in three parts:
///
///   1. the kernel becomes one function on buffers;
///   2. it is tiled and vectorised by its configuration, or lowered by its own
///      schedule or pipeline;
///   3. the remaining ops are lowered to LLVM.
///
/// An empty name stands for every public function.
void buildHostPipeline(mlir::OpPassManager &pm, llvm::StringRef kernel,
                       const HostPipelineTraits &traits = {});

/// Adds the passes for a reference: no schedule, but passes of its own
/// (ReferencePasses.td), which create launches of many workgroups that threads
/// can share.
void buildReferencePipeline(mlir::OpPassManager &pm, llvm::StringRef kernel,
                            const BlockLoopsPassOptions &blocking = {});

/// Registers `tonno-lower-host`, `tonno-lower-reference` and the passes they
/// are made of.
void registerHostPipelines();

/// Adds the passes that lower a module with a kernel at any level, its knobs
/// resolved, to `tonno.launches` and one `gpu.module` in the LLVM dialect, with
/// NVVM or ROCDL, that has a function for each launch. In four parts:
///
///   1. the kernel becomes one function on buffers;
///   2. its own schedule or pipeline is applied, if it has one;
///   3. the remaining structured ops become launches;
///   4. the launches' bodies are lowered to LLVM.
void buildGpuPipeline(mlir::OpPassManager &pm, llvm::StringRef kernel,
                      const GpuChip &chip);

/// Registers `tonno-lower-nvptx` and `tonno-lower-amdgpu`.
void registerGpuPipelines();

} // namespace tonno

#endif // TONNO_BACKEND_PIPELINES_H
