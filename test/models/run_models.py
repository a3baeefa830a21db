# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the files of inputs/ and compares what becomes of them with what they expect.

    run_models.py <build tree> [FILE...]

Prints a table of the files that differ. The comments at the start of a file:

    // expect: tuned | verified | refused "<words of the message>"
    // options: <further options of tonno-tune>

A file is tuned if a kernel of it has several configurations, verified if each
kernel is the only candidate of itself, which a file that expects that need not be.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

INPUTS = pathlib.Path(__file__).resolve().parent / "inputs"
OPTIONS = ["--budget-trials=2", "--cache=off", "--when-busy=measure"]
TIME_LIMIT_SECONDS = 120


@dataclasses.dataclass
class Input:
    path: pathlib.Path
    expected: str
    words: str
    """Words that the message of a refusal contains."""
    options: list[str]

    def __str__(self) -> str:
        return f'{self.expected} "{self.words}"' if self.words else self.expected


@dataclasses.dataclass
class Outcome:
    found: str
    message: str

    def __str__(self) -> str:
        return f"{self.found}: {self.message.splitlines()[0]}" if self.message else self.found

    def fits(self, given: Input) -> bool:
        if given.expected == "verified" and self.found == "tuned":
            return True
        return self.found == given.expected and given.words in self.message


def read(path: pathlib.Path) -> Input:
    """Returns what the comments of a file state."""
    text = path.read_text()
    expect = re.match(r'// expect: (tuned|verified|refused)(?: "(.+)")?\n', text)
    if not expect or (expect[1] == "refused") != bool(expect[2]):
        raise ValueError(f"{path.name}: the first line is not '// expect: ...'")
    options = re.search(r"^// options: (.*)$", text, re.MULTILINE)
    return Input(path, expect[1], expect[2] or "", shlex.split(options[1]) if options else [])


def judge(status: int, told: str, written: str) -> Outcome:
    """Returns what became of a file, by tonno-tune's exit status, report and output."""
    error = re.search(r"error: (.*)", told, re.DOTALL)
    if status == 1 and error:
        return Outcome("refused", error[1])
    if status != 0 or "tonno.tuned" not in written:
        return Outcome(f"exit status {status}", told.strip())
    totals = re.findall(r"^@.* of (.*) configurations in ", told, re.MULTILINE)
    kernels = re.findall(r"^@.* distinct; (.*) tuned, ", told, re.MULTILINE)
    is_tuned = any(count != "1" for count in totals) or any(count != "0" for count in kernels)
    return Outcome("tuned" if is_tuned else "verified", "")


def run(given: Input, build: pathlib.Path) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "tuned.mlir"
        command = [str(build / "bin/tonno-tune"), str(given.path), "-o", str(output)]
        try:
            ended = subprocess.run(
                [*command, *OPTIONS, *given.options],
                cwd=folder,
                timeout=TIME_LIMIT_SECONDS,
                text=True,
                stderr=subprocess.PIPE,
            )
        except subprocess.TimeoutExpired:
            return Outcome("timeout", f"no end within {TIME_LIMIT_SECONDS} s")
        return judge(ended.returncode, ended.stderr, output.read_text() if output.exists() else "")


def run_all(inputs: list[Input], build: pathlib.Path) -> list[Outcome]:
    """Runs as many at a time as there are processors: only one of them times."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several:
        return list(several.map(lambda given: run(given, build), inputs))


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    paths = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or sorted(INPUTS.glob("*.mlir"))
    inputs = [read(path) for path in paths]
    outcomes = run_all(inputs, build)
    differing = [pair for pair in zip(inputs, outcomes, strict=True) if not pair[1].fits(pair[0])]
    for given, outcome in differing:
        print(f"{given.path.stem:32} expected {given}\n{'':32} found    {outcome}")
    print(f"{len(differing)} of {len(inputs)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
