//===- The tonno dialect --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_TONNODIALECT_TD
#define TONNO_DIALECT_TONNODIALECT_TD

include "mlir/IR/DialectBase.td"

def Tonno_Dialect : Dialect {
  let name = "tonno";
  let cppNamespace = "::tonno";
  let summary = "Attributes for tunable values and tuning results";
  let description = [{
    ```mlir
    #BM = #tonno.knob<"BM" from [32, 64, 128] default 64>
    #BN = #tonno.knob<"BN" from [32, 64]>

    func.func @matmul(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>,
                      %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
      %0 = linalg.matmul
          {tonno.lowering_config = {workgroup = [#BM, #BN, 0]}}
          ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
          outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
      return %0 : tensor<512x512xf32>
    }
    ```

    The dialect has no operations and no types. A tunable value is a
    [`#tonno.knob`](#knobattr) in place of the value:

    - in a discardable attribute, at any depth;
    - in an inherent attribute that accepts any attribute;
    - in an attribute of a type.

    Knobs of one name in a function are one variable: all have the same options
    and the same default. `tonno-apply` replaces each knob by a value as a plain
    attribute, so that lowerings need no support for knobs. `tonno-strip`
    removes all attributes that only this dialect can read.

    tonno interprets these discardable attributes; any other attribute with the
    prefix `tonno.` is an error.

    | attribute | on | value |
    | --- | --- | --- |
    | `tonno.lowering_config` | an operation | a dictionary of the keys in [LoweringConfig](lowering-config.md) |
    | `tonno.knobs` | an operation | a dictionary of knobs for attributes of the operation that cannot hold a knob |
    | `tonno.constraints` | a kernel, an operation in it, its schedule | an array of [`#tonno.constraint`](#constraintattr) |
    | `tonno.schedule` | a function | the symbol of the `transform.named_sequence` that lowers it |
    | `tonno.pipeline` | a function | a dictionary: the pass pipeline that lowers it, and its knobs |
    | `tonno.reference` | a function | the symbol of a function with the same results; candidates are compared with it |
    | `tonno.dims` | an argument | an array of names, one for each axis, as in `["M", "K"]` |
    | `tonno.input` | an argument | [`#tonno.input`](#inputattr): its data during tuning |
    | `tonno.access` | an argument | `"read"`, `"write"` or `"read_write"`, if the IR does not show it |
    | `tonno.alignment` | an argument | an integer: the alignment in bytes that callers guarantee, by default 16 for tensors and scalars, and 64 for memrefs |
    | `tonno.tuned` | a function | a dictionary: the result of tuning, and the device |
    | `tonno.shapes` | a function | a string: the sizes of dynamic dimensions that it is tuned for, as in `"M in 1..4096, weight 0.8 for M <= 32"` |
    | `tonno.variants` | a function | an array of symbols: the private functions that it calls for sizes of `tonno.shapes`, and last the one for all other sizes |

    ## Attributes that cannot hold a knob

    ```mlir
    transform.loop.unroll %loop {factor = 1 : i64,
        tonno.knobs = {factor = #tonno.knob<"U" from [1, 2, 4]>}}
        : !transform.any_op
    ```

    If ODS requires an integer, the attribute cannot be a knob. The knob is then
    in `tonno.knobs`, under the attribute's name. The value of the attribute is
    the knob's default.

    A selected value is converted to the type that the operation requires: an
    integer of its width, a dense array, or a unit attribute, which is set if
    the option is `true`. Arrays and dictionaries may mix knobs and plain
    elements: `tonno.knobs = {block_dims = [#TX, #TY, 1]}`.

    ## Dimensions

    `tonno.dims` on arguments names the kernel's sizes. Constraints use the
    names as constants, and reports print them:

    ```mlir
    func.func @matmul(%a: tensor<512x256xf32> {tonno.dims = ["M", "K"]},
                      %b: tensor<256x512xf32> {tonno.dims = ["K", "N"]}, ...)
        attributes {tonno.constraints =
            [#tonno.constraint<"M mod BM == 0">]} { ... }
    ```

    The argument is a ranked tensor, memref or vector with one axis for each
    name. A name is an identifier; it must not be a keyword of constraints or
    the name of a knob. Axes of one name have equal static sizes. `tonno-apply`
    and `tonno-strip` remove the names.

    ## Constant arguments

    ```mlir
    func.func @project(%x: tensor<128x768xf32>,
                       %w: tensor<768x3072xf32> {tonno.constant}) ...
    ```

    `tonno.constant` promises that the argument has the same contents in all
    calls. What a kernel computes from such arguments alone, such as packed
    panels of a matrix, is then computed once: by a launch of its own, at load,
    on the host. Nothing that is larger than the largest argument that it is
    computed from is kept. Callers that run all launches in each call get the
    same results.

    ## Schedules

    `tonno.schedule = @sequence` names the `transform.named_sequence` that
    lowers a kernel in place of tonno's own schedule.

    | op in the sequence | meaning |
    | --- | --- |
    | `transform.tune.knob` | a knob |
    | `transform.tune.alternatives` without a parameter | a knob whose options are the indices of its regions |
    | `transform.smt.constrain_params` | a constraint, which is not interpreted |

    If a module has one `@__transform_main`, it is the schedule of the only
    public function without callers, unless that function has a schedule or a
    pipeline.

    ## Pipelines

    ```mlir
    tonno.pipeline = {passes = "builtin.module(...{tile-sizes=@BM@,@BN@})",
                      knobs = {BM = #BM, BN = #BN}}
    ```

    lowers a kernel by these passes. `@BM@` is replaced by the value under that
    name. The result may be at any level of IR that the backend can lower
    further.

    ## Kernels of a model

    `tonno.kernels` on a function lists the kernels that its ops form, under
    their names, with the number of equal groups of ops of each:

    ```mlir
    func.func @mlp(...) attributes {tonno.kernels = {
        kernel_0 = {calls = 4 : i64, name = "layer.dot"}}} { ... }
    ```

    Ops of equal groups share their knobs, whose names begin with the kernel's:
    `kernel_0.BM`. `name` is what the locations of ops state.

    ## Contraction

    Products that a linalg op or a `vector.contract` sums are contracted with
    the sum. Other products and sums are contracted if both ops have
    `fastmath<contract>`. `tonno.fp_contract = "fast"` on a function sets the
    flag on each of its ops.

  }];

  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;

  let extraClassDeclaration = [{
    /// Names of the discardable attributes that tonno interprets.
    static constexpr ::llvm::StringLiteral kLoweringConfig =
        "tonno.lowering_config";
    static constexpr ::llvm::StringLiteral kTuned = "tonno.tuned";
    static constexpr ::llvm::StringLiteral kKernels = "tonno.kernels";
    static constexpr ::llvm::StringLiteral kShapes = "tonno.shapes";
    static constexpr ::llvm::StringLiteral kVariants = "tonno.variants";
    static constexpr ::llvm::StringLiteral kConstraints = "tonno.constraints";
    static constexpr ::llvm::StringLiteral kKnobs = "tonno.knobs";
    static constexpr ::llvm::StringLiteral kSchedule = "tonno.schedule";
    static constexpr ::llvm::StringLiteral kPipeline = "tonno.pipeline";
    static constexpr ::llvm::StringLiteral kReference = "tonno.reference";
    static constexpr ::llvm::StringLiteral kFpContract = "tonno.fp_contract";
    static constexpr ::llvm::StringLiteral kDims = "tonno.dims";
    static constexpr ::llvm::StringLiteral kInput = "tonno.input";
    static constexpr ::llvm::StringLiteral kAccess = "tonno.access";
    static constexpr ::llvm::StringLiteral kAlignment = "tonno.alignment";
    static constexpr ::llvm::StringLiteral kConstant = "tonno.constant";
    /// A kernel's buffers with their types and alignments, passed between
    /// passes.
    static constexpr ::llvm::StringLiteral kBuffers = "tonno.buffers";
    /// The launches of a lowered module, from which its launch plan is made.
    static constexpr ::llvm::StringLiteral kLaunches = "tonno.launches";
    /// On a kernel, the function that computes arguments of it from constant
    /// ones, passed between passes.
    static constexpr ::llvm::StringLiteral kLoad = "tonno.load";
    /// Attributes of each launch of a function, in order, which outlining would
    /// drop; passed between passes.
    static constexpr ::llvm::StringLiteral kLaunchAttributes =
        "tonno.launch_attributes";
    /// On a kernel, the number of its last arguments that are the sizes of
    /// dynamic dimensions; passed between passes.
    static constexpr ::llvm::StringLiteral kSizes = "tonno.sizes";
    /// On a loop, the number of threads that share it, passed between passes; on
    /// a lowered kernel, the number of threads for its launch plan.
    static constexpr ::llvm::StringLiteral kThreads = "tonno.threads";
    /// On a module, forbids contraction of products and sums, for comparison.
    static constexpr ::llvm::StringLiteral kStrict = "tonno.strict";
    /// On a lowered module, keeps LLVM from unrolling its loops, so that it is
    /// compiled in less time.
    static constexpr ::llvm::StringLiteral kRolled = "tonno.rolled";
    /// On an argument of an outlined parallel region, passed between passes:
    /// writes to the buffer become non-temporal stores.
    static constexpr ::llvm::StringLiteral kStream = "tonno.stream";
    /// An attribute of LLVM functions that are compiled one by one.
    static constexpr ::llvm::StringLiteral kSeparate = "tonno-separate";

  private:
    void registerAttributes();
    void registerDomains();

  public:
  }];
}

#endif // TONNO_DIALECT_TONNODIALECT_TD
