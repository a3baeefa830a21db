# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.mlir.compile: kernels that tonno-compile emits."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tonno import mlir

MATMUL = pathlib.Path(__file__).resolve().parents[2] / "test/Backend/Inputs/matmul.mlir"


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    "source", [MATMUL, str(MATMUL), MATMUL.read_text(), MATMUL.read_bytes()]
)
def test_modules_are_files_and_text(source: mlir.Source) -> None:
    kernel = mlir.compile(source)
    assert (kernel.name, kernel.target) == ("matmul", "host")
    assert [buffer["shape"] for buffer in kernel.plan["buffers"]] == [[64, 32], [32, 48], [64, 48]]


@pytest.mark.usefixtures("tools")
def test_kernel_has_the_name_that_is_asked_for() -> None:
    assert mlir.compile(MATMUL, kernel="matmul", rename="product").name == "product"


@pytest.mark.usefixtures("tools")
def test_refusal_is_the_tools() -> None:
    with pytest.raises(mlir.ToolError, match=r"<stdin>:1:\d+: error: "):
        mlir.compile("func.func @f( {\n")


def test_missing_tools_have_a_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TONNO_TOOLS_DIR", raising=False)
    with pytest.raises(mlir.ToolError, match=r"pip install tonno-mlir\[tools\]"):
        mlir.compile(MATMUL)
    monkeypatch.setenv("TONNO_TOOLS_DIR", str(tmp_path))
    with pytest.raises(mlir.ToolError, match=r"\$TONNO_TOOLS_DIR is '.*'"):
        mlir.compile(MATMUL)


def test_kernels_with_threads_use_openmp_of_the_tools(tools: pathlib.Path) -> None:
    standalone = tools.parent / "standalone"
    openmp = standalone / "lib/tonno/libomp.so.5"
    if not openmp.exists():
        pytest.skip("no tools that bring OpenMP were built")
    text = MATMUL.read_text()
    marked = text.replace("lowering_config = {", "lowering_config = {threads = 2,")
    program = f"""
import sys
from tonno import mlir
kernel = mlir.compile(sys.stdin.read())
assert kernel.plan["launches"][0]["threads"] == 2
a, b = mlir.empty((64, 32)), mlir.empty((32, 48))
a[...], b[...] = 1, 2
assert (kernel(a, b) == 64).all()
assert {str(openmp)!r} in open("/proc/self/maps").read()
"""
    environment = {**os.environ, "TONNO_TOOLS_DIR": str(standalone / "bin")}
    subprocess.run(
        [sys.executable, "-c", program], input=marked, env=environment, text=True, check=True
    )
