# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop in C that calls a kernel's entry point, for benchmarks of calls from Python."""

from __future__ import annotations

import ctypes
import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Sequence

import numpy

from tonno.mlir.tools import find_tool

_LOOP = """
void call_entry(void (*entry)(void **), void **buffers, long calls) {
  for (long i = 0; i < calls; ++i)
    entry(buffers);
}
"""

_ONCE = ctypes.c_long(1)


class EntryLoop:
    """The entry point of a kernel without workspace, called in a loop in C."""

    def __init__(self, source: str, symbol: str, arrays: Sequence[numpy.ndarray]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            loop, code = (pathlib.Path(folder, name) for name in ("loop.so", "kernel.so"))
            command = ["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", os.fspath(loop)]
            subprocess.run(command, input=_LOOP.encode(), check=True)
            tool = os.fspath(find_tool("tonno-compile"))
            command = [tool, "-", "--emit=so", "-o", os.fspath(code)]
            subprocess.run(command, input=source.encode(), check=True)
            self._loop = ctypes.CDLL(os.fspath(loop)).call_entry
            self._kernel = ctypes.CDLL(os.fspath(code))
        self._entry = getattr(self._kernel, symbol)
        self._buffers = (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))
        self._arrays = list(arrays)

    def seconds(self, calls: int) -> float:
        """Returns the time of one of `calls` calls in a row."""
        begin = time.perf_counter()
        self._loop(self._entry, self._buffers, ctypes.c_long(calls))
        return (time.perf_counter() - begin) / calls

    def call(self) -> None:
        """Calls the entry point once."""
        self._loop(self._entry, self._buffers, _ONCE)
