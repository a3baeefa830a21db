# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that kernels compute once, from constant arguments."""

from __future__ import annotations

import ctypes
import json
import pathlib
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tonno import Error, mlir

pytestmark = pytest.mark.usefixtures("tools")

ROWS, DEPTH, COLUMNS = 128, 256, 512

PROJECT = f"""
func.func @project(%x: tensor<{ROWS}x{DEPTH}xf32>,
    %w: tensor<{DEPTH}x{COLUMNS}xf32> {{tonno.constant}}) -> tensor<{ROWS}x{COLUMNS}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{ROWS}x{COLUMNS}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{ROWS}x{COLUMNS}xf32>)
      -> tensor<{ROWS}x{COLUMNS}xf32>
  %r = linalg.matmul
      ins(%x, %w : tensor<{ROWS}x{DEPTH}xf32>, tensor<{DEPTH}x{COLUMNS}xf32>)
      outs(%init : tensor<{ROWS}x{COLUMNS}xf32>) -> tensor<{ROWS}x{COLUMNS}xf32>
  return %r : tensor<{ROWS}x{COLUMNS}xf32>
}}
"""

CONVOLVE = """
func.func @convolve(%x: tensor<1x9x9x192xf32>,
    %f: tensor<3x3x192x256xf32> {tonno.constant}) -> tensor<1x7x7x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x7x7x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x7x7x256xf32>)
      -> tensor<1x7x7x256xf32>
  %r = linalg.conv_2d_nhwc_hwcf
      ins(%x, %f : tensor<1x9x9x192xf32>, tensor<3x3x192x256xf32>)
      outs(%init : tensor<1x7x7x256xf32>) -> tensor<1x7x7x256xf32>
  return %r : tensor<1x7x7x256xf32>
}
"""

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((ROWS, DEPTH), np.float32)
W = RANDOM.standard_normal((DEPTH, COLUMNS), np.float32)


def _assert_close(result: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def _find_loaded(kernel: mlir.Kernel) -> dict[str, Any]:
    buffers: list[dict[str, Any]] = kernel.plan["buffers"]
    (buffer,) = (each for each in buffers if each["name"] == "loaded0")
    return buffer


@pytest.fixture
def kernel() -> mlir.Kernel:
    return mlir.compile(PROJECT)


def test_each_call_loads_by_default(kernel: mlir.Kernel) -> None:
    assert [launch.get("at_load", False) for launch in kernel.plan["launches"]] == [True, False]
    _assert_close(kernel(X, W), X @ W)
    with pytest.warns(mlir.LoadWarning, match=r"'project' .* load\(\)"):
        _assert_close(kernel(X, 2 * W), X @ (2 * W))


def test_calls_warn_once_unless_contents_are_kept(kernel: mlir.Kernel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", mlir.LoadWarning)
        kernel(X, W)
        with pytest.raises(mlir.LoadWarning):
            kernel(X, W)
        kernel(X, W)
        loaded = mlir.compile(PROJECT)
        loaded(X, W)
        loaded.load(X, W)
        loaded(X, W)


def test_filters_are_packed_at_load() -> None:
    kernel = mlir.compile(CONVOLVE)
    x = RANDOM.standard_normal((1, 9, 9, 192), np.float32)
    f = RANDOM.standard_normal((3, 3, 192, 256), np.float32)
    kernel.load(x, f)
    assert _find_loaded(kernel)["shape"] == [f.nbytes]
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    expected = np.einsum("bhwcij,ijcf->bhwf", windows, f)
    _assert_close(kernel(x, np.zeros_like(f)), expected)


@pytest.mark.parametrize("rows", [1, 3, 16])
def test_matrices_of_few_rows_are_packed_at_load(rows: int) -> None:
    kernel = mlir.compile(PROJECT.replace(f"{ROWS}x", f"{rows}x"))
    kernel.load(X[:rows], W)
    assert _find_loaded(kernel)["shape"] == [W.nbytes]
    _assert_close(kernel(X[:rows], np.zeros_like(W)), X[:rows] @ W)


def test_loaded_contents_are_used_until_the_next_load(kernel: mlir.Kernel) -> None:
    kernel.load(X, W)
    _assert_close(kernel(X, W), X @ W)
    _assert_close(kernel(-X, 2 * W), -X @ W)
    kernel.load(X, 2 * W)
    _assert_close(kernel(X, W), X @ (2 * W))


def test_loaded_contents_are_shared_by_threads(kernel: mlir.Kernel) -> None:
    kernel.load(X, W)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda scale: kernel(scale * X, W), range(1, 17)))
    for scale, result in enumerate(results, 1):
        _assert_close(result, scale * X @ W)


