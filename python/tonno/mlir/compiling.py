# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a kernel by `tonno-compile`."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import tempfile
from collections.abc import Sequence

from tonno.errors import Error
from tonno.mlir.any_size import AnySizeKernel, is_any_size
from tonno.mlir.kernels import Kernel
from tonno.mlir.results import Tuned
from tonno.mlir.sources import OPENCL, Source, read_source
from tonno.mlir.tools import check_list, find_openmp, run_tool

_CODE_FORMS = {"host": "so", "nvptx": "cubin", "amdgpu": "hsaco"}


def compile(
    source: Source | Tuned,
    *,
    kernel: str | None = None,
    target: str | None = None,
    chip: str | None = None,
    rename: str | None = None,
    options: Sequence[str] = (),
    driver: str | os.PathLike[str] | None = None,
) -> Kernel:
    """Returns a kernel of an MLIR module, compiled and loaded; of one with dynamic
    dimensions, an `AnySizeKernel`.

    Kernels for GPUs are compiled without a GPU, and loaded when they are called.

    Each knob has its selected value, else its default. A kernel without knobs
    gets the default schedule.

    source: a path; or the text of a module, which has a brace or a line end; or
        bytes, of text or of MLIR bytecode; or what `tune` returned
    kernel: its name; not needed where there is only one
    target: `host`, `nvptx` or `amdgpu`; else that of `tune`, or `host`
    chip: such as `znver4`, `sm_90` or `gfx942`; else that of `tune`, or the device's
    rename: the name to emit the kernel under
    options: more options of tonno-compile
    driver: the library of the GPU's driver, which calls use; else the system's

    Raises `ToolError` if the module can't be compiled, and `tonno.Error` for OpenCL C.
    """
    check_list("options", options)
    given = read_source(source.text if isinstance(source, Tuned) else source)
    if given.is_opencl or (isinstance(source, Tuned) and source.target == OPENCL):
        raise Error(
            "kernels in OpenCL C are compiled by OpenCL's driver; pass the text that tune "
            "returned to pyopencl.Program, or write the driver's binary by "
            "options=['--emit=program'] of tune"
        )
    if isinstance(source, Tuned):
        target, chip = target or source.target, chip or source.chip
    target = target or "host"
    asked = [f"--target={target}", f"--chip={chip or 'native'}", *options]
    if kernel is not None:
        asked.append(f"--kernel={kernel}")
    if rename is not None:
        asked.append(f"--rename={rename}")
    form = _CODE_FORMS.get(target, "so")  # the tool refuses other targets
    with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
        code = pathlib.Path(folder, "code")
        emit = [f"--emit={form},plan", "-o", os.fspath(code)]
        ran = run_tool("tonno-compile", [given.argument, *asked, *emit], given.text)
        if ran.is_interrupted:
            raise KeyboardInterrupt
        if ran.failure:
            raise ran.error()
        (plan,) = pathlib.Path(folder).glob("*.json")  # its name is the kernel's
        launch_plan = json.loads(plan.read_text())
        if any(launch.get("threads", 1) > 1 for launch in launch_plan["launches"]):
            _load_openmp()
        make = AnySizeKernel if is_any_size(launch_plan) else Kernel
        return make(launch_plan, code, name=launch_plan["kernel"], target=target, driver=driver)


def _load_openmp() -> None:
    """Loads the OpenMP runtime of the tools. The loader then finds it by its name, which
    kernels of several threads link."""
    library = find_openmp()
    if library is not None:
        ctypes.CDLL(os.fspath(library))
