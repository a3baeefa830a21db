# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in MLIR that several tests compile."""

from __future__ import annotations

MATMUL = """
func.func @matmul(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>)
                     outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
"""

SCALE = """
func.func @scale(%x: memref<4x8xf32>, %factor: f32) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} outs(%x : memref<4x8xf32>) {
  ^bb0(%e: f32):
    %p = arith.mulf %e, %factor : f32
    linalg.yield %p : f32
  }
  return
}
"""

SUM_AND_DIFFERENCE = """
func.func @both(%a: tensor<32xf32>, %b: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<32xf32>
  %s = linalg.add ins(%a, %b : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>)
      -> tensor<32xf32>
  %d = linalg.sub ins(%a, %b : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>)
      -> tensor<32xf32>
  return %s, %d : tensor<32xf32>, tensor<32xf32>
}
"""

# Returns when another thread has stored a number other than 0.
WAITS = """
func.func @waits(%flag: memref<1xi32>) {
  %first = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %value = memref.atomic_rmw ori %zero, %flag[%first] : (i32, memref<1xi32>) -> i32
    %waits = arith.cmpi eq, %value, %zero : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  return
}
"""


def copy_of(element: str) -> str:
    """Returns a kernel that gives its argument, a tensor of 16 such elements."""
    return f"""
func.func @copy(%a: tensor<16x{element}>) -> tensor<16x{element}> {{
  %e = tensor.empty() : tensor<16x{element}>
  %r = linalg.copy ins(%a : tensor<16x{element}>) outs(%e : tensor<16x{element}>)
      -> tensor<16x{element}>
  return %r : tensor<16x{element}>
}}
"""


def scalar_of(element: str) -> str:
    """Returns a kernel that gives its argument, a scalar."""
    return f"func.func @scalar(%a: {element}) -> {element} {{ return %a : {element} }}\n"
