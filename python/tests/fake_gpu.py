# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fake driver of a GPU with arrays in its memory, as test/unit/Runtime/Fakes describes it."""

from __future__ import annotations

import ctypes
import dataclasses
import pathlib
import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

CUDA, CUDA_HOST, ROCM, CUDA_MANAGED = 2, 3, 10, 13
"""Device types of DLPack."""
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


@dataclasses.dataclass(frozen=True)
class Vendor:
    name: str
    target: str
    chip: str
    device_type: int
    default_stream: int
    """The number of the default stream in DLPack, which launches get as well."""
    prefix: str
    functions: dict[str, str]
    """The names of functions that tests refer to."""


VENDORS = [
    Vendor(
        "cuda",
        "nvptx",
        "sm_90a",
        CUDA,
        1,
        "cu",
        {
            "launch": "cuLaunchKernel",
            "allocate": "cuMemAlloc_v2",
            "free": "cuMemFree_v2",
            "allocate_async": "cuMemAllocAsync",
            "free_async": "cuMemFreeAsync",
            "fill": "cuMemsetD32Async",
            "load": "cuModuleLoadDataEx",
            "unload": "cuModuleUnload",
            "use": "cuCtxSetCurrent",
            "current": "cuCtxGetCurrent",
            "wait": "cuStreamWaitEvent",
            "event": "cuEventCreate",
            "record": "cuEventRecord",
            "query": "cuEventQuery",
            "begin_capture": "cuStreamBeginCapture_v2",
            "end_capture": "cuStreamEndCapture",
        },
    ),
    Vendor(
        "hip",
        "amdgpu",
        "gfx90a",
        ROCM,
        0,
        "hip",
        {
            "launch": "hipModuleLaunchKernel",
            "allocate": "hipMalloc",
            "free": "hipFree",
            "allocate_async": "hipMallocAsync",
            "free_async": "hipFreeAsync",
            "fill": "hipMemsetD32Async",
            "load": "hipModuleLoadDataEx",
            "unload": "hipModuleUnload",
            "use": "hipSetDevice",
            "current": "hipGetDevice",
            "wait": "hipStreamWaitEvent",
            "event": "hipEventCreateWithFlags",
            "record": "hipEventRecord",
            "query": "hipEventQuery",
            "begin_capture": "hipStreamBeginCapture",
            "end_capture": "hipStreamEndCapture",
        },
    ),
]


@dataclasses.dataclass(frozen=True)
class Entry:
    """A line of the driver's log."""

    device: int
    what: str
    words: list[str]
    """Those without a name."""
    named: dict[str, str]

    @property
    def stream(self) -> int:
        return int(self.named["stream"], 16)

    @property
    def buffers(self) -> list[int]:
        return [int(address, 16) for address in self.named["buffers"].split(",")]

    @property
    def address(self) -> int:
        return int(self.words[0], 16)


class FakeGpu:
    """A vendor's fake driver. The library is a copy, so its state is fresh."""

    def __init__(self, vendor: Vendor, folder: pathlib.Path, variant: str = "") -> None:
        built = pathlib.Path(sys.prefix).parent / "test/unit/Runtime"
        self.vendor = vendor
        self.path = folder / f"lib{vendor.name}{variant}.so"
        shutil.copy(built / f"libfake{vendor.name}{variant}.so", self.path)
        self.library = ctypes.CDLL(str(self.path))
        self.library.fakeLog.restype = ctypes.c_char_p
        self.call("init", ctypes.c_uint(0))
        if vendor.name == "hip":
            self.use(0)  # as its threads begin

    def call(self, name: str, *arguments: Any) -> None:
        name = self.vendor.functions.get(name, f"{self.vendor.prefix}{name.capitalize()}")
        assert self.library[name](*arguments) == 0

    def count(self, name: str) -> int:
        """Returns the number of calls of a function, by its name in `Vendor.functions`."""
        name = self.vendor.functions.get(name, name)
        return int(self.library.fakeCalls(name.encode()))

    def wait_for(self, launches: int) -> None:
        """Waits until another thread has made this number of launches."""
        while len(self.launches()) < launches:
            time.sleep(0.001)

    def count_synchronizations(self) -> int:
        return sum(
            self.count(self.vendor.prefix + name)
            for name in ("StreamSynchronize", "EventSynchronize", "CtxSynchronize")
        )

    def live(self) -> int:
        return int(self.library.fakeLive())

    def log(self) -> list[Entry]:
        entries = []
        for line in self.library.fakeLog().decode().splitlines():
            device, what, *words = line.split()
            named = dict(word.split("=") for word in words if "=" in word)
            entries.append(
                Entry(int(device), what, [word for word in words if "=" not in word], named)
            )
        return entries

    def launches(self) -> list[Entry]:
        return [entry for entry in self.log() if entry.what == "launch"]

    def use(self, device: int) -> None:
        """Makes the device current, as a library of the process does."""
        if self.vendor.name == "hip":
            return self.call("use", device)
        context = ctypes.c_void_p()
        retain = self.library.cuDevicePrimaryCtxRetain
        assert retain(ctypes.byref(context), device) == 0
        self.call("use", context)

    def allocate(self, size: int) -> int:
        address = ctypes.c_uint64()
        self.call("allocate", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def array(self, values: npt.ArrayLike, dtype: str = "float32", **more: Any) -> Array:
        return Array(self, np.array(values, dtype), **more)

    def ones(self, *shape: int, dtype: str = "float32", **more: Any) -> Array:
        return Array(self, np.ones(shape, dtype), **more)


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("type", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Unversioned(ctypes.Structure):
    _fields_ = [
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_rename_capsule = ctypes.pythonapi.PyCapsule_SetName
_rename_capsule.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Export:
    """An object that lives as long as its consumer's capsule."""


_get_context = ctypes.pythonapi.PyCapsule_GetContext
_get_context.restype = ctypes.c_void_p
_get_context.argtypes = [ctypes.c_void_p]
_set_context = ctypes.pythonapi.PyCapsule_SetContext
_set_context.argtypes = [ctypes.py_object, ctypes.c_void_p]


_decrease = ctypes.pythonapi.Py_DecRef
_decrease.argtypes = [ctypes.c_void_p]
_release_export = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
    lambda capsule: _decrease(_get_context(capsule))
)
_set_destructor = ctypes.pythonapi.PyCapsule_SetDestructor
_set_destructor.argtypes = [ctypes.py_object, type(_release_export)]


class Array:
    """An array in a fake GPU's memory, exported by DLPack 1."""

    def __init__(
        self,
        gpu: FakeGpu,
        values: npt.NDArray[Any],
        *,
        device: tuple[int, int] | None = None,
        offset: int = 0,
        strides: Sequence[int] | None = None,
        is_read_only: bool = False,
        address: int | None = None,
    ) -> None:
        """`strides` are in elements; `address` is memory that others allocated."""
        self.device = device or (gpu.vendor.device_type, 0)
        self.shape, self.dtype = values.shape, values.dtype
        self._export: Export | None = None
        self.streams: list[int | None] = []
        """Those that consumers asked for."""
        self.address = (
            gpu.allocate(values.nbytes + offset + 64) + offset if address is None else address
        )
        if address is None:
            ctypes.memmove(self.address, np.ascontiguousarray(values).ctypes.data, values.nbytes)
        self._shape = (ctypes.c_int64 * values.ndim)(*values.shape)
        dense = [stride // values.itemsize for stride in np.ascontiguousarray(values).strides]
        self._strides = (ctypes.c_int64 * values.ndim)(*(strides or dense[: values.ndim]))
        self._managed = _Versioned(
            1, 0, None, None, int(is_read_only), self._describe(values.itemsize)
        )

    def _describe(self, itemsize: int) -> _Tensor:
        code = _CODES.get(self.dtype.kind, 4)  # others are bfloat16
        return _Tensor(
            self.address,
            _Device(*self.device),
            len(self.shape),
            _Type(code, 8 * itemsize, 1),
            self._shape,
            self._strides,
            0,
        )

    def _note(self, stream: int | None) -> None:
        refused = {CUDA: (0,), CUDA_MANAGED: (0,), ROCM: (1, 2)}  # by DLPack's standard
        if stream in refused.get(self.device[0], ()):
            raise ValueError(f"DLPack has no stream {stream} for {self.device}")
        self.streams.append(stream)

    def __dlpack__(
        self, *, stream: int | None = None, max_version: tuple[int, int] | None = None
    ) -> Any:
        assert max_version is not None and max_version[0] >= 1
        self._note(stream)
        capsule = _new_capsule(ctypes.addressof(self._managed), b"dltensor_versioned", None)
        if self._export is not None:
            # The capsule has a reference to it.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._export))
            _set_context(capsule, id(self._export))
            _set_destructor(capsule, _release_export)
            self._export = None
        return capsule

    def export(self) -> Export:
        """Returns what the next consumer keeps alive."""
        self._export = Export()
        return self._export

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def numpy(self) -> npt.NDArray[Any]:
        """Returns a copy of the contents, if they are dense."""
        size = self.dtype.itemsize * int(np.prod(self.shape))
        return np.frombuffer(ctypes.string_at(self.address, size), self.dtype).reshape(self.shape)


class OldArray(Array):
    """An array whose library knows the protocol before DLPack 1 only."""

    def __dlpack__(self, *, stream: int | None = None) -> Any:  # type: ignore[override]
        self._note(stream)
        self._unversioned = _Unversioned(self._managed.tensor, None, None)
        return _new_capsule(ctypes.addressof(self._unversioned), b"dltensor", None)


class Imported:
    """An array that `from_dlpack` of a library made."""

    def __init__(self, given: Any, stream: int | None) -> None:
        self.device = given.__dlpack_device__()
        self._capsule = given.__dlpack__(stream=stream, max_version=(1, 0))
        pointer = _capsule_pointer(self._capsule, b"dltensor")
        _rename_capsule(self._capsule, b"used_dltensor")
        self._pointer = pointer
        self.tensor = _Tensor.from_address(pointer)

    @property
    def address(self) -> int:
        return int(self.tensor.data)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape[i] for i in range(self.tensor.rank))

    def numpy(self) -> npt.NDArray[np.float32]:
        size = 4 * int(np.prod(self.shape))
        return np.frombuffer(ctypes.string_at(self.address, size), np.float32).reshape(self.shape)

    def free(self) -> None:
        """Calls the deleter, behind tensor and context."""
        where = self._pointer + ctypes.sizeof(_Tensor) + ctypes.sizeof(ctypes.c_void_p)
        deleter = ctypes.c_void_p.from_address(where).value
        assert deleter is not None
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(self._pointer)


