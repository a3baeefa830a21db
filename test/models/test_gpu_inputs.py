# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's files lower for GPUs with a default space as they do without one."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import run_models  # noqa: E402

PATHS = sorted(run_models.INPUTS.glob("*.mlir"))
TARGETS = {"nvptx": "sm_90", "amdgpu": "gfx942"}

Runs = dict[tuple[str, pathlib.Path], "concurrent.futures.Future[tuple[str, str]]"]


def lower(path: pathlib.Path, target: str, options: list[str]) -> str:
    """Returns 'lowered', 'refused', or how tonno-opt died."""
    build = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", HERE.parent.parent / "build")).resolve()
    ended = subprocess.run(
        [
            build / "bin/tonno-opt",
            path,
            *options,
            f"--tonno-lower-{target}=chip={TARGETS[target]}",
            "-o",
            os.devnull,
        ],
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=run_models.TIME_LIMIT_SECONDS,
    )
    if ended.returncode == 0:
        return "lowered"
    return "refused" if ended.returncode == 1 and "error: " in ended.stderr else ended.stderr


def lower_twice(path: pathlib.Path, target: str) -> tuple[str, str]:
    annotate = f"--tonno-annotate=target={target} chip={TARGETS[target]}"
    return lower(path, target, []), lower(path, target, [annotate, "--tonno-apply"])


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Runs:
    """The runs of the files whose tests are selected, under way."""
    several = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    given = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    keys = [(one["target"], one["source"]) for one in given if "source" in one]
    return {(target, path): several.submit(lower_twice, path, target) for target, path in keys}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", PATHS, ids=lambda path: path.stem)
def test_default_space_lowers_as_its_absence(runs: Runs, source: pathlib.Path, target: str) -> None:
    without, with_space = runs[target, source].result()
    assert without in ("lowered", "refused")
    assert with_space == without
