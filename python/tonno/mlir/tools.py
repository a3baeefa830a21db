# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and runs tonno's tools."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence

from tonno.errors import Error
from tonno.printable import printable

_DIRECTORY = "TONNO_TOOLS_DIR"


class ToolError(Error):
    """A tool is missing, or has failed; the message is the tool's."""


def find_tool(name: str) -> pathlib.Path:
    """Returns the path of a tool: in $TONNO_TOOLS_DIR if that is set, else beside the
    interpreter, else on the PATH. Raises `ToolError` if there is none."""
    given = os.environ.get(_DIRECTORY)
    if given:
        tool = pathlib.Path(given, name)
        if not os.access(tool, os.X_OK):
            raise ToolError(f"${_DIRECTORY} is '{given}', where no program {name} is")
        return tool
    beside = pathlib.Path(sysconfig.get_path("scripts"), name)
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(name)
    if found is None:
        raise ToolError(
            f"{name} is neither beside the interpreter nor on the PATH; install it by "
            f"'pip install tonno-mlir[tools]', or set ${_DIRECTORY} to its folder"
        )
    return pathlib.Path(found)


def run_tool(name: str, arguments: Sequence[str], text: bytes | None = None) -> None:
    """Runs a tool with `text` as its standard input. Raises `ToolError` if it fails."""
    command = [os.fspath(find_tool(name)), *arguments]
    done = subprocess.run(command, input=text, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        said = printable(done.stderr.decode(errors="replace")).strip()
        raise ToolError(said or f"{name} has ended with status {done.returncode}")
