//===- What is rounded, and when ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_ROUNDINGPASSES
#define TONNO_TRANSFORMS_SCHEDULE_ROUNDINGPASSES

include "mlir/Pass/PassBase.td"

def WidenSumsPass : Pass<"tonno-widen-sums", "mlir::func::FuncOp"> {
  let summary = "Sum up products of f16 and bf16 in f32";
  let description = [{
    Rewrites linalg ops that sum up products in f16 or bf16 to sum up in f32,
    and rounds the sums once. That is more exact, and most chips multiply f32
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
  let options = [
    Option<"fusesRounding", "fuse-rounding", "bool", "false",
           "Move the `workgroup` tiles of the op to `fuse` of the rounding, so "
           "that each block is rounded while it is in the caches">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect", "mlir::tensor::TensorDialect"
  ];
}

def AllowContractionPass
    : Pass<"tonno-allow-contraction", "mlir::func::FuncOp"> {
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
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def RoundEachOpPass : Pass<"tonno-round-each-op", "mlir::func::FuncOp"> {
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
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def PromoteToF64Pass : Pass<"tonno-promote-to-f64", "mlir::ModuleOp"> {
  let summary = "Compute in f64 whatever is computed in floating point";
  let description = [{
    Replaces each floating-point type by f64, in signatures, values and
    constants, and drops `tonno.*` attributes. A number that is made of the bits
    of an integer is widened:

    ```mlir
    %x = arith.bitcast %bits : i32 to f32
    ```

    becomes

    ```mlir
    %y = arith.bitcast %bits : i32 to f32
    %x = arith.extf %y : f32 to f64
    ```

    Ops that read the bits of a floating-point number are errors. What remains is what the kernel
    means, without its schedule and almost without rounding: the reference that
    candidates are compared with.
  }];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_ROUNDINGPASSES
