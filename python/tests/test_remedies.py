# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors with a remedy name the remedy: each class of them is caused here."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = ROOT / "test/tonno-tune/Inputs/small.mlir"

pytestmark = pytest.mark.usefixtures("tools")

# Options of tonno-tune, and the text that the message must contain.
UNKNOWN_VALUES = {
    "--effort=heroic": "the efforts are: none, quick, full, exhaustive",
    "--strategy=oracle": "the strategies are: ensemble, ",
    "--target=abacus": "the targets are: host, nvptx, amdgpu",
    "--device=cuda": "the devices are: host",
    "--chip=abacus": "give a CPU's name as in 'llc -mcpu=help', or 'native'",
    "--chip=sm_90": "give '--target=nvptx'",
    "--cache=maybe": "the values are: rw, ro, off",
    "--cache-state=lukewarm": "the values are: cold, warm",
    "--when-busy=never": "the values are: wait, measure, fail",
    "--time-bounds=maybe": "the values are: use, record, off",
    "--mode=sometimes": "the modes are: tune, cached, off",
    "--budget-trials=0": "from 1 to ",
    "--budget-seconds=0": "must be more than 0",
    "--kernel=other": "the kernels are: @small",
    "--fp-contract=off": "must be 'on' or 'fast'",
    "--inputs=arg0=gauss(0, 1)": "uniform(low, high), normal(mean, stddev), ",
    "--constraint=BM > M": "the knobs are: MR, BM",
}
CONTRADICTIONS = {
    ("--compile-only", "--verify-only"): "leave out one of them",
    ("--compile-only", "--device=sim", "--target=nvptx"): "leave out one of them",
    ("--require-cached", "--mode=tune"): "leave out one of them",
    ("--mode=cached", "--cache=off"): "leave out '--cache=off'",
    ("--bundle=b",): "give both",
    ("--rename=f",): "give both",
    ("--resume", "--cache=off"): "name one by '--journal'",
    ("--effort=none", "--budget-trials=4"): "leave out '--strategy', '--resume', ",
    ("--compile-only", "--target=nvptx"): "name it by '--chip', such as sm_90",
    ("--global-size=4",): "in files that end with .cl",
    ("--knob=BM=4",): "give '--pipeline' with '@BM@' in it, or mark tunable values by #tonno.knob",
}
MISSING = {
    "--worker-command=missing": "on the PATH; name the worker by '--worker-command'",
    "--runner-command=missing": "set the command that starts it by '--runner-command'",
    "--cache-dir=/dev/null/c": "$TONNO_CACHE_DIR or '--cache-dir', or give '--cache=ro'",
}
TOO_SLOW = {
    ("--worker-command=sleep 99", "--start-seconds=0.2"): (
        "raise the limit by '--start-seconds=<s>'"
    ),
    ("--runner-command=sleep 99", "--start-seconds=0.2"): (
        "raise the limit by '--start-seconds=<s>'"
    ),
    ("--compile-seconds=0.000001",): "raise the limit by '--compile-seconds=<s>'",
    ("--reference-seconds=0.000001",): "raise the limit by '--reference-seconds=<s>'",
}


def refusal(tools: pathlib.Path, folder: pathlib.Path, *words: str) -> str:
    """Returns the error of tonno-tune, which writes nothing."""
    command: list[str | pathlib.Path] = [tools / "tonno-tune", SMALL, "-o", folder / "out", *words]
    ended = subprocess.run(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert not (folder / "out").exists()
    return ended.stderr


@pytest.mark.parametrize(("word", "remedy"), UNKNOWN_VALUES.items())
def test_unknown_value_is_followed_by_the_known(
    tools: pathlib.Path, tmp_path: pathlib.Path, word: str, remedy: str
) -> None:
    assert remedy in refusal(tools, tmp_path, word)


@pytest.mark.parametrize(("words", "remedy"), CONTRADICTIONS.items())
def test_contradiction_names_what_to_leave_out_or_give(
    tools: pathlib.Path, tmp_path: pathlib.Path, words: tuple[str, ...], remedy: str
) -> None:
    assert remedy in refusal(tools, tmp_path, *words)


@pytest.mark.parametrize(("word", "remedy"), MISSING.items())
def test_missing_file_or_program_says_how_to_name_it(
    tools: pathlib.Path, tmp_path: pathlib.Path, word: str, remedy: str
) -> None:
    assert remedy in refusal(tools, tmp_path, word)


@pytest.mark.parametrize(("words", "remedy"), TOO_SLOW.items())
def test_time_out_names_the_option_that_raises_the_limit(
    tools: pathlib.Path, tmp_path: pathlib.Path, words: tuple[str, ...], remedy: str
) -> None:
    assert remedy in refusal(tools, tmp_path, "--cache=off", *words)


def test_mode_that_forbids_measuring_says_how_to_measure(
    tools: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    said = refusal(tools, tmp_path, "--mode=cached")
    assert "tune it with '--mode=tune' first" in said


def test_missing_gpu_names_what_works_without(tools: pathlib.Path, tmp_path: pathlib.Path) -> None:
    said = refusal(tools, tmp_path, "--target=nvptx", "--runner-command=false")
    assert "'--compile-only' compiles candidates, '--device=sim' verifies them" in said
