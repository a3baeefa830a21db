//===- The passes of tonno ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_PASSES_TD
#define TONNO_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExtractSearchSpace : Pass<"tonno-extract", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Print the search space of each kernel as JSON";
  let description = [{
    A kernel is a public `func.func` with a body and at least one knob: on
    itself, on an operation in it, in a type, in a function that it calls, or in
    its schedule. For each, in source order, an object of an array:

    - `kernel`: its name;
    - `hash`: identifies what it computes and how it is lowered, with everything
      it references; it does not change with locations, names of values or of
      the kernel, constraints, or the options of a knob;
    - `knobs`: name, options and default of each, in order of appearance;
    - `constraints`, if there are any.

    The IR is left as it is.
  }];
  let options = [
    Option<"output", "output", "std::string", [{"-"}],
           "The file to write; `-` is the standard output">,
  ];
}

def ApplyConfiguration : Pass<"tonno-apply", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Replace each knob by a value";
  let description = [{
    Replaces each knob by the option given for its name, as a plain attribute;
    a knob that is not named takes the value it has: the selected option, else
    the default, else the first.

    `tonno-opt --tonno-apply="set=BM=64,tail=split,order=[1,0]"`

    Values are written as attributes; the type of a number follows from the
    knob, and a string needs no quotes. With `keep` the knobs stay in place
    with these options selected. In a schedule options are selected either way:
    its knobs are operations.

    Values that break a constraint are an error; where only defaults that nobody
    stated break it, these give way to the first configuration that doesn't.
  }];
  let options = [
    ListOption<"set", "set", "std::string",
               "`knob=value`, for any number of knobs">,
    Option<"keep", "keep", "bool", "false",
           "Keep the knobs, with the values as selected options">,
  ];
}

def StripKnobs : Pass<"tonno-strip", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Leave plain attributes, which need no tonno dialect to read";
  let description = [{
    Replaces each knob by the value it has and removes `tonno.constraints`,
    `tonno.knobs`, `tonno.input` and constraints over a schedule's parameters.
    `tonno.lowering_config` and `tonno.tuned` stay: they are plain dictionaries.
    Tools that don't know tonno read the result.
  }];
}

def Annotate : Pass<"tonno-annotate", "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::tonno::TonnoDialect"
  ];
  let summary = "Give linalg ops without a configuration a default space";
  let description = [{
    Each linalg op in a public function that has no `tonno.lowering_config` gets
    one with knobs; for a GPU one op of each launch gets it, for all of that.
    Their options, defaults and constraints follow from the op, its shape and
    the chip. For the host:

    | op | knobs | bounded by |
    | --- | --- | --- |
    | matrix product | `MR` x `NR` of the result in registers; blocks of `BM`, `BN` and `BK`; `PA`, `PB`: whether the left, the right operand is packed, where that may pay | registers; the second cache |
    | sum along rows | `MR` rows side by side, `KR` of each at a time | half the registers |
    | sum across rows | `KR` rows at a time, `NR` of each | registers |
    | reduction that is no sum (where the largest is) | `NR` results side by side | registers |
    | elementwise | `MR` rows, `NR` of each at a time | a quarter of the registers |
    | transposition | `MR` x `NR` in registers; blocks of `BM` x `BN` | a quarter of the registers |
    | convolution, pooling, filter | `MR` x `NR` of the result in registers; blocks of `BM` | registers |
    | softmax, gather, packing | those of the ops that it stands for, one set for each kind | |
    | one op after another | `FM` rows of all at a time, or blocks of a product | |

    For nvptx and amdgpu, where `BM`, `BN` are a workgroup's, `TM`, `TN` a
    thread's, and all are bounded by threads and registers as well:

    | launch | knobs | bounded by |
    | --- | --- | --- |
    | matrix product, with elementwise ops on it | `BM` x `BN` of the result, `TM` x `TN` for a thread; `BK` of what is summed up through shared memory | shared memory |
    | elementwise | `BM` x `BN`, `TM` x `TN` for a thread | |
    | transposition | the same, through shared memory | shared memory |
    | reduction along rows, softmax | `BM` rows, `BK` of each at a time; `TM` x `TK` for a thread | shared memory |
    | reduction across rows | `BN` of a row, `BK` rows at a time; `TN` x `TK` for a thread | shared memory |

    No space have ops that would not become vectors (dynamic shapes, branches;
    on GPUs gathers and reductions to several results) or tiles (on GPUs also
    convolutions and reductions over several dimensions), ops without a choice
    (fills, shapes smaller than a vector), functions with a schedule or a
    pipeline of their own, and what `tonno.reference` names.

    What a function calls is first inlined, and TOSA and elementwise ops on
    whole tensors become linalg ops (`tonno-convert-to-linalg`), unless the
    function, or what it calls, has knobs. Unused private functions are erased.

    Caches of a named chip are taken to be the usual ones; those of `native`
    are queried. `tonno-tune` does the same for a kernel without knobs, and
    `tonno-compile` takes its default. All of it is for one thread; `threads`
    gives configured ops, by whomever, one more knob, the same for all.

    `tonno-opt --tonno-annotate="target=host chip=znver4" model.mlir`
    `tonno-opt --tonno-annotate="threads=1,2,4" model.mlir`
    `tonno-opt --tonno-annotate="target=nvptx chip=sm_90" model.mlir`
  }];
  let options = [
    Option<"target", "target", "std::string", [{"host"}],
           "The backend that will lower: host, nvptx, amdgpu">,
    Option<"chip", "chip", "std::string", [{"native"}],
           "A CPU's or GPU's name as LLVM has it; `native` is this machine's CPU">,
    ListOption<"threads", "threads", "int64_t",
               "Options of a knob `T`, ascending, for how many of the host's "
               "threads share an op">,
  ];
}

def ApplySchedule : Pass<"tonno-apply-schedule", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Lower kernels by the schedules that they name";
  let description = [{
    Interprets, on the module, the `transform.named_sequence` that each function
    names in `tonno.schedule`, and erases all schedules. Every choice in it has
    been made: see `tonno-apply`.
  }];
}

def RunPipeline : Pass<"tonno-run-pipeline", "::mlir::ModuleOp"> {
  let dependentDialects = ["::tonno::TonnoDialect"];
  let summary = "Lower a kernel by the pass pipeline that it has";
  let description = [{
    Runs the pipeline in `tonno.pipeline` of the module's first function that
    has one, on the module. `@NAME@` in its text stands for the value under that
    name in its `knobs`.
  }];
}

#endif // TONNO_TRANSFORMS_PASSES_TD
