# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and new arrays of the libraries whose arrays GPU kernels take.

torch and CuPy are used if the caller has imported them: else no array is theirs.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from tonno.errors import Error


def _find_library(array: Any) -> tuple[Any, Any]:
    """Returns torch and None, None and CuPy, or twice None."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(array, torch.Tensor):
        return torch, None
    if cupy is not None and isinstance(array, cupy.ndarray):
        return None, cupy
    return None, None


def _current_stream(array: Any, device: int) -> int | None:
    """Returns the handle of the current stream of the array's library, or None for libraries
    other than torch and CuPy."""
    torch, cupy = _find_library(array)
    if torch is not None:
        return int(torch.cuda.current_stream(device).cuda_stream)
    if cupy is not None:
        return int(cupy.cuda.get_current_stream(device).ptr)
    return None


def find_stream(stream: Any, arrays: list[Any], device: int) -> tuple[int, list[bool]]:
    """Returns the handle of a stream. If `stream` is None, this is the current stream of the
    first library among those of the arrays that has one, or else the default stream. Returns
    also, for each array, whether the stream is the current one of the array's library: the
    library then writes and frees the array's memory in the order of the stream. Raises TypeError
    or `Error` if the object is not a stream."""
    currents = [_current_stream(array, device) for array in arrays]
    if stream is None:
        handle = next((current for current in currents if current is not None), 0)
    else:
        handle = _find_handle(stream)
    return handle, [current == handle for current in currents]


def _find_handle(stream: Any) -> int:
    if hasattr(stream, "__cuda_stream__"):
        version, handle = stream.__cuda_stream__()
        if version != 0:
            raise Error(
                f"stream= has version {version} of the protocol __cuda_stream__, and tonno "
                "knows version 0; pass the stream's handle"
            )
    else:
        handle = getattr(stream, "cuda_stream", getattr(stream, "ptr", stream))
    if isinstance(handle, bool) or not isinstance(handle, int):
        raise TypeError(
            "stream= is a handle, or a stream of torch or CuPy, or an object with "
            f"__cuda_stream__, and a {type(stream).__name__} was given"
        )
    if handle < 0:
        raise Error(f"stream= is not a stream: the handle is {handle}")
    return handle


def make_result(
    array: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: str,
    device: int,
    stream: int,
) -> Any:
    """Returns a new array of the library of `array`, on the device, whose memory the library
    uses in the order of the stream. Returns None if the library has no way to make it."""
    torch, cupy = _find_library(array)
    is_current = stream == _current_stream(array, device)
    if torch is not None:
        if not hasattr(torch, dtype):
            raise Error(f"the installed torch has no elements of {dtype}; pass out=")
        torch_device = torch.device("cuda", device)
        context: Any = contextlib.nullcontext()
        if not is_current:
            context = torch.cuda.stream(
                torch.cuda.ExternalStream(stream, device=torch_device)
                if stream > 1
                else torch.cuda.default_stream(torch_device)
            )
        with context:
            return torch.empty_strided(
                shape, strides, dtype=getattr(torch, dtype), device=torch_device
            )
    if cupy is not None and strides == _dense_strides(shape):
        with cupy.cuda.Device(device):
            context = contextlib.nullcontext()
            if not is_current:
                context = cupy.cuda.ExternalStream(stream, device)
            with context:
                try:
                    return cupy.empty(shape, dtype)
                except TypeError as error:
                    raise Error(
                        f"the installed CuPy has no elements of {dtype}; pass out="
                    ) from error
    return None


def _dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    stride = 1
    for extent in reversed(shape):
        strides.insert(0, stride)
        stride *= extent
    return tuple(strides)


class _OwnedGpuTensor:
    """Memory of a GPU that a library takes over by DLPack."""

    def __init__(
        self, capsule: Any, device: tuple[int, int], wait: Callable[[int], None]
    ) -> None:
        self._capsule = capsule
        self._device = device
        self._wait = wait

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        del max_version  # consumers take older versions as well
        if dl_device is not None and tuple(dl_device) != self._device:
            raise BufferError(
                f"the memory of a kernel's result is on DLPack's device {self._device} and "
                f"cannot be exported to {tuple(dl_device)}"
            )
        if copy:
            raise BufferError("the memory of a kernel's result is exported without a copy")
        # None is the default stream; -1 asks for none to wait.
        if stream != -1:
            self._wait(stream or 0)
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def wrap_result(
    library: Any, capsule: Any, device: tuple[int, int], wait: Callable[[int], None]
) -> Any:
    """Returns an array of the library that owns the capsule's memory. `wait` makes a stream, as
    DLPack numbers it, wait for the memory's contents."""
    return library.from_dlpack(_OwnedGpuTensor(capsule, device, wait))