def test_load_takes_the_arguments_of_a_call(kernel: mlir.Kernel) -> None:
    with pytest.raises(TypeError, match="2"):
        kernel.load(X)
    with pytest.raises((Error, TypeError), match="arg1"):
        kernel.load(X, W[1:])


def test_kernels_without_constant_arguments_load_nothing() -> None:
    kernel = mlir.compile(PROJECT.replace(" {tonno.constant}", ""))
    kernel.load(X, W)
    _assert_close(kernel(X, 2 * W), X @ (2 * W))


def test_loaded_truth_values_take_a_byte_each() -> None:
    kernel = mlir.compile("""
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @mask(%x: tensor<8x256xf32>, %w: tensor<256xf32> {tonno.constant}) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %bits = tensor.empty() : tensor<256xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%w : tensor<256xf32>) outs(%bits : tensor<256xi1>) {
    ^bb0(%a: f32, %b: i1):
      %c = arith.cmpf ogt, %a, %zero : f32
      linalg.yield %c : i1
  } -> tensor<256xi1>
  %empty = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %mask : tensor<8x256xf32>, tensor<256xi1>) outs(%init : tensor<8xf32>) {
    ^bb0(%a: f32, %b: i1, %s: f32):
      %c = arith.select %b, %a, %zero : f32
      %d = arith.addf %s, %c : f32
      linalg.yield %d : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
""")
    assert _find_loaded(kernel)["shape"] == [256]
    _assert_close(kernel(X[:8], W[0, :256]), (X[:8] * (W[0, :256] > 0)).sum(1))


def test_the_launch_at_load_states_its_threads() -> None:
    text = PROJECT.replace("%r = linalg.matmul", """
  %squares = tensor.empty() : tensor<256x512xf32>
  %v = linalg.mul {tonno.lowering_config = {workgroup = [16, 64], threads = 2}}
      ins(%w, %w : tensor<256x512xf32>, tensor<256x512xf32>)
      outs(%squares : tensor<256x512xf32>) -> tensor<256x512xf32>
  %r = linalg.matmul""").replace("ins(%x, %w :", "ins(%x, %v :")
    kernel = mlir.compile(text)
    assert [launch.get("threads", 1) for launch in kernel.plan["launches"]] == [2, 1]
    kernel.load(X, W)
    _assert_close(kernel(X, W), X @ W**2)


def test_jax_functions_use_what_is_loaded(kernel: mlir.Kernel) -> None:
    jax = pytest.importorskip("jax")
    project = jax.jit(kernel.as_jax())
    _assert_close(np.asarray(project(X, 2 * W)), X @ (2 * W))
    kernel.load(X, W)
    _assert_close(np.asarray(project(X, 2 * W)), X @ W)


def test_jax_functions_of_equal_kernels_have_their_own_contents() -> None:
    jax = pytest.importorskip("jax")
    kernels = [mlir.compile(PROJECT), mlir.compile(PROJECT)]
    functions = [jax.jit(kernel.as_jax()) for kernel in kernels]
    for scale, kernel in enumerate(kernels, 1):
        kernel.load(X, scale * W)
    for scale, function in enumerate(functions, 1):
        _assert_close(np.asarray(function(X, W)), scale * X @ W)


def test_the_launch_at_load_is_called_over_c(
    tools: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "project.mlir").write_text(PROJECT)
    subprocess.run(
        [tools / "tonno-compile", "project.mlir", "--emit=so,plan", "-o", "libproject.so"],
        cwd=tmp_path,
        check=True,
    )
    plan = json.loads((tmp_path / "project.plan.json").read_text())
    library = ctypes.CDLL(str(tmp_path / "libproject.so"))
    dtypes = {"f32": "float32", "i8": "int8"}
    arrays = [
        mlir.empty(buffer["shape"], dtypes[buffer["element_type"]]) for buffer in plan["buffers"]
    ]
    arrays[0][...], arrays[1][...] = X, W
    load, run = (
        (
            getattr(library, launch["symbol"]),
            (ctypes.c_void_p * len(launch["buffers"]))(
                *(arrays[i].ctypes.data for i in launch["buffers"])
            ),
        )
        for launch in plan["launches"]
    )
    load[0](load[1])
    for scale in (1, 2):
        arrays[0][...] = scale * X
        run[0](run[1])
        _assert_close(arrays[2], scale * X @ W)
