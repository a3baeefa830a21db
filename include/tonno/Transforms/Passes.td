//===- Passes over knobs and kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_PASSES_TD
#define TONNO_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExtractSearchSpace : Pass<"tonno-extract", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Print the search space of each kernel as JSON";
  let description = [{
    ```mlir
    #BM = #tonno.knob<"BM" from [32, 64] default 64>
    func.func @f() attributes {tonno.constraints = [#tonno.constraint<"BM >= 32">]} {
      return {tonno.lowering_config = {workgroup = [#BM, 0]}}
    }
    // prints
    [{"kernel": "f", "hash": "4c395e...", "constraints": ["BM >= 32"],
      "knobs": [{"name": "BM", "options": [32, 64], "default": 64} ]} ]
    ```

    A kernel is a public `func.func` with a body and at least one knob: on the
    function, on an op in it, in a type, in a callee, or in its schedule. The
    array has an object for each kernel, in source order:

    - `kernel`: its name;
    - `hash`: identifies what the kernel computes and how it is lowered, with
      all that it references. The hash does not depend on locations, names of
      values or of the kernel, constraints, or the options of a knob;
    - `knobs`: name, options and default of each knob, in order of appearance;
    - `constraints`, if there are any.

    The IR is not changed.
  }];
  let options = [
    Option<"output", "output", "std::string", [{"-"}],
           "File to write; `-` is standard output">,
  ];
}

def ApplyConfiguration : Pass<"tonno-apply", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Replace each knob by a value";
  let description = [{
    ```mlir
    {tonno.lowering_config = {workgroup = [#BM, #BN]}}
    // becomes, with set=BM=64 and the default 32 of #BN
    {tonno.lowering_config = {workgroup = [64, 32]}}
    ```

    Replaces each knob by the option that `set` gives for its name, as a plain
    attribute. A knob that `set` does not name takes its own value: the selected
    option, else the default, else the first option.

    `tonno-opt --tonno-apply="set=BM=64,tail=split,order=[1,0]"`

    Values are written as attributes. The knob determines the type of a number,
    and a string needs no quotes. With `keep`, the knobs stay in place with
    these options selected. In a schedule, options are selected either way,
    because its knobs are operations.

    Values that violate a constraint are an error. If only implicit defaults
    violate it, the first configuration that satisfies all constraints replaces
    them.
  }];
  let options = [
    ListOption<"set", "set", "std::string",
               "Values as `knob=value`, separated by commas">,
    Option<"keep", "keep", "bool", "false",
           "Keep the knobs, with the values as their selected options">,
  ];
}

def StripKnobs : Pass<"tonno-strip", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Replace knobs by plain attributes and remove tonno's constraints";
  let description = [{
    ```mlir
    module attributes {tonno.constraints = [], x.k = #tonno.knob<"K" from [32, 64]>}
    // becomes
    module attributes {x.k = 32 : i64}
    ```

    Replaces each knob by its value, and removes `tonno.constraints`,
    `tonno.knobs`, `tonno.input` and constraints over a schedule's parameters.
    `tonno.lowering_config` and `tonno.tuned` stay, as plain dictionaries. Tools
    without the tonno dialect can read the result.
  }];
}

def SpecializeShapes : Pass<"tonno-specialize-shapes", "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::tonno::TonnoDialect"
  ];
  let summary = "Give dynamic dimensions a size";
  let description = [{
    ```mlir
    func.func @scale(%x: tensor<?x64xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x64xf32>
    // becomes, with shapes=M=100
    func.func @scale(%x: tensor<100x64xf32> {tonno.dims = ["M", "N"]}) -> tensor<100x64xf32>
    ```

    Makes public functions with a body static, and what they call. Types inside
    follow by canonicalization.

    A dimension is one `?` of the arguments or several that ops need to be
    equal, such as the rows of both operands of an addition. It has the names
    that `tonno.dims` gives its axes; else `d0` is the first dimension, `d1` the
    second. Axes of one name are one dimension. A dimension that is alone
    may be called by any name.

    Dynamic strides and offsets of memrefs become those of a dense buffer.

    Each dimension needs a size, unless ops need it to be equal to an axis of
    known size. Sizes of unknown dimensions are an error.
  }];
  let options = [
    Option<"shapes", "shapes", "std::string", [{""}],
           "Sizes as `dimension=size`, separated by commas">,
    Option<"kernel", "kernel", "std::string", [{""}],
           "Change only this function">,
  ];
}

