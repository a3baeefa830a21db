//===- The steps of our schedules -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which `tonno-lower-host`, `tonno-lower-nvptx` and
// `tonno-lower-amdgpu` run them, upstream's passes between.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_PASSES
#define TONNO_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

include "tonno/Transforms/Schedule/FrontPasses.td"

def FuseElementwisePass : Pass<"tonno-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Make elementwise ops parts of what uses them";
  let description = [{
    An elementwise op without a `tonno.lowering_config` whose result one other op
    of the same block reads, element by element in order, becomes a part of that
    op's payload: what it computes then needs no memory. The other op keeps its
    configuration.
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

def MarkStreamsPass : Pass<"tonno-mark-streams", "mlir::func::FuncOp"> {
  let summary = "Find the buffers that are written past the caches";
  let description = [{
    Where an op has a 1 in `stream` of its `tonno.lowering_config`, and its
    result is one of the kernel's, this is noted in `tonno.buffers`. Of other
    results it means nothing.
  }];
}

def StreamStoresPass : Pass<"tonno-stream-stores", "mlir::ModuleOp"> {
  let summary = "Write past the caches what is marked so";
  let description = [{
    Vectors stored to such a buffer of `tonno.buffers`, or to an argument of a
    `<kernel>.part` that `tonno-share-loops` has marked, become nontemporal:
    their lines are neither read into the caches before nor kept there. On x86 a
    fence at the end of the kernel, or of each thread's part, orders them with
    what comes next.
  }];
  let options = [Option<"fence", "fence", "bool", "false",
                        "The target is x86, where such stores need a fence">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
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
    reads. More than 1, of a loop that is summed up, copies nothing: in what is
    copied, so many of its steps lie side by side, and are summed up at once.
    What the op extends is extended in its copy: to the type of the sum, or with
    such steps to i16 at most. A copy is made in the innermost loop that changes
    it. `interchange` is the order of the loops over the `workgroup` and
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

    The loops over `subgroup` tiles of what is summed up go from the last one to
    the first, and then over what is summed up; others are as the op has them.

    `threads` other than 1 makes the outermost loop one that so many share: the
    first parallel one, in the loops' order, that has a register tile for each,
    or else an iteration; an op without one is an error. Each computes an equal
    part, the caller's thread what is left over, less than an iteration for each.

    Where an elementwise op writes over an input as it reads it, the input is
    dropped: tiles read what those before them have left of the output.

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
    `linalg.pack` and `linalg.unpack`, `tensor.concat`, `tensor.gather` and
    `tensor.scatter` become ops that can be bufferised and made loops of. One on
    buffers becomes one on tensors first, which is taken apart.

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
    A size that is computed before has the room of its largest value, which
    follows from how that is done, as that of a last tile by `affine.min`.

    In a loop that threads share each of them has its own part of it: such an
    allocation takes so many times its size.

    Sizes without a bound, and memory that one iteration of a loop hands on
    to the next, are errors.
  }];
  let options = [Option<"stackLimit", "stack-limit", "uint64_t", "65536",
                        "Bytes of memref.alloca that may stay on the stack">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"
  ];
}

def ShareLoopsPass : Pass<"tonno-share-loops", "mlir::ModuleOp"> {
  let summary = "Have the loops of several threads run by a team of OpenMP's";
  let description = [{
    A loop that `tonno-tile` or `tonno-fuse` has given to threads becomes a
    function of its iteration's number, `<kernel>.part`, that each of a team of
    `omp.parallel` calls. With fewer threads the results are the same. Other
    loops stay loops.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::omp::OpenMPDialect"
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
    rank are unrolled to rank 1; 16 by 16 words are transposed by 64 shuffles of
    two rows each; ops that LLVM has on rows only become ones on each row.
    Products summed up over two steps that lie side by side, as `pack` has them,
    become sums of pairs: of integers of up to 16 bits, and with `dots-bf16` of
    bf16.
  }];
  let options = [
    Option<"dotsBf16", "dots-bf16", "bool", "false",
           "Pairs of bf16 are summed up by AVX-512's vdpbf16ps, which takes "
           "denormals for zeros">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::ub::UBDialect",
    "mlir::vector::VectorDialect"
  ];
}

def ApproximateMathPass : Pass<"tonno-approximate-math", "mlir::func::FuncOp"> {
  let summary = "Compute functions without calls";
  let description = [{
    Replaces exp and exp2 on f32 and f64, expm1, log, log2, log1p, tanh and erf
    on f32 by polynomials, which become vectors where a call would be one for
    each element. On every 17th number of f32 they were within 5.3 units in the
    last place, exp within 2.4, exp2 2.7, but for subnormal ones: log and log2
    take them for the smallest normal one, exp and exp2 round most of them to 0.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::vector::VectorDialect"
  ];
}

def LowerExtremesPass : Pass<"tonno-lower-extremes", "mlir::func::FuncOp"> {
  let summary = "Find the largest and the smallest in few instructions";
  let description = [{
    Of f32 and f64, where NaN stays: beside a constant by one comparison; beside
    what a loop has found by two, of which one waits for that, where signs of
    zeros don't matter; of a vector as if it had no NaN, looked for by itself.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def PrefetchPass : Pass<"tonno-prefetch", "mlir::func::FuncOp"> {
  let summary = "Ask for what the next iteration reads";
  let description = [{
    Where each iteration of a loop reads other vectors of a buffer, up to 64 KiB,
    the last loop in it that reads them and computes much asks for those of the
    next iteration, and for what a loop behind it will write: processors foresee
    what follows within a page of memory, but not the next row's first lines.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"];
}

//===----------------------------------------------------------------------===//
// Roundings
//===----------------------------------------------------------------------===//

include "tonno/Transforms/Schedule/RoundingPasses.td"

//===----------------------------------------------------------------------===//
// GPUs, and the last steps
//===----------------------------------------------------------------------===//

include "tonno/Transforms/Schedule/GpuPasses.td"
include "tonno/Transforms/Schedule/LoweringPasses.td"

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES
