# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.AnySizeKernel: kernels of dynamic dimensions, called with arrays."""

from __future__ import annotations

import pathlib
from typing import Any

import jax
import numpy
import pytest

import tonno
from tonno import mlir

Array = numpy.ndarray[Any, Any]

PRODUCT = """
func.func @product(%a: tensor<?x?xf32> {tonno.dims = ["M", "K"]}, %b: tensor<?x24xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x24xf32>) outs(%f : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %p : tensor<?x24xf32>
}
"""

# Keeps the first product in a workspace whose bytes depend on both sizes.
TWO_PRODUCTS = """
func.func @two(%a: tensor<?x16xf32>, %b: tensor<16x?xf32> {tonno.dims = ["K", "N"]}) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x16xf32>
  %n = tensor.dim %b, %c1 : tensor<16x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t0 = tensor.empty(%n) : tensor<?x16xf32>
  %t = linalg.transpose ins(%b : tensor<16x?xf32>) outs(%t0 : tensor<?x16xf32>) permutation = [1, 0]
  %e2 = tensor.empty(%m) : tensor<?x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.matmul ins(%p, %t : tensor<?x?xf32>, tensor<?x16xf32>) outs(%f2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
"""

WRITTEN = """
func.func @written(%o: memref<?x8xf32> {tonno.dims = ["M", "N"]}, %x: memref<?x8xf32> {tonno.dims = ["M", "N"]}) {
  linalg.exp ins(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}
"""

# As tonno-tune writes it.
DISPATCH = """
func.func private @rows.variant0(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %0 = linalg.exp {tonno.lowering_config = {workgroup = [4, 0]}} ins(%x : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
func.func private @rows.all(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %0 = linalg.exp {tonno.lowering_config = {workgroup = [16, 0]}} ins(%x : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
func.func @rows(%x: tensor<?x32xf32> {tonno.dims = ["R", "C"]}) -> tensor<?x32xf32> attributes {tonno.variants = [@rows.variant0, @rows.all]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %c9 = arith.constant 9 : index
  %few = arith.cmpi sle, %n, %c9 : index
  %v = scf.if %few -> index {
    scf.yield %c0 : index
  } else {
    scf.yield %c1 : index
  }
  %is = arith.cmpi eq, %v, %c0 : index
  %r = scf.if %is -> tensor<?x32xf32> {
    %0 = func.call @rows.variant0(%x) : (tensor<?x32xf32>) -> tensor<?x32xf32>
    scf.yield %0 : tensor<?x32xf32>
  } else {
    %0 = func.call @rows.all(%x) : (tensor<?x32xf32>) -> tensor<?x32xf32>
    scf.yield %0 : tensor<?x32xf32>
  }
  return %r : tensor<?x32xf32>
}
"""


def make(*shape: int) -> Array:
    array = mlir.empty(shape)
    array[...] = numpy.random.default_rng(sum(shape)).uniform(-1, 1, shape)
    return array


@pytest.fixture
def product(tools: pathlib.Path) -> mlir.AnySizeKernel:
    kernel = mlir.compile(PRODUCT)
    assert isinstance(kernel, mlir.AnySizeKernel)
    return kernel


def test_sizes_are_read_from_the_arrays(product: mlir.AnySizeKernel) -> None:
    assert product.sizes == ("M", "K")
    for m, k in [(1, 1), (3, 7), (64, 64), (65, 129), (257, 31)]:
        a, b = make(m, k), make(k, 24)
        numpy.testing.assert_allclose(product(a, b), a @ b, rtol=1e-4, atol=1e-4)
        out = mlir.empty((m, 24))
        assert product(a, b, out=out) is out
        numpy.testing.assert_allclose(out, a @ b, rtol=1e-4, atol=1e-4)


def test_no_rows_and_nothing_to_sum_up(product: mlir.AnySizeKernel) -> None:
    assert product(make(0, 5), make(5, 24)).shape == (0, 24)
    numpy.testing.assert_array_equal(product(make(3, 0), make(0, 24)), numpy.zeros((3, 24)))


