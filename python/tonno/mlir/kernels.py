# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels, called with arrays."""

from __future__ import annotations

import json
import math
import pathlib
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tonno import _core

if typing.TYPE_CHECKING:
    import numpy


class AlignmentWarning(UserWarning):
    """An array is copied for a kernel, since its memory is not aligned."""


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
    TypeError, which names the argument. Only an array whose memory does not have the
    alignment that the kernel requires is copied, with an `AlignmentWarning`.

    Calls release the interpreter's lock. Several threads may call a kernel at the
    same time.
    """

    name: str
    """Name of the emitted kernel."""
    target: str
    """`host`, `nvptx` or `amdgpu`."""
    plan: dict[str, Any]
    """The launch plan, as `tonno-compile --emit=plan` writes it."""

    def __init__(
        self, plan: Mapping[str, Any], code: pathlib.Path, *, name: str, target: str
    ) -> None:
        """Loads the code.

        plan: the launch plan, as `tonno-compile --emit=plan` writes it
        code: a shared object, a cubin or a code object; the file may be removed
            once the kernel is constructed
        name: of the emitted kernel
        target: `host`, `nvptx` or `amdgpu`; only kernels for the host can be called
        """
        if target == "host":
            super().__init__(
                name, json.dumps(plan), code.read_bytes(), _warn_of_copy, _make_library_array
            )
        self.name = name
        self.target = target
        self.plan = dict(plan)

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, target={self.target!r})"

    def as_jax(self) -> Callable[..., Any]:
        """Returns a function of JAX arrays that calls the kernel, also in jitted code.

        It takes the arrays that the kernel reads and returns those that it writes.
        `jax.vmap` calls the kernel once for each element of the batch. The kernel
        stays loaded until the process ends.
        """
        from tonno.mlir.jax_functions import make_jax_function

        return make_jax_function(self)

    def as_torch(self) -> Callable[..., Any]:
        """Returns a function of torch tensors that calls the kernel: a custom op, which
        `torch.compile` leaves as it is.

        The kernel stays loaded until the process ends.
        """
        from tonno.mlir.torch_functions import make_torch_function

        return make_torch_function(self)


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
