# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that know their arguments and their tuned local sizes."""

from __future__ import annotations

import dataclasses
import functools
import math
import shlex
from collections.abc import Sequence
from typing import Any

import pyopencl as cl

from tonno.errors import Error
from tonno.opencl.results import AutotuneResult, LocalSize, sizes_of


@dataclasses.dataclass
class KernelSpec:
    """A kernel as its text, with the local size that was found for it."""

    name: str
    src: str
    workgroup_size: LocalSize | None = None
    """What launches of the kernel `name` without a local size use, where it fits their
    global size, device and the kernel; a tuner writes it."""
    build_options: str | Sequence[str] = ()
    """A text is taken apart as by a shell."""
    _results: dict[str, AutotuneResult] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By the question that they answer."""
    _sizes: dict[tuple[str, str, tuple[int, ...]], LocalSize] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By kernel, of which the text may have others, device, in words so that a spec can
    be copied, and global size."""

    def build(self, queue: cl.CommandQueue) -> Program:
        """Compiles it for the queue's device.

        Raises tonno.Error with the compiler's log.
        """
        options = self.build_options
        if isinstance(options, str):
            try:
                options = shlex.split(options)
            except ValueError as error:
                raise Error(f"the build options {options!r} of '{self.name}': {error}") from error
        options = ["-cl-kernel-arg-info", *options]
        try:
            program = cl.Program(queue.context, self.src).build(options, [queue.device])
        except cl.RuntimeError as error:
            raise Error(f"'{self.name}' does not compile: {error}") from error
        return Program(self, program, self.src)

    def local_size(self, device: cl.Device, global_size: Sequence[int]) -> LocalSize | None:
        """What a launch uses: the size tuned for it, else `workgroup_size` if
        that divides the global size and the device allows it; None leaves it to the
        driver, and so does a launch of a kernel that does not allow it.

        Raises tonno.Error for a `workgroup_size` that is none.
        """
        tuned = self._tuned(self.name, device, global_size)
        if tuned is not None or self.workgroup_size is None:
            return tuned
        sizes = sizes_of(self.workgroup_size)
        if 0 in sizes:
            raise Error(f"the workgroup_size {self.workgroup_size} of '{self.name}' is none")
        if len(sizes) != len(global_size):
            return None
        fits = all(whole % part == 0 for whole, part in zip(global_size, sizes, strict=True))
        return self.workgroup_size if fits and _allows(device, sizes) else None

    def _tuned(
        self, kernel: str, device: cl.Device, global_size: Sequence[int]
    ) -> LocalSize | None:
        return self._sizes.get((kernel, _words_of(device), tuple(global_size)))

    def _keep(
        self,
        key: str,
        kernel: str,
        device: cl.Device,
        global_size: Sequence[int],
        result: AutotuneResult,
    ) -> None:
        if not result.overhead_bound:
            self._results[key] = result
        self._sizes[kernel, _words_of(device), tuple(global_size)] = result.best_local_size
        if kernel == self.name:
            self.workgroup_size = result.best_local_size


@functools.cache
def _words_of(device: cl.Device) -> str:
    platform = device.platform
    return f"{platform.name}, {device.name}, {device.version}, {device.driver_version}"


def _allows(device: cl.Device, sizes: Sequence[int]) -> bool:
    extents = zip(sizes, device.max_work_item_sizes, strict=False)
    return math.prod(sizes) <= device.max_work_group_size and all(
        size <= most for size, most in extents
    )


class Program:
    """A compiled KernelSpec. Its attributes are its kernels, each one object."""

    def __init__(self, spec: KernelSpec, program: cl.Program, source: str) -> None:
        self.spec = spec
        self.program = program
        """pyopencl's."""
        self._source = source
        """What was built: the spec's may have been changed since."""
        self._kernels: dict[str, Kernel] = {}

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):  # OpenCL's compiler keeps these; copy asks for some
            raise AttributeError(name)
        try:
            return self.kernel_of(name)
        except Error as error:
            raise AttributeError(str(error)) from error

    def kernel_of(self, name: str) -> Kernel:
        """The kernel also of a name that this class has itself, such as `spec`.

        Raises tonno.Error where there is none.
        """
        if name not in self._kernels:
            try:
                self._kernels[name] = Kernel(self, name)
            except cl.Error as error:
                raise Error(f"the program has no kernel '{name}'") from error
        return self._kernels[name]


class Kernel(cl.Kernel):
    """A kernel that remembers its arguments, so that what a tuner's launches
    write can be undone, and is launched with its tuned local size."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program.program, name)
        self.spec = program.spec
        self._name = name
        self.built_source = program._source
        self._arguments: dict[int, Any] = {}

    def set_arg(self, index: int, value: Any, /) -> None:
        """As pyopencl's."""
        super().set_arg(index, value)
        self._arguments[index] = value

    def set_args(self, *args: Any) -> None:
        """As pyopencl's."""
        super().set_args(*args)
        self._arguments = dict(enumerate(args))

    def __call__(
        self,
        queue: cl.CommandQueue,
        global_work_size: tuple[int, ...],
        local_work_size: tuple[int, ...] | None,
        *args: Any,
        wait_for: Sequence[cl.Event] | None = None,
        g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
        global_offset: tuple[int, ...] | None = None,
    ) -> cl.Event:
        """As pyopencl's; without a local size, with the one tuned for this kernel, the
        one that it requires, or `spec.local_size`."""
        if local_work_size is None and not g_times_l:
            local_work_size = self._local_size(queue.device, global_work_size)
        event = super().__call__(
            queue,
            global_work_size,
            local_work_size,
            *args,
            wait_for=wait_for,
            g_times_l=g_times_l,
            allow_empty_ndrange=allow_empty_ndrange,
            global_offset=global_offset,
        )
        self._arguments = dict(enumerate(args))
        return event

    def arguments(self) -> list[Any] | None:
        """Those that are set; None unless all of them are."""
        if len(self._arguments) != self.num_args:
            return None
        return [self._arguments[index] for index in range(self.num_args)]

    def _local_size(
        self, device: cl.Device, global_size: Sequence[int]
    ) -> tuple[int, ...] | None:
        tuned = self.spec._tuned(self._name, device, global_size)
        if tuned is not None:
            return tuple(sizes_of(tuned))
        ask, info = self.get_work_group_info, cl.kernel_work_group_info
        required: tuple[int, ...] = tuple(ask(info.COMPILE_WORK_GROUP_SIZE, device))
        if any(required):  # which drivers of OpenCL 1 want to be told
            return required[: len(global_size)]
        stated = None
        if self._name == self.spec.name:
            stated = self.spec.local_size(device, global_size)
        if stated is None:
            return None
        sizes = tuple(sizes_of(stated))
        return sizes if math.prod(sizes) <= ask(info.WORK_GROUP_SIZE, device) else None
