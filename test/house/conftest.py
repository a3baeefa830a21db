# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the house checks share: where the source is, and its files."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    """The build tree under test: $TONNO_BUILD_DIR, or build/."""
    tree = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve()
    if not (tree / "compile_commands.json").exists():
        pytest.skip(f"{tree} is no build tree")
    return tree


@pytest.fixture
def mutant(root: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    """A tree without a mistake, whose folder `build` has its compilation database."""
    for folder in ("include/tonno", "lib", "build"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(root / ".clang-tidy", tmp_path)
    (tmp_path / "include/tonno/A.h").write_text("int twice(int number);\n")
    (tmp_path / "lib/A.cpp").write_text(
        '#include "tonno/A.h"\nint twice(int number) { return 2 * number; }\n'
    )
    (tmp_path / "lib/B.cpp").write_text(
        '#include "tonno/A.h"\nint four(int number) { return twice(twice(number)); }\n'
    )
    entries = [
        {
            "directory": str(tmp_path / "build"),
            "command": f"clang++-22 -I{tmp_path}/include -o {file.stem}.o -c {file}",
            "file": str(file),
        }
        for file in sorted((tmp_path / "lib").iterdir())
    ]
    (tmp_path / "build/compile_commands.json").write_text(json.dumps(entries))
    return tmp_path
