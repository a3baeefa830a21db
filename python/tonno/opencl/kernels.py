# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that store their arguments and their tuned local sizes."""

from __future__ import annotations

import dataclasses
import functools
import math
import shlex
from collections.abc import Sequence
from typing import Any

import pyopencl as cl

from tonno.errors import Error
from tonno.opencl.results import AutotuneResult, LocalSize, parse_size


@dataclasses.dataclass
class KernelSpec:
    """The text of a kernel, with the local size that was found for it."""

    name: str
    src: str
    workgroup_size: LocalSize | None = None
    """Local size of launches of the kernel `name` without a local size, if it fits the global
    size, the device and the kernel; a tuner writes it."""
    build_options: str | Sequence[str] = ()
    """Options of the compiler; a string is split as by a shell."""
    _results: dict[str, AutotuneResult] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Results by the question that they answer."""
    _sizes: dict[tuple[str, str, tuple[int, ...]], LocalSize] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Local sizes by kernel name, device name and global size. Names allow the spec to be copied.
    """

    def build(self, queue: cl.CommandQueue) -> Program:
        """Compiles the kernel for the queue's device.

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
        """Returns the local size of a launch: the size tuned for it, else `workgroup_size` if
        that divides the global size and the device allows it. None leaves the size to the
        driver, also if the kernel does not allow the size.

        Raises tonno.Error for an invalid `workgroup_size`.
        """
        tuned = self._tuned(self.name, device, global_size)
        if tuned is not None or self.workgroup_size is None:
            return tuned
        sizes = parse_size(self.workgroup_size)
        if 0 in sizes:
            raise Error(f"the workgroup_size {self.workgroup_size} of '{self.name}' is not valid")
        if len(sizes) != len(global_size):
            return None
        fits = all(whole % part == 0 for whole, part in zip(global_size, sizes, strict=True))
        return self.workgroup_size if fits and _allows(device, sizes) else None

    def _tuned(
        self, kernel: str, device: cl.Device, global_size: Sequence[int]
    ) -> LocalSize | None:
        return self._sizes.get((kernel, _describe_device(device), tuple(global_size)))

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
        self._sizes[kernel, _describe_device(device), tuple(global_size)] = result.best_local_size
        if kernel == self.name:
            self.workgroup_size = result.best_local_size


@functools.cache
def _describe_device(device: cl.Device) -> str:
    platform = device.platform
    return f"{platform.name}, {device.name}, {device.version}, {device.driver_version}"


def _allows(device: cl.Device, sizes: Sequence[int]) -> bool:
    extents = zip(sizes, device.max_work_item_sizes, strict=False)
    return math.prod(sizes) <= device.max_work_group_size and all(
        size <= most for size, most in extents
    )


class Program:
    """A compiled KernelSpec. Its attributes are its kernels, one object each."""

    def __init__(self, spec: KernelSpec, program: cl.Program, source: str) -> None:
        self.spec = spec
        self.program = program
        """The program of pyopencl."""
        self._source = source
        """Text that was built; the spec's text may have changed since."""
        self._kernels: dict[str, Kernel] = {}

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):  # reserved by OpenCL's compiler; copy asks for some
            raise AttributeError(name)
        try:
            return self.kernel_of(name)
        except Error as error:
            raise AttributeError(str(error)) from error

    def kernel_of(self, name: str) -> Kernel:
        """Returns a kernel by name, also if this class has an attribute of that name, such as
        `spec`.

        Raises tonno.Error if there is no such kernel.
        """
        if name not in self._kernels:
            try:
                self._kernels[name] = Kernel(self, name)
            except cl.Error as error:
                raise Error(f"the program has no kernel '{name}'") from error
        return self._kernels[name]


class Kernel(cl.Kernel):
    """A kernel that stores its arguments, so that a tuner can restore what its launches write,
    and that is launched with its tuned local size."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program.program, name)
        self.spec = program.spec
        self._name = name
        self.built_source = program._source
        self._arguments: dict[int, Any] = {}

    def set_arg(self, index: int, value: Any, /) -> None:
        """Sets an argument, as pyopencl's method."""
        super().set_arg(index, value)
        self._arguments[index] = value

    def set_args(self, *args: Any) -> None:
        """Sets all arguments, as pyopencl's method."""
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
        """Launches the kernel, as pyopencl's method. Without a local size, uses the size tuned
        for this kernel, the size that it requires, or `spec.local_size`."""
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
        """Arguments that are set; None unless all of them are."""
        if len(self._arguments) != self.num_args:
            return None
        return [self._arguments[index] for index in range(self.num_args)]

    def _local_size(
        self, device: cl.Device, global_size: Sequence[int]
    ) -> tuple[int, ...] | None:
        tuned = self.spec._tuned(self._name, device, global_size)
        if tuned is not None:
            return tuple(parse_size(tuned))
        ask, info = self.get_work_group_info, cl.kernel_work_group_info
        required: tuple[int, ...] = tuple(ask(info.COMPILE_WORK_GROUP_SIZE, device))
        if any(required):  # drivers of OpenCL 1 need it explicitly
            return required[: len(global_size)]
        stated = None
        if self._name == self.spec.name:
            stated = self.spec.local_size(device, global_size)
        if stated is None:
            return None
        sizes = tuple(parse_size(stated))
        return sizes if math.prod(sizes) <= ask(info.WORK_GROUP_SIZE, device) else None
