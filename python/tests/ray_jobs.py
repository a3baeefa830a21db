# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes jobs on a cluster, in a process that Ray may change: `ray_jobs.py ADDRESS FOLDER`.

Jobs are the files `*.mlir` of the folder; writes `report.json` and `events.json` there.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

from tonno.distributed import Job, tune

address, folder, *flags = sys.argv[1:]
directory = pathlib.Path(folder)
events: list[dict[str, Any]] = []
tune(
    [
        Job(file, options=["--budget-trials=6", "--strategy=random"])
        for file in sorted(directory.glob("*.mlir"))
    ],
    address=address,
    cache_dir=directory / "cache",
    report=directory / "report.json",
    resume="--resume" in flags,
    progress=lambda event: events.append(dict(event)),
)
(directory / "events.json").write_text(json.dumps(events))
