# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.Kernel.as_jax: kernels in JAX's programs."""

from __future__ import annotations

import concurrent.futures
import gc
import pathlib
import subprocess
from typing import Any

import jax
import jax.numpy as jnp
import mlir_kernels
import numpy as np
import pytest

from tonno import Error, mlir

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "src"


def _random(*shape: int) -> Any:
    return jax.random.normal(jax.random.key(0), shape)


@pytest.fixture
def matmul(tools: pathlib.Path) -> Any:
    return mlir.compile(mlir_kernels.MATMUL)


def test_function_is_the_kernel_with_and_without_jit(matmul: mlir.Kernel) -> None:
    function = matmul.as_jax()
    assert function.__name__ == "matmul"
    a, b = _random(8, 16), _random(16, 4)
    expected = matmul(a, b)
    np.testing.assert_array_equal(function(a, b), expected)
    jitted = jax.jit(lambda a, b: function(a + 0, b) * 2)
    np.testing.assert_array_equal(jitted(a, b), 2 * expected)


def test_vmap_calls_once_for_each_element(matmul: mlir.Kernel) -> None:
    a, b = _random(3, 8, 16), _random(16, 4)
    result = jax.vmap(matmul.as_jax(), in_axes=(0, None))(a, b)
    for i in range(3):
        np.testing.assert_array_equal(result[i], matmul(a[i], b))


@pytest.mark.usefixtures("tools")
def test_several_results_and_updates() -> None:
    both = mlir.compile(mlir_kernels.SUM_AND_DIFFERENCE).as_jax()
    a = _random(32)
    total, difference = jax.jit(both)(a, a)
    np.testing.assert_array_equal(total, a + a)
    np.testing.assert_array_equal(difference, 0 * a)

    scale = mlir.compile(mlir_kernels.SCALE).as_jax()
    x = _random(4, 8)
    before = np.array(x)
    np.testing.assert_array_equal(jax.jit(scale)(x, 2.0), 2 * before)
    np.testing.assert_array_equal(scale(x, 2), 2 * before)
    np.testing.assert_array_equal(x, before)


def test_threads_run_one_program(matmul: mlir.Kernel) -> None:
    program = jax.jit(matmul.as_jax())
    inputs = [(_random(8, 16) + i, _random(16, 4) - i) for i in range(4)]
    expected = [matmul(*each) for each in inputs]

    def run(i: int) -> bool:
        return all(np.array_equal(program(*inputs[i]), expected[i]) for _ in range(50))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(4)))


@pytest.mark.usefixtures("tools")
def test_programs_outlive_their_kernel() -> None:
    kernel = mlir.compile(mlir_kernels.MATMUL)
    a, b = _random(8, 16), _random(16, 4)
    expected = kernel(a, b)
    program = jax.jit(kernel.as_jax()).lower(a, b).compile()
    del kernel
    gc.collect()
    np.testing.assert_array_equal(program(a, b), expected)


def test_refusals_name_the_argument(matmul: mlir.Kernel) -> None:
    function = matmul.as_jax()
    a, b = _random(8, 16), _random(16, 4)
    with pytest.raises(TypeError, match="kernel 'matmul' reads 2 arguments, and 1 was given"):
        function(a)
    with pytest.raises(Error, match=r"argument 'arg1' .* has shape \(16, 4\)"):
        jax.jit(function)(a, a)
    with pytest.raises(TypeError, match="argument 'arg0' .* float32, and int32 was given"):
        function(a.astype("int32"), b)


@pytest.mark.usefixtures("tools")
def test_types_and_layouts_that_jax_lacks_are_refused() -> None:
    with pytest.raises(Error, match="buffer 'arg0' of kernel 'copy' has elements of i4"):
        mlir.compile(mlir_kernels.copy_of("i4")).as_jax()
    with pytest.raises(Error, match="elements of float64; set jax_enable_x64"):
        mlir.compile(mlir_kernels.copy_of("f64")).as_jax()
    strided = mlir_kernels.SCALE.replace("memref<4x8xf32>", "memref<4x8xf32, strided<[16, 1]>>")
    with pytest.raises(Error, match="buffer 'arg0' of kernel 'scale' has strides"):
        mlir.compile(strided).as_jax()


