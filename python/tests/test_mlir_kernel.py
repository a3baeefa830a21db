# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.Kernel: calls with arrays on the host."""

from __future__ import annotations

import concurrent.futures
import gc
import pathlib
import subprocess
import sys
import threading
import warnings
from typing import Any

import jax.numpy as jnp
import mlir_kernels
import ml_dtypes
import numpy as np
import pytest

from tonno import Error, mlir

pytestmark = pytest.mark.usefixtures("tools")

_ROOT = pathlib.Path(__file__).resolve().parents[2]

Array = np.ndarray[Any, Any]


def _random(*shape: int) -> Array:
    array = mlir.empty(shape)
    array[...] = np.random.default_rng(0).standard_normal(shape)
    return array


def _misaligned(like: Array) -> Array:
    """Returns a copy that starts 4 bytes behind a multiple of 64."""
    return _shifted(like, 4)


def _shifted(like: Array, offset: int) -> Array:
    """Returns a copy that starts `offset` bytes behind a multiple of 64."""
    memory = mlir.empty(like.nbytes + 64, "u1")[offset : offset + like.nbytes]
    array: Array = memory.view(like.dtype).reshape(like.shape)
    array[...] = like
    return array


@pytest.fixture
def matmul(tools: pathlib.Path) -> mlir.Kernel:
    return mlir.compile(mlir_kernels.MATMUL)


def test_results_are_new_arrays_or_out(matmul: mlir.Kernel) -> None:
    a, b = _random(8, 16), _random(16, 4)
    result = matmul(a, b)
    np.testing.assert_allclose(result, a @ b, rtol=1e-5)
    out = mlir.empty((8, 4))
    assert matmul(a, b, out=out) is out
    np.testing.assert_array_equal(out, result)


def test_several_results_are_a_tuple() -> None:
    kernel = mlir.compile(mlir_kernels.SUM_AND_DIFFERENCE)
    a, b = _random(2, 32)
    total, difference = kernel(a, b)
    np.testing.assert_array_equal(total, a + b)
    np.testing.assert_array_equal(difference, a - b)
    outs = (mlir.empty(32), mlir.empty(32))
    assert kernel(a, b, out=outs) is outs
    np.testing.assert_array_equal(outs[1], a - b)
    with pytest.raises(TypeError, match="kernel 'both' has 2 results, and 1 was given"):
        kernel(a, b, out=outs[0])
    with pytest.raises(Error, match="'result0' .* overlaps result 'result1'"):
        kernel(a, b, out=(outs[0], outs[0]))


def test_arguments_are_written_in_place() -> None:
    kernel = mlir.compile(mlir_kernels.SCALE)
    x = _random(4, 8)
    before = x.copy()
    assert kernel(x, 2) is None
    np.testing.assert_array_equal(x, 2 * before)
    x.flags.writeable = False
    with pytest.raises(Error, match="argument 'arg0' of kernel 'scale' is written, .*read-only"):
        kernel(x, 2)


