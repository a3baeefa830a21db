# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Properties of a kernel and of the device of a queue, as OpenCL reports them."""

from __future__ import annotations

import ctypes
import functools
import re
import warnings
from typing import Any

import numpy as np
import pyopencl as cl

from tonno import _core, frontends
from tonno.errors import Error
from tonno.opencl.kernels import Kernel

_SPACES = {
    cl.kernel_arg_address_qualifier.GLOBAL: "global",
    cl.kernel_arg_address_qualifier.CONSTANT: "constant",
    cl.kernel_arg_address_qualifier.LOCAL: "local",
}
_TYPES: dict[str, type[np.generic]] = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "half": np.float16,
    "float": np.float32,
    "double": np.float64,
}
_BUILT = 0
"""CL_BUILD_SUCCESS, for which pyopencl has no public name."""
# Suffix that pyopencl's own cache appends to a source that it has not built before.
_DEFEAT_CACHE = re.compile(r"\n\n__constant int pyopencl_defeat_cache_[0-9a-f]+ = 0;\Z")
Argument = tuple[str, str, str, bool]
"""Name, type, address space, and True if the pointee is const."""


class KernelInfo:
    """A kernel to be timed on a queue."""

    def __init__(self, queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
        if not isinstance(kernel, cl.Kernel):
            raise TypeError(
                f"the kernel must be a pyopencl.Kernel, such as program.scale, not {kernel!r}"
            )
        if not isinstance(queue, cl.CommandQueue):
            raise TypeError(f"the queue must be a pyopencl.CommandQueue, not {queue!r}")
        if kernel.context != queue.context:
            raise Error(
                f"'{kernel.function_name}' was built in another context than the queue's; create "
                "the queue by pyopencl.CommandQueue(kernel.context, ...)"
            )
        if not queue.properties & cl.command_queue_properties.PROFILING_ENABLE:
            raise Error(
                "the queue has no profiling, which timing needs; create it by "
                "pyopencl.CommandQueue(context, "
                "properties=pyopencl.command_queue_properties.PROFILING_ENABLE)"
            )
        self.queue = queue
        self.device = queue.device
        self.kernel = kernel
        self.name = kernel.function_name
        self.program: Any = kernel.program
        self._check_device()

    def limits(self) -> tuple[int, list[int], int, list[int], bool]:
        """Limits of device and kernel, as `_core.WorkGroupQuestion` takes them."""
        group = cl.kernel_work_group_info
        required = self.kernel.get_work_group_info(group.COMPILE_WORK_GROUP_SIZE, self.device)
        says = False
        if self._is_opencl_3():
            says = bool(self.device.non_uniform_work_group_support)
        return (
            self.device.max_work_group_size,
            list(self.device.max_work_item_sizes),
            self.kernel.get_work_group_info(group.WORK_GROUP_SIZE, self.device),
            [extent for extent in required if extent],
            _core.allows_non_uniform(self.device.version, says, self._build_options()),
        )

    def check_local_memory(self, kernel: cl.Kernel) -> None:
        """Raises tonno.Error if a kernel, with its arguments, needs more local memory than the
        device has; PoCL would crash."""
        what = cl.kernel_work_group_info.LOCAL_MEM_SIZE
        asked: Any = kernel.get_work_group_info(what, self.device)
        most = self.device.local_mem_size
        if asked > most:
            raise Error(
                f"'{self.name}' asks for {asked} bytes of local memory, but at most {most} "
                "are possible"
            )

    def identity(self) -> tuple[str, str]:
        """Returns the device's identity in the form of the tools; a CPU is the host."""
        device = self.device
        while device.parent_device is not None:
            device = device.parent_device
        if device.type & cl.device_type.CPU:
            return frontends.host()
        platform = device.platform
        devices = platform.get_devices(cl.device_type.ALL)
        return _core.opencl_identity(platform.name, devices.index(device), _get_uuid(device))

    def key(self, question: _core.WorkGroupQuestion) -> str:
        """Returns the key of the record that answers the question."""
        platform = self.device.platform
        return question.key(
            source=self._binary() if self.source is None else self.source,
            name=self.name,
            build_options=self._build_options(),
            platform=f"{platform.name}, {platform.version}",
            device=f"{self.device.name}, {self.device.version}",
            driver=self.device.driver_version,
        )

    def arguments(self) -> list[Argument] | None:
        """Arguments of the kernel; None if the program was built without argument information and
        not from source."""
        return self._arguments

    def is_read_only(self, index: int) -> bool:
        """Returns True if the kernel is known not to write to this argument."""
        if self._arguments is None:
            return False
        _, _, space, const = self._arguments[index]
        return const or space == "constant"

    def may_overwrite(self) -> bool:
        """True if a launch may write memory that cannot be restored."""
        if self._arguments is None:
            return True
        return any(space == "global" and not const for _, _, space, const in self._arguments)

    def as_typed(self, index: int, value: Any) -> Any:
        """Converts a Python number to the kernel's type, if known.

        Raises TypeError or OverflowError for a number that this type cannot represent.
        """
        if self._arguments is None or not isinstance(value, (int, float)):
            return value
        numpy_type = _TYPES.get(self._arguments[index][1])
        if numpy_type is None:
            return value
        is_whole = isinstance(value, int) or value.is_integer()
        if issubclass(numpy_type, np.integer) and not is_whole:
            raise TypeError(f"{value!r} is not an integer")
        return numpy_type(value)

    def describe(self, index: int) -> str:
        """Describes an argument, for messages."""
        words = f"argument {index} of '{self.name}'"
        if self._arguments is None:
            return words
        name, type_name, _, _ = self._arguments[index]
        return f"{words}, '{name}' of type '{type_name}'"

    def _is_opencl_3(self) -> bool:
        return int(self.device.version.split()[1].split(".")[0]) >= 3

    def _build_options(self) -> str:
        options = self.program.get_build_info(self.device, cl.program_build_info.OPTIONS)
        return str(options)

    def _check_device(self) -> None:
        built = self.device in self.program.get_info(cl.program_info.DEVICES)
        if built and self.source is not None:  # programs of binaries need no status
            what = cl.program_build_info.STATUS
            status = self.program.get_build_info(self.device, what)
            built = status == _BUILT
        if not built:
            raise Error(
                f"'{self.name}' was not built for the queue's device, {self.device.name}; build "
                "the program with devices=[queue.device], or create the queue by "
                "pyopencl.CommandQueue(kernel.context, device, ...) for a device of the program"
            )

    def _binary(self) -> str:
        devices = self.program.get_info(cl.program_info.DEVICES)
        binaries = self.program.get_info(cl.program_info.BINARIES)
        binary: bytes = binaries[devices.index(self.device)]
        return binary.hex()

    @functools.cached_property
    def source(self) -> str | None:
        """Text of the program; None for a program made of binaries."""
        if isinstance(self.kernel, Kernel):
            return self.kernel.built_source
        told = self.program.get_info(cl.program_info.SOURCE)
        if told:
            return _DEFEAT_CACHE.sub("", str(told))
        # If pyopencl took the binary from its cache, the binary's kernel has the text.
        kernel: Any = self.kernel
        try:
            kept: str | bytes | None = kernel._source
        except (AttributeError, TypeError):  # TypeError if there is none
            return None
        return kept.decode(errors="backslashreplace") if isinstance(kept, bytes) else kept

    @functools.cached_property
    def _arguments(self) -> list[Argument] | None:
        try:
            return _told_by(self.kernel)
        except cl.Error:  # built without -cl-kernel-arg-info
            return self._told_by_the_source()

    def _told_by_the_source(self) -> list[Argument] | None:
        # Builds the program again for its argument information; this build is never launched.
        source = self.source
        # Not split as by a shell: the compiler took them verbatim, quotes included.
        options = [*self._build_options().split(), "-cl-kernel-arg-info"]
        if not source:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", cl.CompilerWarning)
                told = cl.Program(self.kernel.context, source).build(options, [self.device])
            return _told_by(cl.Kernel(told, self.name))
        except cl.Error:
            return None


def _get_uuid(device: cl.Device) -> bytes | None:
    """Returns the UUID of a device, which pyopencl does not query."""
    if "cl_khr_device_uuid" not in device.extensions.split():
        return None
    device_uuid = 0x106A
    uuid = (ctypes.c_ubyte * 16)()
    # The loader that pyopencl is linked with.
    ask = ctypes.CDLL(cl._cl.__file__).clGetDeviceInfo
    ask.argtypes = [
        ctypes.c_void_p,
        ctypes.c_uint,
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.c_void_p,
    ]
    code = ask(device.int_ptr, device_uuid, len(uuid), uuid, None)
    return bytes(uuid) if code == 0 else None


def _told_by(kernel: cl.Kernel) -> list[Argument]:
    info = cl.kernel_arg_info
    ask: Any = kernel.get_arg_info
    return [
        (
            str(ask(index, info.NAME)),
            str(ask(index, info.TYPE_NAME)),
            _SPACES.get(ask(index, info.ADDRESS_QUALIFIER), "value"),
            bool(ask(index, info.TYPE_QUALIFIER) & cl.kernel_arg_type_qualifier.CONST),
        )
        for index in range(kernel.num_args)
    ]
