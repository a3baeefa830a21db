# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes jobs on a cluster, in a process that Ray may change.

    ray_jobs.py [--resume] [--devices=N] [--trials=N] ADDRESS FOLDER

Jobs are the files `*.mlir` of the folder, for a GPU if the name has its target, as in
`a.nvptx.mlir`. Exits with 130 after Ctrl-C. Writes `report.json`, and events as they come to `events.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

from tonno.distributed import Job, tune
from tonno.mlir.tools import Event

parser = argparse.ArgumentParser()
parser.add_argument("address")
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--trials", type=int, default=6)
parser.add_argument("--devices", type=int)
parser.add_argument("--resume", action="store_true")
given = parser.parse_args()

with (given.folder / "events.jsonl").open("w") as events:

    def write(event: Event) -> None:
        events.write(json.dumps(dict(event)) + "\n")
        events.flush()

    try:
        tune(
            [
                Job(
                    file,
                    target=(file.suffixes[-2:-1] or [".host"])[0][1:],
                    options=[f"--budget-trials={given.trials}", "--strategy=random"],
                )
                for file in sorted(given.folder.glob("*.mlir"))
            ],
            address=given.address,
            devices=given.devices,
            cache_dir=given.folder / "cache",
            report=given.folder / "report.json",
            resume=given.resume,
            progress=write,
        )
    except KeyboardInterrupt:
        sys.exit(130)
