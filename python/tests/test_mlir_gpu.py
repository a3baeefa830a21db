# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.Kernel for GPUs, with fake drivers and fake arrays of several libraries."""

from __future__ import annotations

import ctypes
import enum
import gc
import json
import pathlib
import sys
import threading
import time
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any

import ml_dtypes
import mlir_kernels
import numpy as np
import pytest
from fake_gpu import (
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    ROCM,
    VENDORS,
    Array,
    Entry,
    FakeGpu,
    Imported,
    OldArray,
)

from tonno import Error, _core, mlir

_STREAM = 0x5000
"""A handle that no library of the tests knows: the fake drivers know created streams only."""

# Three launches with a workspace, whose buffers stand in another order than the plan's.
_CHAIN = """
func.func @chain(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                     outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%r, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                     outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
"""


@pytest.fixture(params=VENDORS, ids=lambda vendor: vendor.name)
def gpu(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> FakeGpu:
    if not (pathlib.Path(sys.prefix).parent / "test/unit/Runtime/libfakecuda.so").exists():
        pytest.skip("the fake drivers were not built")
    return FakeGpu(request.param, tmp_path)


def _buffer(name: str, access: str, shape: list[int], **more: Any) -> dict[str, Any]:
    usual = {"element_type": "f32", "alignment": 64}
    return {"name": name, "access": access, "shape": shape, **usual, **more}


def _launch(symbol: str, buffers: list[int], **more: Any) -> dict[str, Any]:
    return {
        "symbol": symbol,
        "buffers": buffers,
        "grid": [1, 1, 1],
        "block": [8, 1, 1],
        "shared_bytes": 0,
        **more,
    }


_SCALE = {
    "buffers": [_buffer("x", "read", [8]), _buffer("result0", "write", [8])],
    "launches": [_launch("scale_entry", [0, 1], grid=[2, 3, 4], shared_bytes=1024)],
}
_SCALE_CODE = "scale_entry scale 8"


def _make(
    gpu: FakeGpu, plan: dict[str, Any] = _SCALE, code: str = _SCALE_CODE, **more: Any
) -> mlir.Kernel:
    """Returns a kernel whose code is the fake driver's."""
    file = gpu.path.parent / "code"
    file.write_text(f"TONNO-FAKE\n{code}\n")
    plan = {"chip": gpu.vendor.chip, **plan}
    options = {"name": "k", "target": gpu.vendor.target, "driver": gpu.path, **more}
    return mlir.Kernel(plan, file, **options)


def _stream(gpu: FakeGpu) -> int:
    """Returns a new stream of the driver."""
    stream = ctypes.c_void_p()
    create = "StreamCreate" if gpu.vendor.name == "cuda" else "StreamCreateWithFlags"
    gpu.library[gpu.vendor.prefix + create](ctypes.byref(stream), 1)
    assert stream.value is not None
    return stream.value


def _fail(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Makes a function fail: "launch:701"."""
    name, _, code = what.partition(":")
    monkeypatch.setenv("FAKE_DRIVER_FAIL", f"{gpu.vendor.functions[name]}:{code}:0")


# Launches


def test_launch_is_the_plans(gpu: FakeGpu) -> None:
    kernel = _make(gpu)
    x, out, stream = gpu.array(range(8)), gpu.ones(8), _stream(gpu)
    assert kernel(x, out=out, stream=stream) is out
    (launch,) = gpu.launches()
    assert launch == Entry(
        0,
        "launch",
        ["scale_entry"],
        {
            "grid": "2,3,4",
            "block": "8,1,1",
            "shared": "1024",
            "stream": hex(stream),
            "buffers": f"{hex(x.address)},{hex(out.address)}",
        },
    )
    np.testing.assert_array_equal(out.numpy(), 2 * np.arange(8))
    assert gpu.count_synchronizations() == 0


def test_launches_are_enqueued_in_the_plans_order(gpu: FakeGpu) -> None:
    plan = {
        "buffers": [_buffer("x", "read_write", [8]), _buffer("y", "write", [8])],
        "launches": [
            _launch("first", [0]),
            _launch("second", [0, 1]),
            _launch("third", [1, 0]),
        ],
    }
    kernel = _make(gpu, plan, "first add 8\nsecond scale 8\nthird nothing 2")
    x, y, stream = gpu.array(range(8)), gpu.ones(8), _stream(gpu)
    assert kernel(x, y, stream=stream) is None
    assert [(entry.words, entry.stream, entry.buffers) for entry in gpu.launches()] == [
        (["first"], stream, [x.address]),
        (["second"], stream, [x.address, y.address]),
        (["third"], stream, [y.address, x.address]),
    ]
    np.testing.assert_array_equal(y.numpy(), 2 * (np.arange(8) + 1))


def test_sizes_choose_launches_and_their_grids(gpu: FakeGpu) -> None:
    grid = ["((M + 3) / 4)", "2", "1"]
    plan = {
        "chip": gpu.vendor.chip,
        "buffers": [
            _buffer("x", "read", [-1]) | {"sizes": ["M"]},
            _buffer("result0", "write", [-1]) | {"sizes": ["M"]},
            _buffer("M", "read", [], element_type="i64"),
            _buffer("workspace0", "workspace", [-1]) | {"sizes": ["M * 4"]},
        ],
        "launches": [
            _launch("few", [2, 3, 0, 1]) | {"condition": "M <= 4", "grid_sizes": grid},
            _launch("many", [2, 3, 0, 1])
            | {"condition": "(M >= 5 and M <= 6) or M >= 7", "grid_sizes": grid},
        ],
    }
    file = gpu.path.parent / "code"
    file.write_text("TONNO-FAKE\nfew nothing 4\nmany nothing 4\n")
    kernel = mlir.AnySizeKernel(plan, file, name="k", target=gpu.vendor.target, driver=gpu.path)
    for size in (0, 4, 5, 9):
        kernel(gpu.array(range(size)), out=gpu.ones(size))
    assert [(entry.words, entry.named["grid"]) for entry in gpu.launches()] == [
        (["few"], "1,2,1"),
        (["many"], "2,2,1"),
        (["many"], "3,2,1"),
    ]
    assert gpu.count("load") == 1
    filled = [entry.words[-1] for entry in gpu.log() if entry.what == "fill"]
    assert filled[-6:] == ["0x4", "0x0", "0x5", "0x0", "0x9", "0x0"]


def test_shared_memory_beyond_the_usual_is_granted(gpu: FakeGpu) -> None:
    plan = {**_SCALE, "launches": [_launch("scale_entry", [0, 1], shared_bytes=64 << 10)]}
    _make(gpu, plan)(gpu.ones(8), out=gpu.ones(8))
    assert gpu.launches()[0].named["shared"] == str(64 << 10)


def test_lock_is_released(gpu: FakeGpu) -> None:
    # The launch returns only when another thread has set the flag.
    plan = {
        "buffers": [_buffer("flag", "read_write", [1], element_type="i32")],
        "launches": [_launch("waits_entry", [0])],
    }
    kernel = _make(gpu, plan, "waits_entry waits 1")
    flag = gpu.array([0], "int32")

    def set_flag() -> None:
        gpu.wait_for(1)
        ctypes.memset(flag.address, 1, 4)

    setter = threading.Thread(target=set_flag)
    setter.start()
    kernel(flag)
    assert flag.numpy()[0] == 0x01010101
    setter.join()


# Streams


class _CudaStream:
    """A stream with the protocol of cuda.core."""

    def __init__(self, handle: int, version: int = 0) -> None:
        self._answer = (version, handle)

    def __cuda_stream__(self) -> tuple[int, int]:
        return self._answer


@pytest.mark.parametrize(
    "wrap",
    [
        int,
        _CudaStream,
        lambda handle: types.SimpleNamespace(cuda_stream=handle),
        lambda handle: types.SimpleNamespace(ptr=handle),
    ],
    ids=["handle", "__cuda_stream__", "torch", "CuPy"],
)
def test_streams_are_handles_and_objects_of_libraries(
    gpu: FakeGpu, wrap: Callable[[int], Any]
) -> None:
    kernel, x, out, stream = _make(gpu), gpu.ones(8), gpu.ones(8), _stream(gpu)
    kernel(x, out=out, stream=wrap(stream))
    assert [entry.stream for entry in gpu.launches()] == [stream]
    # The libraries of the arrays have to make this stream wait.
    assert x.streams == out.streams == [stream]


@pytest.mark.parametrize("stream", [None, 0])
def test_default_stream_is_that_of_dlpack(gpu: FakeGpu, stream: int | None) -> None:
    kernel, x, out = _make(gpu), gpu.ones(8), gpu.ones(8)
    kernel(x, out=out, stream=stream)
    assert gpu.launches()[0].stream == gpu.vendor.default_stream
    assert x.streams == out.streams == [gpu.vendor.default_stream]


def test_other_streams_are_refused(gpu: FakeGpu) -> None:
    kernel, x, out = _make(gpu), gpu.ones(8), gpu.ones(8)
    for stream in (True, "stream", 1.0, types.SimpleNamespace(ptr=None)):
        with pytest.raises(TypeError, match=r"^stream= is a handle, .* was given$"):
            kernel(x, out=out, stream=stream)
    with pytest.raises(Error, match="stream= is not a stream: the handle is -1"):
        kernel(x, out=out, stream=-1)
    with pytest.raises(Error, match="stream= has version 1 of the protocol __cuda_stream__"):
        kernel(x, out=out, stream=_CudaStream(16, version=1))
    with pytest.raises(Error, match=r"cannot launch 'scale_entry': FAKE_ERROR_400 \(400\)"):
        kernel(x, out=out, stream=_STREAM)
    with pytest.raises(TypeError, match="by position, out= and stream="):
        typing.cast(Any, kernel)(x, out=out, queue=1)


def test_per_thread_stream_of_rocm_is_refused(gpu: FakeGpu) -> None:
    kernel, x, out = _make(gpu), gpu.ones(8), gpu.ones(8)
    if gpu.vendor.name == "cuda":
        kernel(x, out=out, stream=2)
        assert gpu.launches()[0].stream == 2 and x.streams == [2]
        return
    with pytest.raises(
        Error, match="^kernel 'k' cannot run on stream 2, the default stream of a thread, .* pass"
    ):
        kernel(x, out=out, stream=2)
    assert gpu.launches() == [] and x.streams == []


def test_stream_is_that_of_the_first_library_with_streams(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = _FakeTorch(gpu, _stream(gpu))
    monkeypatch.setitem(sys.modules, "torch", torch)
    x, out = gpu.ones(8), torch.Tensor(gpu, np.ones(8, np.float32))
    exported = weakref.ref(x.export())
    monkeypatch.setenv("FAKE_DRIVER_BUSY", "1")
    _make(gpu)(x, out=out)
    assert [entry.stream for entry in gpu.launches()] == [torch.stream]
    assert x.streams == [torch.stream]
    assert out.streams == [-1]  # torch's own work is before the launch
    assert exported()


# Devices


def test_threads_use_the_device_of_their_arrays(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DRIVER_DEVICES", "2")
    place = (gpu.vendor.device_type, 1)
    x, out = gpu.ones(8, device=place), gpu.ones(8, device=place)
    gpu.use(1)
    thread = threading.Thread(target=_make(gpu), args=(x,), kwargs={"out": out})
    thread.start()
    thread.join()
    assert [entry.device for entry in gpu.launches()] == [1]


def test_device_of_the_arrays_is_used_and_left(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DRIVER_DEVICES", "3")
    kernel = _make(gpu)
    gpu.use(2)
    for device in (1, 0, 1):
        place = (gpu.vendor.device_type, device)
        kernel(gpu.ones(8, device=place), out=gpu.ones(8, device=place))
    assert [entry.device for entry in gpu.launches()] == [1, 0, 1]
    # One module for each device that was used.
    assert gpu.count("load") == 2
    gpu.allocate(8)
    assert gpu.log()[-1].device == 2


def test_arrays_are_exported_on_their_device(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    # torch refuses to export tensors of another device than the current one.
    exported = []

    class Tensor(Array):
        def __dlpack__(self, **requested: Any) -> Any:
            gpu.allocate(8)
            exported.append(gpu.log()[-1].device)
            return super().__dlpack__(**requested)

    class DeviceType(enum.IntEnum):  # as torch has it
        GPU = gpu.vendor.device_type

    monkeypatch.setenv("FAKE_DRIVER_DEVICES", "2")
    gpu.use(0)
    x, out = (Tensor(gpu, np.ones(8, np.float32), device=(DeviceType.GPU, 1)) for _ in range(2))
    _make(gpu)(x, out=out)
    with pytest.raises(Error, match="'x' of kernel 'k' has shape"):
        _make(gpu)(Tensor(gpu, np.ones(9, np.float32), device=(DeviceType.GPU, 1)), out=out)
    assert exported == [1, 1, 1]
    gpu.allocate(8)
    assert gpu.log()[-1].device == 0


def test_devices_that_differ_are_refused(gpu: FakeGpu) -> None:
    kernel, ones = _make(gpu), gpu.ones(8)
    name = "cuda" if gpu.vendor.name == "cuda" else "rocm"
    other = ROCM if gpu.vendor.device_type == CUDA else CUDA
    given = {
        "the host": np.ones(8, np.float32),
        f"{'rocm' if name == 'cuda' else 'cuda'}:0": gpu.ones(8, device=(other, 0)),
        "the host, in pinned memory": gpu.ones(8, device=(CUDA_HOST, 0)),
        "device 3 of DLPack's type 12": gpu.ones(8, device=(12, 3)),
    }
    for place, array in given.items():
        with pytest.raises(
            Error, match=rf"^argument 'x' of kernel 'k' is on {name}, .* is on {place}; copy it"
        ):
            kernel(array, out=ones)
        with pytest.raises(
            Error, match=rf"^result 'result0' of kernel 'k' is on {name}:0, .* is on {place};"
        ):
            kernel(ones, out=array)
    second = gpu.ones(8, device=(gpu.vendor.device_type, 1))
    with pytest.raises(
        Error,
        match=rf"^result 'result0' of kernel 'k' is on {name}:0 like argument 'x' of kernel 'k', "
        rf"and the given array is on {name}:1; copy it to that device",
    ):
        kernel(ones, out=second)
    assert gpu.launches() == []


def test_managed_memory_is_the_devices(gpu: FakeGpu) -> None:
    kernel, out = _make(gpu), gpu.ones(8)
    managed = gpu.ones(8, device=(CUDA_MANAGED, 0))
    if gpu.vendor.name == "hip":
        with pytest.raises(Error, match="'x' of kernel 'k' is on rocm, .* is on cuda:0"):
            kernel(managed, out=out)
    else:
        kernel(managed, out=out)
        assert gpu.launches()[0].buffers == [managed.address, out.address]


@pytest.mark.usefixtures("tools")
def test_kernels_for_the_host_take_no_arrays_of_gpus(gpu: FakeGpu) -> None:
    kernel = mlir.compile(mlir_kernels.MATMUL)
    a, b = mlir.empty((8, 16)), mlir.empty((16, 4))
    a[...] = b[...] = 1
    name = "cuda:0" if gpu.vendor.name == "cuda" else "rocm:0"
    with pytest.raises(
        Error,
        match="^argument 'arg0' of kernel 'matmul' is in host memory, and the given array is on "
        f"{name}; copy it to the host$",
    ):
        kernel(gpu.ones(8, 16), b)
    with pytest.raises(TypeError, match="kernel 'matmul' runs on the host and takes no stream="):
        kernel(a, b, stream=_STREAM)
    np.testing.assert_array_equal(kernel(a, b, stream=None), a @ b)
    np.testing.assert_array_equal(kernel(a, b, out=None, stream=None), a @ b)


def test_device_needs_an_array(gpu: FakeGpu) -> None:
    kernel = _make(
        gpu,
        {
            "buffers": [_buffer("factor", "read", []), _buffer("result0", "write", [8])],
            "launches": [_launch("k_entry", [0, 1])],
        },
        "k_entry nothing 2",
    )
    with pytest.raises(Error, match="^kernel 'k' runs on the device of its arrays, .* pass out="):
        kernel(1.0)
    kernel(1.0, out=gpu.ones(8))
    assert len(gpu.launches()) == 1


# Arrays


def test_arrays_are_checked(gpu: FakeGpu) -> None:
    kernel, x, out = _make(gpu), gpu.ones(8), gpu.ones(8)
    refused: list[tuple[Array, str]] = [
        (gpu.ones(9), r"has shape \(8,\), and \(9,\) was given"),
        (gpu.ones(8, 1), r"has shape \(8,\), and \(8, 1\) was given"),
        (gpu.ones(8, strides=[2]), "is contiguous and row-major, and the given array is not"),
        (gpu.ones(8, offset=4), "is aligned to 64 bytes, and the given array is not"),
    ]
    for array, why in refused:
        with pytest.raises(Error, match=f"^argument 'x' of kernel 'k' {why}"):
            kernel(array, out=out)
        with pytest.raises(Error, match=f"^result 'result0' of kernel 'k' {why}"):
            kernel(x, out=array)
    with pytest.raises(Error, match="^argument 'x' .*; pass a copy"):
        kernel(gpu.ones(8, offset=4), out=out)
    with pytest.raises(Error, match="^result 'result0' .*; allocate an array that is"):
        kernel(x, out=gpu.ones(8, offset=4))
    for dtype in ("float64", "int32", "float16"):
        with pytest.raises(TypeError, match=f"'x' of kernel 'k' takes .* float32, and {dtype}"):
            kernel(gpu.ones(8, dtype=dtype), out=out)
    with pytest.raises(Error, match="^result 'result0' .* the given array is read-only"):
        kernel(x, out=gpu.ones(8, is_read_only=True))
    kernel(gpu.ones(8, is_read_only=True), out=out)
    with pytest.raises(TypeError, match="'x' of kernel 'k' is an array .* a list was given"):
        kernel([1.0] * 8, out=out)
    with pytest.raises(TypeError, match="kernel 'k' has 1 argument, and 2 were given"):
        kernel(x, x)
    with pytest.raises(TypeError, match="kernel 'k' has 1 result, and 2 were given"):
        kernel(x, out=(out, out))
    assert len(gpu.launches()) == 1


def test_strides_of_empty_arrays_are_arbitrary(gpu: FakeGpu) -> None:
    plan = {
        "buffers": [_buffer("x", "read", [3, 0]), _buffer("result0", "write", [8])],
        "launches": [_launch("k_entry", [0, 1])],
    }
    _make(gpu, plan, "k_entry nothing 2")(gpu.ones(3, 0, strides=[1, 1]), out=gpu.ones(8))
    assert len(gpu.launches()) == 1


def test_arrays_that_are_written_overlap_no_other(gpu: FakeGpu) -> None:
    kernel, x = _make(gpu), gpu.ones(8)
    overlapping = Array(gpu, np.ones(8, np.float32), address=x.address)
    with pytest.raises(
        Error,
        match="^result 'result0' of kernel 'k' is written, and overlaps argument 'x' of kernel",
    ):
        kernel(x, out=overlapping)
    plan = {
        "buffers": [_buffer("x", "read", [8]), _buffer("y", "read_write", [8], alignment=16)],
        "launches": [_launch("scale_entry", [0, 1])],
    }
    behind = Array(gpu, np.ones(8, np.float32), address=x.address + 16)
    with pytest.raises(Error, match="^argument 'y' .* overlaps argument 'x'"):
        _make(gpu, plan)(x, behind)
    assert gpu.launches() == []


def test_empty_arrays_overlap_no_other(gpu: FakeGpu) -> None:
    plan = {
        "buffers": [_buffer("x", "read", [0]), _buffer("y", "write", [8])],
        "launches": [_launch("k_entry", [0, 1])],
    }
    y = gpu.ones(8)
    inside = Array(gpu, np.ones(0, np.float32), address=y.address + 16)
    plan["buffers"][0]["alignment"] = 16
    _make(gpu, plan, "k_entry nothing 2")(inside, y)
    assert len(gpu.launches()) == 1


def test_elements_that_dlpack_packs_are_refused(gpu: FakeGpu) -> None:
    plan = {
        "buffers": [
            _buffer("x", "read", [8], element_type="i4"),
            _buffer("result0", "write", [8], element_type="i4"),
        ],
        "launches": [_launch("k_entry", [0, 1])],
    }
    x = gpu.ones(8, dtype="int8")
    with pytest.raises(
        Error, match="^argument 'x' of kernel 'k' has elements of int4, .* from a type of 8 bits$"
    ):
        _make(gpu, plan, "k_entry nothing 2")(x, out=x)


def test_failures_to_export_name_the_argument(gpu: FakeGpu) -> None:
    class Refusing(Array):
        def __dlpack__(self, **requested: Any) -> Any:
            raise BufferError("requires gradient")

    class Sharded(Array):
        def __dlpack_device__(self) -> tuple[int, int]:
            raise BufferError("is on several devices")

    for kind, why in ((Refusing, "requires gradient"), (Sharded, "is on several devices")):
        with pytest.raises(
            Error, match=f"^argument 'x' of kernel 'k' cannot use the given array: {why}"
        ):
            _make(gpu)(kind(gpu, np.ones(8, np.float32)), out=gpu.ones(8))


def test_older_protocols_are_known(gpu: FakeGpu) -> None:
    kernel, stream = _make(gpu), _stream(gpu)
    x, out = (OldArray(gpu, np.full(8, 3, np.float32)) for _ in range(2))
    kernel(x, out=out, stream=stream)
    assert x.streams == out.streams == [stream]
    np.testing.assert_array_equal(out.numpy(), np.full(8, 6))


def test_arrays_of_jax_are_not_written(gpu: FakeGpu) -> None:
    jax_array = type("Array", (Array,), {"__module__": "jax"})
    ones = jax_array(gpu, np.ones(8, np.float32))
    with pytest.raises(Error, match="^result 'result0' .* of JAX are read-only; pass one of torch"):
        _make(gpu)(gpu.ones(8), out=ones)
    _make(gpu)(ones, out=gpu.ones(8))


# Scalars

_SCALAR = {
    "buffers": [_buffer("x", "read_write", [8]), _buffer("factor", "read", [])],
    "launches": [_launch("k_entry", [1, 0])],
}


@pytest.mark.parametrize(
    ("element", "value", "words"),
    [
        ("f32", 2.0, [0x40000000, 0]),
        ("f32", np.float32(2.0), [0x40000000, 0]),
        ("f32", np.array(2.0, np.float32), [0x40000000, 0]),
        ("f64", 2.0, [0, 0x40000000]),
        ("bf16", ml_dtypes.bfloat16(2.0), [0x4000, 0]),
        ("i64", -2, [0xFFFFFFFE, 0xFFFFFFFF]),
        ("i8", -2, [0xFE, 0]),
        ("i1", True, [1, 0]),
    ],
)
def test_numbers_are_passed_in_the_order_of_the_stream(
    gpu: FakeGpu, element: str, value: Any, words: list[int]
) -> None:
    plan = {
        **_SCALAR,
        "buffers": [_SCALAR["buffers"][0], _buffer("factor", "read", [], element_type=element)],
    }
    kernel = _make(gpu, plan, "k_entry nothing 2")
    x, stream = gpu.ones(8), _stream(gpu)
    before = len(gpu.log())
    kernel(x, value, stream=stream)
    allocated, low, high, launch, freed, recorded = gpu.log()[before:]
    assert [each.what for each in (allocated, low, high, launch, freed, recorded)] == [
        "allocate-async",
        "fill",
        "fill",
        "launch",
        "free-async",
        "record",
    ]
    assert {each.stream for each in gpu.log()[before:]} == {stream}
    assert [int(each.words[1], 16) for each in (low, high)] == words
    assert high.address == low.address + 4
    assert launch.buffers == [low.address, x.address]
    assert freed.address == allocated.address <= low.address
    assert low.address % 64 == 0


def test_numbers_are_aligned_for_the_driver(gpu: FakeGpu) -> None:
    plan = {
        "buffers": [
            _buffer("x", "write", [8]),
            _buffer("factor", "read", [], alignment=1),
            _buffer("workspace0", "workspace", [3], element_type="i8", alignment=1),
        ],
        "launches": [_launch("k_entry", [1, 0, 2])],
    }
    _make(gpu, plan, "k_entry nothing 3")(gpu.ones(8), 2.0)
    (factor, _, workspace) = gpu.launches()[0].buffers
    assert factor % 4 == 0 and factor >= workspace + 3


def test_scalars_on_the_device_are_arrays(gpu: FakeGpu) -> None:
    kernel = _make(gpu, _SCALAR, "k_entry nothing 2")
    x, factor = gpu.ones(8), gpu.array(2.0)
    kernel(x, factor)
    assert gpu.launches()[0].buffers == [factor.address, x.address]
    assert gpu.count("allocate_async") == gpu.count("fill") == 0
    with pytest.raises(TypeError, match="'factor' of kernel 'k' takes .* float32, and a bool"):
        kernel(x, True)
    with pytest.raises(TypeError, match="'factor' of kernel 'k' takes .* and float64 was given"):
        kernel(x, np.float64(2))


# Workspaces

_WORKSPACE = {
    "buffers": [
        _buffer("x", "read", [8]),
        _buffer("y", "write", [8]),
        _buffer("workspace0", "workspace", [8]),
        _buffer("workspace1", "workspace", [1000], alignment=512),
    ],
    "launches": [_launch("first", [0, 2, 3]), _launch("second", [3, 2, 1])],
}
_WORKSPACE_CODE = "first nothing 3\nsecond nothing 3"


def test_workspace_is_allocated_in_the_order_of_the_stream(gpu: FakeGpu) -> None:
    kernel = _make(gpu, _WORKSPACE, _WORKSPACE_CODE)
    x, y, stream = gpu.ones(8), gpu.ones(8), _stream(gpu)
    before, live = len(gpu.log()), gpu.live()
    kernel(x, y, stream=stream)
    allocated, first, second, freed, _ = gpu.log()[before:]
    assert (allocated.what, freed.what) == ("allocate-async", "free-async")
    assert {each.stream for each in (allocated, first, second, freed)} == {stream}
    small, large = first.buffers[1:]
    assert first.buffers == [x.address, small, large]
    assert second.buffers == [large, small, y.address]
    size = int(allocated.words[1])
    assert allocated.address <= small < small + 32 <= large
    assert large % 512 == small % 64 == 0
    assert large + 4000 <= allocated.address + size
    assert freed.address == allocated.address
    # The module, the context and the event behind the launches stay.
    assert gpu.live() - live == (3 if gpu.vendor.name == "cuda" else 2)


@pytest.mark.parametrize("variant", ["-without-async-memory", ""])
def test_without_ordered_memory_streams_share_a_workspace(
    gpu: FakeGpu, variant: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variant:
        gpu = FakeGpu(gpu.vendor, tmp_path, variant)
    else:
        _fail(gpu, monkeypatch, "allocate_async:801")
    kernel = _make(gpu, _WORKSPACE, _WORKSPACE_CODE)
    x, y, streams = gpu.ones(8), gpu.ones(8), [_stream(gpu), _stream(gpu)]
    before = gpu.count("allocate")
    logged = len(gpu.log())
    for stream in streams:
        kernel(x, y, stream=stream)
    assert gpu.count("allocate") - before == 1
    (used,) = {entry.buffers[1] for entry in gpu.launches() if entry.words == ["first"]}
    # The second stream waits for the last launch on the first.
    first, second = (
        [entry for entry in gpu.log()[logged:] if entry.named.get("stream") == hex(stream)]
        for stream in streams
    )
    assert [entry.what for entry in first] == ["launch", "launch", "record", "record"]
    assert [entry.what for entry in second] == ["wait", "launch", "launch", "record", "record"]
    assert second[0].address == first[2].address
    # Launches may be in flight.
    assert gpu.count("free") == gpu.count("free_async") == 0

    # The graph may run at any time, beside calls.
    gpu.call("begin_capture", ctypes.c_void_p(streams[0]), 0)
    with pytest.raises(Error, match="a graph needs memory that is allocated in the order of the"):
        kernel(x, y, stream=streams[0])
    assert len(gpu.launches()) == 4


def test_workspaces_are_not_used_again_without_an_event(
    gpu: FakeGpu, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = FakeGpu(gpu.vendor, tmp_path, "-without-async-memory")
    kernel = _make(gpu, _WORKSPACE, _WORKSPACE_CODE)
    x, y = gpu.ones(8), gpu.ones(8)
    _fail(gpu, monkeypatch, "event:2")
    for _ in range(2):
        before = gpu.count_synchronizations()
        with pytest.raises(Error, match="cannot create an event"):
            kernel(x, y)
        assert gpu.count_synchronizations() > before
    monkeypatch.delenv("FAKE_DRIVER_FAIL")
    kernel(x, y)
    assert gpu.count("wait") == 0
    kernel(x, y)
    assert gpu.count("wait") == 1


def test_threads_that_share_a_workspace_enqueue_in_turn(
    gpu: FakeGpu, tmp_path: pathlib.Path
) -> None:
    gpu = FakeGpu(gpu.vendor, tmp_path, "-without-async-memory")
    plan = {
        "buffers": [
            _buffer("flag", "read_write", [1], element_type="i32"),
            _buffer("workspace0", "workspace", [8]),
        ],
        "launches": [_launch("first", [0]), _launch("second", [0, 1])],
    }
    kernel = _make(gpu, plan, "first waits 1\nsecond nothing 2")
    flags, stream = [gpu.array([0], "int32") for _ in range(2)], _stream(gpu)
    threads = [
        threading.Thread(target=kernel, args=(flag,), kwargs={"stream": stream}) for flag in flags
    ]
    threads[0].start()
    gpu.wait_for(1)  # which has not returned
    threads[1].start()
    time.sleep(0.1)
    for flag in flags:
        ctypes.memset(flag.address, 1, 4)
    for thread in threads:
        thread.join()
    assert [(entry.words[0], entry.buffers[0]) for entry in gpu.launches()] == [
        (name, flag.address) for flag in flags for name in ("first", "second")
    ]


# Results


def test_results_are_memory_of_the_driver(gpu: FakeGpu) -> None:
    class Library:
        stream: int | None = -1

        def from_dlpack(self, given: Any) -> Imported:
            return Imported(given, self.stream)

    library = Library()

    class Other(Array):
        def __array_namespace__(self) -> Library:
            return library

    x, stream = Other(gpu, np.arange(8, dtype=np.float32)), _stream(gpu)
    kernel = _make(gpu)
    kernel(x, out=gpu.ones(8))
    live = gpu.live()
    result = kernel(x, stream=stream)
    assert isinstance(result, Imported)
    assert result.device == (gpu.vendor.device_type, 0) and result.shape == (8,)
    launch = gpu.launches()[-1]
    assert launch.buffers == [x.address, result.address] and launch.stream == stream
    np.testing.assert_array_equal(result.numpy(), 2 * np.arange(8))
    assert gpu.live() == live + 1
    result.free()
    assert gpu.live() == live
    assert gpu.count("wait") == 0

    # The library's stream waits for the launch.
    for library.stream, waiting in (
        (_stream(gpu), None),
        (gpu.vendor.default_stream, gpu.vendor.default_stream),
        (None, gpu.vendor.default_stream),
    ):
        before = len(gpu.log())
        kernel(x, stream=stream).free()
        entries = [each for each in gpu.log()[before:] if each.what in ("launch", "record", "wait")]
        launched, _, recorded, waited = entries
        assert (launched.what, recorded.what, waited.what) == ("launch", "record", "wait")
        assert recorded.stream == stream and recorded.address == waited.address
        assert waited.stream == (library.stream if waiting is None else waiting)
    library.stream = stream
    before = gpu.count("wait")
    kernel(x, stream=stream).free()
    assert gpu.count("wait") == before

    if gpu.vendor.name == "cuda":
        managed = Other(gpu, np.ones(8, np.float32), device=(CUDA_MANAGED, 0))
        assert kernel(managed).device == (CUDA, 0)


def test_results_are_exported_to_their_device_without_a_copy(gpu: FakeGpu) -> None:
    place = (gpu.vendor.device_type, 0)
    asked: dict[str, Any] = {}

    class Other(Array):
        def __array_namespace__(self) -> Any:
            def from_dlpack(given: Any) -> Any:
                return given.__dlpack__(stream=-1, max_version=(1, 0), **asked)

            return types.SimpleNamespace(from_dlpack=from_dlpack)

    kernel, x = _make(gpu), Other(gpu, np.ones(8, np.float32))
    for asked in ({}, {"dl_device": place, "copy": False}, {"dl_device": None, "copy": None}):
        assert type(kernel(x)).__name__ == "PyCapsule"
    for asked in ({"dl_device": (1, 0)}, {"dl_device": (place[0], 1)}):
        with pytest.raises(BufferError, match=r"is on DLPack's device \(\d+, 0\) and cannot"):
            kernel(x)
    asked = {"copy": True}
    with pytest.raises(BufferError, match="is exported without a copy"):
        kernel(x)


def test_streams_that_cannot_wait_are_errors(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Other(Array):
        def __array_namespace__(self) -> Any:
            return types.SimpleNamespace(from_dlpack=lambda given: Imported(given, 1))

    x, live = Other(gpu, np.ones(8, np.float32)), gpu.live()
    _fail(gpu, monkeypatch, "wait:1")
    with pytest.raises(Error, match=r"^cannot wait for an event: FAKE_ERROR_1 \(1\)"):
        _make(gpu)(x, stream=_stream(gpu))
    gc.collect()
    # The module, the context, the stream and the event behind the launches stay.
    assert gpu.live() - live == (4 if gpu.vendor.name == "cuda" else 3)


def test_libraries_without_from_dlpack_need_out(gpu: FakeGpu) -> None:
    with pytest.raises(
        Error, match="^result 'result0' of kernel 'k' cannot be made: .* 'x' .*; pass out="
    ):
        _make(gpu)(gpu.ones(8))
    assert gpu.launches() == []


class _FakeTorch(types.ModuleType):
    """The functions of torch that kernels use."""

    def __init__(self, gpu: FakeGpu, current: int) -> None:
        super().__init__("torch")
        self.stream = current
        self.made: list[tuple[Any, ...]] = []
        self.float32 = "torch.float32"

        class Tensor(Array):
            pass

        class Parameter(Tensor):
            pass

        self.Tensor, self.Parameter = Tensor, Parameter

        class Guard:
            def __init__(guard, stream: Any) -> None:
                guard.stream = stream

            def __enter__(guard) -> None:
                guard.before, self.stream = self.stream, guard.stream.cuda_stream

            def __exit__(guard, *raised: object) -> None:
                self.stream = guard.before

        def external(handle: int, device: Any) -> Any:
            assert device == ("cuda", 0)
            return types.SimpleNamespace(cuda_stream=handle)

        self.cuda = types.SimpleNamespace(
            current_stream=lambda device: external(self.stream, ("cuda", device)),
            default_stream=lambda device: external(0, device),
            ExternalStream=external,
            stream=Guard,
        )
        self.device = lambda kind, index: (kind, index)

        def empty_strided(shape: Any, strides: Any, dtype: Any, device: Any) -> Any:
            self.made.append((shape, strides, dtype, device, self.stream))
            return Tensor(gpu, np.empty(shape, np.float32))

        self.empty_strided = empty_strided


def test_torchs_stream_and_allocator_are_used(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, other = _stream(gpu), _stream(gpu)
    torch = _FakeTorch(gpu, current)
    monkeypatch.setitem(sys.modules, "torch", torch)
    x = torch.Tensor(gpu, np.arange(8, dtype=np.float32))
    kernel = _make(gpu)
    for stream, expected in ((None, current), (other, other), (0, 0)):
        result = kernel(x, stream=stream)
        assert isinstance(result, torch.Tensor)
        assert torch.made[-1] == ((8,), (1,), "torch.float32", ("cuda", 0), expected)
        assert torch.stream == current
        launch = gpu.launches()[-1]
        assert launch.stream == (expected or gpu.vendor.default_stream)
        assert launch.buffers == [x.address, result.address]
        assert x.streams.pop() == (-1 if stream is None else launch.stream)
        assert result.streams == [-1]  # new memory, of this stream
        np.testing.assert_array_equal(result.numpy(), 2 * np.arange(8))
    del torch.float32
    with pytest.raises(Error, match="the installed torch has no elements of float32"):
        kernel(x)


def test_cupys_stream_and_allocator_are_used(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, other = _stream(gpu), _stream(gpu)
    stack = [current]
    made: list[tuple[Any, ...]] = []

    class NdArray(Array):
        pass

    class Guard:
        def __init__(self, value: int, device: int = 0) -> None:
            assert device == 0
            self.value = value

        def __enter__(self) -> None:
            stack.append(self.value)

        def __exit__(self, *raised: object) -> None:
            stack.pop()

    class Device(Guard):
        def __enter__(self) -> None:
            stack.append(stack[-1])

    def empty(shape: Any, dtype: str) -> NdArray:
        made.append((shape, dtype, stack[-1]))
        return NdArray(gpu, np.empty(shape, dtype))

    cupy: Any = types.ModuleType("cupy")
    cupy.ndarray, cupy.empty = NdArray, empty
    cupy.cuda = types.SimpleNamespace(
        Device=Device,
        ExternalStream=Guard,
        get_current_stream=lambda device: types.SimpleNamespace(ptr=stack[-1]),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    x = NdArray(gpu, np.arange(8, dtype=np.float32))
    kernel = _make(gpu)
    for stream, expected in ((None, current), (other, other)):
        result = kernel(x, stream=stream)
        assert isinstance(result, NdArray) and stack == [current]
        assert made[-1] == ((8,), "float32", expected)
        launch = gpu.launches()[-1]
        assert launch.stream == expected
        assert launch.buffers == [x.address, result.address]


def test_several_results_are_a_tuple(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = {
        "buffers": [
            _buffer("x", "read", [8]),
            _buffer("result0", "write", [8]),
            _buffer("result1", "write", [4, 2]),
        ],
        "launches": [_launch("k_entry", [2, 1, 0])],
    }
    torch = _FakeTorch(gpu, _stream(gpu))
    monkeypatch.setitem(sys.modules, "torch", torch)
    kernel = _make(gpu, plan, "k_entry nothing 3")
    x = torch.Tensor(gpu, np.ones(8, np.float32))
    first, second = kernel(x)
    assert second.shape == (4, 2) and torch.made[-1][:2] == ((4, 2), (2, 1))
    assert gpu.launches()[-1].buffers == [second.address, first.address, x.address]


# Arrays of launches in flight


def test_arrays_live_until_the_stream_has_passed(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, stream = _make(gpu), _stream(gpu)
    x, out = gpu.ones(8), gpu.ones(8)
    exported = [weakref.ref(array.export()) for array in (x, out)]
    monkeypatch.setenv("FAKE_DRIVER_BUSY", "1")
    kernel(x, out=out, stream=stream)
    entries = [each for each in gpu.log() if each.what in ("launch", "record")]
    assert [(each.what, each.stream) for each in entries] == [
        ("launch", stream),
        ("record", stream),
    ]
    kernel(gpu.ones(8), out=gpu.ones(8), stream=stream)
    assert all(each() for each in exported)
    monkeypatch.delenv("FAKE_DRIVER_BUSY")
    live = gpu.live()
    with pytest.raises(TypeError):
        kernel([])
    assert not any(each() for each in exported)
    assert gpu.live() == live - 2  # the events


def test_arrays_of_calls_that_fail_live_until_the_stream_has_passed(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {**_SCALE, "launches": [_launch("first", [0, 1]), _launch("second", [0, 1])]}
    kernel = _make(gpu, plan, "first nothing 2\nsecond nothing 2")
    x = gpu.ones(8)
    exported = weakref.ref(x.export())
    monkeypatch.setenv("FAKE_DRIVER_BUSY", "1")
    monkeypatch.setenv("FAKE_DRIVER_FAIL", f"{gpu.vendor.functions['launch']}:701:2")
    with pytest.raises(Error, match="cannot launch 'second'"):
        kernel(x, out=gpu.ones(8))
    assert exported()  # the first launch may be in flight
    monkeypatch.delenv("FAKE_DRIVER_BUSY")
    with pytest.raises(TypeError):
        kernel([])
    assert not exported()


def test_arrays_of_calls_that_fail_are_waited_for_without_an_event(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {**_SCALE, "launches": [_launch("first", [0, 1]), _launch("second", [0, 1])]}
    kernel, functions = _make(gpu, plan, "first nothing 2\nsecond nothing 2"), gpu.vendor.functions
    monkeypatch.setenv(
        "FAKE_DRIVER_FAIL", f"{functions['launch']}:701:2,{functions['event']}:2:0"
    )
    with pytest.raises(Error, match="cannot launch 'second'"):
        kernel(gpu.ones(8), out=gpu.ones(8))
    assert gpu.count_synchronizations() == 1


def test_calls_are_captured_into_graphs(gpu: FakeGpu) -> None:
    kernel, stream, graph = _make(gpu), _stream(gpu), ctypes.c_void_p()
    x, out = gpu.ones(8), gpu.ones(8)
    kernel(x, out=out, stream=stream)  # loads the code, and leaves an event
    exported = weakref.ref(x.export())
    gpu.call("begin_capture", ctypes.c_void_p(stream), 0)
    kernel(x, out=out, stream=stream)
    kernel(x, out=out, stream=stream)
    gpu.call("end_capture", ctypes.c_void_p(stream), ctypes.byref(graph))
    assert not exported()  # arrays of a graph are the caller's


def test_libraries_that_free_in_order_need_no_event(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = _FakeTorch(gpu, _stream(gpu))
    monkeypatch.setitem(sys.modules, "torch", torch)
    x, out = (kind(gpu, np.ones(8, np.float32)) for kind in (torch.Parameter, torch.Tensor))
    kernel = _make(gpu)

    def count_events() -> int:
        return sum(each.what == "record" for each in gpu.log())

    kernel(x, out=out)
    kernel(x, out=out, stream=torch.stream)
    assert count_events() == 0
    kernel(x, out=out, stream=_stream(gpu))
    assert count_events() == 1
    kernel(x, out=gpu.ones(8))
    assert count_events() == 2
    kernel(x, stream=_stream(gpu))
    assert count_events() == 3  # for `x`


def test_first_event_in_flight_of_a_stream_is_queried(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, x, out = _make(gpu), gpu.ones(8), gpu.ones(8)
    monkeypatch.setenv("FAKE_DRIVER_BUSY", "1")
    for stream in [_stream(gpu), _stream(gpu)] * 3:
        kernel(x, out=out, stream=stream)
    before = gpu.count("query")
    with pytest.raises(TypeError):
        kernel([])
    assert gpu.count("query") - before == 2


# Code and drivers


def test_code_is_loaded_once_and_outlives_its_kernel(gpu: FakeGpu) -> None:
    kernel, x, out = _make(gpu), gpu.ones(8), gpu.ones(8)
    assert gpu.count("load") == 0
    kernel(x, out=out)
    kernel(x, out=out)
    assert gpu.count("load") == 1
    del kernel
    gc.collect()
    assert gpu.count("unload") == 0
    again = _make(gpu)
    again(x, out=out)
    assert gpu.count("load") == 1
    _make(gpu, code="scale_entry add 8")(x, out=out)
    assert gpu.count("load") == 2


def test_other_chips_are_refused(gpu: FakeGpu) -> None:
    compiled = "sm_80a" if gpu.vendor.name == "cuda" else "gfx942"
    kernel = _make(gpu, {**_SCALE, "chip": compiled})
    name = "cuda" if gpu.vendor.name == "cuda" else "rocm"
    with pytest.raises(
        Error,
        match=f"^kernel 'k' cannot run on {name}:0: the binary is for {compiled}, which the device, "
        f"{gpu.vendor.chip}, cannot run$",
    ):
        kernel(gpu.ones(8), out=gpu.ones(8))
    assert gpu.count("load") == 0


def test_plans_without_a_chip_are_refused(gpu: FakeGpu) -> None:
    kernel = _make(gpu, {**_SCALE, "chip": ""})
    with pytest.raises(Error, match="the launch plan names no chip; add the one that .* 'chip'$"):
        kernel(gpu.ones(8), out=gpu.ones(8))


def test_missing_driver_has_a_remedy(gpu: FakeGpu, tmp_path: pathlib.Path) -> None:
    kernel = _make(gpu, driver=tmp_path / "libnone.so")
    for _ in range(2):
        with pytest.raises(
            Error,
            match=r"^kernel 'k' cannot run on \w+:0: no (NVIDIA|AMD) driver \(.*libnone.so.*\); "
            "install .*, or name its library by driver=$",
        ):
            kernel(gpu.ones(8), out=gpu.ones(8))
    library = "libcuda.so.1" if gpu.vendor.name == "cuda" else "libamdhip64.so.7"
    try:
        ctypes.CDLL(library)
    except OSError:
        with pytest.raises(Error, match=rf"no \w+ driver \({library}: .*driver="):
            _make(gpu, driver=None)(gpu.ones(8), out=gpu.ones(8))


@pytest.mark.parametrize(
    ("failing", "doing"),
    [
        ("load:200", "load the binary"),
        ("launch:701", "launch 'first'"),
        ("use:3", "make the device current"),
        ("current:3", "read the current device"),
        ("allocate_async:2", "allocate a workspace of 4"),
        ("free_async:1", "free the workspace"),
        ("fill:1", "pass a scalar"),
        ("event:2", "create an event"),
        ("record:1", "record an event"),
    ],
)
def test_errors_of_the_driver_have_its_text(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch, failing: str, doing: str
) -> None:
    monkeypatch.setenv("FAKE_DRIVER_DEVICES", "2")
    plan = {
        "buffers": [
            *_WORKSPACE["buffers"][:2],
            _buffer("s", "read", []),
            _buffer("workspace0", "workspace", [1000]),
        ],
        "launches": [_launch("first", [0, 1, 2, 3])],
    }
    kernel = _make(gpu, plan, "first nothing 4")
    gpu.use(1)
    x, y = gpu.ones(8), gpu.ones(8)
    _fail(gpu, monkeypatch, failing)
    code = failing.partition(":")[2]
    with pytest.raises(
        Error,
        match=rf"^kernel 'k' cannot run on \w+:0: cannot {doing}.*: FAKE_ERROR_{code} \({code}\), "
        "as it was told to$",
    ):
        kernel(x, y, 1.0)
    monkeypatch.delenv("FAKE_DRIVER_FAIL")
    kernel(x, y, 1.0)
    # Memory that was allocated before the failure was freed.
    allocated = [each.address for each in gpu.log() if each.what == "allocate-async"]
    freed = [each.address for each in gpu.log() if each.what == "free-async"]
    assert len(allocated) - len(freed) == (failing == "free_async:1")


def test_results_without_memory_are_errors(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Other(Array):
        def __array_namespace__(self) -> Any:
            return types.SimpleNamespace(from_dlpack=lambda given: Imported(given, -1))

    x = Other(gpu, np.ones(8, np.float32))
    kernel = _make(gpu)
    _fail(gpu, monkeypatch, "allocate:2")
    with pytest.raises(Error, match=r"cannot run on \w+:0: cannot allocate 32 bytes: FAKE_ERROR_2"):
        kernel(x)


def test_kernels_that_exceed_the_device_are_refused(gpu: FakeGpu) -> None:
    plan = {**_SCALE, "launches": [_launch("scale_entry", [0, 1], block=[2048, 1, 1])]}
    with pytest.raises(Error, match="asks for 2048 threads of a block in x, but at most 1024"):
        _make(gpu, plan)(gpu.ones(8), out=gpu.ones(8))
    with pytest.raises(Error, match="the binary has no symbol 'scale_entry'"):
        _make(gpu, code="other scale 8")(gpu.ones(8), out=gpu.ones(8))


def test_functions_for_the_host_are_refused(gpu: FakeGpu) -> None:
    kernel = _make(gpu)
    with pytest.raises(Error, match=r"for (nvptx|amdgpu), and as_jax\(\) is for kernels on the "):
        kernel.as_jax()
    with pytest.raises(Error, match=r"for (nvptx|amdgpu), and as_torch\(\) is for kernels on the"):
        kernel.as_torch()
    for method in (kernel.share_with_xla, lambda: kernel.check_shape(0, [8])):
        with pytest.raises(Error, match="kernel 'k' is for a GPU"):
            method()
    with pytest.raises(Error, match="its target is 'opencl', and those of kernels are host, "):
        _make(gpu, target="opencl")
    assert kernel.num_arguments == 1 and len(kernel.hash) == 64


def test_kernels_are_constructed() -> None:
    class Unfinished(mlir.Kernel):
        def __init__(self) -> None:
            pass

    with pytest.raises((Error, RuntimeError, TypeError)):
        Unfinished()(1)
    assert issubclass(mlir.Kernel, _core.Kernel)


# The tool's own code and plans


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("text", [_CHAIN, mlir_kernels.SCALE], ids=["chain", "scale"])
def test_plans_of_the_tool_are_launched(
    gpu: FakeGpu, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip = "sm_90a" if gpu.vendor.name == "cuda" else "gfx942"
    monkeypatch.setenv("FAKE_DRIVER_CHIP", "90" if chip == "sm_90a" else f"{chip}:sramecc+:xnack-")
    compiled = mlir.compile(text, target=gpu.vendor.target, chip=chip, driver=gpu.path)
    assert (compiled.target, compiled.plan["chip"]) == (gpu.vendor.target, chip)
    launches = compiled.plan["launches"]
    assert len(launches) == (2 if text == _CHAIN else 1)

    # The fake driver knows no real code, but says so as a driver does.
    buffers = [each for each in compiled.plan["buffers"] if each["access"] != "workspace"]
    arrays = [gpu.ones(*each["shape"]) for each in buffers]
    count = compiled.num_arguments
    outs = {"out": tuple(arrays[count:])} if len(arrays) > count else {}
    with pytest.raises(Error, match=r"cannot load the binary: FAKE_ERROR_200 \(200\)"):
        compiled(*arrays[:count], **outs)

    code = "\n".join(f"{each['symbol']} nothing {len(each['buffers'])}" for each in launches)
    kernel = _make(gpu, json.loads(json.dumps(compiled.plan)), code, name=compiled.name)
    kernel(*arrays[:count], **outs)
    for entry, launch in zip(gpu.launches(), launches, strict=True):
        assert entry.words == [launch["symbol"]]
        for name in ("grid", "block"):
            assert entry.named[name] == ",".join(map(str, launch[name]))
        assert entry.named["shared"] == str(launch["shared_bytes"])
        for index, address in zip(launch["buffers"], entry.buffers, strict=True):
            if index < len(arrays):
                assert address == arrays[index].address