def SizeArguments : Pass<"tonno-size-arguments", "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::tonno::TonnoDialect"
  ];
  let summary = "Pass the sizes of dynamic dimensions to kernels";
  let description = [{
    ```mlir
    func.func @exp(%x: memref<?x64xf32>) {
      linalg.exp ins(%x : memref<?x64xf32>) outs(%x : memref<?x64xf32>)
      return
    }
    // becomes
    func.func @exp(%x: memref<1xf32>, %size: i64) {
      %m = arith.index_cast %size : i64 to index
      %view = memref.reinterpret_cast %x to offset: [0], sizes: [%m, 64], strides: [64, 1]
          : memref<1xf32> to memref<?x64xf32>
      linalg.exp ins(%view : memref<?x64xf32>) outs(%view : memref<?x64xf32>)
      return
    }
    ```

    A dynamic argument or result becomes a pointer to the first element of a
    dense buffer. Behind the results, the kernel takes the size of each dynamic
    dimension, in order of appearance. Axes that ops need to be equal have one
    size.

    With `chip`, ops get the configurations that the host's default space has
    for sizes of 256, unless the kernel has a `tonno.lowering_config`. A kernel
    with a matrix product and one dynamic dimension has the configurations of
    size 96 if there are fewer than 128 rows.
  }];
  let options = [
    Option<"kernel", "kernel", "std::string", [{""}],
           "Change only this function">,
    Option<"chip", "chip", "std::string", [{""}],
           "CPU by LLVM's name, for default spaces; none if empty">,
  ];
}

def Annotate : Pass<"tonno-annotate", "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::tonno::TonnoDialect"
  ];
  let summary = "Add default search spaces to linalg ops without a configuration";
  let description = [{
    ```mlir
    linalg.matmul ins(...) outs(...)
    // becomes, for the host
    linalg.matmul {tonno.lowering_config = {
        interchange = [1, 2, 0], pack = [0, #PB, 0], reduction = [0, 0, #BK],
        subgroup = [#MR, #NR, 0], workgroup = [#BM, #BN, 0]}} ins(...) outs(...)
    ```

    Adds a `tonno.lowering_config` with knobs to each linalg op of a public
    function that has none. For a GPU, one op of each launch gets the
    configuration of the whole launch. Options, defaults and constraints follow
    from the op, its shape and the chip. For the host:

    | op | knobs | bounded by |
    | --- | --- | --- |
    | matrix product | `MR` x `NR` of the result in registers; blocks of `BM`, `BN` and `BK`; `PA`, `PB`: 1 packs the left or the right operand, where packing may pay | registers; second-level cache |
    | sum along rows | `MR` rows side by side, `KR` elements of each at a time | half the registers |
    | sum across rows | `KR` rows at a time, `NR` elements of each; of a constant matrix, panels of `NR` that `PB`: 1 packs at load | registers |
    | reduction other than a sum, such as an argmax | `NR` results side by side | registers |
    | elementwise | `MR` rows, `NR` elements of each at a time | a quarter of the registers |
    | transposition | `MR` x `NR` in registers; blocks of `BM` x `BN` | a quarter of the registers |
    | convolution, pooling, filter | `MR` x `NR` of the result in registers; blocks of `BM`; where the filter exceeds half of the second-level cache, `BK` of its channels for `BH` rows; `PB`: 1 packs a constant filter at load | registers; second-level cache |
    | softmax, gather, packing | the knobs of the ops that it is decomposed into, one set for each kind | |
    | sequence of ops | `FM` rows of all ops at a time, or blocks of a product | |

    For nvptx and amdgpu, `BM` and `BN` are tiles of a workgroup, `TM` and `TN`
    tiles of a thread. All are also bounded by threads and registers:

    | launch | knobs | bounded by |
    | --- | --- | --- |
    | matrix product or convolution, with elementwise ops on it | `BM` x `BN` of the result, `TM` x `TN` for a thread; `BK` of the summed dimension through shared memory | shared memory |
    | elementwise | `BM` x `BN`, `TM` x `TN` for a thread | |
    | transposition | the same, through shared memory | shared memory |
    | reduction along rows, softmax | `BM` rows, `BK` of each at a time; `TM` x `TK` for a thread | shared memory |
    | reduction across rows | `BN` of a row, `BK` rows at a time; `TN` x `TK` for a thread | shared memory |
    | either, with few results | also `SPLIT` parts, which another launch combines | |

    These get no search space:

    - ops that do not become vectors: dynamic shapes, branches; on GPUs also
      gathers and reductions to several results;
    - on GPUs, ops that do not become tiles: convolutions by depth, pooling,
      reductions over several dimensions;
    - ops without a choice: fills, shapes smaller than a vector;
    - functions with their own schedule or pipeline, and functions that a
      `tonno.reference` names.

    Callees are inlined first, and TOSA and elementwise ops on whole tensors
    become linalg ops (`tonno-convert-to-linalg`), unless the function or a
    callee has knobs. Unused private functions are erased.

    The pass assumes typical caches for a named chip, and queries those of
    `native`. `tonno-tune` does the same for a kernel without knobs, and
    `tonno-compile` uses the default of this space. The knobs are for one
    thread; `threads` adds one more knob to all configured ops, also to those
    configured by hand.

    - `tonno-opt --tonno-annotate="target=host chip=znver4" model.mlir`
    - `tonno-opt --tonno-annotate="threads=1,2,4" model.mlir`
    - `tonno-opt --tonno-annotate="target=nvptx chip=sm_90" model.mlir`
  }];
  let options = [
    Option<"target", "target", "std::string", [{"host"}],
           "Backend of the lowering: host, nvptx or amdgpu">,
    Option<"chip", "chip", "std::string", [{"native"}],
           "CPU or GPU by LLVM's name; `native` is this machine's CPU">,
    ListOption<"threads", "threads", "int64_t",
               "Options of a knob `T`, ascending: the number of host threads "
               "that share an op">,

  ];
}

def FormKernels : Pass<"tonno-form-kernels", "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::index::IndexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::tonno::TonnoDialect"
  ];
  let summary = "Outline groups of fused ops of a function as private kernels";
  let description = [{
    Outlines each group of ops that the target's default schedule computes
    together as a private function, and calls it: on the host what it fuses, on
    a GPU what becomes one launch. Equal groups share a function. Its name is
    that of the last op's location, else a number. Calls in the function are
    inlined first, and private functions without a caller are then erased.

    - Ops that a GPU's schedule makes part of their users, such as
      transpositions, are cloned into each kernel that uses them.
    - An op with at most 1/16 of the iterations of its only user's kernel joins
      that kernel.
    - Constants, `tensor.empty`, fills with a constant and broadcasts are cloned
      into each kernel.
    - Reshapes and slices stay in the function, so that equal kernels can be
      called with different slices. Several slices of one tensor, as a stencil
      reads, become part of the kernel.
    - Ops in a loop are called in the loop.
    - Kernels keep the function's `tonno.fp_contract`, and the `tonno.input` and
      `tonno.alignment` of its arguments, also behind reshapes and slices that
      they hold for.

    Functions with knobs, with a schedule or pipeline of their own, with a call
    that can't be inlined, or with a single group are left as they are.

    ```mlir
    %1 = linalg.matmul ins(%x, %w0 : ...) outs(%zero : ...) -> tensor<64x64xf32>
    %2 = linalg.max ins(%1, %zero : ...) outs(%empty : ...) -> tensor<64x64xf32>
    %3 = linalg.matmul ins(%2, %w1 : ...) outs(%zero : ...) -> tensor<64x64xf32>
    %4 = linalg.max ins(%3, %zero : ...) outs(%empty : ...) -> tensor<64x64xf32>
    ```

    becomes

    ```mlir
    %2 = call @mlp.kernel_0(%x, %w0) : (...) -> tensor<64x64xf32>
    %4 = call @mlp.kernel_0(%2, %w1) : (...) -> tensor<64x64xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", [{"host"}],
           "Backend of the lowering: host, nvptx or amdgpu">,
    Option<"chip", "chip", "std::string", [{"native"}],
           "CPU or GPU by LLVM's name; `native` is this machine's CPU">,
  ];
}

def ApplySchedule : Pass<"tonno-apply-schedule", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Lower kernels by the transform schedules that they name";
  let description = [{
    ```mlir
    func.func @f(...) attributes {tonno.schedule = @__transform_main} {
      %r = linalg.exp ins(%a : tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> ...
    // becomes, if @__transform_main tiles linalg.exp by [8, 0]
      %0 = scf.for %i = %c0 to %c32 step %c8 iter_args(%t = %c) -> (...) {
        %1 = linalg.exp ins(... : tensor<8x32xf32>) outs(... : tensor<8x32xf32>) -> ...
    ```

    Interprets on the module the `transform.named_sequence` that each function
    names in `tonno.schedule`, then erases all schedules. The schedules must not
    contain open choices; `tonno-apply` selects them.
  }];
}

def RunPipeline : Pass<"tonno-run-pipeline", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Lower a kernel by its own pass pipeline";
  let description = [{
    ```mlir
    func.func @f(%a: memref<32xf32>) attributes {tonno.pipeline = {
        passes = "func.func(affine-loop-tile{tile-size=@T@})", knobs = {T = 8}}} {
      affine.for %i = 0 to 32 {
    // becomes
      affine.for %i = 0 to 32 step 8 {
        affine.for %j = #map(%i) to #map1(%i) {
    ```

    Runs on the module the pipeline in `tonno.pipeline` of the first function
    that has one. `@NAME@` in the text is replaced by the value under that name
    in `knobs`.
  }];
}

#endif // TONNO_TRANSFORMS_PASSES_TD
