# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels, called with arrays."""

from __future__ import annotations

import json
import math
import os
import pathlib
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tonno import _core
from tonno.errors import Error
from tonno.mlir import gpu_arrays

if typing.TYPE_CHECKING:
    import numpy


class AlignmentWarning(UserWarning):
    """An array is copied for a kernel, since its memory is not aligned."""


class LoadWarning(UserWarning):
    """Each call of a kernel computes what `Kernel.load` would compute once."""


class Kernel(_core.Kernel):
    """A compiled kernel: its code and how it is launched.

        result = kernel(a, b)
        kernel(a, b, out=result)

    A call takes the kernel's arguments in their order: arrays of NumPy, arrays of
    any library that has `__dlpack__`, and numbers for scalars. It returns one new
    array, a tuple of several, or None for a kernel without results. New arrays
    are of the library of the first array among the arguments. `out=` is an array,
    or a tuple of arrays, that the results are written to.

    Arrays are not copied. They must have the exact shape, strides and type, and
    written arrays must not overlap others; otherwise a call raises `tonno.Error` or
    TypeError, which names the argument. Only an array on the host whose memory does
    not have the alignment that the kernel requires is copied, with an
    `AlignmentWarning`.

    Calls release the interpreter's lock. Several threads may call a kernel at the
    same time.

    A kernel for a GPU takes arrays on one device of its vendor, and numbers:

        result = kernel(a, b)
        result = kernel(a, b, stream=stream)

    The arrays are in the device's memory or in CUDA's managed memory, not in
    pinned memory of the host. A call enqueues the kernel's launches on the stream
    and does not wait for them. The stream is `stream=`: a handle, or an object with
    `__cuda_stream__`, as cuda.core's, `cuda_stream`, as torch's, or `ptr`, as
    CuPy's. Without `stream=`, it is the current stream of torch or CuPy, of the
    library of the first array that is of either; if all arrays are of other
    libraries, such as JAX, it is the default stream. The library of each array is
    asked by `__dlpack__(stream=...)` that this stream waits for the array, with the
    numbers of DLPack: 1 is the default stream of CUDA, 2 that of a thread, 0 the
    default stream of ROCm, and -1 asks for no wait, where the stream is the current
    one of the array's library.

    New arrays are of the first array's library. torch and CuPy make them for the
    stream. Other libraries get memory of the driver by `from_dlpack`, and their
    streams wait for the launches. Arrays stay alive until the launches have ended:
    torch and CuPy see to that on their current stream; other arrays are released by
    a later call.

    The code is loaded on each device at the first call there, and stays loaded
    until the process ends: launches may be in flight when the kernel is gone.
    Failures of a launched kernel are reported by later calls of the driver.
    """

    name: str
    """Name of the emitted kernel."""
    target: str
    """`host`, `nvptx` or `amdgpu`."""
    plan: dict[str, Any]
    """The launch plan, as `tonno-compile --emit=plan` writes it."""

    def __init__(
        self,
        plan: Mapping[str, Any],
        code: pathlib.Path | bytes,
        *,
        name: str,
        target: str,
        driver: str | os.PathLike[str] | None = None,
    ) -> None:
        """Loads the code; that for a GPU is loaded by the first call.

        plan: the launch plan, as `tonno-compile --emit=plan` writes it
        code: a shared object, a cubin or a code object: a file, which may be removed
            once the kernel is constructed, or its contents
        name: of the emitted kernel
        target: `host`, `nvptx` or `amdgpu`
        driver: the library of the GPU's driver; else the system's
        """
        text = json.dumps(plan)
        binary = code if isinstance(code, bytes) else code.read_bytes()
        if target == "host":
            super().__init__(
                name, text, binary, _warn_of_copy, _warn_of_load, _make_library_array
            )
        else:
            library = "" if driver is None else os.fspath(driver)
            chip = str(plan.get("chip", ""))
            super().__init__(name, text, binary, target, chip, library, gpu_arrays)
        self.name = name
        self.target = target
        self.plan = dict(plan)

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, target={self.target!r})"

    def load(self, *arguments: Any) -> None:
        """Computes once what the kernel computes from constant arguments alone.

            kernel.load(x, weights)
            result = kernel(x, weights)

        Takes the arguments of a call. Those that the kernel states to be constant
        (`tonno.constant`) must have the same contents in all later calls, also in those
        of `as_jax` and `as_torch`; call `load` again once they have changed. Without
        `load`, each call does this work, and the second one gives a `LoadWarning`. The memory it takes is the plan's `loaded0`.
        Kernels for GPUs load nothing.
        """
        self.load_constants(arguments)

    def as_jax(self) -> Callable[..., Any]:
        """Returns a function of JAX arrays that calls the kernel, also in jitted code.

        It takes the arrays that the kernel reads and returns those that it writes.
        `jax.vmap` calls the kernel once for each element of the batch. The kernel
        stays loaded until the process ends. Kernels for GPUs raise `tonno.Error`.
        """
        self._refuse_on_gpu("as_jax", "a handler that XLA calls with a stream")
        from tonno.mlir.jax_functions import make_jax_function

        return make_jax_function(self)

    def as_torch(self) -> Callable[..., Any]:
        """Returns a function of torch tensors that calls the kernel: a custom op, which
        `torch.compile` leaves as it is.

        The kernel stays loaded until the process ends. Kernels for GPUs raise
        `tonno.Error`.
        """
        self._refuse_on_gpu("as_torch", "a custom op for tensors on GPUs")
        from tonno.mlir.torch_functions import make_torch_function

        return make_torch_function(self)

    def _refuse_on_gpu(self, method: str, missing: str) -> None:
        if self.target != "host":
            raise Error(
                f"kernel '{self.name}' is for {self.target}, and {method}() is for kernels on "
                f"the host: {missing} is missing; call the kernel with arrays on the GPU"
            )


def empty(shape: int | Sequence[int], dtype: Any = "float32") -> numpy.ndarray[Any, Any]:
    """Returns a new NumPy array, not initialized, whose memory is aligned for every kernel:
    to 64 bytes."""
    import numpy

    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    element = numpy.dtype(dtype)
    size = math.prod(extents) * element.itemsize
    memory = numpy.empty(size + _core.ARRAY_ALIGNMENT, numpy.uint8)
    start = -memory.ctypes.data % _core.ARRAY_ALIGNMENT
    aligned: numpy.ndarray[Any, Any] = memory[start : start + size].view(element)
    return aligned.reshape(extents)


def _warn_of_copy(label: str, alignment: int) -> None:
    warnings.warn(
        f"{label} is copied in each such call: its memory is not aligned to {alignment} bytes; "
        "tonno.mlir.empty makes arrays that are",
        AlignmentWarning,
        stacklevel=2,
    )


def _warn_of_load(name: str) -> None:
    warnings.warn(
        f"each call of kernel '{name}' computes what depends on constant arguments alone, such "
        "as packed weights; call load() once, with the same arguments",
        LoadWarning,
        stacklevel=2,
    )


class _OwnedTensor:
    """Memory on the host that a library takes over by DLPack."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **requested: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _make_library_array(library: Any, capsule: Any) -> Any:
    return library.from_dlpack(_OwnedTensor(capsule))