def test_kernel_that_the_process_lacks_is_an_error(matmul: mlir.Kernel) -> None:
    matmul.as_jax()  # registers the handler
    from tonno import _core

    call = jax.ffi.ffi_call(_core.XLA_TARGET, jax.ShapeDtypeStruct((8, 4), "float32"))
    with pytest.raises(jax.errors.JaxRuntimeError, match="unknown kernel 0123; compile it"):
        call(_random(8, 16), _random(16, 4), kernel="0123").block_until_ready()
    hashed = matmul.hash
    with pytest.raises(jax.errors.JaxRuntimeError, match="buffer 'arg1' is missing"):
        call(_random(8, 16), kernel=hashed).block_until_ready()


def test_layouts_are_those_of_jaxlibs_header(tmp_path: pathlib.Path) -> None:
    pairs = {
        "Extension": ("XLA_FFI_Extension_Base", {"type": "type", "next": "next"}),
        "ApiVersion": (
            "XLA_FFI_Api_Version",
            {"major": "major_version", "minor": "minor_version"},
        ),
        "Metadata": ("XLA_FFI_Metadata", {"version": "api_version", "traits": "traits"}),
        "MetadataExtension": ("XLA_FFI_Metadata_Extension", {"metadata": "metadata"}),
        "ErrorArguments": (
            "XLA_FFI_Error_Create_Args",
            {"message": "message", "code": "errc"},
        ),
        "Api": (
            "XLA_FFI_Api",
            {"version": "api_version", "createError": "XLA_FFI_Error_Create"},
        ),
        "Buffer": ("XLA_FFI_Buffer", {"data": "data", "rank": "rank", "shape": "dims"}),
        "Buffers": (
            "XLA_FFI_Args",
            {"count": "size", "types": "types", "values": "args"},
        ),
        "Text": ("XLA_FFI_ByteSpan", {"data": "ptr", "size": "len"}),
        "Attributes": (
            "XLA_FFI_Attrs",
            {"count": "size", "types": "types", "names": "names", "values": "attrs"},
        ),
        "CallFrame": (
            "XLA_FFI_CallFrame",
            {
                "api": "api",
                "stage": "stage",
                "arguments": "args",
                "results": "rets",
                "attributes": "attrs",
            },
        ),
    }
    lines = ['#include "XlaFfi.h"', "#include <xla/ffi/api/c_api.h>"]
    lines.append("using namespace tonno::python;")
    for ours, (theirs, members) in pairs.items():
        lines += [
            f"static_assert(offsetof(xla::{ours}, {a}) == offsetof({theirs}, {b}) &&"
            f" sizeof(xla::{ours}::{a}) == sizeof({theirs}::{b}));"
            for a, b in members.items()
        ]
    for name, value in {
        "majorVersion": "XLA_FFI_API_MAJOR",
        "metadataExtension": "XLA_FFI_Extension_Metadata",
        "invalidArgument": "XLA_FFI_Error_Code_INVALID_ARGUMENT",
        "notFound": "XLA_FFI_Error_Code_NOT_FOUND",
        "resourceExhausted": "XLA_FFI_Error_Code_RESOURCE_EXHAUSTED",
        "bufferType": "XLA_FFI_ArgType_BUFFER",
        "textType": "XLA_FFI_AttrType_STRING",
        "executeStage": "XLA_FFI_ExecutionStage_EXECUTE",
    }.items():
        lines.append(f"static_assert(xla::{name} == int({value}));")
    lines.append("static_assert(sizeof(XLA_FFI_Args) == sizeof(XLA_FFI_Rets));")
    program = tmp_path / "layout.cpp"
    program.write_text("\n".join(lines) + "\n")
    command = ["c++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof"]
    includes = [f"-I{SOURCES}", f"-I{jax.ffi.include_dir()}"]
    checked = subprocess.run([*command, *includes, str(program)], stderr=subprocess.PIPE, text=True)
    assert checked.returncode == 0, checked.stderr
