#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares tonno's counts of AMD main loops with llvm-mca's.

    tonno-benchmark-gpu-bounds --chips=gfx942 --groups=products --save=FOLDER
    compare_with_mca.py FOLDER [--most=0.1]

llvm-objdump and llvm-mca, in PATH, read the code objects. llvm-mca counts in
passes of four cycles: the pressure on HWXDL is of matrix instructions, that on
HWVALU of other vector instructions. Prints both counts of each loop in cycles
of a subgroup, and fails if they differ by more than --most.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import subprocess
import sys
from typing import Any

PASS = 4


def _run(*command: str, text: str | None = None) -> str:
    done = subprocess.run(command, input=text, check=True, capture_output=True, text=True)
    return done.stdout


def loop_text(binary: pathlib.Path, loop: dict[str, Any]) -> str:
    """The assembly of a loop, of which the addresses are relative to the kernel."""
    listing = _run("llvm-objdump", "-d", "--no-show-raw-insn", str(binary))
    kernel = re.escape(loop["kernel"])
    start = re.search(rf"^([0-9a-f]+) <{kernel}>:$", listing, re.MULTILINE)
    assert start, f"no {kernel} in {binary}"
    first = int(start[1], 16)
    blocks = [(first + begin, first + end) for begin, end in loop["blocks"]]
    lines = re.findall(r"^\s+(\S.*?)\s*//\s*([0-9A-F]+):", listing, re.MULTILINE)
    return "\n".join(
        text
        for text, address in lines
        if any(begin <= int(address, 16) <= end for begin, end in blocks)
    )


def pressure(text: str, chip: str) -> dict[str, float]:
    """Passes of each resource in one iteration."""
    command = ["llvm-mca", "-mtriple=amdgcn", f"-mcpu={chip}", "-iterations=1", "-"]
    report = _run(*command, text=text + "\n")
    names = re.findall(r"^\[(\d+)\]\s+- (\w+)$", report, re.MULTILINE)
    table = re.search(r"^Resource pressure per iteration:\n.*\n(.*)$", report, re.MULTILINE)
    assert table, report
    values = table[1].split()
    return {
        name: 0.0 if values[int(index)] == "-" else float(values[int(index)])
        for index, name in names
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--most", type=float, default=0.1, help="difference that passes")
    options = parser.parse_args()
    failed = False
    print("loop                             matrix  llvm-mca  vector  llvm-mca")
    for description in sorted(options.folder.glob("*.json")):
        if description.name.startswith("gfx950-f8"):
            continue  # of one instruction for f8, f6 and f4, LLVM has the time of f4
        for loop in json.loads(description.read_text()):
            text = loop_text(description.with_suffix(".hsaco"), loop)
            theirs = pressure(text, loop["chip"])
            matrix = theirs.get("HWXDL", 0) * PASS
            vector = theirs.get("HWVALU", 0) * PASS
            # tonno counts a pass of the issue port for a matrix instruction, too.
            ours = loop["issue_cycles"] - PASS * text.count("v_mfma")
            differs = abs(loop["matrix_cycles"] - matrix) > options.most * matrix
            differs |= abs(ours - vector) > options.most * max(vector, matrix)
            failed |= differs
            print(
                f"{description.stem:31} {loop['matrix_cycles']:7} {matrix:9.0f} "
                f"{ours:7} {vector:9.0f}{'  DIFFERS' if differs else ''}"
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