def test_workspace_follows_from_the_sizes(tools: pathlib.Path) -> None:
    kernel = mlir.compile(TWO_PRODUCTS)
    for m, n in [(2, 3), (37, 100), (130, 11)]:
        a, b = make(m, 16), make(16, n)
        numpy.testing.assert_allclose(kernel(a, b), a @ b @ b.T, rtol=1e-3, atol=1e-3)


def test_many_sizes_one_after_the_other(product: mlir.AnySizeKernel) -> None:
    b = make(4, 24)
    for m in [*range(1, 150), 1, 2, 3]:
        assert product(make(m, 4), b).shape == (m, 24)


def test_kernel_of_one_size(product: mlir.AnySizeKernel) -> None:
    fixed = product.at(M=3, K=5)
    a, b = make(3, 5), make(5, 24)
    numpy.testing.assert_allclose(fixed(a, b), a @ b, rtol=1e-4, atol=1e-4)
    assert product.at(M=3, K=5) is fixed
    with pytest.raises(tonno.Error, match="'arg0' .* has shape"):
        fixed(make(4, 5), b)


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        ({"M": 3}, "needs a size of at least 0 for dimension 'K'"),
        ({"M": 3, "K": -1}, "needs a size of at least 0 for dimension 'K'"),
        ({"M": 3, "K": 1, "N": 2}, "no dynamic dimension 'N'; the dimensions are: M, K"),
    ],
)
def test_wrong_sizes_are_refused(
    product: mlir.AnySizeKernel, sizes: dict[str, int], problem: str
) -> None:
    with pytest.raises(tonno.Error, match=problem):
        product.at(**sizes)


def test_sizes_that_differ_are_refused(product: mlir.AnySizeKernel) -> None:
    with pytest.raises(tonno.Error, match=r"'arg1' .* \(5, 24\), and \(6, 24\) was given"):
        product(make(3, 5), make(6, 24))


def test_what_has_no_size_is_refused(product: mlir.AnySizeKernel) -> None:
    with pytest.raises(TypeError, match="argument 0 .* the size 'M', is missing; 0 were given"):
        product()
    with pytest.raises(TypeError, match="argument 0 .* takes an array, not float"):
        product(1.0, make(5, 24))
    with pytest.raises(tonno.Error, match=r"argument 0 .* has no axis 1: its shape is \(5,\)"):
        product(make(5), make(5, 24))
    with pytest.raises(TypeError, match="has 2 arguments, and 1 was given"):
        product(make(5, 5))


def test_in_jax(product: mlir.AnySizeKernel) -> None:
    function = product.as_jax()
    for m in (3, 8):
        a, b = make(m, 5), make(5, 24)
        for call in (function, jax.jit(function)):
            numpy.testing.assert_allclose(call(a, b), a @ b, rtol=1e-4, atol=1e-4)


def test_arguments_that_are_written(tools: pathlib.Path) -> None:
    kernel = mlir.compile(WRITTEN)
    x, out = make(5, 8), make(5, 8)
    kernel(out, x)
    numpy.testing.assert_allclose(out, numpy.exp(x), rtol=1e-5)
    numpy.testing.assert_allclose(kernel.as_jax()(x), numpy.exp(x), rtol=1e-5)


def test_variants_of_all_sizes_are_right(tools: pathlib.Path) -> None:
    kernel = mlir.compile(DISPATCH, kernel="rows")
    for rows in (0, 1, 8, 9, 10, 11, 33):
        x = make(rows, 32)
        numpy.testing.assert_allclose(kernel(x), numpy.exp(x), rtol=1e-5)


def test_size_of_a_written_argument_alone(tools: pathlib.Path) -> None:
    kernel = mlir.compile(
        """
        func.func @zero(%o: memref<?xf32>) {
          %zero = arith.constant 0.0 : f32
          linalg.fill ins(%zero : f32) outs(%o : memref<?xf32>)
          return
        }
        """
    )
    out = make(9)
    kernel(out)
    numpy.testing.assert_array_equal(out, numpy.zeros(9))
    with pytest.raises(tonno.Error, match="no argument that the kernel reads has the size 'd0'"):
        kernel.as_jax()
