//===- The steps of schedules for GPUs ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_GPUPASSES
#define TONNO_TRANSFORMS_SCHEDULE_GPUPASSES

include "mlir/Pass/PassBase.td"

def MapToGPUPass : Pass<"tonno-map-to-gpu", "mlir::func::FuncOp"> {
  let summary = "Make launches of a kernel's structured ops";
  let description = [{
    Runs on buffers. Consecutive linalg ops become one `gpu.launch` where each
    point's values are used at that point only; the others wait for the launch
    before. An op with a `tonno.lowering_config` is the only such op of its
    launch, and the tiles are its own.

    - A contraction, with elementwise ops on its result: a workgroup computes a
      `workgroup` tile, a thread a `thread` tile of that; tiles of both operands
      that are `reduction` deep go through shared memory. Without `thread`, each
      thread has its share of the `subgroup` tile.
    - Elementwise ops, and reductions over one dimension: `workgroup` and
      `thread` tiles; of the reduced dimension, `reduction` is what a
      workgroup's threads work on at a time. Operands that lie crosswise go
      through shared memory.
    - Any other linalg op, and `scf.parallel`: a thread for each point.
    - Whatever else there is: one thread.

    Accesses are as wide as 16 bytes where strides and alignment allow. Tiles
    that a loop's extent is no multiple of are guarded.
  }];
  let options = [
    Option<"subgroupSize", "subgroup-size", "int64_t", "32",
           "Threads of a subgroup">,
    Option<"maxThreads", "max-threads", "int64_t", "1024",
           "Threads that a workgroup can have">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152",
           "Shared memory that a workgroup can have">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def NativeMathPass : Pass<"tonno-native-math", "mlir::gpu::GPUModuleOp"> {
  let summary = "Use the instructions for mathematics that GPUs have";
  let description = [{
    Makes LLVM's intrinsics of what NVIDIA's and AMD's GPUs compute by
    themselves: fused multiply-add, square root, absolute value, sign,
    rounding, minimum and maximum. Upstream's conversions make calls into the
    vendors' libraries of these, which need not be there. The reciprocal of a
    square root becomes a division.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def SinkIntoLaunchesPass : Pass<"tonno-sink-into-launches", "mlir::func::FuncOp"> {
  let summary = "Leave launches nothing but the kernel's buffers";
  let description = [{
    Moves views, index computations and loads of scalar arguments into the
    launches that need them, so that what a launch gets from outside are the
    function's arguments.
  }];
  let dependentDialects = ["mlir::gpu::GPUDialect"];
}

def RecordLaunchesPass : Pass<"tonno-record-launches", "mlir::ModuleOp"> {
  let summary = "Make a list of a kernel's launches";
  let description = [{
    Runs behind `gpu-kernel-outlining`. Leaves one `gpu.module` with a function
    for each launch, `<kernel>_entry`, numbered if there are several, and on the
    module, instead of the function that launched them, `tonno.buffers` and

    ```mlir
    tonno.launches = [
      {symbol = "mm_entry", buffers = [0, 1, 3], grid = [16, 1, 1],
       block = [256, 1, 1], shared_bytes = 0}
    ]
    ```

    The functions' pointers are stated not to alias and to be aligned, as launch
    plans promise. Sizes that are not constant are errors.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default the only public one">];
  let dependentDialects = ["mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect"];
}

def ChooseIndexWidthPass
    : Pass<"tonno-choose-index-width", "mlir::gpu::GPUModuleOp"> {
  let summary = "State how many bits indices of GPU code have";
  let description = [{
    32, which GPUs compute twice as fast as 64, if every index of the module is
    shown to stay within them, and so is every element of the functions'
    buffers; else 64. It goes to the module's data layout, where the conversions
    to LLVM look for it. Loops must still be loops.
  }];
  let dependentDialects = ["mlir::DLTIDialect"];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_GPUPASSES
