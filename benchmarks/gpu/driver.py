# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, launches and times shipped binaries on the first visible GPU.

It needs nothing but the vendor's driver, of which it calls what lib/Runtime
calls. What fails raises DriverError.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from ctypes import POINTER, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

Work = Callable[[], None]
"""Puts something into the stream, and does not wait for it."""


class DriverError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Vendor:
    device: str
    form: str
    prefix: str
    libraries: tuple[str, ...]
    blas_name: str
    blas_libraries: tuple[str, ...]
    blas_functions: tuple[str, str, str, str]
    blas_plain: int
    """What transposes neither matrix."""
    blas_modes: dict[str, int]
    """The ways to compute f32, none with smaller types than f32 inside."""
    blas_mixed: str | None
    """The function that multiplies smaller types."""


VENDORS = {
    "nvptx": Vendor(
        "cuda",
        "cubin",
        "cu",
        ("libcuda.so.1", "libcuda.so"),
        "cuBLAS",
        ("libcublas.so.13", "libcublas.so.12"),
        ("cublasCreate_v2", "cublasSetStream_v2", "cublasSetMathMode", "cublasSgemm_v2"),
        0,
        {"cuBLAS, pedantic": 2, "cuBLAS": 0},
        "cublasGemmEx",
    ),
    "amdgpu": Vendor(
        "hip",
        "hsaco",
        "hip",
        ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"),
        "rocBLAS",
        ("librocblas.so.5", "librocblas.so.4"),
        ("rocblas_create_handle", "rocblas_set_stream", "rocblas_set_math_mode", "rocblas_sgemm"),
        111,
        {"rocBLAS": 0},
        None,
    ),
}

_ADDRESS, _TEXT, _HANDLE = c_uint64, ctypes.c_char_p, POINTER(c_void_p)
_NUMBER, _STREAM = POINTER(c_int), c_void_p
_LAUNCH = (c_void_p, *[c_uint] * 7, _STREAM, c_void_p, c_void_p)

# NVIDIA's name and AMD's, behind cu and hip; the parameters, alike for both.
_FUNCTIONS: list[tuple[str | None, str | None, tuple[Any, ...]]] = [
    ("Init", "Init", (c_uint,)),
    ("DriverGetVersion", "DriverGetVersion", (_NUMBER,)),
    ("DeviceGet", "DeviceGet", (_NUMBER, c_int)),
    ("DeviceGetName", "DeviceGetName", (_TEXT, c_int, c_int)),
    ("DevicePrimaryCtxRetain", None, (_HANDLE, c_int)),
    ("CtxSetCurrent", None, (c_void_p,)),
    (None, "SetDevice", (c_int,)),
    ("MemAlloc_v2", "Malloc", (POINTER(_ADDRESS), c_size_t)),
    ("MemcpyHtoDAsync_v2", "MemcpyHtoDAsync", (_ADDRESS, c_void_p, c_size_t, _STREAM)),
    ("MemcpyDtoHAsync_v2", "MemcpyDtoHAsync", (c_void_p, _ADDRESS, c_size_t, _STREAM)),
    ("MemcpyDtoDAsync_v2", "MemcpyDtoDAsync", (_ADDRESS, _ADDRESS, c_size_t, _STREAM)),
    ("ModuleLoadDataEx", "ModuleLoadDataEx", (_HANDLE, c_void_p, c_uint, c_void_p, c_void_p)),
    ("ModuleGetFunction", "ModuleGetFunction", (_HANDLE, c_void_p, _TEXT)),
    ("FuncSetAttribute", None, (c_void_p, c_int, c_int)),
    ("LaunchKernel", "ModuleLaunchKernel", _LAUNCH),
    ("StreamCreate", "StreamCreateWithFlags", (_HANDLE, c_uint)),
    ("StreamSynchronize", "StreamSynchronize", (_STREAM,)),
    ("EventCreate", "EventCreateWithFlags", (_HANDLE, c_uint)),
    ("EventRecord", "EventRecord", (c_void_p, _STREAM)),
    ("EventElapsedTime", "EventElapsedTime", (POINTER(c_float), c_void_p, c_void_p)),
]


def _open(names: Sequence[str]) -> ctypes.CDLL:
    why = []
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            why.append(str(error))
    raise DriverError("; ".join(why))


def _function(library: ctypes.CDLL, name: str, parameters: Sequence[Any]) -> Callable[..., None]:
    """A function of C that raises where it returns anything but 0."""
    try:
        function = getattr(library, name)
    except AttributeError:
        raise DriverError(f"the library has no {name}") from None
    function.argtypes = parameters

    def check(code: int, *_: object) -> None:
        if code != 0:
            raise DriverError(f"{name}: error {code}")

    function.errcheck = check
    return function  # type: ignore[no-any-return]


class Driver:
    def __init__(self, vendor: Vendor, path: str | None) -> None:
        library = _open([path] if path else vendor.libraries)
        self._call: dict[str, Callable[..., None]] = {}
        for cuda, hip, parameters in _FUNCTIONS:
            name = cuda if vendor.device == "cuda" else hip
            if name:
                function = _function(library, vendor.prefix + name, parameters)
                self._call[cuda or name] = function
        self._call["Init"](0)
        device = c_int()
        self._call["DeviceGet"](device, 0)
        if "SetDevice" in self._call:
            self._call["SetDevice"](device)
        else:
            self._call["CtxSetCurrent"](self._handle("DevicePrimaryCtxRetain", device))
        text, version = ctypes.create_string_buffer(256), c_int()
        self._call["DeviceGetName"](text, 255, device)
        self._call["DriverGetVersion"](version)
        self.about = f"{text.value.decode()}, driver {version.value}"
        apart_from_default = 1
        self.stream = self._handle("StreamCreate", apart_from_default)
        self._begin, self._end = (self._handle("EventCreate", 0) for _ in range(2))

    def _handle(self, create: str, *arguments: Any) -> c_void_p:
        handle = c_void_p()
        self._call[create](handle, *arguments)
        return handle

    def allocate(self, size: int) -> int:
        address = _ADDRESS()
        self._call["MemAlloc_v2"](address, size)
        return address.value

    def fill(self, address: int, size: int, pattern: bytes) -> None:
        """Repeats the pattern, the last time as far as it fits."""
        done = min(size, len(pattern))
        self._call["MemcpyHtoDAsync_v2"](address, pattern, done, self.stream)
        while done < size:
            step = min(done, size - done)
            self._call["MemcpyDtoDAsync_v2"](address + done, address, step, self.stream)
            done += step
        self._call["StreamSynchronize"](self.stream)

    def read(self, address: int, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self._call["MemcpyDtoHAsync_v2"](data, address, size, self.stream)
        self._call["StreamSynchronize"](self.stream)
        return data.raw

    def copying(self, to: int, source: int, size: int) -> Work:
        copy, stream = self._call["MemcpyDtoDAsync_v2"], self.stream
        return lambda: copy(to, source, size, stream)

    def load(self, binary: bytes, launches: Sequence[dict[str, Any]]) -> list[c_void_p]:
        """The kernels of a launch plan's launches, in their order."""
        # A driver reads a file's header without knowing how short the file is.
        module = self._handle("ModuleLoadDataEx", binary + bytes(64), 0, None, None)
        kernels = []
        for launch in launches:
            kernel = self._handle("ModuleGetFunction", module, launch["symbol"].encode())
            if "FuncSetAttribute" in self._call and launch["shared_bytes"] > 48 << 10:
                max_dynamic_shared_bytes = 8
                self._call["FuncSetAttribute"](
                    kernel, max_dynamic_shared_bytes, launch["shared_bytes"]
                )
            kernels.append(kernel)
        return kernels

    def launching(
        self,
        kernels: Sequence[c_void_p],
        launches: Sequence[dict[str, Any]],
        buffers: Sequence[int],
    ) -> Work:
        run, calls = self._call["LaunchKernel"], []
        for kernel, launch in zip(kernels, launches, strict=True):
            values = [_ADDRESS(buffers[index]) for index in launch["buffers"]]
            pointers = [ctypes.addressof(value) for value in values]
            parameters = (c_void_p * len(values))(*pointers)
            shape = (*launch["grid"], *launch["block"], launch["shared_bytes"])
            calls.append((values, (kernel, *shape, self.stream, parameters, None)))

        def work() -> None:
            for _, arguments in calls:
                run(*arguments)

        return work

    def seconds(self, lead: Iterable[Work], works: Iterable[Work]) -> float:
        """The device's time for the works, behind what is not timed.

        While the device does the lead, the works' launches get ahead of it.
        """
        for work in lead:
            work()
        self._call["EventRecord"](self._begin, self.stream)
        for work in works:
            work()
        self._call["EventRecord"](self._end, self.stream)
        self._call["StreamSynchronize"](self.stream)
        milliseconds = c_float()
        self._call["EventElapsedTime"](milliseconds, self._begin, self._end)
        if not milliseconds.value > 0:
            raise DriverError("the device's clock stands still")
        return milliseconds.value * 1e-3


@dataclasses.dataclass(frozen=True)
class MixedType:
    """A product of smaller types, by cuBLAS's numbers for types and computing."""

    factor: int
    result: int
    compute: int


MIXED_TYPES = {
    "f16": MixedType(2, 0, 68),
    "bf16": MixedType(14, 0, 68),
    "i8": MixedType(3, 10, 72),
}


class Blas:
    """The vendor's product of square matrices, in the driver's stream."""

    def __init__(self, driver: Driver, vendor: Vendor, path: str | None) -> None:
        library = _open([path] if path else vendor.blas_libraries)
        create, set_stream, set_mode, sgemm = vendor.blas_functions
        scalar, matrix = POINTER(c_float), (_ADDRESS, c_int)
        parameters = (c_void_p, *[c_int] * 5, scalar, *matrix, *matrix, scalar, *matrix)
        self._sgemm = _function(library, sgemm, parameters)
        self._set_mode = _function(library, set_mode, (c_void_p, c_int))
        self._mixed = None
        if vendor.blas_mixed:
            mixed = (c_void_p, c_int, c_int)
            parameters = (c_void_p, *[c_int] * 5, c_void_p, *mixed, *mixed, c_void_p, *mixed)
            self._mixed = _function(library, vendor.blas_mixed, (*parameters, c_int, c_int))
        self._plain, self._handle = vendor.blas_plain, c_void_p()
        _function(library, create, (_HANDLE,))(self._handle)
        _function(library, set_stream, (c_void_p, _STREAM))(self._handle, driver.stream)

    def multiplying(self, mode: int, size: int, buffers: Sequence[int]) -> Work:
        # Its matrices go down the columns: in it, what lies in rows is
        # transposed, and the transposed result is y times x.
        x, y, result = buffers
        one, zero, plain = c_float(1), c_float(0), self._plain
        shape = (self._handle, plain, plain, size, size, size)
        arguments = (*shape, one, y, size, x, size, zero, result, size)
        set_mode, sgemm, handle = self._set_mode, self._sgemm, self._handle

        def work() -> None:
            set_mode(handle, mode)
            sgemm(*arguments)

        return work

    def multiplying_mixed(
        self, kind: str, transposed: bool, size: int, buffers: Sequence[int]
    ) -> Work:
        """Multiplies f16 or bf16 to f32, or i8 to i32; the second matrix perhaps transposed."""
        if self._mixed is None:
            raise DriverError("only f32 products of this vendor are called")
        x, y, result = buffers
        mixed, types = self._mixed, MIXED_TYPES[kind]
        scalar = c_int if kind == "i8" else c_float
        one, zero, plain = scalar(1), scalar(0), self._plain
        factors = (y, types.factor, size, x, types.factor, size)
        heuristic = -1
        order = 1 if transposed else plain
        arguments = (
            *(self._handle, order, plain, size, size, size),
            *(ctypes.addressof(one), *factors, ctypes.addressof(zero), result, types.result, size),
            *(types.compute, heuristic),
        )

        def work(_scalars: object = (one, zero)) -> None:
            mixed(*arguments)

        return work
