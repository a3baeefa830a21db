# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of dynamic dimensions, called by the entry point that tonno-compile makes."""

from __future__ import annotations

import ctypes
import json
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tonno
from tonno import mlir
from tonno.mlir.tools import run_tool

Array = numpy.ndarray[Any, Any]

SIZES = (0, 1, 2, 3, 5, 13, 16, 63, 64, 65, 255, 256, 257, 509, 777)
"""Corners of blocks, and primes."""

GUARD = 64
"""Elements behind a result that a kernel must not touch."""

DENSE = """
func.func @dense(%a: tensor<?x48xf32> {tonno.dims = ["M", "K"]}, %b: tensor<48x?xf32> {tonno.dims = ["K", "N"]},
                 %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x48xf32>
  %n = tensor.dim %b, %c1 : tensor<48x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x48xf32>, tensor<48x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

ATTENTION = """
func.func @attention(%q: tensor<?x32xf32>, %k: tensor<32x80xf32>, %v: tensor<80x48xf32>) -> tensor<?x48xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%m) : tensor<?x80xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x80xf32>) -> tensor<?x80xf32>
  %s = linalg.matmul ins(%q, %k : tensor<?x32xf32>, tensor<32x80xf32>) outs(%f : tensor<?x80xf32>) -> tensor<?x80xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x80xf32>) outs(%e : tensor<?x80xf32>) -> tensor<?x80xf32>
  %o = tensor.empty(%m) : tensor<?x48xf32>
  %g = linalg.fill ins(%zero : f32) outs(%o : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.matmul ins(%p, %v : tensor<?x80xf32>, tensor<80x48xf32>) outs(%g : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
"""

PRODUCT_IN_MEMORY = """
func.func @product(%a: memref<?x48xf32>, %b: memref<48x40xf32>, %c: memref<?x40xf32>) {
  linalg.matmul ins(%a, %b : memref<?x48xf32>, memref<48x40xf32>) outs(%c : memref<?x40xf32>)
  return
}
"""

LAYERS = """
func.func @layers(%x: tensor<?x48xf32>, %u: tensor<48x96xf32> {tonno.constant},
                  %v: tensor<96x32xf32> {tonno.constant}) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x48xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %h = linalg.matmul {tonno.lowering_config = {pack = [0, 1, 0], subgroup = [4, 16, 0]}}
      ins(%x, %u : tensor<?x48xf32>, tensor<48x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  %o = tensor.empty(%m) : tensor<?x32xf32>
  %g = linalg.fill ins(%zero : f32) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.matmul {tonno.lowering_config = {pack = [0, 1, 0], subgroup = [4, 16, 0]}}
      ins(%h, %v : tensor<?x96xf32>, tensor<96x32xf32>) outs(%g : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
"""

SOFTMAX = """
func.func @softmax(%x: tensor<?x77xf32>) -> tensor<?x77xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x77xf32>
  %e = tensor.empty(%m) : tensor<?x77xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x77xf32>) outs(%e : tensor<?x77xf32>) -> tensor<?x77xf32>
  return %r : tensor<?x77xf32>
}
"""

REDUCED = """
func.func @reduced(%a: tensor<24x?xf32> {tonno.dims = ["M", "K"]}, %b: tensor<?x40xf32>) -> tensor<24x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
  %p = linalg.matmul ins(%a, %b : tensor<24x?xf32>, tensor<?x40xf32>) outs(%f : tensor<24x40xf32>) -> tensor<24x40xf32>
  return %p : tensor<24x40xf32>
}
"""

ROWS = """
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

GIVEN = """
func.func @given(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%y : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}
"""

IN_PLACE = """
func.func @twice(%x: memref<?x8xf32>) {
  linalg.add ins(%x, %x : memref<?x8xf32>, memref<?x8xf32>) outs(%x : memref<?x8xf32>)
  return
}
"""


class Entry:
    """The entry point of a kernel, which gets the workspace that its plan states."""

    def __init__(self, library: pathlib.Path, plan: dict[str, Any]) -> None:
        (launch,) = plan["launches"]
        self._function = ctypes.CDLL(str(library))[launch["symbol"]]
        self._sizes = [b["name"] for b in plan["buffers"] if b["alignment"] == 8]
        self._workspaces = [b for b in plan["buffers"] if b["access"] == "workspace"]

    def __call__(self, *buffers: Array) -> None:
        given = buffers[len(buffers) - len(self._sizes) :]
        values = {name: int(size) for name, size in zip(self._sizes, given, strict=True)}
        workspaces = [
            mlir.empty(
                [eval(buffer["sizes"][0].replace("/", "//"), {}, values)]
                if "sizes" in buffer
                else buffer["shape"],
                "int8",
            )
            for buffer in self._workspaces
        ]
        arrays = [*buffers, *workspaces]
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
        self._function((ctypes.c_void_p * len(pointers))(*pointers))


@pytest.fixture
def build(tmp_path: pathlib.Path, tools: pathlib.Path) -> Callable[[str], Entry]:
    """Compiles a kernel."""

    def compile(source: str) -> Entry:
        folder = pathlib.Path(tempfile.mkdtemp(dir=tmp_path))
        file = folder / "kernel.so"
        words = ["-", "--emit=so,plan,header", "-o", str(file)]
        ran = run_tool("tonno-compile", words, source.encode())
        assert not ran.failure, ran.failure
        (plan,) = folder.glob("*.plan.json")
        return Entry(file, json.loads(plan.read_text()))

    return compile


def make(*shape: int) -> Array:
    generator = numpy.random.default_rng(sum(shape))
    values = mlir.empty(shape)
    values[...] = generator.uniform(-1, 1, shape)
    return values


def size(value: int) -> Array:
    return numpy.array(value, dtype=numpy.int64)


def compute(entry: Entry, arguments: list[Array], shape: tuple[int, ...], *sizes: int) -> Array:
    """Returns the result; checks that nothing behind it was written."""
    count = int(numpy.prod(shape))
    memory = mlir.empty(count + GUARD)
    memory[:] = -7
    entry(*arguments, memory, *map(size, sizes))
    assert (memory[count:] == -7).all()
    return memory[:count].reshape(shape)


def test_products_of_all_sizes(build: Callable[[str], Entry]) -> None:
    entry = build(DENSE)
    for m in SIZES:
        for n in (0, 1, 7, 64, 257):
            a, b, bias = make(m, 48), make(48, n), make(n)
            result = compute(entry, [a, b, bias], (m, n), m, n)
            numpy.testing.assert_allclose(result, a @ b + bias, rtol=1e-4, atol=1e-4)


def test_few_rows_have_code_of_their_own(build: Callable[[str], Entry]) -> None:
    dense = build(DENSE.replace("x?xf32", "x96xf32").replace("<?xf32>", "<96xf32>").replace("%m, %n", "%m"))
    attention = build(ATTENTION)
    for m in (*range(21), *SIZES, 126, 127, 128, 129, 131):
        a, b, bias = make(m, 48), make(48, 96), make(96)
        result = compute(dense, [a, b, bias], (m, 96), m)
        numpy.testing.assert_allclose(result, a @ b + bias, rtol=1e-4, atol=1e-4)
        q, k, v = make(m, 32), make(32, 80), make(80, 48)
        scores = q @ k
        powers = numpy.exp(scores - scores.max(axis=1, keepdims=True, initial=-1e3))
        result = compute(attention, [q, k, v], (m, 48), m)
        expected = powers @ v / powers.sum(axis=1, keepdims=True)
        numpy.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def test_few_columns_have_code_of_their_own(build: Callable[[str], Entry]) -> None:
    dense = build(DENSE.replace("<?x48x", "<37x48x").replace("<?x?x", "<37x?x").replace("%m, %n", "%n"))
    for n in (*range(21), *SIZES, 126, 127, 128, 129, 131):
        a, b, bias = make(37, 48), make(48, n), make(n)
        result = compute(dense, [a, b, bias], (37, n), n)
        numpy.testing.assert_allclose(result, a @ b + bias, rtol=1e-4, atol=1e-4)


def test_products_in_memory(build: Callable[[str], Entry]) -> None:
    entry = build(PRODUCT_IN_MEMORY)
    for m in (*range(21), *SIZES):
        a, b = make(m, 48), make(48, 40)
        memory = make(m * 40 + GUARD)
        memory[...] = 0
        entry(a, b, memory, size(m))
        result = memory[: m * 40].reshape(m, 40)
        numpy.testing.assert_allclose(result, a @ b, rtol=1e-4, atol=1e-4)
        assert not memory[m * 40 :].any()


def test_layers_with_constant_weights(build: Callable[[str], Entry]) -> None:
    kernel = mlir.compile(LAYERS)
    weights, others = make(48, 96), make(96, 32)
    for m in (0, 1, 5, 17, 130):
        x = make(m, 48)
        numpy.testing.assert_allclose(kernel(x, weights, others), x @ weights @ others, rtol=1e-3, atol=1e-3)


def test_rows_of_all_sizes(build: Callable[[str], Entry]) -> None:
    entry = build(SOFTMAX)
    for m in SIZES:
        x = make(m, 77)
        powers = numpy.exp(x - x.max(axis=1, keepdims=True, initial=-2))
        result = compute(entry, [x], (m, 77), m)
        expected = powers / powers.sum(axis=1, keepdims=True)
        numpy.testing.assert_allclose(result, expected, rtol=1e-5)


def test_reductions_of_all_lengths(build: Callable[[str], Entry]) -> None:
    entry = build(REDUCED)
    for k in SIZES:
        a, b = make(24, k), make(k, 40)
        result = compute(entry, [a, b], (24, 40), k)
        numpy.testing.assert_allclose(result, a @ b, rtol=1e-4, atol=1e-4)


def test_rows_of_all_lengths(build: Callable[[str], Entry]) -> None:
    entry = build(ROWS)
    for m in (0, 1, 3, 8, 37):
        for n in SIZES[1:]:
            x = make(m, n)
            powers = numpy.exp(x - x.max(axis=1, keepdims=True, initial=-2))
            result = compute(entry, [x], (m, n), m, n)
            expected = powers / powers.sum(axis=1, keepdims=True)
            numpy.testing.assert_allclose(result, expected, rtol=1e-5)


def test_arguments_as_results(build: Callable[[str], Entry]) -> None:
    entry = build(GIVEN)
    for n in SIZES[1:]:
        x = make(4, n)
        powers = numpy.exp(x - x.max(axis=1, keepdims=True))
        result = compute(entry, [x, make(4, n)], (4, n), n)
        numpy.testing.assert_allclose(
            result, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5
        )


def test_memory_in_place(build: Callable[[str], Entry]) -> None:
    entry = build(IN_PLACE)
    for m in SIZES:
        memory = make(m * 8 + GUARD)
        before = memory.copy()
        entry(memory, size(m))
        numpy.testing.assert_array_equal(memory[: 8 * m], 2 * before[: 8 * m])
        numpy.testing.assert_array_equal(memory[8 * m :], before[8 * m :])


def test_header_and_plan_name_the_sizes(build: Callable[[str], Entry], tmp_path: pathlib.Path) -> None:
    build(DENSE)
    (folder,) = tmp_path.iterdir()
    header = (folder / "dense.h").read_text()
    assert "f32[M][48]" in header and "f32[M][N]" in header
    assert "dense(int64_t M, int64_t N, const float *arg0" in header
    plan = json.loads((folder / "dense.plan.json").read_text())
    names = [buffer["name"] for buffer in plan["buffers"] if buffer["access"] != "workspace"]
    assert names == ["arg0", "arg1", "arg2", "result0", "M", "N"]
    assert plan["buffers"][0]["shape"] == [-1, 48] and plan["buffers"][0]["sizes"] == ["M", ""]


def test_stated_sizes_make_a_static_kernel(tools: pathlib.Path) -> None:
    kernel = mlir.compile(DENSE, options=["--shapes=M=5,N=6"])
    a, b, bias = make(5, 48), make(48, 6), make(6)
    numpy.testing.assert_allclose(kernel(a, b, bias), a @ b + bias, rtol=1e-4, atol=1e-4)
