# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The build tree under test, and its tools, which tune with two trials."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

_TUNE = """#!/usr/bin/env bash
# Runs the tuner with two trials.
case ${1:-} in
  cache | check | explain | learn | lock | prior | replay | reproduce | space) exec "@BIN@/tonno-tune" "$@" ;;
esac
words=()
for word in "$@"; do
  case $word in
    --effort=none) exec "@BIN@/tonno-tune" "$@" ;;
    --budget-trials=* | --effort=full | --effort=exhaustive) ;;
    *) words+=("$word") ;;
  esac
done
exec "@BIN@/tonno-tune" "${words[@]}" --budget-trials=2
"""
_OPT = """#!/usr/bin/env bash
# Runs the pass that tunes with two trials.
exec "@BIN@/tonno-opt" "${@/effort=quick/budget-trials=2}"
"""


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    """The build tree under test: $TONNO_BUILD_DIR, or build/."""
    tree = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve()
    if not (tree / "bin/tonno-tune").exists():
        pytest.skip(f"{tree} has no tonno-tune")
    return tree


@pytest.fixture(scope="session")
def tools(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder for the PATH, whose tools tune with two trials."""
    folder = tmp_path_factory.mktemp("tools")
    for tool in (build / "bin").glob("tonno-*"):
        (folder / tool.name).symlink_to(tool)
    for name, text in (("tonno-tune", _TUNE), ("tonno-opt", _OPT)):
        (folder / name).unlink()
        (folder / name).write_text(text.replace("@BIN@", str(build / "bin")))
        (folder / name).chmod(0o755)
    for tool in ("tonno-command", "tonno-import", "tonno-report"):
        (folder / tool).symlink_to(pathlib.Path(sys.executable).with_name(tool))
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "python").chmod(0o755)
    return folder
