# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the pragmas of a loop in C.

    tonno-tune row_sums.mlir --worker-command='python clang_worker.py' -o row_sums.tuned.mlir

The kernel in row_sums.mlir states what the C code computes, and is what its results are verified
against.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

from tonno.frontends import CandidateFailed
from tonno.worker import Kernel, serve

CODE = """
void {name}(void **buffers) {{
  const float *x = buffers[0];
  float *sums = buffers[1];
  for (int i = 0; i < {rows}; ++i) {{
    float sum = 0;
#pragma clang loop vectorize_width({WIDTH}) interleave_count({INTERLEAVE})
    for (int j = 0; j < {columns}; ++j)
      sum += x[i * {columns} + j];
    sums[i] = sum;
  }}
}}
"""
OPTIONS = ["-O2", "-shared", "-fPIC", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]


def compile(kernel: Kernel, values: Mapping[str, Any]) -> bytes:
    rows, columns = kernel.buffers[0].shape
    code = CODE.format(name=kernel.name, rows=rows, columns=columns, **values)
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder, "kernel.so")
        command = [CLANG, *OPTIONS, f"-march={kernel.chip}", "-x", "c", "-", "-o", library]
        ran = subprocess.run(command, input=code, capture_output=True, text=True)
        if ran.returncode != 0:
            raise CandidateFailed("compile_error", ran.stderr)
        return library.read_bytes()


CLANG = os.environ.get("CLANG", "clang")

if __name__ == "__main__":
    version = subprocess.run([CLANG, "--version"], capture_output=True, text=True, check=True)
    raise SystemExit(serve(compile, version=version.stdout.splitlines()[0]))
