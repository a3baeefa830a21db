# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the house checks share: where the source is, and its files."""

from __future__ import annotations

import os
import pathlib
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
