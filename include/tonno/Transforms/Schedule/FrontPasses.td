//===- From modules to buffers --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of Passes.td: what all backends begin with.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_FRONTPASSES
#define TONNO_TRANSFORMS_SCHEDULE_FRONTPASSES

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

def ConvertToLinalgPass : Pass<"tonno-convert-to-linalg", "mlir::ModuleOp"> {
  let summary = "Convert what computes tensors outside of linalg";
  let description = [{
    Runs upstream's conversions of TOSA and of elementwise ops on whole tensors.
    Loads of `ml_program.global` that is not mutable become constants, and tile
    sizes of packing that are constants become parts of the types.

    ```mlir
    %0 = tosa.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = arith.addf %0, %a : tensor<4x8xf32>
    ```

    becomes

    ```mlir
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
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::index::IndexDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def KernelBuffersPass : Pass<"tonno-kernel-buffers", "mlir::ModuleOp"> {
  let summary = "Make a kernel's arguments and results buffers";
  let description = [{
    Turns `(tensor, memref, ...) -> (tensor, ...)` into a function of memrefs
    without results: first the arguments, then one buffer for each result, which
    is only written. A scalar becomes a buffer of one element. Memrefs stay as
    they are: static shape and strides, offset 0.

    A tensor that an op takes as its destination is copied first, so that a
    launch never changes its inputs. Two results, of one op or of the kernel, get
    tensors of their own: a fill is repeated, other tensors are copied. What a
    loop hands on to its next iteration is written back to where it came from,
    unless it is computed there. Of an `scf.while`, each tensor is given one
    position first. What branches yield is written back in them, if nothing reads
    its place later. What changes places with another is copied.

    The function keeps the buffers as `tonno.buffers`, a dictionary of `type`
    and `alignment` for each, for the passes to whom its arguments no longer
    tell.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect"
  ];
}

def BufferizePass : Pass<"tonno-bufferize", "mlir::ModuleOp"> {
  let summary = "Make tensors buffers, with copies where it takes them";
  let description = [{
    One-shot bufferisation. Where a loop would have to write what is still to be
    read, loops and branches get copies of all that they carry and yield.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"
  ];
}

def EliminateEmptyTensorsPass
    : Pass<"tonno-eliminate-empty-tensors", "mlir::ModuleOp"> {
  let summary = "Compute in a result's place what would be copied there";
  let description = [{
    As upstream's `eliminate-empty-tensors`, with copies as `tonno-bufferize`.
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect"];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_FRONTPASSES
