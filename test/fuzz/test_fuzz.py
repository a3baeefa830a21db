# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each fuzzer tries bytes for a while and finds nothing.

    TONNO_FUZZ_SECONDS=300 pytest -s test/fuzz

The fuzzers are built in <build tree>/fuzz. What one finds is left in
<build tree>/fuzz/found and belongs into a unit test.
"""

from __future__ import annotations

import collections.abc
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")) / "fuzz"
FOUND = BUILD / "found"
SECONDS = int(os.environ.get("TONNO_FUZZ_SECONDS", "20"))
TARGETS = re.findall(r"^tonno_fuzzer\((\w+)", (HERE / "CMakeLists.txt").read_text(), re.M)

Runs = dict[str, "concurrent.futures.Future[tuple[int, str]]"]


def fuzz(target: str) -> tuple[int, str]:
    """The exit status of a fuzzer, and what it said."""
    with tempfile.TemporaryDirectory() as fresh, tempfile.TemporaryDirectory() as files:
        done = subprocess.run(
            [
                BUILD / f"bin/tonno-fuzz-{target}",
                f"-max_total_time={SECONDS}",
                "-timeout=120",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                f"-artifact_prefix={FOUND}/{target}-",
                fresh,
                HERE / "corpus" / target,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"TMPDIR": files},
        )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def runs() -> collections.abc.Iterator[Runs]:
    """Every fuzzer runs, as many at a time as there are processors."""
    subprocess.run(["cmake", "--preset", "fuzz", "-B", BUILD], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", BUILD, "--target", "tonno-fuzzers"], check=True)
    FOUND.mkdir(exist_ok=True)
    processors = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(processors) as pool:
        yield {target: pool.submit(fuzz, target) for target in TARGETS}


def test_each_fuzzer_is_listed() -> None:
    assert TARGETS == sorted(path.stem for path in HERE.glob("*.cpp"))
    assert TARGETS == sorted(path.name for path in (HERE / "corpus").iterdir())


@pytest.mark.parametrize("target", TARGETS)
def test_fuzzer_finds_nothing(runs: Runs, target: str) -> None:
    status, said = runs[target].result()
    statistics = re.findall(r"^stat::number_of_executed_units: *(\d+)$", said, re.M)
    coverage = re.findall(r"cov: \d+ ft: \d+", said)
    assert status == 0, said[-4000:]
    assert statistics and coverage, said[-4000:]
    print(f"\n{target}: {statistics[-1]} inputs in {SECONDS} s, {coverage[-1]}")
