# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every C++ file is as clang-format leaves it."""

from __future__ import annotations

import pathlib
import subprocess

import pytest
from sources import CXX, sources


def complaints(root: pathlib.Path, files: list[pathlib.Path]) -> str:
    style = f"--style=file:{root / '.clang-format'}"
    command = ["clang-format-22", "--dry-run", "-Werror", style, *map(str, files)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True).stderr


def test_sources_are_formatted(root: pathlib.Path) -> None:
    files = sources(root, CXX)
    assert files
    if found := complaints(root, files):
        pytest.fail(f"{found}\nRepair: clang-format-22 -i <file>", pytrace=False)


def test_wrong_format_is_found(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mutant = tmp_path / "A.cpp"
    mutant.write_text("int  x;\n")
    assert "clang-format" in complaints(root, [mutant])
