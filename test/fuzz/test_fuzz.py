# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each fuzzer whose reader changed tries bytes for a while and finds nothing.

scripts/fuzz.sh runs the others, and any of them for longer.
"""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import sys
import warnings

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import changed_files  # noqa: E402
import fuzz_selection  # noqa: E402
import run_fuzzers  # noqa: E402

NAMES = fuzz_selection.fuzzers()
CHANGES = changed_files.find(ROOT)
SELECTED = fuzz_selection.changed(CHANGES)
if CHANGES.files is None:
    warnings.warn(str(CHANGES), stacklevel=1)

Runs = dict[str, "concurrent.futures.Future[run_fuzzers.Run]"]


def case(name: str) -> object:
    skip = pytest.mark.skip(reason=run_fuzzers.UNCHANGED)
    return pytest.param(name, marks=() if name in SELECTED else skip)


@pytest.fixture(scope="module")
def runs() -> Runs:
    build = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve()
    tree = run_fuzzers.tree_of(build)
    run_fuzzers.build(tree, SELECTED)
    return run_fuzzers.run_all(tree, SELECTED)


def test_each_fuzzer_is_listed() -> None:
    assert NAMES == sorted(path.stem for path in HERE.glob("*.cpp"))
    assert NAMES == sorted(path.name for path in (HERE / "corpus").iterdir())


@pytest.mark.parametrize("name", [case(name) for name in NAMES])
def test_fuzzer_finds_nothing(runs: Runs, name: str) -> None:
    ended = runs[name].result()
    if ended.failure:
        pytest.fail(f"{name}: {ended.failure}", pytrace=False)
    print(f"\n{name}: {ended.statistics}")
