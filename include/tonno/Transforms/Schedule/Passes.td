//===- The steps of our schedules -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes by section. `tonno-lower-host`, `tonno-lower-nvptx` and
// `tonno-lower-amdgpu` run them in the order given in lib/Backend:
// CommonPipeline.cpp, Host/HostPipeline.cpp and GPU/GpuPipeline.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_PASSES
#define TONNO_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

/// Passes that make ops of these dialects: "scf::SCF" is mlir::scf::SCFDialect.
class SchedulePass<string argument, string op, list<string> dialects>
    : Pass<argument, op> {
  let dependentDialects =
      !foreach(dialect, dialects, "mlir::" # dialect # "Dialect");
}
class ModulePass<string argument, list<string> dialects = []>
    : SchedulePass<argument, "mlir::ModuleOp", dialects>;
class FunctionPass<string argument, list<string> dialects = []>
    : SchedulePass<argument, "mlir::func::FuncOp", dialects>;

def KernelOption : Option<"kernel", "kernel", "std::string", "",
                          "The function; by default every public one">;

//===----------------------------------------------------------------------===//
// From modules to buffers: what all backends begin with
//===----------------------------------------------------------------------===//

def InlineCallsPass : ModulePass<"tonno-inline-calls"> {
  let summary = "Make what a kernel calls a part of it";
  let description = [{
    Puts the functions that a kernel calls in place of the calls, and erases
    what is then unused: functions, and the kernel's `tonno.reference`.
    Recursion and calls of functions without a body are errors.
  }];
  let options = [KernelOption];
}

def ConvertToLinalgPass : ModulePass<"tonno-convert-to-linalg",
    ["arith::Arith", "index::Index", "linalg::Linalg", "math::Math", "scf::SCF",
     "tensor::Tensor"]> {
  let summary = "Convert what computes tensors outside of linalg";
  let description = [{
    Runs upstream's conversions of TOSA and of elementwise ops on whole tensors.
    Loads of `ml_program.global` that is not mutable become constants, and tile
    sizes of packing that are constants become parts of the types.

    ```mlir
    %0 = tosa.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = arith.addf %0, %a : tensor<4x8xf32>
    // becomes
    %e = tensor.empty() : tensor<4x8xf32>
    %0 = linalg.generic ... ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.exp %in : f32
      linalg.yield %2 : f32
    } -> tensor<4x8xf32>
    %1 = linalg.generic ... { arith.addf ... } -> tensor<4x8xf32>
    ```

    Of functions with a schedule or pipeline of their own, only elementwise ops
    are converted before it.
  }];
  let options = [Option<"lowered", "lowered", "bool", "false",
                        "Also functions with a lowering of their own, which has "
                        "been applied">];
}

def KernelBuffersPass : ModulePass<"tonno-kernel-buffers",
    ["arith::Arith", "bufferization::Bufferization", "memref::MemRef",
     "scf::SCF", "tensor::Tensor", "vector::Vector"]> {
  let summary = "Make a kernel's arguments and results buffers";
  let description = [{
    Turns `(tensor, memref, ...) -> (tensor, ...)` into a function of memrefs
    without results: first the arguments, then one buffer for each result, which
    is only written. A scalar becomes a buffer of one element. Memrefs stay as
    they are: static shape and strides, offset 0.

    A destination operand that is an argument is copied first: a launch never
    changes its inputs. Two results, of one op or of the kernel, get tensors of
    their own: fills are repeated, other tensors copied. A loop-carried tensor is
    written back to where it came from, unless it is computed there; `scf.while`
    first gets one position for each. Branches write back what they yield, if
    nothing reads its place later. Tensors that swap places are copied.

    `tonno.buffers` of the function has the `type` and `alignment` of each
    buffer, for later passes, which can't recover them from its arguments.
  }];
  let options = [KernelOption];
}

def BufferizePass : ModulePass<"tonno-bufferize",
    ["bufferization::Bufferization", "memref::MemRef"]> {
  let summary = "Make tensors buffers, with copies where it takes them";
  let description = [{
    One-shot bufferisation. Where a loop would have to write what is still to be
    read, loops and branches get copies of all that they carry and yield.
  }];
}

def EliminateEmptyTensorsPass : ModulePass<"tonno-eliminate-empty-tensors",
    ["bufferization::Bufferization"]> {
  let summary = "Compute in a result's place what would be copied there";
  let description = [{
    As upstream's `eliminate-empty-tensors`, with copies as `tonno-bufferize`.
  }];
}

def DuplicateFillsPass : FunctionPass<"tonno-duplicate-fills",
    ["linalg::Linalg", "tensor::Tensor"]> {
  let summary = "Give each op whose init operand is a fill a fill of its own";
  let description = [{
    Bufferization computes one op in a shared fill's buffer and copies that
    buffer for each other op. On a GPU such a copy is a launch, while a fill of
    its own becomes the neutral element of the op's reduction:

    ```mlir
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.reduce ins(%x : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) ...
    %squares = linalg.reduce ins(%y : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) ...
    ```

    becomes

    ```mlir
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.reduce ins(%x : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) ...
    %empty_0 = tensor.empty() : tensor<64xf32>
    %zeros_1 = linalg.fill ins(%zero : f32) outs(%empty_0 : tensor<64xf32>) -> tensor<64xf32>
    %squares = linalg.reduce ins(%y : tensor<64x512xf32>) outs(%zeros_1 : tensor<64xf32>) ...
    ```
  }];
}

//===----------------------------------------------------------------------===//
// The host's schedule
//===----------------------------------------------------------------------===//

def FuseElementwisePass : FunctionPass<"tonno-fuse-elementwise",
    ["affine::Affine", "linalg::Linalg"]> {
  let summary = "Make elementwise ops parts of what uses them";
  let description = [{
    An elementwise op without a `tonno.lowering_config`, whose result one op of
    the same block reads element by element in order, becomes a part of that op's
    payload, which keeps its configuration: the result needs no memory. Nothing
    is computed twice for it, and transpositions stay ops.
  }];
}

def FusePass : FunctionPass<"tonno-fuse",
    ["affine::Affine", "arith::Arith", "scf::SCF", "tensor::Tensor"]> {
  let summary = "Compute what an op uses tile by tile with it";
  let description = [{
    `fuse = [...]` in an op's `tonno.lowering_config` has a tile size for each of
    its loops; 0 leaves one whole. Loops over such tiles compute what the tile
    needs of each linalg op that only this one uses, directly or not, and then
    the tile, so that intermediate results stay in the caches: a softmax by some
    rows at a time, what follows a matrix product by blocks of its result.
    Remainders are split off. Each op is tiled further by its own configuration.
  }];
}

def MarkStreamsPass : FunctionPass<"tonno-mark-streams"> {
  let summary = "Find the buffers that are written past the caches";
  let description = [{
    Notes in `tonno.buffers` the results of the kernel that an op with a 1 in
    `stream` of its `tonno.lowering_config` computes. On others it means nothing.
  }];
}

def StreamStoresPass : ModulePass<"tonno-stream-stores", ["LLVM::LLVM"]> {
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
}

def TilePass : FunctionPass<"tonno-tile",
    ["affine::Affine", "arith::Arith", "memref::MemRef", "scf::SCF",
     "tensor::Tensor"]> {
  let summary = "Tile linalg ops by their `tonno.lowering_config`";
  let description = [{
    `tonno.lowering_config = {workgroup = [...], reduction = [...],
    subgroup = [...]}` has a tile size for each loop of the op at three levels:
    `workgroup` for caches, `reduction` for the part of a reduction that is done
    at a time, `subgroup` for registers. 0, or a missing key, leaves a loop
    whole at that level; a tile larger than the loop is as large as the loop.

    Remainders are split off as ops of their own: shapes stay static, without
    masks or guards. At the `subgroup` level that of the vectorised loop is split
    into powers of two, as other vectors are slow; of a matrix product it is
    padded to one. Reductions step by 1 at that level by default. `workgroup`
    tiles are rounded up to whole `subgroup` tiles.

    `pack` has a 1 for each loop along which inputs are copied into panels:
    blocks of the `subgroup` tile's size, within which the parts of a reduction
    lie in order (`linalg.pack`). An input that a single `subgroup` tile reads is
    not copied. n > 1, of a reduction loop, copies nothing: in copies, n of its
    steps are contiguous and summed up at once. Extensions become part of the
    copy: to the type of the sum, or with such steps to i16 at most. A copy is
    made in the innermost loop that changes it. `interchange` is the order of the
    loops over `workgroup` and `reduction` tiles, outermost first: for a matrix
    product, [1, 2, 0] with both operands packed is Goto's algorithm. With
    either, remainders of the `subgroup` tiles are split off first.

    A register tile of n > 1 along the rows of a reduction's input has n lanes,
    each with a sum of its own, added up in the end. Loops of one step are
    dropped: a step of a reduction without such sums (an argmax) becomes an
    elementwise op, one of a product summed up over several loops a plain
    product. So does one of a convolution, or another op with a sliding window,
    where `subgroup` has 1 for the loops within its windows: strides are sliced.

    A reduction that starts from a `linalg.fill` of a constant starts from it in
    the innermost loop outside of its reductions: in registers, where these have
    one part. Its loops over `subgroup` tiles go from the last parallel one to
    the first, then over the reductions; others are as the op has them.

    `threads` = n > 1 has n threads share the first parallel loop, in the loops'
    order, with a register tile for each, or else an iteration; an op without one
    is an error. Each computes an equal part, the caller's also the remainder.

    Inputs that an elementwise op overwrites as it reads them are dropped: tiles
    read what is in the output. A matrix product without a configuration gets a
    modest one.
  }];
}

def VectorizePass : FunctionPass<"tonno-vectorize",
    ["arith::Arith", "ub::UB", "vector::Vector"]> {
  let summary = "Vectorise linalg ops that fit into registers";
  let description = [{
    Turns each linalg op of at most `limit` iterations into vector ops; larger
    ones stay loops, and so do gathers of rows, which LLVM copies as they lie.
    Then reads and writes of accumulators move out of the reduction's loop.
    Of zeros that are the largest or the smallest of all, the sign may be either.
  }];
  let options = [Option<"limit", "limit", "int64_t", "1024",
                        "Iterations of the largest op that is vectorised">];
}

def DecomposePass : FunctionPass<"tonno-decompose",
    ["affine::Affine", "arith::Arith", "bufferization::Bufferization",
     "linalg::Linalg", "math::Math", "memref::MemRef", "scf::SCF",
     "tensor::Tensor"]> {
  let summary = "Take apart ops that have neither loops nor buffers";
  let description = [{
    `linalg.softmax`, Winograd's transforms, `linalg.pack` and `linalg.unpack`,
    `tensor.concat`, `tensor.gather` and `tensor.scatter` become ops that can be
    bufferised and lowered to loops. Ops on buffers become ops on tensors first.

    The `tonno.lowering_config` of such an op is for its own loops. With
    `by-part` it is distributed: parts that reduce get `subgroup` and
    `reduction`, the others `workgroup`, the last one `fuse`; if none reduces,
    all get both levels. Without, the first that reduces gets all of it.
  }];
  let options = [Option<"byPart", "by-part", "bool", "false",
                        "Whether a configuration is for all of the parts">];
}

def WorkspacePass
    : FunctionPass<"tonno-workspace", ["arith::Arith", "memref::MemRef"]> {
  let summary = "Make a kernel's scratch memory one argument";
  let description = [{
    A kernel allocates nothing: heap memory costs page faults on each launch,
    and a launch plan states all the memory that a kernel uses. Each
    `memref.alloc` becomes a part of one `memref<Nxi8>`, a last argument that the
    caller brings; those with disjoint lifetimes share memory. `memref.alloca`
    moves to the function's entry, or, beyond `stack-limit`, to the workspace.
    Deallocations are dropped. A dynamic size takes its upper bound, such as that
    of a last tile by `affine.min`. In a loop that n threads share, an allocation
    takes n times its size.

    Sizes without a bound, and memory that a loop carries to its next iteration,
    are errors.
  }];
  let options = [Option<"stackLimit", "stack-limit", "uint64_t", "65536",
                        "Bytes of memref.alloca that may stay on the stack">];
}

def ShareLoopsPass : ModulePass<"tonno-share-loops",
    ["arith::Arith", "func::Func", "LLVM::LLVM", "memref::MemRef",
     "omp::OpenMP"]> {
  let summary = "Have the loops of several threads run by a team of OpenMP's";
  let description = [{
    A loop that `tonno-tile` or `tonno-fuse` has given to threads becomes a
    function of its iteration's number, `<kernel>.part`, that each of a team of
    `omp.parallel` calls. With fewer threads the results are the same. Other
    loops stay loops.
  }];
}

def LowerCopiesPass : FunctionPass<"tonno-lower-copies", ["linalg::Linalg"]> {
  let summary = "Turn copies of buffers into linalg ops";
  let description = [{
    A strided `memref.copy` is lowered to a call into a runtime library that
    artifacts don't have; a `linalg.copy` becomes loops. A copy onto itself is
    nothing.
  }];
}

def LowerVectorsPass : FunctionPass<"tonno-lower-vectors",
    ["affine::Affine", "arith::Arith", "LLVM::LLVM", "memref::MemRef",
     "scf::SCF", "tensor::Tensor", "ub::UB", "vector::Vector"]> {
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
  let options = [Option<"dotsBf16", "dots-bf16", "bool", "false",
                        "Pairs of bf16 are summed up by AVX-512's vdpbf16ps, "
                        "which takes denormals for zeros">];
}

def ApproximateMathPass : FunctionPass<"tonno-approximate-math",
    ["arith::Arith", "math::Math", "vector::Vector"]> {
  let summary = "Compute functions without calls";
  let description = [{
    Replaces exp and exp2 on f32 and f64, expm1, log, log2, log1p, tanh and erf
    on f32 by polynomials, which become vectors where a call would be one for
    each element. On every 17th number of f32 they were within 5.3 units in the
    last place, exp within 2.4, exp2 2.7, but for subnormal ones: log and log2
    take them for the smallest normal one, exp and exp2 round most of them to 0.
  }];
}

def LowerExtremesPass
    : FunctionPass<"tonno-lower-extremes", ["arith::Arith", "vector::Vector"]> {
  let summary = "Find the largest and the smallest in few instructions";
  let description = [{
    Of f32 and f64, where NaN stays: beside a constant by one comparison; beside
    what a loop has found by two, of which one waits for that, where signs of
    zeros don't matter; of a vector as if it had no NaN, looked for by itself.
  }];
}

def PrefetchPass
    : FunctionPass<"tonno-prefetch", ["arith::Arith", "memref::MemRef"]> {
  let summary = "Ask for what the next iteration reads";
  let description = [{
    Where each iteration of a loop reads other vectors of a buffer, up to 64 KiB,
    the last loop in it that reads them and computes much asks for those of the
    next iteration, and for what a loop behind it will write: processors foresee
    what follows within a page of memory, but not the next row's first lines.
  }];
}

//===----------------------------------------------------------------------===//
// Roundings
//===----------------------------------------------------------------------===//

def WidenSumsPass : FunctionPass<"tonno-widen-sums",
    ["arith::Arith", "linalg::Linalg", "memref::MemRef", "tensor::Tensor"]> {
  let summary = "Sum up products of f16, bf16 and narrower types in f32";
  let description = [{
    Rewrites linalg ops that sum up products in f16, bf16 or less to sum up in
    f32, and rounds the sums once. That is more exact, and most chips multiply f32
    anyway:

    ```mlir
    %0 = linalg.fill ins(%zero : bf16) outs(%e : tensor<8x8xbf16>) -> ...
    %1 = linalg.matmul ins(%a, %b : tensor<8x8xbf16>, tensor<8x8xbf16>)
                       outs(%0 : tensor<8x8xbf16>) -> tensor<8x8xbf16>
    // becomes
    %0 = linalg.fill ins(%c0 : f32) outs(%w : tensor<8x8xf32>) -> ...
    %1 = linalg.matmul ins(%a, %b : tensor<8x8xbf16>, tensor<8x8xbf16>)
                       outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = linalg.generic ... ins(%1 : tensor<8x8xf32>)
                            outs(%e : tensor<8x8xbf16>) {
    ^bb0(%sum: f32, %out: bf16):
      %rounded = arith.truncf %sum : f32 to bf16
      linalg.yield %rounded : bf16
    }
    ```

    Where the sums do not start from a constant, the start is added to them
    before they are rounded. Kernels with a schedule or a pipeline of their own
    are left as they are, and so are ops on buffers in loops.
  }];
  let options = [Option<"fusesRounding", "fuse-rounding", "bool", "false",
                        "Move the `workgroup` tiles of the op to `fuse` of the "
                        "rounding, so that each block is rounded while it is in "
                        "the caches">];
}

def AllowContractionPass
    : FunctionPass<"tonno-allow-contraction", ["arith::Arith"]> {
  let summary = "Mark the products and sums that may be fused";
  let description = [{
    Sets `fastmath<contract>` on the sums of each linalg reduction and on the
    products that are their terms. Such a sum may be formed in any order, so that
    its products need not be rounded either. All other ops keep their flags:

    ```mlir
    // linalg.generic, "reduction":
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %product = arith.mulf %a, %b : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    // becomes
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %product = arith.mulf %a, %b fastmath<contract> : f32
      %next = arith.addf %sum, %product fastmath<contract> : f32
      linalg.yield %next : f32
    ```

    In a function with `tonno.fp_contract = "fast"` the flag is set on every op
    that can have it. LLVM fuses only ops that are marked, for every target.
  }];
}

def RoundEachOpPass : FunctionPass<"tonno-round-each-op", ["arith::Arith"]> {
  let summary = "Round the result of each op that is emulated in a wider type";
  let description = [{
    Upstream's emulation of bf16 and f16 marks its conversions `contract`, so
    that a chain of ops would be rounded once, at its end. Drops the mark where
    the op that is rounded has none itself:

    ```mlir
    %product = arith.mulf %a, %b : f32
    %rounded = arith.truncf %product fastmath<contract> : f32 to bf16
    // becomes
    %product = arith.mulf %a, %b : f32
    %rounded = arith.truncf %product : f32 to bf16
    ```
  }];
}

def StoreInBytesPass : ModulePass<"tonno-store-in-bytes",
    ["arith::Arith", "linalg::Linalg", "memref::MemRef", "vector::Vector"]> {
  let summary = "Store elements of less than 8 bits in a byte each";
  let description = [{
    Makes memrefs of i4, i2, f6 and f4 such of i8, and converts what is loaded
    and stored. LLVM stores such an element in a byte, too, but a vector of them
    without gaps. Upper bits are 0 where they are stored, and ignored where they
    are loaded:

    ```mlir
    %x = vector.load %a[%i] : memref<64xf4E2M1FN>, vector<8xf4E2M1FN>
    // becomes
    %bytes = vector.load %a[%i] : memref<64xi8>, vector<8xi8>
    %bits = arith.trunci %bytes : vector<8xi8> to vector<8xi4>
    %x = arith.bitcast %bits : vector<8xi4> to vector<8xf4E2M1FN>
    ```

    Named linalg ops on such memrefs become `linalg.generic`. Memrefs of i1 are
    left as they are.
  }];
}

def ExpandScalingPass : FunctionPass<"tonno-expand-scaling", ["arith::Arith"]> {
  let summary = "Make conversions with a scale conversions and products";
  let description = [{
    Runs upstream's expansion of `arith.scaling_extf` and `arith.scaling_truncf`,
    before the types are changed that they say the precision by:

    ```mlir
    %y = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f32
    // becomes
    %scale = arith.extf %s : f8E8M0FNU to f32
    %number = arith.extf %x : f4E2M1FN to f32
    %y = arith.mulf %number, %scale : f32
    ```
  }];
}

def ExpandNarrowFloatsPass : Pass<"tonno-expand-narrow-floats"> {
  let summary = "Compute in f32 what is in floats of up to 8 bits";
  let description = [{
    Rewrites arithmetic on f8, f6 and f4 to f32, and conversions from and to
    these types to integer arithmetic, for chips without instructions for them:

    ```mlir
    %y = arith.extf %x : f8E8M0FNU to f32
    // becomes
    %bits = arith.bitcast %x : f8E8M0FNU to i8
    %wide = arith.extui %bits : i8 to i32
    %normal = arith.shli %wide, %c23 : i32
    %isLeast = arith.cmpi eq, %wide, %c0 : i32
    %number = arith.select %isLeast, %least, %normal : i32
    %isNan = arith.cmpi eq, %wide, %c255 : i32
    %result = arith.select %isNan, %nan, %number : i32
    %y = arith.bitcast %result : i32 to f32
    ```

    Conversions round to the nearest number, ties to even, as `llvm::APFloat` and
    ml_dtypes do:

    | type | what is too large | NaN | -0 |
    | --- | --- | --- | --- |
    | f8E5M2 | infinity | NaN | -0 |
    | f8E4M3FN | NaN | NaN | -0 |
    | f8E4M3FNUZ, f8E5M2FNUZ | NaN | NaN | 0 |
    | f8E8M0FNU | NaN, as what is negative | NaN | 2^-127, as 0 |
    | f6E2M3FN, f6E3M2FN, f4E2M1FN | the largest | 0 | -0 |

    Other rounding modes are errors.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect"];
}

def PromoteToF64Pass : ModulePass<"tonno-promote-to-f64"> {
  let summary = "Compute in f64 whatever is computed in floating point";
  let description = [{
    Replaces each floating-point type by f64, in signatures, values and
    constants, and drops `tonno.*` attributes. A number that is made of the bits
    of an integer is widened:

    ```mlir
    %x = arith.bitcast %bits : i32 to f32
    // becomes
    %y = arith.bitcast %bits : i32 to f32
    %x = arith.extf %y : f32 to f64
    ```

    Numbers that are rounded to 8 bits or less, and computed with, are rounded:

    ```mlir
    %n = arith.truncf %x : f32 to f8E5M2
    %y = arith.extf %n : f8E5M2 to f32
    // becomes
    %n = arith.truncf %x : f64 to f8E5M2
    %y = arith.extf %n : f8E5M2 to f64
    ```

    Ops that read the bits of a floating-point number are errors. What remains
    is what the kernel means, without its schedule and almost without rounding:
    the reference that candidates are compared with.
  }];
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

def MapToGPUPass : FunctionPass<"tonno-map-to-gpu",
    ["affine::Affine", "amdgpu::AMDGPU", "arith::Arith", "gpu::GPU",
     "LLVM::LLVM", "memref::MemRef", "nvgpu::NVGPU", "NVVM::NVVM",
     "ROCDL::ROCDL", "scf::SCF", "vector::Vector"]> {
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
    - A contraction with an `instruction`: the same, with a `subgroup` tile of
      the result in the registers of a subgroup, by that matrix instruction.
    - Elementwise ops, and reductions over one dimension: `workgroup` and
      `thread` tiles; of the reduced dimension, `reduction` is what a
      workgroup's threads work on at a time. Operands that lie crosswise go
      through shared memory.
    - Any other linalg op, and `scf.parallel`: a thread for each point.
    - Whatever else there is: one thread.

    Accesses are as wide as 16 bytes where strides and alignment allow. Tiles
    that a loop's extent is no multiple of are guarded. `per_unit` becomes an
    attribute of the launch: `nvvm.minctasm`, or `rocdl.waves_per_eu`.
  }];
  let options = [
    Option<"subgroupSize", "subgroup-size", "int64_t", "32",
           "Threads of a subgroup">,
    Option<"maxThreads", "max-threads", "int64_t", "1024",
           "Threads that a workgroup can have">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152",
           "Shared memory that a workgroup can have">,
    Option<"chip", "chip", "std::string", "\"\"",
           "The chip whose matrix instructions may be used">
  ];
}

def DynamicSharedMemoryPass
    : Pass<"tonno-dynamic-shared-memory", "mlir::gpu::GPUModuleOp"> {
  let summary = "Declare the shared memory that launches ask for";
  let description = [{
    Upstream's conversions define `gpu.dynamic_shared_memory` as an array of no
    bytes, which assemblers give a byte and an address of its own. It becomes a
    declaration, which stands for the memory behind all that is static.

    ```mlir
    llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    ```

    becomes

    ```mlir
    llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    ```
  }];
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

def SinkIntoLaunchesPass
    : FunctionPass<"tonno-sink-into-launches", ["gpu::GPU"]> {
  let summary = "Leave launches nothing but the kernel's buffers";
  let description = [{
    Moves views, index computations and loads of scalar arguments into the
    launches that need them, so that what a launch gets from outside are the
    function's arguments.

    Outlining drops the discardable attributes of launches. They are listed on
    the function, in order:

    ```mlir
    gpu.launch blocks(...) in (...) threads(...) in (...) {
      ...
    } {nvvm.minctasm = 2 : i32}
    ```

    becomes

    ```mlir
    func.func @f(...) attributes {tonno.launch_attributes = [
        {nvvm.minctasm = 2 : i32}
    ]} {
      gpu.launch ...
    ```
  }];
}

def RecordLaunchesPass
    : ModulePass<"tonno-record-launches", ["gpu::GPU", "LLVM::LLVM"]> {
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
    plans promise, and the functions have the attributes of their launches, by
    `tonno.launch_attributes`. Sizes that are not constant are errors.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default the only public one">];
}

def ConvertNvgpuPass : SchedulePass<"tonno-convert-nvgpu", "mlir::gpu::GPUModuleOp",
                                    ["LLVM::LLVM", "NVVM::NVVM"]> {
  let summary = "Convert nvgpu's accesses of shared memory to the NVVM dialect";
  let description = [{
    `nvgpu.ldmatrix` and `nvgpu.device_async_copy` are converted by upstream's
    patterns, with indices as wide as the module's data layout says. Upstream's
    pass, which converts the dialect's other ops, always has 64 bits, which take
    twice the registers and instructions.
  }];
}

def ChooseIndexWidthPass
    : Pass<"tonno-choose-index-width", "mlir::gpu::GPUModuleOp"> {
  let summary = "State how many bits indices of GPU code have";
  let description = [{
    32, which GPUs compute twice as fast as 64, if every index of the module is
    shown to stay within them, and so is every element of the functions'
    buffers; else 64, and also where `amdgpu` ops, or `nvgpu` ops other than
    `ldmatrix` and `device_async_copy`, access memory: upstream converts these with
    64 bits. It goes to the module's data layout, where the conversions to LLVM look
    for it. Loops must still be loops.
  }];
  let dependentDialects = ["mlir::DLTIDialect"];
}

//===----------------------------------------------------------------------===//
// The last steps to the LLVM dialect
//===----------------------------------------------------------------------===//

def LowerAssertsPass : Pass<"tonno-lower-asserts"> {
  let summary = "Make cf.assert a trap";
  let description = [{
    An artifact has no C library to print and abort by:

    ```mlir
    cf.assert %holds, "out of range"
    // becomes
    %true = arith.constant true
    %fails = arith.xori %holds, %true : i1
    scf.if %fails {
      llvm.intr.trap
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"
  ];
}

def GuardNamesPass : ModulePass<"tonno-guard-names"> {
  let summary = "Keep functions apart from what they call";
  let description = [{
    Puts `.kernel` behind the name of each function with a body. A kernel may
    have the name of a function in the mathematical library, `exp` or `sincos`,
    which it would then call itself by. `tonno-host-entry` knows.
  }];
}

def CheckLoweredPass : ModulePass<"tonno-check-lowered"> {
  let summary = "Fail where an op is left that has no LLVM IR";
  let description = [{
    Names the first op outside of the LLVM dialect and what NVVM and ROCDL add
    to it, and calls that allocate memory, where they stand.
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"",
                        "The backend, for messages">];
}

def HostEntryPass : ModulePass<"tonno-host-entry", ["LLVM::LLVM"]> {
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
  let options = [KernelOption];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES
