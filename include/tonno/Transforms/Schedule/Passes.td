//===- Passes that lower kernels ------------------------------------------===//
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

/// Pass that creates ops of `dialects`: "scf::SCF" is mlir::scf::SCFDialect.

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
                          "Kernel to process; by default every public function">;

//===----------------------------------------------------------------------===//
// From modules to buffers, on all backends
//===----------------------------------------------------------------------===//

def InlineCallsPass : ModulePass<"tonno-inline-calls"> {
  let summary = "Inline the callees of kernels";
  let description = [{
    Inlines every `func.call` in a kernel, then erases functions without uses.
    The kernel's `tonno.reference` is removed: its function is not part of the
    kernel.

    ```mlir
    func.func private @twice(%x: f32) -> f32 {
      %r = arith.addf %x, %x : f32
      return %r : f32
    }
    func.func @kernel(%x: f32) -> f32 {
      %r = call @twice(%x) : (f32) -> f32
      return %r : f32
    }
    // becomes
    func.func @kernel(%x: f32) -> f32 {
      %r = arith.addf %x, %x : f32
      return %r : f32
    }
    ```

    Recursive calls and calls of functions without a body are errors. So is a
    callee of several blocks where the op around the call allows one block only.
  }];
  let options = [KernelOption];
}

def ConvertToLinalgPass : ModulePass<"tonno-convert-to-linalg",
    ["arith::Arith", "index::Index", "linalg::Linalg", "math::Math", "scf::SCF",
     "tensor::Tensor"]> {
  let summary = "Convert TOSA and elementwise tensor ops to linalg";
  let description = [{
    Runs upstream's conversions of TOSA and of elementwise ops on whole tensors:

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

    Two more rewrites:

    - A load of an immutable `ml_program.global` becomes an `arith.constant`.
    - Constant tile sizes of `linalg.pack` and `linalg.unpack` become static
      sizes in the types.

    In a function with its own schedule or pipeline, only elementwise ops are
    converted before that lowering runs.
  }];
  let options = [Option<"lowered", "lowered", "bool", "false",
                        "Also convert functions whose own schedule or pipeline "
                        "has already run">];
}

def KernelBuffersPass : ModulePass<"tonno-kernel-buffers",
    ["arith::Arith", "bufferization::Bufferization", "linalg::Linalg",
     "memref::MemRef", "scf::SCF", "tensor::Tensor", "vector::Vector"]> {
  let summary = "Replace a kernel's arguments and results with memrefs";
  let description = [{
    Turns `(tensor, memref, ...) -> (tensor, ...)` into a function of memrefs
    without results. The arguments come first, then one buffer for each result.
    A scalar becomes a memref of rank 0:

    ```mlir
    func.func @exp(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32>
    // becomes
    func.func @exp(%x: memref<8xf32>, %s: memref<f32>, %out: memref<8xf32>)
        attributes {tonno.buffers = [
            {alignment = 16 : i64, type = memref<8xf32>},
            {alignment = 16 : i64, type = memref<f32>},
            {alignment = 64 : i64, type = memref<8xf32>}
        ]} {
      %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
      ...
      bufferization.materialize_in_destination %r in restrict writable %out
    ```

    Memref arguments keep their types. These need static shapes and strides,
    offset 0 and no memory space; anything else is an error. `tonno.buffers`
    passes the type and alignment of each buffer to later passes, which cannot
    recover them from the argument types.

    The pass inserts copies so that each result can be computed in its own
    buffer:

    - An init operand that is an argument is copied first, because a launch
      never changes its inputs.
    - A constant of one number that is an init operand, inserted, concatenated,
      yielded or returned becomes a `linalg.fill`, unless the kernel has a
      lowering of its own.
    - Two results of one op, or of the kernel, get separate tensors: fills are
      cloned, other tensors copied.
    - A loop-carried tensor is written back into its iter_arg, unless it is
      computed there. An `scf.while` first gets the same position for each
      tensor in both blocks and in the results.
    - Branches write back the tensors that they yield, unless the buffer is read
      later.
    - Loop-carried tensors that swap positions are copied.
  }];
  let options = [KernelOption];
}

def BufferizePass : ModulePass<"tonno-bufferize",
    ["bufferization::Bufferization", "memref::MemRef"]> {
  let summary = "Bufferize tensors, with copies where loops have conflicts";
  let description = [{
    Runs One-Shot Bufferize:

    ```mlir
    %e = tensor.empty() : tensor<4x8xf32>
    %r = linalg.add ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>)
                    outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    // becomes
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
    linalg.add ins(%a, %b : memref<4x8xf32>, memref<4x8xf32>)
               outs(%alloc : memref<4x8xf32>)
    ```

    If the analysis rejects a loop, because a buffer may be written before it is
    read, the pass copies all iter_args on entry and at each yield, and all
    values yielded by branches and selects. Then it runs the analysis again. An
    op on tensors without a form on buffers is an error.

    The analysis does not know two properties of slices that
    `tonno-eliminate-empty-tensors` creates:

    - An insertion of a tensor that is computed in the slice leaves the tensor as
      it is. Ops after the insertion read the slice of its result.
    - A slice that replaces a `tensor.empty` has no contents. If it cannot be
      computed in place, it becomes a new buffer without a copy.
  }];
}

def EliminateEmptyTensorsPass : ModulePass<"tonno-eliminate-empty-tensors",
    ["bufferization::Bufferization"]> {
  let summary = "Replace tensor.empty with the slice that the result is inserted into";
  let description = [{
    Runs upstream's `eliminate-empty-tensors`. Where its analysis rejects a
    loop, the pass makes the same copies as `tonno-bufferize` and repeats the
    analysis.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = tensor.insert_slice %x into %c[2, 0] [1, 8] [1, 1] ...
    // becomes
    %s = tensor.extract_slice %c[2, 0] [1, 8] [1, 1] ...
    %x = linalg.exp ins(%a : tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %r = tensor.insert_slice %x into %c[2, 0] [1, 8] [1, 1] ...
    ```
  }];
}

def DuplicateInitsPass : FunctionPass<"tonno-duplicate-inits",
    ["linalg::Linalg", "tensor::Tensor"]> {
  let summary = "Clone a shared tensor.empty or linalg.fill for each op that uses it as init operand";
  let description = [{
    CSE merges equal init operands of ops that have nothing else in common, such
    as those of the layers of a model:

    ```mlir
    %empty = tensor.empty() : tensor<64xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%zeros : ...) ...
    %other = linalg.reduce {arith.addf} ins(%y : tensor<64x512xf32>) outs(%zeros : ...) ...
    ```

    becomes

    ```mlir
    %empty = tensor.empty() : tensor<64xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%zeros : ...) ...
    %empty_0 = tensor.empty() : tensor<64xf32>
    %zeros_1 = linalg.fill ins(%zero : f32) outs(%empty_0 : tensor<64xf32>) -> tensor<64xf32>
    %other = linalg.reduce {arith.addf} ins(%y : tensor<64x512xf32>) outs(%zeros_1 : ...) ...
    ```

    Bufferization would use the buffer of one `tensor.empty` from the first op
    to the last, so that no other buffer could have its memory in between. It
    would compute one op in the buffer of a shared fill, and copy that buffer for
    each other op. On a GPU, such a copy is a launch. A fill with one user
    becomes the neutral element of that op's reduction.

    A fill before a loop whose body computes in it is cloned into the body: the
    filled buffer would be copied in each iteration.

    An op that is the last reader of a tensor that was computed in a
    `tensor.empty` keeps it as its init operand, since it may compute its result
    over that tensor.
  }];
}

//===----------------------------------------------------------------------===//
// Host lowering
//===----------------------------------------------------------------------===//

def FuseElementwisePass : FunctionPass<"tonno-fuse-elementwise",
    ["affine::Affine", "linalg::Linalg"]> {
  let summary = "Fuse elementwise linalg ops into their users";
  let description = [{
    Moves the payload of an elementwise op into the linalg op that uses its
    result, so that the result needs no buffer:

    ```mlir
    %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %y = linalg.mul {tonno.lowering_config = {workgroup = [16]}}
         ins(%x, %a : tensor<8xf32>, tensor<8xf32>) outs(%e : ...) -> ...
    // becomes
    %y = linalg.generic {tonno.lowering_config = {workgroup = [16]}, ...}
         ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %0 = math.exp %in : f32
      %1 = arith.mulf %0, %in_0 : f32
      linalg.yield %1 : f32
    }
    ```

    The fused op keeps the user's configuration. An op is fused only if:

    - it has no `tonno.lowering_config`;
    - exactly one op, in the same block, reads the result; several may if the op
      copies a constant to all elements;
    - each reader reads each element once, in order.

    Nothing but copies of constants is recomputed. Transpositions stay separate
    ops.
  }];
}

def FuseMovesPass : FunctionPass<"tonno-fuse-moves",
    ["affine::Affine", "arith::Arith", "linalg::Linalg"]> {
  let summary = "Fuse ops that only move elements into their users";
  let description = [{
    Lets the users of a transposition, a broadcast or a copy read its input, by
    other indexing maps:

    ```mlir
    %k = linalg.transpose ins(%a : tensor<64x32xf16>) outs(%e : tensor<32x64xf16>) permutation = [1, 0]
    %y = linalg.matmul ins(%x, %k : tensor<16x32xf16>, tensor<32x64xf16>) outs(%z : ...) -> ...
    // becomes
    %y = linalg.generic {indexing_maps = [(i, j, k) -> (i, k), (i, j, k) -> (j, k), ...], ...}
         ins(%x, %a : tensor<16x32xf16>, tensor<64x32xf16>) outs(%z : ...) { ... }
    ```

    Dimensions of extent 1 that stand for reduced ones are dropped: a mean for
    each row is computed as `tensor<8xf32>`, not as `tensor<8x1xf32>`, and read
    as it is by the ops on rows.

    Masks, which are integers computed from indices and other integers by few
    instructions, become parts of the elementwise ops that use them. Inputs
    whose elements are all one constant become that constant.

    The fused op keeps the user's configuration. An op with a
    `tonno.lowering_config` stays, as does a broadcast that a contraction reads,
    or one along a unit dimension of an argument.
    GPU backends run this pass: a launch reads each element where it is, while
    the host's schedule tiles transpositions as ops of their own.
  }];
}

def GatherEpiloguesPass : FunctionPass<"tonno-gather-epilogues", []> {
  let summary = "Move elementwise ops to the op whose results they use";
  let description = [{
    A GPU launch computes consecutive ops, so that values between them stay in
    registers. Moves each elementwise op behind the op whose results it uses,
    and what else it needs before that op:

    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%z : ...) -> ...
    %s = linalg.rsqrt ins(%variance : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %r = linalg.generic ... ins(%y, %s : tensor<16x64xf32>, tensor<64xf32>) ...
    // becomes
    %s = linalg.rsqrt ...
    %y = linalg.matmul ...
    %r = linalg.generic ...
    ```

    An op that needs a reduction behind the first op stays where it is. A
    conversion to a wider type moves to the op that uses its result instead:
    what one launch writes for another should be narrow.
  }];
}

def FusePass : FunctionPass<"tonno-fuse",
    ["affine::Affine", "arith::Arith", "scf::SCF", "tensor::Tensor"]> {
  let summary = "Tile an op and compute its producers tile by tile";
  let description = [{
    Creates loops over tiles of an op, and in them computes the tile that each
    producer contributes. Intermediate results stay in the caches: a softmax is
    computed by some rows at a time, the ops after a matrix product by blocks of
    its result.

    ```mlir
    %sum = linalg.reduce {arith.addf} ins(%x : tensor<8x64xf32>) outs(%zeros : ...)
    %r = linalg.generic {tonno.lowering_config = {fuse = [4, 0]}}
         ins(%x, %sum : tensor<8x64xf32>, tensor<8xf32>) outs(%e : ...) { ... }
    // becomes
    %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%out = %e) -> (...) {
      %rows = tensor.extract_slice %x[%i, 0] [4, 64] [1, 1] ...
      %sum = linalg.reduce {arith.addf} ins(%rows : tensor<4x64xf32>) outs(...)
      %tile = linalg.generic ins(%rows, %sum : ...) outs(...) { ... }
      %next = tensor.insert_slice %tile into %out[%i, 0] [4, 64] [1, 1] ...
      scf.yield %next : tensor<8x64xf32>
    }
    ```

    The key `fuse` of the op's `tonno.lowering_config` has a tile size for each
    loop; 0 leaves a loop whole. A linalg op is fused if only this op uses it,
    directly or through other fused ops. Remainders are peeled. `tonno-tile`
    then tiles each op by its own configuration.
  }];
}

def MarkStreamsPass : FunctionPass<"tonno-mark-streams"> {
  let summary = "Mark result buffers that are written by non-temporal stores";
  let description = [{
    ```mlir
    func.func @f(%x: memref<8x32xf32>, %out: memref<8x32xf32>) attributes {
        tonno.buffers = [{alignment = 16 : i64, type = memref<8x32xf32>},
                         {alignment = 64 : i64, type = memref<8x32xf32>} ]} {
      %r = linalg.exp {tonno.lowering_config = {stream = [0, 1]}} ...
      bufferization.materialize_in_destination %r in restrict writable %out
    // becomes
    func.func @f(%x: memref<8x32xf32>, %out: memref<8x32xf32>) attributes {
        tonno.buffers = [{alignment = 16 : i64, type = memref<8x32xf32>},
                         {alignment = 64 : i64, stream, type = memref<8x32xf32>} ]} {
    ```

    Adds `stream` to the buffer in `tonno.buffers` that an op writes, if the op
    has a 1 in the key `stream` of its `tonno.lowering_config`.
    `tonno-stream-stores` reads the mark. An op whose result is not a result of
    the kernel is not changed; neither is a kernel with its own schedule or
    pipeline.
  }];
}

def StreamStoresPass : ModulePass<"tonno-stream-stores", ["LLVM::LLVM"]> {
  let summary = "Make vector stores to marked buffers non-temporal";
  let description = [{
    Sets `nontemporal` on vector stores to buffers that `tonno-mark-streams` has
    marked in `tonno.buffers`, and to arguments of a `<kernel>.part` that
    `tonno-share-loops` has marked:

    ```mlir
    llvm.store %v, %out {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
    llvm.return
    // becomes, with fence=true
    llvm.store %v, %out {alignment = 4 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
    llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
    llvm.return
    ```

    Non-temporal stores neither read the cache line first nor keep it. The
    fence, in front of each return of the kernel or of a thread's part, orders
    them with later stores. Scalar stores are not changed.
  }];
  let options = [Option<"fence", "fence", "bool", "false",
                        "Insert an sfence before each return, for x86">];
}

def TilePass : FunctionPass<"tonno-tile",
    ["affine::Affine", "arith::Arith", "memref::MemRef", "scf::SCF",
     "tensor::Tensor"]> {
  let summary = "Tile linalg ops by their `tonno.lowering_config`";
  let description = [{
    ```mlir
    %r = linalg.matmul {tonno.lowering_config =
        {workgroup = [32, 64, 0], reduction = [0, 0, 16],
         subgroup = [8, 32, 0]}}
        ins(%a, %b : ...) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
    // becomes
    scf.for %i = %c0 to %c128 step %c32             // workgroup
      scf.for %j = %c0 to %c128 step %c64
        scf.for %k = %c0 to %c128 step %c16         // reduction
          scf.for %jj = %c0 to %c64 step %c32       // subgroup
            scf.for %ii = %c0 to %c32 step %c8
              scf.for %kk = %c0 to %c16 step %c1
                linalg.matmul ins(... : tensor<8x1xf32>, tensor<1x32xf32>)
                              outs(... : tensor<8x32xf32>)
    ```

    **Levels.** Each key has a tile size for each loop of the op: `workgroup`
    for caches, `reduction` for the part of a reduction that is computed at a
    time, `subgroup` for registers. 0, or a missing key, leaves a loop whole at
    that level. A tile larger than the loop is cut to the loop's extent.
    Reductions step by 1 at the `subgroup` level by default. `workgroup` tiles
    are rounded up to multiples of the `subgroup` tiles.

    **Remainders** are peeled into separate ops, so that shapes stay static,
    without masks or guards. At the `subgroup` level, the remainder of the
    vectorized loop is split into powers of two, because other vector lengths
    are slow. In a matrix product it is padded to a power of two. With `pack` or
    `interchange`, remainders of the `subgroup` tiles are peeled first.

    **`pack`** has a 1 for each loop along which inputs are copied into panels
    (`linalg.pack`). A panel has the size of the `subgroup` tile, and the steps
    of a reduction are contiguous in it. An input that a single `subgroup` tile
    reads is not copied. A value n > 1, on a reduction loop, copies nothing by
    itself: in the copies, n steps of this loop are contiguous and summed
    together. Extensions become part of the copy: to the type of the sum or,
    with n > 1, to i16 at most. A copy is hoisted to the innermost loop that
    changes it.

    **`interchange`** is the order of the loops over `workgroup` and `reduction`
    tiles, outermost first. `[1, 2, 0]` is Goto's algorithm for a matrix product
    with both operands packed.

    **Reductions.** A register tile of n > 1 along the rows of a reduction's
    input has n lanes, each with its own partial sum; the lanes are added at the
    end. Loops of one step are dropped: one step of a reduction that has no
    partial sums (an argmax) becomes an elementwise op, and one step of a
    product over several reduction loops becomes a plain product. If `subgroup`
    is 1 on the window loops of an op with sliding-window access, such as a
    convolution, the inputs are sliced by the window's strides and the op also
    becomes a plain one.

    A reduction whose init operand is a `linalg.fill` of a constant is
    initialized in the innermost loop outside of its reduction loops: in
    registers, if these loops have one part. Its `subgroup` loops run from the
    last parallel loop to the first, then over the reductions. In other ops,
    they have the op's order.

    **`threads`** = n > 1 distributes a parallel loop over n threads: the one by
    which the slowest thread has least to do; among those about as good, one
    whose parts consist of whole tiles, or else the first. An op without a loop
    of n iterations is an error. Each thread computes an equal part; the calling
    thread also computes the peeled tail.

    An input that an elementwise op overwrites as it reads it is dropped: tiles
    read the output. A matrix product without a configuration gets small default
    tiles.
  }];
}

def VectorizePass : FunctionPass<"tonno-vectorize",
    ["arith::Arith", "ub::UB", "vector::Vector"]> {
  let summary = "Vectorize linalg ops that fit into registers";
  let description = [{
    ```mlir
    %r = linalg.matmul ins(%a, %b : tensor<8x1xf32>, tensor<1x32xf32>)
                       outs(%c : tensor<8x32xf32>) -> tensor<8x32xf32>
    // becomes
    %0 = vector.transfer_read %a[%c0, %c0], %pad ... vector<8x1xf32>
    %1 = vector.transfer_read %b[%c0, %c0], %pad ... vector<1x32xf32>
    %2 = vector.transfer_read %c[%c0, %c0], %pad ... vector<8x32xf32>
    %3 = vector.contract ... %0, %1, %2
    %r = vector.transfer_write %3, %c[%c0, %c0] ... tensor<8x32xf32>
    ```

    Afterwards, transfers of accumulators are hoisted out of the reduction's
    loop.

    Ops of more than `limit` iterations stay loops. So do gathers of rows, which
    LLVM copies as contiguous memory, and ops that upstream cannot vectorize or
    vectorizes wrongly. If the largest or smallest element is a zero, its sign
    is unspecified.
  }];
  let options = [Option<"limit", "limit", "int64_t", "1024",
                        "Most iterations of an op to vectorize">];
}

def LowerPadsPass : FunctionPass<"tonno-lower-pads",
    ["linalg::Linalg", "tensor::Tensor"]> {
  let summary = "Replace tensor.pad with fills of the borders and an insertion";
  let description = [{
    Fills the borders of a padded tensor, and inserts the interior:

    ```mlir
    %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %p = tensor.pad %x low[1] high[0] { ... tensor.yield %zero : f32 }
        : tensor<8xf32> to tensor<9xf32>
    ```

    becomes

    ```mlir
    %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %f = tensor.empty() : tensor<9xf32>
    %low = tensor.extract_slice %f[0] [1] [1] : tensor<9xf32> to tensor<1xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%low : tensor<1xf32>) -> tensor<1xf32>
    %border = tensor.insert_slice %zeros into %f[0] [1] [1] : tensor<1xf32> into tensor<9xf32>
    %p = tensor.insert_slice %x into %border[1] [8] [1] : tensor<8xf32> into tensor<9xf32>
    ```

    Then `tonno-eliminate-empty-tensors` lets the op compute its result in the
    padded tensor. Bufferization of a `tensor.pad` would fill all of that tensor,
    and copy the interior into it.

    Pads of dynamic size, with a value that is not a constant, with `nofold`, or
    of a tensor that is collapsed elsewhere remain.
  }];
}

def DecomposePass : FunctionPass<"tonno-decompose",
    ["affine::Affine", "arith::Arith", "bufferization::Bufferization",
     "linalg::Linalg", "math::Math", "memref::MemRef", "scf::SCF",
     "tensor::Tensor"]> {
  let summary = "Decompose composed ops into ops that bufferize";
  let description = [{
    `linalg.softmax`, Winograd's transforms, `linalg.pack`, `linalg.unpack`,
    `tensor.concat`, `tensor.gather` and `tensor.scatter` become ops that can be
    bufferized and lowered to loops. Ops on buffers become ops on tensors first.

    ```mlir
    %r = linalg.softmax dimension(1) ins(%a : tensor<2x16xf32>) outs(%e : ...) -> ...
    // becomes
    %max = linalg.generic ... ins(%a : tensor<2x16xf32>) outs(... : tensor<2xf32>)
    %exp = linalg.generic ... ins(%a, %max : ...) outs(... : tensor<2x16xf32>)
    %sum = linalg.generic ... ins(%exp : tensor<2x16xf32>) outs(... : tensor<2xf32>)
    %r = linalg.generic ... ins(%exp, %sum : ...) outs(%e : tensor<2x16xf32>)
    ```

    By default, the first part with a reduction gets the `tonno.lowering_config`
    of the composed op. With `by-part`, the keys are distributed:

    - `subgroup` and `reduction` to the parts with a reduction;
    - `workgroup` to the other parts; these get `subgroup` too if no part has a
      reduction;
    - `fuse` and `stream` to the last part;
    - `threads` to the last part with `fuse`, to each part without.
  }];
  let options = [Option<"byPart", "by-part", "bool", "false",
                        "Distribute the configuration over the parts">,
                 Option<"usesReciprocals", "reciprocals", "bool", "false",
                        "Multiply rows of a softmax by a reciprocal, and "
                        "compute those of 16 bits in f32">];
}

def SplitLoadPass : ModulePass<"tonno-split-load",
    ["bufferization::Bufferization", "func::Func"]> {
  let summary = "Split what depends on constant arguments alone off a kernel";
  let description = [{
    Arguments that are `constant` in `tonno.buffers` do not change. What a
    kernel computes from them alone, outside of its loops, becomes a function of
    its own, `<kernel>_load`, whose results are new arguments of the kernel:

    ```mlir
    func.func @k(%a: memref<8x64xf32>, %w: memref<64x64xf32>, %r: ...) {
      %weights = bufferization.to_tensor %w restrict
      %panels = linalg.pack %weights ... -> tensor<2x64x32xf32>
      ...
    // becomes
    func.func @k(%a: memref<8x64xf32>, %w: memref<64x64xf32>, %r: ...,
                 %p: memref<2x64x32xf32>) {
      %panels = bufferization.to_tensor %p restrict
      ...
    func.func @k_load(%w: memref<64x64xf32>, %p: memref<2x64x32xf32>) {
      %weights = bufferization.to_tensor %w restrict
      %panels = linalg.pack %weights ... -> tensor<2x64x32xf32>
      bufferization.materialize_in_destination %panels in restrict writable %p
      return
    }
    ```

    A result that is larger than the largest argument it is computed from stays
    in the kernel, as do results without static shape. `tonno-host-entry` gives
    both functions an entry point, and the kernel two launches.
  }];
}

def WorkspacePass
    : FunctionPass<"tonno-workspace",
                   ["affine::Affine", "arith::Arith", "memref::MemRef"]> {
  let summary = "Replace allocations by views of one workspace argument";
  let description = [{
    A launch plan states all memory that a kernel uses, and heap allocations
    would cost page faults on each launch. Therefore each `memref.alloc` becomes
    a view of a `memref<Nxi8>`, a new last argument that the caller provides:

    ```mlir
    %x = memref.alloc() : memref<100xf32>
    %y = memref.alloc() : memref<100xf32>
    // becomes, with the argument %workspace: memref<896xi8>
    %x = memref.view %workspace[%c0][] : memref<896xi8> to memref<100xf32>
    %y = memref.view %workspace[%c448][] : memref<896xi8> to memref<100xf32>
    ```

    - Allocations with disjoint lifetimes share memory. An allocation in a loop
      lives from its first to its last use in the loop's body. `memref.dealloc`
      is erased.
    - Offsets are assigned to large buffers first, or in the order of the first
      uses, as a linear scan does, if that takes less memory. Each is the lowest
      where no live buffer is.
    - `memref.alloca` moves to the function's entry block. If all of them
      together exceed `stack-limit`, they move to the workspace instead.
    - A dynamic size takes its upper bound, such as that of an `affine.min` for
      a last tile. Buffers whose sizes follow from those of dynamic dimensions
      come last, and the bytes of the workspace are a function of these.
    - In a loop that n threads share, each thread has memory of its own, which
      the allocations of the loop share like those of a function.

    A size without an upper bound, and memory that a loop passes to its next
    iteration, are errors.

    The remark `Workspace` states the bytes of the workspace, those of the
    buffers that are live at once (which no plan can go below), and those of all
    buffers. `tonno-opt` prints it by `--remark-format=emitRemark
    --remarks-filter-analyse=tonno-workspace`.
  }];
  let options = [Option<"stackLimit", "stack-limit", "uint64_t", "65536",
                        "Most bytes of memref.alloca to keep on the stack">];
}

def ShareLoopsPass : ModulePass<"tonno-share-loops",
    ["arith::Arith", "func::Func", "LLVM::LLVM", "memref::MemRef",
     "omp::OpenMP"]> {
  let summary = "Outline loops shared by threads into OpenMP parallel regions";
  let description = [{
    ```mlir
    scf.forall (%i) = (0) to (64) step (32) {
      body(%i, %buffer)
    } {tonno.threads = 2 : i64}
    // becomes
    omp.parallel num_threads(%c2 : i32) {
      omp.wsloop nowait {
        omp.loop_nest (%n) : i64 = (%c0) to (%c2) step (%c1) {
          func.call @kernel.part(%n, %buffer) : (i64, memref<64xf32>) -> ()
          omp.yield
        }
      }
      omp.terminator
    }
    ```

    Outlines the body of each loop that `tonno-tile` or `tonno-fuse` has
    distributed over threads into `<kernel>.part`, a function of the iteration
    number. A team of threads calls it. The results do not depend on how many
    threads the team gets. Other loops are not changed.
  }];
}

def OutlineLoopsPass : ModulePass<"tonno-outline-loops",
    ["arith::Arith", "func::Func", "LLVM::LLVM", "memref::MemRef"]> {
  let summary = "Outline the loops of a kernel that has many";
  let description = [{
    ```mlir
    func.func @model(%a: memref<64xf32>, %b: memref<64xf32>) {
      scf.for %i = %c0 to %c64 step %c1 { first(%a) }
      scf.for %i = %c0 to %c64 step %c1 { second(%a, %b) }
      return
    }
    // becomes, with least-loops=2
    func.func @model(%a: memref<64xf32>, %b: memref<64xf32>) {
      call @model.loop(%a) : (memref<64xf32>) -> ()
      call @model.loop_0(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
      return
    }
    func.func private @model.loop(%a: memref<64xf32>) { ... }
    func.func private @model.loop_0(%a: memref<64xf32>, %b: memref<64xf32>) { ... }
    ```

    Outlines each outer loop without results, with the pure ops that it uses,
    and marks the function, as those that a team of threads calls, with the
    attribute `tonno-separate`. The host backend compiles such functions one by
    one and keeps their objects, so that a candidate of a model costs what it
    changes. Kernels with fewer than `least-loops` outer loops are not changed.
  }];
  let options = [Option<"leastLoops", "least-loops", "unsigned", "8",
                        "Least number of outer loops of a kernel to change">];
}

def LowerCopiesPass : FunctionPass<"tonno-lower-copies",
    ["arith::Arith", "linalg::Linalg"]> {
  let summary = "Replace memref.copy with linalg.copy or linalg.fill";
  let description = [{
    ```mlir
    memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
    // becomes
    linalg.copy ins(%a : memref<4x4xf32, strided<[8, 1]>>) outs(%b : memref<4x4xf32>)
    ```

    A strided `memref.copy` would be lowered to a call into a runtime library,
    which artifacts do not contain. A `linalg.copy` is lowered to loops. A copy
    of a buffer onto itself is erased. A copy of a constant `memref.global` of
    one number is a `linalg.fill`: the binary then does not contain the global.
  }];
}

def LowerVectorsPass : FunctionPass<"tonno-lower-vectors",
    ["affine::Affine", "arith::Arith", "LLVM::LLVM", "memref::MemRef",
     "scf::SCF", "tensor::Tensor", "ub::UB", "vector::Vector"]> {
  let summary = "Lower vector ops to fused multiply-adds and rank-1 transfers";
  let description = [{
    ```mlir
    %r = vector.contract ... %a, %b, %c
        : vector<2x1xf32>, vector<1x16xf32> into vector<2x16xf32>
    // becomes, for each of the two rows
    %x = vector.extract %a[0, 0] : f32 from vector<2x1xf32>
    %s = vector.broadcast %x : f32 to vector<16xf32>
    %row = vector.extract %c[0] : vector<16xf32> from vector<2x16xf32>
    %sum = vector.fma %s, %columns, %row : vector<16xf32>
    ```

    - Masks become masked transfers and selects.
    - Contractions become outer products, and these become `vector.fma` on rows.
    - Transfers and gathers of any rank are unrolled to rank 1.
    - Transpositions of 16 x 16 words become 64 shuffles of two rows each.
    - Ops that LLVM supports only on rows are split into one op for each row.
    - Products summed over two contiguous steps, which `pack` produces, become
      sums of pairs: for integers of up to 16 bits and, with `dots-bf16`, for
      bf16.
  }];
  let options = [Option<"dotsBf16", "dots-bf16", "bool", "false",
                        "Sum pairs of bf16 by AVX-512's vdpbf16ps, which treats "
                        "denormals as zeros">];
}

def ApproximateMathPass : FunctionPass<"tonno-approximate-math",
    ["arith::Arith", "math::Math", "vector::Vector"]> {
  let summary = "Expand math functions into polynomials";
  let description = [{
    Replaces `math` functions by polynomials, which stay vectors. A call would
    process one element at a time.

    ```mlir
    %a = math.exp %x : vector<16xf32>
    // becomes, for e^x = 2^n * e^r
    %n = ...                                            // round(x * log2(e))
    %r = ...                                            // x - n * ln(2)
    %p = ...                                            // a polynomial in r
    %scale = arith.shli %bits, %c23 : vector<16xi32>    // 2^n
    ```

    | function | types | largest error on every 17th f32 |
    | --- | --- | --- |
    | exp | f32, f64 | 2.4 units in the last place |
    | exp2 | f32, f64 | 2.7 |
    | expm1, log, log2, log1p, tanh | f32 | 5.3 |
    | erf | f32 | 5.6 |
    | erfc | f32 | 3.0 |

    exp and exp2 round results below about 0.7 times the smallest normal number
    to 0. Subnormal arguments of log and log2 on f32 are scaled by 2^23 first.

    With `native`, for chips that have such instructions, an exponential that is
    only rounded to 16 bits, or that has `afn`, becomes `math.exp2` with `afn`,
    and divisions of expansions have `afn`.
  }];
  let options = [Option<"native", "native", "bool", "false",
                        "Leave exp2 with `afn` and such divisions to the chip">];
}

def LowerExtremesPass
    : FunctionPass<"tonno-lower-extremes", ["arith::Arith", "vector::Vector"]> {
  let summary = "Lower maximumf, minimumf and their reductions to few comparisons";
  let description = [{
    Rewrites `arith.maximumf`, `arith.minimumf` and the corresponding
    `vector.reduction` on f32 and f64. NaN is propagated:

    ```mlir
    %r = arith.minimumf %one, %x : vector<16xf32>
    // becomes, for a constant %one
    %less = arith.cmpf olt, %one, %x : vector<16xf32>
    %r = arith.select %less, %one, %x : vector<16xi1>, vector<16xf32>
    ```

    | operand | becomes |
    | --- | --- |
    | a constant other than NaN; a zero requires `fastmath<nsz>` | one comparison |
    | two values, with `fastmath<nsz>` | two comparisons; only one of them waits for the loop-carried operand |
    | `vector.reduction` without `nnan` | a reduction with `nnan`, and a separate test for NaN of all elements |
    | `vector.reduction` of bf16 | a reduction of f32, which is exact |

    With `widen-bf16`, extremes of bf16 are computed in f32, which is exact.
    A chain of them is converted once:

    ```mlir
    %r = arith.maximumf %x, %y : bf16
    // becomes
    %0 = arith.extf %x fastmath<contract> : bf16 to f32
    %1 = arith.extf %y fastmath<contract> : bf16 to f32
    %2 = arith.maximumf %0, %1 : f32
    %r = arith.truncf %2 fastmath<contract> : f32 to bf16
    ```

    Other ops are not changed.
  }];
  let options = [Option<"widensBf16", "widen-bf16", "bool", "false",
                        "Compute maximumf and minimumf of bf16 in f32, for chips "
                        "that convert by an instruction">];
}

def PrefetchPass
    : FunctionPass<"tonno-prefetch", ["arith::Arith", "memref::MemRef"]> {
  let summary = "Insert software prefetches for the next iteration";
  let description = [{
    ```mlir
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %c256 step %c32 {
        %x = vector.load %in[%i, %j] : memref<8x256xf32>, vector<32xf32>
        ...
    // becomes
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %c256 step %c32 {
        memref.prefetch %in[%next, %j], read, locality<3>, data : memref<8x256xf32>
        %x = vector.load %in[%i, %j] : memref<8x256xf32>, vector<32xf32>
        ...
    ```

    Applies to loops in which each iteration reads other vectors of a buffer, up
    to 64 KiB. The prefetches go into the last inner loop that reads these
    vectors and computes at least 8 operations for each load. The same loop
    prefetches, for writing, the lines that a later loop fills in this
    iteration. Hardware predicts accesses within a page of memory, but not the
    first lines of the next row.
  }];
}

//===----------------------------------------------------------------------===//
// Rounding and narrow types
//===----------------------------------------------------------------------===//

def WidenSumsPass : FunctionPass<"tonno-widen-sums",
    ["arith::Arith", "linalg::Linalg", "memref::MemRef", "tensor::Tensor"]> {
  let summary = "Accumulate products of f16, bf16 and narrower types in f32";
  let description = [{
    Rewrites linalg ops that sum products in f16, bf16 or narrower types to
    accumulate in f32, and rounds each sum once. This is more exact, and most
    chips multiply f32 anyway:

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

    If the init operand is not a fill of a constant, it is added to the sums
    before they are rounded. Kernels with their own schedule or pipeline, and
    ops on buffers in loops, are not changed.
  }];
  let options = [Option<"fusesRounding", "fuse-rounding", "bool", "false",
                        "Move the `workgroup` tiles of the op to the `fuse` key "
                        "of the rounding op, so that each block is rounded while "
                        "it is in the caches">];
}

def AllowContractionPass
    : FunctionPass<"tonno-allow-contraction", ["arith::Arith"]> {
  let summary = "Set `fastmath<contract>` on sums of products in reductions";
  let description = [{
    Sets `fastmath<contract>` on the sums of each linalg reduction and on the
    products that are their terms. The order of such a sum is unspecified, so
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

    In a function with `tonno.fp_contract = "fast"`, the flag is set on every op
    that can have it. LLVM contracts only ops with the flag, for every target.
  }];
}

def RoundEachOpPass : FunctionPass<"tonno-round-each-op", ["arith::Arith"]> {
  let summary = "Round the result of each op that is emulated in a wider type";
  let description = [{
    Upstream's emulation of bf16 and f16 sets `contract` on its conversions, so
    that a chain of ops would be rounded once, at its end. Removes the flag
    where the rounded op itself does not have it, and does round:

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
  let summary = "Store elements of less than 8 bits in one byte each";
  let description = [{
    Replaces memrefs of i4, i2, f6 and f4 by memrefs of i8, and converts what is
    loaded and stored:

    ```mlir
    %x = vector.load %a[%i] : memref<64xf4E2M1FN>, vector<8xf4E2M1FN>
    // becomes
    %bytes = vector.load %a[%i] : memref<64xi8>, vector<8xi8>
    %bits = arith.trunci %bytes : vector<8xi8> to vector<8xi4>
    %x = arith.bitcast %bits : vector<8xi4> to vector<8xf4E2M1FN>
    ```

    LLVM, too, stores such a scalar in one byte, but packs the elements of a
    vector. Stores write 0 to the upper bits; loads ignore them.

    Named linalg ops on such memrefs become `linalg.generic`. Memrefs of i1 are
    not changed.
  }];
}

def ExpandScalingPass : FunctionPass<"tonno-expand-scaling", ["arith::Arith"]> {
  let summary = "Expand arith.scaling_extf and scaling_truncf";
  let description = [{
    Runs upstream's expansion of `arith.scaling_extf` and
    `arith.scaling_truncf`. It must run before other passes change the types,
    which state the precision:

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
  let summary = "Emulate floating-point types of up to 8 bits in f32";
  let description = [{
    Rewrites arithmetic on f8, f6 and f4 to f32, and conversions from and to
    these types to integer arithmetic, for chips that have no instructions for
    them:

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

    Conversions round to the nearest number, ties to even, as `llvm::APFloat`
    and ml_dtypes do:

    | type | overflow becomes | NaN becomes | -0 becomes |
    | --- | --- | --- | --- |
    | f8E5M2 | infinity | NaN | -0 |
    | f8E4M3FN | NaN | NaN | -0 |
    | f8E4M3FNUZ, f8E5M2FNUZ | NaN | NaN | 0 |
    | f8E8M0FNU | NaN; negative numbers too | NaN | 2^-127; 0 too |
    | f6E2M3FN, f6E3M2FN, f4E2M1FN | the largest number | 0 | -0 |

    Other rounding modes are errors.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect"];
}

def PromoteToF64Pass : ModulePass<"tonno-promote-to-f64"> {
  let summary = "Promote floating-point types to f64";
  let description = [{
    Replaces each floating-point type by f64, in signatures, values and
    constants, and removes `tonno.*` attributes. The result is the reference
    that candidates are compared with: the kernel without its schedule and
    almost without rounding.

    A number made of the bits of an integer is extended:

    ```mlir
    %x = arith.bitcast %bits : i32 to f32
    // becomes
    %y = arith.bitcast %bits : i32 to f32
    %x = arith.extf %y : f32 to f64
    ```

    Numbers that are rounded to 8 bits or less, and used in computation, are
    still rounded:

    ```mlir
    %n = arith.truncf %x : f32 to f8E5M2
    %y = arith.extf %n : f8E5M2 to f32
    // becomes
    %n = arith.truncf %x : f64 to f8E5M2
    %y = arith.extf %n : f8E5M2 to f64
    ```

    Ops that read the bits of a floating-point number are errors.
  }];
}

//===----------------------------------------------------------------------===//
// GPU lowering
//===----------------------------------------------------------------------===//

def MapToGPUPass : FunctionPass<"tonno-map-to-gpu",
    ["affine::Affine", "amdgpu::AMDGPU", "arith::Arith", "gpu::GPU",
     "LLVM::LLVM", "memref::MemRef", "nvgpu::NVGPU", "NVVM::NVVM",
     "ROCDL::ROCDL", "scf::SCF", "vector::Vector"]> {
  let summary = "Map structured ops on buffers to gpu.launch";
  let description = [{
    ```mlir
    linalg.fill ins(%zero : f32) outs(%c : memref<128x96xf32>)
    linalg.matmul {tonno.lowering_config = {
        workgroup = [64, 32, 0], reduction = [0, 0, 16], thread = [4, 4, 0]}}
        ins(%a, %b : memref<128x64xf32>, memref<64x96xf32>)
        outs(%c : memref<128x96xf32>)
    // becomes
    gpu.launch blocks(...) in (%c6, %c1, %c1) threads(...) in (%c128, %c1, %c1)
        workgroup(...) {
      ...
    }
    ```

    Consecutive linalg ops become one launch if each point's values are used at
    that point only; otherwise a new launch begins. An op with a
    `tonno.lowering_config` is the only such op of its launch, and its tiles are
    the launch's.

    | op | mapping |
    | --- | --- |
    | contraction, with elementwise ops on its result | A workgroup computes a `workgroup` tile, a thread a `thread` tile of it. Tiles of both operands, `reduction` deep, go through shared memory. Without `thread`, each thread gets an equal share of the `subgroup` tile. |
    | contraction with an `instruction` | The same, but a subgroup keeps a `subgroup` tile of the result in registers and computes it by this matrix instruction. |
    | elementwise ops, and reductions over one dimension | `workgroup` and `thread` tiles; `reduction` is the part of the reduced dimension that the threads of a workgroup process at a time. Transposed operands go through shared memory. |
    | any other linalg op, and `scf.parallel` | One thread for each point. |
    | any other op | One thread. |

    Accesses are up to 16 bytes wide, if strides and alignment allow it. Tiles
    that do not divide a loop's extent are guarded. `per_unit` becomes an
    attribute of the launch: `nvvm.minctasm` or `rocdl.waves_per_eu`.
  }];
  let options = [
    Option<"subgroupSize", "subgroup-size", "int64_t", "32",
           "Number of threads in a subgroup">,
    Option<"maxThreads", "max-threads", "int64_t", "1024",
           "Most threads of a workgroup">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152",
           "Most bytes of shared memory of a workgroup">,
    Option<"chip", "chip", "std::string", "\"\"",
           "Chip whose matrix instructions may be used">
  ];
}

def DynamicSharedMemoryPass
    : Pass<"tonno-dynamic-shared-memory", "mlir::gpu::GPUModuleOp"> {
  let summary = "Declare dynamic shared memory as an external global";
  let description = [{
    ```mlir
    llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    ```

    becomes

    ```mlir
    llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    ```

    Upstream's conversions define `gpu.dynamic_shared_memory` as an array of no
    bytes. Assemblers give such a definition a byte and an address of its own.
    The declaration instead denotes the memory after all static shared memory.
  }];
}

def NativeMathPass : Pass<"tonno-native-math", "mlir::gpu::GPUModuleOp"> {
  let summary = "Replace math ops with LLVM intrinsics on GPUs";
  let description = [{
    ```mlir
    %a = math.rsqrt %x : f32
    // becomes
    %0 = llvm.call_intrinsic "llvm.sqrt"(%x) : (f32) -> f32
    %a = arith.divf %one, %0 : f32
    ```

    Covers what GPUs of NVIDIA and AMD compute by instructions: fused
    multiply-add, square root, absolute value, sign, rounding, minimum and
    maximum. Upstream's conversions would call the vendors' device libraries,
    which may not be installed.

    `math.exp2` and divisions with `afn` become the chip's approximations, with
    an error of about 2^-22. A division with `arcp` by a value that several
    elements share becomes a product with its reciprocal.
  }];
  let options = [Option<"target", "target", "std::string", [{"nvptx"}],
                        "Backend: nvptx or amdgpu">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::vector::VectorDialect"];
}

def SplitReductionsPass : FunctionPass<"tonno-split-reductions",
    ["arith::Arith", "linalg::Linalg", "tensor::Tensor"]> {
  let summary = "Split reductions, so that enough workgroups take part";
  let description = [{
    A reduction with `split = n` in its `tonno.lowering_config` becomes n
    reductions of equal parts, and one of their results:

    ```mlir
    %r = linalg.reduce {arith.addf} ins(%x : tensor<16x4096xf32>) outs(%init) dimensions = [1]
    // becomes, with split = 8
    %parts = tensor.expand_shape %x [[0], [1, 2]] : tensor<16x8x512xf32>
    %sums = linalg.generic ... ins(%parts) outs(%zeros : tensor<16x8xf32>)
    %r = linalg.generic ... ins(%sums) outs(%init : tensor<16xf32>)
    ```

    What n does not divide is added last, by another op. The parts have the
    other keys of the configuration. Of several reductions, the only one with a
    tile is split, such as the channels of a convolution.

    A reduction over several loops, without a configuration, becomes one over
    one loop: of adjacent loops, or one after the other. If it has few results,
    it is split into at most 1024 parts.
  }];
}

def WindowViewsPass : FunctionPass<"tonno-window-views",
    ["linalg::Linalg", "memref::MemRef"]> {
  let summary = "Make convolutions contractions of overlapping views";
  let description = [{
    A convolution reads its input at sums of two loops. A view with a stride for
    each loop, in which windows overlap, makes it a contraction, which schedules
    of products take:

    ```mlir
    linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<1x58x58x64xf16>, memref<3x3x64x64xf16>) ...
    // becomes
    %view = memref.reinterpret_cast %x to offset: [0], sizes: [1, 3, 56, 3, 56, 64],
        strides: [215296, 3712, 3712, 64, 64, 1]
    linalg.generic {indexing_maps = [
        affine_map<(n, y, x, f, p, q, c) -> (n, p, y, q, x, c)>, ...]} ins(%view, %w : ...)
    ```

    Nothing is copied. Convolutions without several rows and columns of products,
    as those by depth, are not changed, and neither are buffers of unknown
    strides.
  }];
}

def SinkIntoLaunchesPass
    : FunctionPass<"tonno-sink-into-launches", ["gpu::GPU"]> {
  let summary = "Sink views, indices and scalar loads into gpu.launch";
  let description = [{
    Moves views, index computations and loads of scalar arguments into the
    launches that use them. Afterwards, launches capture only the function's
    arguments:

    ```mlir
    %view = memref.subview %out[2] [4] [1] : memref<8xf32> to memref<4xf32, ...>
    gpu.launch ... {
      memref.store %x, %view[%t] : memref<4xf32, strided<[1], offset: 2>>
    // becomes
    gpu.launch ... {
      %view = memref.subview %out[2] [4] [1] : memref<8xf32> to memref<4xf32, ...>
      memref.store %x, %view[%t] : memref<4xf32, strided<[1], offset: 2>>
    ```

    Outlining drops the discardable attributes of launches. The pass lists them
    on the function, in order:

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
  let summary = "Replace host code by a list of the kernel's launches";
  let description = [{
    Runs after `gpu-kernel-outlining`:

    ```mlir
    func.func @mm(%a: memref<...>, %b: memref<...>, %c: ..., %d: memref<...>) {
      gpu.launch_func @mm_kernel::@mm_kernel blocks in (%c16, %c1, %c1)
          threads in (%c256, %c1, %c1) args(%a : ..., %b : ..., %d : ...)
    // becomes
    module attributes {tonno.buffers = [...], tonno.launches = [
        {symbol = "mm_entry", buffers = [0, 1, 3], grid = [16, 1, 1],
         block = [256, 1, 1], shared_bytes = 0}
    ]} {
      gpu.module @mm_device {
        gpu.func @mm_entry(%a: memref<...>, %b: memref<...>, %d: memref<...>) kernel
    ```

    Leaves one `gpu.module` with a function for each launch: `<kernel>_entry`,
    numbered if there are several. The function that launched them is erased,
    and its `tonno.buffers` move to the module.

    The pointer arguments get `llvm.noalias` and `llvm.align`, which launch
    plans guarantee. The attributes in `tonno.launch_attributes` are set on the
    functions. A grid that depends on the kernel's sizes is recorded as maps of
    these, such as `grid = [affine_map<()[s0] -> ((s0 + 63) floordiv 64)>, 1,
    1]`. Other values that are not constant are errors. A launch in branches on
    the sizes has the sets of sizes for which it runs: `sizes =
    [affine_set<()[s0] : (-s0 + 16 >= 0)>]`.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "Kernel to record; by default the only public function">];
}

def ConvertNvgpuPass : SchedulePass<"tonno-convert-nvgpu", "mlir::gpu::GPUModuleOp",
                                    ["LLVM::LLVM", "NVVM::NVVM"]> {
  let summary = "Convert nvgpu accesses of shared memory to the NVVM dialect";
  let description = [{
    Converts `nvgpu.ldmatrix` and `nvgpu.device_async_copy` by upstream's
    patterns, with the index width of the module's data layout:

    ```mlir
    %0 = nvgpu.ldmatrix %m[%i, %j] {numTiles = 4 : i32, transpose = false}
         : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    // becomes
    %p = llvm.getelementptr %base[%index] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    %0 = nvvm.ldmatrix %p {..., num = 4 : i32, ...} : (!llvm.ptr<3>) -> ...
    ```

    Upstream's pass, which converts the dialect's other ops, always uses 64-bit
    indices, which take twice the registers and instructions.
  }];
}

def ChooseIndexWidthPass
    : Pass<"tonno-choose-index-width", "mlir::gpu::GPUModuleOp"> {
  let summary = "Set the index width in the data layout of GPU modules";
  let description = [{
    ```mlir
    gpu.module @m { ... }
    // becomes
    gpu.module @m attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} { ... }
    ```

    GPUs compute 32-bit indices twice as fast as 64-bit ones. The width is 32 if
    every index of the module, and every element of the functions' buffers,
    provably stays within 32 bits, else 64.

    The width is also 64 if `amdgpu` ops, or `nvgpu` ops other than `ldmatrix`
    and `device_async_copy`, access memory: upstream converts these with 64
    bits. The pass needs structured loops, so it runs before they are lowered to
    branches.
  }];
  let dependentDialects = ["mlir::DLTIDialect"];
}

//===----------------------------------------------------------------------===//
// Conversion to the LLVM dialect
//===----------------------------------------------------------------------===//

def LowerAssertsPass : Pass<"tonno-lower-asserts"> {
  let summary = "Lower cf.assert to a trap";
  let description = [{
    ```mlir
    cf.assert %holds, "out of range"
    // becomes
    %true = arith.constant true
    %fails = arith.xori %holds, %true : i1
    scf.if %fails {
      llvm.intr.trap
    }
    ```

    Upstream's lowering prints the message and calls `abort`; artifacts have no
    C library.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"
  ];
}

def GuardNamesPass : ModulePass<"tonno-guard-names"> {
  let summary = "Rename kernels to avoid clashes with libm symbols";
  let description = [{
    Appends `.kernel` to the name of each function with a body:

    ```mlir
    func.func @erf(%x: memref<f64>) {
      ...
      %b = math.erf %a : f64
    // becomes
    func.func @erf.kernel(%x: memref<f64>) {
      ...
      %b = math.erf %a : f64
    ```

    A kernel named like a math function, such as `exp` or `sincos`, would
    otherwise call itself where the lowering inserts calls of that function.
    `tonno-host-entry` drops the suffix from the name of the entry point.
  }];
}

def CheckLoweredPass : ModulePass<"tonno-check-lowered"> {
  let summary = "Report ops that have no translation to LLVM IR";
  let description = [{
    Emits an error at the first op that is not in the LLVM, NVVM, ROCDL or
    OpenMP dialect, or at the first call that allocates memory:

    ```mlir
    error: 'foo.bar' is left after lowering; the host backend cannot translate it
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"",
                        "Backend name for error messages">];

}

def HostEntryPass : ModulePass<"tonno-host-entry", ["LLVM::LLVM"]> {
  let summary = "Add the entry point `void <kernel>_entry(void **)` to a kernel";
  let description = [{
    ```mlir
    llvm.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) { ... }
    // becomes
    llvm.func internal @kernel(
        %a: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias},
        %b: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}) { ... }
    llvm.func @kernel_entry(%args: !llvm.ptr) {
      %0 = llvm.getelementptr %args[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %1 = llvm.load %0 : !llvm.ptr -> !llvm.ptr
      ...
      llvm.call @kernel(%1, %3) : (!llvm.ptr, !llvm.ptr) -> ()
    ```

    Runs on the LLVM dialect. The kernel takes bare pointers or, if
    `tonno.buffers` gives their types, memref descriptors: for each, the
    allocated and the aligned pointer, the offset, sizes and strides. All
    functions but the entry point become internal. The kernel's pointer
    arguments get `llvm.noalias` and `llvm.align`, which launch plans guarantee.
    `tonno.buffers` moves to the entry point.

    Of a kernel that `tonno-split-load` has split, both functions get an entry
    point. The loaded arguments are parts of one buffer, and the module gets
    `tonno.launches`, of which the first is at load.
  }];
  let options = [KernelOption];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES
