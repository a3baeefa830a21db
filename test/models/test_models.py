# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's files are tuned, verified or refused as their first line expects."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import run_models  # noqa: E402

PATHS = sorted(run_models.INPUTS.glob("*.mlir"))

Runs = dict[pathlib.Path, "concurrent.futures.Future[run_models.Outcome]"]


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Runs:
    """The runs of the files whose tests are selected, under way."""
    build = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", HERE.parent.parent / "build")).resolve()
    several = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    paths = [given["path"] for given in parameters if "path" in given]
    return {path: several.submit(run_models.run, run_models.read(path), build) for path in paths}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_outcome_is_expected(runs: Runs, path: pathlib.Path) -> None:
    given, outcome = run_models.read(path), runs[path].result()
    if not outcome.fits(given):
        pytest.fail(f"{path.name}: expected {given}, found {outcome}", pytrace=False)


@pytest.mark.parametrize(
    ("status", "told", "written", "found"),
    [
        (0, "@f on CPU, 2 of 8 legal configurations in 1 s (2 ok)", "tonno.tuned", "tuned"),
        (0, "@f on CPU, 1 of 1 configurations in 1 s (1 ok)", "tonno.tuned", "verified"),
        (0, "@f on CPU, 9 kernels, 3 distinct; 2 tuned, 90 % of 1 ms", "tonno.tuned", "tuned"),
        (0, "@f on CPU, 9 kernels, 3 distinct; 0 tuned, 0 % of 1 ms", "tonno.tuned", "verified"),
        (0, "", "", "exit status 0"),
        (1, "a.mlir:1:1: error: wrong", "", "refused"),
        (1, "", "", "exit status 1"),
        (-11, "error: Stack dump", "", "exit status -11"),
    ],
)
def test_outcomes_are_told_apart(status: int, told: str, written: str, found: str) -> None:
    assert run_models.judge(status, told, written).found == found


@pytest.mark.parametrize("line", ["", "// expect: refused", '// expect: tuned "words"', "// expect: fast"])
def test_unclear_expectation_is_found(tmp_path: pathlib.Path, line: str) -> None:
    (tmp_path / "a.mlir").write_text(line + "\n")
    with pytest.raises(ValueError, match="first line"):
        run_models.read(tmp_path / "a.mlir")


def test_refusal_without_the_words_differs() -> None:
    given = run_models.Input(pathlib.Path("a.mlir"), "refused", "--inputs", [])
    assert not run_models.Outcome("refused", "wrong").fits(given)
    assert run_models.Outcome("refused", "wrong; give --inputs").fits(given)


def test_file_may_get_knobs_but_not_lose_them() -> None:
    plain = run_models.Input(pathlib.Path("a.mlir"), "verified", "", [])
    assert run_models.Outcome("tuned", "").fits(plain)
    tuned = run_models.Input(pathlib.Path("a.mlir"), "tuned", "", [])
    assert not run_models.Outcome("verified", "").fits(tuned)
