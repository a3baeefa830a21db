//===- Passes.td - The steps of our schedules -------------*- tablegen -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which `tonno-lower-host`, `tonno-lower-nvptx` and
// `tonno-lower-amdgpu` run them, upstream's passes between.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_PASSES
#define TONNO_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def InlineCallsPass : Pass<"tonno-inline-calls", "mlir::ModuleOp"> {
  let summary = "Make what a kernel calls a part of it";
  let description = [{
    Puts the functions that a kernel calls in place of the calls, and erases
    what is then unused: functions, and the kernel's `tonno.reference`.
    Recursion and calls of functions without a body are errors.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
}

def KernelBuffersPass : Pass<"tonno-kernel-buffers", "mlir::ModuleOp"> {
  let summary = "Make a kernel's arguments and results buffers";
  let description = [{
    Turns `(tensor, memref, ...) -> (tensor, ...)` into a function of memrefs
    without results: first the arguments, then one buffer for each result, which
    is only written. A scalar becomes a buffer of one element. Memrefs stay as
    they are: static shape and strides, offset 0.

    A tensor that an op takes as its destination is copied first, so that a
    launch never changes its inputs. Two results of one op get tensors of their
    own, and what a loop hands on to its next iteration is written back to where
    it came from, if it was computed elsewhere.

    The function keeps the buffers as `tonno.buffers`, a dictionary of `type`
    and `alignment` for each, for the passes to whom its arguments no longer
    tell.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def FuseElementwisePass : Pass<"tonno-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Make elementwise ops parts of what uses them";
  let description = [{
    An elementwise op without a `tonno.lowering_config` whose result one other op
    reads, element by element in order, becomes a part of that op's payload: what
    it computes then needs no memory. The other op keeps its configuration.
    Nothing is computed twice for it, and what is transposed stays an op.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect"
  ];
}

def FusePass : Pass<"tonno-fuse", "mlir::func::FuncOp"> {
  let summary = "Compute what an op uses tile by tile with it";
  let description = [{
    `fuse = [...]` in an op's `tonno.lowering_config` has a tile size for each of
    its loops; 0 leaves one whole. Loops over such tiles compute of every linalg
    op that only this one uses, directly or not, what the tile needs, and then
    the tile: what lies between them stays in the caches. A softmax goes by some
    rows at a time, what follows a matrix product by blocks of its result. What
    the tiles don't divide is split off.

    Each of the ops is tiled further by the rest of its own configuration.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def TilePass : Pass<"tonno-tile", "mlir::func::FuncOp"> {
  let summary = "Tile linalg ops by their `tonno.lowering_config`";
  let description = [{
    `tonno.lowering_config = {workgroup = [...], reduction = [...],
    subgroup = [...]}` has a tile size for each loop of the op at three levels:
    `workgroup` for caches, `reduction` for the part of a reduction that is done
    at a time, `subgroup` for registers. 0, or a missing key, leaves a loop
    whole at that level; a tile larger than the loop is as large as the loop.

    Where a tile does not divide its loop, the rest is split off as an op of its
    own, so that every shape stays static: no masks, no guards. At the
    `subgroup` level the rest of the vectorised loop is split again into powers
    of two, because other vectors are slow; of a matrix product it is padded to
    one. Loops of a reduction step by 1 at that level if nothing else is said.
    `workgroup` tiles are rounded up to whole `subgroup` tiles.

    `pack` has a 1 for each loop along which inputs are copied into panels:
    blocks of the `subgroup` tile's size, within which the parts of a reduction
    lie in order (`linalg.pack`); but not an input that a single `subgroup` tile
    reads. A copy is made in the innermost loop that changes it. `interchange` is the order of the loops over the `workgroup` and
    `reduction` tiles, outermost first: for a matrix product, [1, 2, 0] with
    both operands packed is Goto's algorithm. With either, what the `subgroup`
    tiles leave over is split off first of all.

    A register tile of more than 1 along the rows of what is summed up has as
    many lanes, each with a sum of its own, added up in the end. Of a reduction
    that can't be taken apart so, such as where the largest element is, a step
    becomes an elementwise op; of a product summed up over several loops, such
    as of tiles, a plain product: loops of one step are dropped.

    An op that reads through windows, such as a convolution, becomes a plain one
    where `subgroup` has 1 for the loops within its windows: strides are sliced,
    loops of one step dropped.

    What is summed up from a constant that `linalg.fill` writes starts from it in
    the innermost loop outside of its reductions: in registers, where these have
    one part.

    A matrix product without a configuration gets a modest one.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def VectorizePass : Pass<"tonno-vectorize", "mlir::func::FuncOp"> {
  let summary = "Vectorise linalg ops that fit into registers";
  let description = [{
    Turns each linalg op of at most `limit` iterations into vector ops; larger
    ones stay loops, and so do gathers of rows, which LLVM copies as they lie.
    Then accumulators are kept in registers across the
    reduction's loop: reads and writes of a loop's slice move out of the loop.
    Of zeros that are the largest or the smallest of all, the sign may be either.
  }];
  let options = [Option<"limit", "limit", "int64_t", "1024",
                        "Iterations of the largest op that is vectorised">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::ub::UBDialect",
    "mlir::vector::VectorDialect"
  ];
}

def DecomposePass : Pass<"tonno-decompose", "mlir::func::FuncOp"> {
  let summary = "Take apart ops that have neither loops nor buffers";
  let description = [{
    Ops that stand for several: `linalg.softmax`, Winograd's transforms,
    `linalg.pack` and `linalg.unpack`, `tensor.concat` and `tensor.gather`
    become ops that can be bufferised and made loops of. One on buffers becomes
    one on tensors first, which upstream takes apart.

    The `tonno.lowering_config` of such an op is for its own loops. With
    `by-part`, the ops it becomes get of it what is for them: those that reduce
    `subgroup` and `reduction`, the others `workgroup`, the last one `fuse`; if
    none reduces, all of them both levels. Without, the first that reduces gets
    all of it.
  }];
  let options = [Option<"byPart", "by-part", "bool", "false",
                        "Whether a configuration is for all of the parts">];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def WorkspacePass : Pass<"tonno-workspace", "mlir::func::FuncOp"> {
  let summary = "Make a kernel's scratch memory one argument";
  let description = [{
    A kernel allocates nothing: heap memory costs page faults on each launch,
    and a launch plan states all the memory that a kernel uses. Each
    `memref.alloc` of static size becomes a part of one `memref<Nxi8>`, a last
    argument that the caller brings; those that are never used at the same time
    share memory. `memref.alloca` moves to the function's entry, or, if there is
    too much of it for a stack, to the workspace too. Deallocations are dropped.

    Sizes that are not known, and memory that one iteration of a loop hands on
    to the next, are errors.
  }];
  let options = [Option<"stackLimit", "stack-limit", "uint64_t", "65536",
                        "Bytes of memref.alloca that may stay on the stack">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"
  ];
}

def LowerCopiesPass : Pass<"tonno-lower-copies", "mlir::func::FuncOp"> {
  let summary = "Turn copies of buffers into linalg ops";
  let description = [{
    A strided `memref.copy` is lowered to a call into a runtime library that
    artifacts don't have; a `linalg.copy` becomes loops. A copy onto itself is
    nothing.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def LowerVectorsPass : Pass<"tonno-lower-vectors", "mlir::func::FuncOp"> {
  let summary = "Lower vector ops to fused multiply-adds and rank-1 transfers";
  let description = [{
    Masks become masked transfers and selections; contractions become outer
    products, these become `vector.fma`s on rows; transfers and gathers of any
    rank are unrolled to rank 1.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::ub::UBDialect",
    "mlir::vector::VectorDialect"
  ];
}

def ApproximateMathPass : Pass<"tonno-approximate-math", "mlir::func::FuncOp"> {
  let summary = "Compute functions on f32 without calls";
  let description = [{
    Replaces exp, expm1, log, log2, log1p, tanh and erf on f32 by polynomials,
    which become vectors where a call into the mathematical library would be one
    for each element. On every 17th number they were within 5.3 units in the
    last place, but for subnormal ones, which exp rounds to 0 and log and log2
    take for the smallest normal one. Other functions and f64 stay calls.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::vector::VectorDialect"
  ];
}

def GuardNamesPass : Pass<"tonno-guard-names", "mlir::ModuleOp"> {
  let summary = "Keep functions apart from what they call";
  let description = [{
    Puts `.kernel` behind the name of each function with a body. A kernel may
    have the name of a function in the mathematical library, `exp` or `sincos`,
    which it would then call itself by. `tonno-host-entry` knows.
  }];
}

def CheckLoweredPass : Pass<"tonno-check-lowered", "mlir::ModuleOp"> {
  let summary = "Fail where an op is left that has no LLVM IR";
  let description = [{
    Names the first op outside of the LLVM dialect and what NVVM and ROCDL add
    to it, and calls that allocate memory, where they stand.
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"",
                        "The backend, for messages">];
}

def HostEntryPass : Pass<"tonno-host-entry", "mlir::ModuleOp"> {
  let summary = "Give a kernel its entry point `void <kernel>_entry(void **)`";
  let description = [{
    Runs on the LLVM dialect, on a kernel that takes its buffers by bare
    pointers or, if `tonno.buffers` says what they are, by descriptors: for each
    the allocated and the aligned pointer, the offset, sizes and strides. Adds
    the entry point, which loads the pointers from an array and calls the
    kernel, and makes everything else internal. The kernel's pointers are stated
    not to alias and to be aligned, as launch plans promise.

    `tonno.buffers` moves from the kernel to the entry point, whose buffers they
    are now.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def PromoteToF64Pass : Pass<"tonno-promote-to-f64", "mlir::ModuleOp"> {
  let summary = "Compute in f64 whatever is computed in floating point";
  let description = [{
    Replaces each floating-point type by f64, in signatures, values and
    constants, and drops `tonno.*` attributes. What remains is what the kernel
    means, without its schedule and almost without rounding: the reference that
    candidates are compared with.
  }];
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

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

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES
