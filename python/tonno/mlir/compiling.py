# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a kernel by `tonno-compile`."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile

from tonno.mlir.kernels import Kernel
from tonno.mlir.sources import Source, read_source
from tonno.mlir.tools import run_tool

_CODE_FORMS = {"host": "so", "nvptx": "cubin", "amdgpu": "hsaco"}


def compile(
    source: Source,
    *,
    kernel: str | None = None,
    target: str = "host",
    chip: str = "native",
    rename: str | None = None,
) -> Kernel:
    """Returns a kernel of an MLIR module, compiled and loaded.

    Each knob has its selected value, else its default. A kernel without knobs
    gets the default schedule.

    source: a path; or the text of a module, which has a brace or a line end; or
        bytes, of text or of MLIR bytecode
    kernel: its name; not needed where there is only one
    target: `host`, `nvptx` or `amdgpu`
    chip: such as `znver4`, `sm_90` or `gfx942`; `native` is the device's
    rename: the name to emit it under

    Raises `ToolError` if the module can't be compiled.
    """
    given = read_source(source)
    options = [f"--target={target}", f"--chip={chip}"]
    if kernel is not None:
        options.append(f"--kernel={kernel}")
    if rename is not None:
        options.append(f"--rename={rename}")
    form = _CODE_FORMS.get(target, "so")  # the tool refuses other targets
    with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
        code, plan = (pathlib.Path(folder, name) for name in ("code", "plan"))
        for emitted, file in ((form, code), ("plan", plan)):
            emit = [f"--emit={emitted}", "-o", os.fspath(file)]
            run_tool("tonno-compile", [given.argument, *options, *emit], given.text)
        launch_plan = json.loads(plan.read_text())
        name = launch_plan["kernel"]
        return Kernel(launch_plan, code, name=name, target=target)