def test_read_arguments_may_overlap(matmul: mlir.Kernel) -> None:
    square = mlir.compile(mlir_kernels.SUM_AND_DIFFERENCE)
    a = _random(32)
    np.testing.assert_array_equal(square(a, a)[0], a + a)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda a: a.T.copy(), Error, r"has shape \(8, 16\), and \(16, 8\) was given"),
        (lambda a: a[0], Error, r"has shape \(8, 16\), and \(16,\) was given"),
        (lambda a: np.asfortranarray(a), Error, "is contiguous"),
        (lambda a: np.repeat(a, 2, 1)[:, ::2], Error, "is contiguous"),
        (lambda a: a[:, ::-1], Error, "is contiguous"),
        (lambda a: a.astype("f8"), TypeError, "elements of float32, and float64 was given"),
        (lambda a: a.astype("i4"), TypeError, "elements of float32, and int32 was given"),
        (lambda a: a.astype(object), TypeError, "elements of float32, and object was given"),
        (lambda a: a.astype(">f4"), Error, "byte order"),
        (lambda a: a.tolist(), TypeError, "a list was given"),
        (lambda a: 1.5, TypeError, "a float was given"),
        (lambda a: None, TypeError, "a NoneType was given"),
        (lambda a: np.ma.masked_array(a), Error, "cannot have a mask"),
        (lambda a: jnp.asarray(a[0]), Error, r"has shape \(8, 16\), and \(16,\) was given"),
        (lambda a: jnp.asarray(a, "int32"), TypeError, "and int32 was given"),
    ],
)
def test_refusals_name_the_argument(
    matmul: mlir.Kernel, make: Any, error: type[Exception], message: str
) -> None:
    a, b = _random(8, 16), _random(16, 4)
    with pytest.raises(error, match=f"argument 'arg0' of kernel 'matmul' .*{message}"):
        matmul(make(a), b)


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("make", "error", "remedy"),
    [
        (lambda out: out.astype("f8"), TypeError, "allocate an array of float32"),
        (lambda out: jnp.asarray(out).astype("i4"), Error, "pass one of NumPy"),
        (lambda out: np.asfortranarray(out), Error, "allocate an array that is"),
        (lambda out: out.astype(">f4"), Error, "allocate an array that is"),
        (_read_only, Error, "pass a writable array"),
    ],
)
def test_remedies_of_results_are_no_copies(
    matmul: mlir.Kernel, make: Any, error: type[Exception], remedy: str
) -> None:
    a, b, out = _random(8, 16), _random(16, 4), make(np.zeros((8, 4), np.float32))
    with pytest.raises(error, match=f"result 'result0' of kernel 'matmul' .*; {remedy}$"):
        matmul(a, b, out=out)


_NAMED_MATMUL = mlir_kernels.MATMUL.replace(
    "tensor<8x16xf32>", 'tensor<8x16xf32> {tonno.dims = ["M", "K"]}', 1
).replace("tensor<16x4xf32>)", 'tensor<16x4xf32> {tonno.dims = ["K", "N"]})', 1)


def test_refusals_name_dimensions() -> None:
    kernel = mlir.compile(_NAMED_MATMUL)
    assert [buffer.get("dims") for buffer in kernel.plan["buffers"]] == [
        ["M", "K"],
        ["K", "N"],
        None,
    ]
    a, b = _random(8, 16), _random(16, 4)
    with pytest.raises(
        Error,
        match=r"argument 'arg0' .* has shape \(M=8, K=16\), and \(9, 17\) was given: "
        "M is 9, and 8 in the kernel; K is 17, and 16 in the kernel$",
    ):
        kernel(_random(9, 17), b)
    with pytest.raises(
        Error,
        match=r"argument 'arg1' .* has shape \(K=16, N=4\), and \(17, 4\) was given: "
        "K is 17, and 16 in argument 'arg0' of kernel 'matmul'$",
    ):
        kernel(a, _random(17, 4))
    with pytest.raises(Error, match=r"has shape \(M=8, K=16\), and \(16,\) was given$"):
        kernel(a[0], b)
    with pytest.raises(Error, match="K is 17, and 16 in argument 'arg0'"):
        kernel.as_jax()(a, _random(17, 4))


def test_outputs_are_checked(matmul: mlir.Kernel) -> None:
    memory = _random(256)
    a, b = memory[:128].reshape(8, 16), _random(16, 4)
    with pytest.raises(Error, match="result 'result0' .* overlaps argument 'arg0'"):
        matmul(a, b, out=memory[112:144].reshape(8, 4))
    matmul(a, b, out=memory[128:160].reshape(8, 4))  # right behind it
    with pytest.raises(Error, match="result 'result0' .* arrays of JAX are read-only"):
        matmul(a, b, out=jnp.zeros((8, 4)))
    with pytest.raises(Error, match="result 'result0' .* read-only"):
        matmul(a, b, out=np.frombuffer(bytes(128), np.float32).reshape(8, 4))


def test_calls_are_checked(matmul: mlir.Kernel) -> None:
    a, b = _random(8, 16), _random(16, 4)
    with pytest.raises(TypeError, match="kernel 'matmul' has 2 arguments, and 1 was given"):
        matmul(a)
    with pytest.raises(TypeError, match="by position, out= and stream="):
        matmul(a, b=b)  # type: ignore[call-arg]


class _OnDevice:
    """An array in memory of CUDA's first device."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **requested: Any) -> Any:
        raise AssertionError("an array on a device is not exported")


class _Exported:
    """An array that exports another one, with options of its own."""

    def __init__(self, array: Array, **options: Any) -> None:
        self.array, self.options = array, options

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, max_version: tuple[int, int] | None = None) -> Any:
        if self.options.get("fails"):
            raise BufferError("it requires gradients")
        if self.options.get("is_old"):
            if max_version is not None:
                raise TypeError("no max_version")
            return self.array.__dlpack__()
        return self.array.__dlpack__(max_version=max_version)


def test_arrays_of_other_libraries(matmul: mlir.Kernel) -> None:
    a, b = _random(8, 16), _random(16, 4)
    result = matmul(jnp.asarray(a), b)
    assert isinstance(result, jnp.ndarray)
    np.testing.assert_array_equal(result, matmul(a, b))
    assert isinstance(matmul(a, jnp.asarray(b)), np.ndarray)
    out = mlir.empty((8, 4))
    for is_old in (False, True):
        out[...] = 0
        matmul(_Exported(a), b, out=_Exported(out, is_old=is_old))
        np.testing.assert_array_equal(out, result)
    with pytest.raises(Error, match="argument 'arg0' .* on cuda:0"):
        matmul(_OnDevice(), b)
    with pytest.raises(Error, match="argument 'arg1' .* it requires gradients"):
        matmul(a, _Exported(b, fails=True))
    out.flags.writeable = False
    with pytest.raises(Error, match="result 'result0' .* read-only"):
        matmul(a, b, out=_Exported(out))


def test_misaligned_arrays_are_copied_with_one_warning(matmul: mlir.Kernel) -> None:
    a, b = _random(8, 16), _random(16, 4)
    expected = matmul(a, b)
    out = _misaligned(expected)
    with pytest.warns(mlir.AlignmentWarning) as told:
        np.testing.assert_array_equal(matmul(_misaligned(a), b), expected)
        out[...] = 0
        matmul(a, b, out=out)
        np.testing.assert_array_equal(out, expected)
    assert "argument 'arg0' of kernel 'matmul'" in str(told[0].message)
    assert "result 'result0' of kernel 'matmul'" in str(told[1].message)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        matmul(_misaligned(a), b)
        with pytest.raises(mlir.AlignmentWarning, match="'arg1'"):
            matmul(a, _misaligned(b))


def test_tensors_are_aligned_as_numpy_aligns_its_arrays(matmul: mlir.Kernel) -> None:
    a, b = _random(8, 16), _random(16, 4)
    expected = matmul(a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for offset in (16, 32, 48):
            found = matmul(_shifted(a, offset), _shifted(b, 16))
            np.testing.assert_array_equal(found, expected)


def test_arguments_may_state_another_alignment() -> None:
    a, b = _random(8, 16), _random(16, 4)
    for stated, offset, copies in ((4, 4, False), (64, 16, True)):
        attribute = f"{{tonno.alignment = {stated} : i64}}"
        text = mlir_kernels.MATMUL.replace("8x16xf32>", f"8x16xf32> {attribute}", 1)
        kernel = mlir.compile(text)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            np.testing.assert_allclose(kernel(_shifted(a, offset), b), a @ b, rtol=1e-5)
        assert [warning.category for warning in told] == [mlir.AlignmentWarning] * copies


def test_misaligned_argument_that_is_written_is_copied_back() -> None:
    kernel = mlir.compile(mlir_kernels.SCALE)
    x = _shifted(_random(4, 8), 16)  # a memref
    before = x.copy()
    with pytest.warns(mlir.AlignmentWarning, match="'arg0' .* 64 bytes"):
        kernel(x, 3.0)
    np.testing.assert_array_equal(x, 3 * before)


def test_strided_arguments() -> None:
    kernel = mlir.compile(
        mlir_kernels.SCALE.replace("memref<4x8xf32>", "memref<4x8xf32, strided<[16, 1]>>")
    )
    whole = _random(4, 16)
    before = whole.copy()
    kernel(whole[:, :8], 2)
    np.testing.assert_array_equal(whole[:, :8], 2 * before[:, :8])
    np.testing.assert_array_equal(whole[:, 8:], before[:, 8:])
    with pytest.raises(Error, match=r"'arg0' .* has strides of \(64, 4\) bytes"):
        kernel(_random(4, 8), 2)
    with pytest.raises(Error, match="'arg0' .* is aligned to 64 bytes"):
        kernel(whole[:, 1:9], 2)


_DTYPES: dict[str, Any] = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i4": ml_dtypes.int4,
    "i2": ml_dtypes.int2,
    "i1": np.bool_,
    "index": np.int64,
}


@pytest.mark.parametrize("element", _DTYPES)
def test_element_types(element: str) -> None:
    kernel = mlir.compile(mlir_kernels.copy_of(element))
    given = mlir.empty(16, _DTYPES[element])
    given[...] = np.resize([1, 0, 1, -2] if element[0] == "i" else [1, 2, 0.5], 16)
    result = kernel(given)
    assert result.dtype == given.dtype
    np.testing.assert_array_equal(result.view(np.uint8), given.view(np.uint8))
    with pytest.raises(TypeError, match="argument 'arg0' of kernel 'copy' takes elements of"):
        kernel(given.astype(np.complex64))


def test_integers_may_have_no_sign() -> None:
    kernel = mlir.compile(mlir_kernels.copy_of("i8"))
    given = mlir.empty(16, np.uint8)
    given[...] = 200
    assert (kernel(given).view(np.uint8) == 200).all()
    out = mlir.empty(16, np.uint8)
    kernel(given, out=out)
    assert (out == 200).all()


def test_scalars() -> None:
    single = mlir.compile(mlir_kernels.scalar_of("f32"))
    assert single(1.5).shape == () and single(1.5) == 1.5
    assert single(np.float32(0.1)) == np.float32(0.1)
    assert single(np.array(2.5, np.float32)) == 2.5
    assert single(3) == 3
    with pytest.raises(TypeError, match="float32, and float64 was given"):
        single(np.float64(0.1))
    with pytest.raises(TypeError, match="float32, and a bool was given"):
        single(True)

    byte = mlir.compile(mlir_kernels.scalar_of("i8"))
    assert byte(-128) == -128 and byte(255) == -1
    with pytest.raises(OverflowError):
        byte(256)
    with pytest.raises(TypeError, match="int8, and a float was given"):
        byte(1.0)

    half = mlir.compile(mlir_kernels.scalar_of("bf16"))
    assert half(1.5) == 1.5 and half(1.5).dtype == ml_dtypes.bfloat16
    boolean = mlir.compile(mlir_kernels.scalar_of("i1"))
    assert boolean(True) and not boolean(False)
    with pytest.raises(TypeError, match="bool, and a int was given"):
        boolean(1)


def test_empty_is_aligned() -> None:
    for shape, dtype in [((3, 5), np.float64), ((7,), ml_dtypes.bfloat16), ((), np.int8)]:
        array = mlir.empty(shape, dtype)
        assert (array.shape, array.dtype) == (shape, dtype)
        assert array.ctypes.data % 64 == 0
    assert mlir.empty(3).shape == (3,) and mlir.empty((0, 2), "f4").shape == (0, 2)


_SQUARE = """
func.func @square(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>)
                     outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  %j = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %s = linalg.matmul ins(%r, %r : tensor<256x256xf32>, tensor<256x256xf32>)
                     outs(%j : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %s : tensor<256x256xf32>
}
"""


def test_threads_have_workspaces_of_their_own() -> None:
    kernel = mlir.compile(_SQUARE)
    assert any(buffer["access"] == "workspace" for buffer in kernel.plan["buffers"])
    inputs = [_random(2, 256, 256) for _ in range(8)]
    for i, each in enumerate(inputs):
        each *= i + 1
    expected = [kernel(*each) for each in inputs]
    start = threading.Barrier(4)

    def run(first: int) -> bool:
        start.wait()
        return all(
            np.array_equal(kernel(*inputs[i % 8]), expected[i % 8])
            for i in range(first, first + 16)
        )

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(0, 8, 2)))


def test_kernels_with_threads_run_in_several_threads() -> None:
    text = (_ROOT / "examples/matmul.mlir").read_text()
    threaded = text.replace("lowering_config = {", "lowering_config = {threads = 2, ")
    kernel = mlir.compile(threaded)
    assert kernel.plan["launches"][0]["threads"] == 2
    inputs = [_random(2, 512, 512) for _ in range(4)]
    for i, each in enumerate(inputs):
        each *= i + 1
    start = threading.Barrier(4)

    def run(i: int) -> list[Array]:
        start.wait()
        return [kernel(*inputs[i]) for _ in range(3)]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(run, range(4)))
    for (a, b), found in zip(inputs, results, strict=True):
        np.testing.assert_allclose(found[0], a @ b, rtol=1e-3, atol=1e-2)
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0])


def test_lock_is_released() -> None:
    # The kernel returns only when another thread has set the flag.
    kernel = mlir.compile(mlir_kernels.WAITS)
    flag = mlir.empty(1, np.int32)
    flag[0] = 0
    setter = threading.Timer(0.05, lambda: flag.__setitem__(0, 1))
    setter.start()
    kernel(flag)
    assert flag[0] == 1
    setter.join()


def test_kernels_outlive_what_made_them(matmul: mlir.Kernel) -> None:
    a, b = _random(8, 16), _random(16, 4)
    expected = matmul(a, b)
    other = mlir.compile(mlir_kernels.SUM_AND_DIFFERENCE)
    again = mlir.compile(mlir_kernels.MATMUL)
    del matmul
    gc.collect()
    np.testing.assert_array_equal(again(a, b), expected)
    result = again(a, b)
    del again, other
    gc.collect()
    np.testing.assert_array_equal(result, expected)


def test_code_is_unloaded_with_its_kernel() -> None:
    def count() -> int:
        return pathlib.Path("/proc/self/maps").read_text().count("tonno-artifact")

    before = count()
    kernel = mlir.compile(mlir_kernels.MATMUL)
    assert count() > before
    del kernel
    gc.collect()
    assert count() == before


def test_what_is_no_kernel_is_refused(tmp_path: pathlib.Path) -> None:
    code = tmp_path / "code"
    code.write_bytes(b"no code")
    plan: dict[str, Any] = {"buffers": [], "launches": [{"symbol": "k_entry", "buffers": []}]}
    with pytest.raises(Error, match="kernel 'k' cannot be loaded: "):
        mlir.Kernel(plan, code, name="k", target="host")
    for target in ("host", "nvptx"):
        with pytest.raises(Error, match="buffers"):
            mlir.Kernel({}, code, name="k", target=target)


def test_without_ml_dtypes_results_of_its_types_are_refused() -> None:
    program = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import numpy\n"
        "from tonno import mlir\n"
        f"kernel = mlir.compile({mlir_kernels.scalar_of('bf16')!r})\n"
        "try: kernel(1.0)\n"
        "except ValueError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert "'arg0' of kernel 'scalar' has elements of bfloat16; install ml_dtypes" in ran.stdout
