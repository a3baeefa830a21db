# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a pipeline of upstream's passes, run by an mlir-opt of another version.

    MLIR_OPT=mlir-opt-20 tonno-tune transposed_product.mlir \\
        --worker-command='python mlir_opt_worker.py' -o transposed_product.tuned.mlir

The kernel goes to mlir-opt as text, and comes back in the LLVM dialect, which mlir-translate and
clang compile. $MLIR_TRANSLATE and $CLANG name these. $MLIR_TO_LLVM names a program that lowers
to the LLVM dialect, for an $MLIR_OPT that does not.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

from tonno.frontends import CandidateFailed
from tonno.worker import Kernel, serve



def find(variable: str, default: str) -> str:
    """Returns the absolute path of a program: compilations run in folders of their own."""
    program = os.environ.get(variable, default)
    return os.path.abspath(shutil.which(program) or program)


MLIR_OPT = find("MLIR_OPT", "mlir-opt")
TO_LLVM = find("MLIR_TO_LLVM", MLIR_OPT)
MLIR_TRANSLATE = find("MLIR_TRANSLATE", "mlir-translate")
CLANG = find("CLANG", "clang")
TUNED_PASSES = [
    "func.func(convert-linalg-to-affine-loops,affine-loop-tile{tile-sizes=@TILE@},"
    "affine-loop-unroll-jam{unroll-jam-factor=@JAM@},affine-loop-unroll{unroll-factor=@UNROLL@})",
    "lower-affine",
]
PASSES_TO_LLVM = [
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv}",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "reconcile-unrealized-casts",
]


def compile(kernel: Kernel, values: Mapping[str, Any]) -> bytes:
    # The entry has the kernel's name.
    text = kernel.text.replace(f"@{kernel.name}(", "@body(")
    for program, passes in ((MLIR_OPT, TUNED_PASSES), (TO_LLVM, PASSES_TO_LLVM)):
        pipeline = ",".join(passes)
        for name, value in values.items():
            pipeline = pipeline.replace(f"@{name}@", str(value))
        text = run([program, f"--pass-pipeline=builtin.module({pipeline})"], text)
    code = run([MLIR_TRANSLATE, "--mlir-to-llvmir"], text)
    pointers = ", ".join(f"buffers[{place}]" for place in range(len(kernel.buffers)))
    entry = f"void body(); void {kernel.name}(void **buffers) {{ body({pointers}); }}"
    with tempfile.TemporaryDirectory() as folder:
        body, library = pathlib.Path(folder, "body.ll"), pathlib.Path(folder, "kernel.so")
        body.write_text(code)
        options = ["-O2", "-shared", "-fPIC", f"-march={kernel.chip}", "-Wno-override-module"]
        sources = ["-x", "c", "-std=c17", "-", "-x", "ir", str(body)]
        run([CLANG, *options, *sources, "-o", str(library)], entry)
        return library.read_bytes()


def run(command: list[str], text: str) -> str:
    ran = subprocess.run(command, input=text, capture_output=True, text=True)
    if ran.returncode != 0:
        raise CandidateFailed("compile_error", f"{command[0]}: {ran.stderr}")
    return ran.stdout


if __name__ == "__main__":
    versions = []
    for program in dict.fromkeys((MLIR_OPT, TO_LLVM, MLIR_TRANSLATE, CLANG)):
        said = run([program, "--version"], "")
        (line,) = re.findall(r"(?:LLVM|clang) version (\S+)", said)[:1] or [said.strip()]
        versions.append(f"{program} {line}")
    raise SystemExit(serve(compile, version=", ".join(versions)))
