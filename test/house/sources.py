# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source files, found without git: a tree may have been unpacked."""

from __future__ import annotations

import pathlib

CXX = (".h", ".cpp")
_FOLDERS = ("include", "lib", "tools", "test", "examples", "scripts", "python")


def sources(root: pathlib.Path, suffixes: tuple[str, ...]) -> list[pathlib.Path]:
    found = []
    for folder in _FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.suffix in suffixes and "__pycache__" not in path.parts:
                found.append(path)
    return sorted(found)
