#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how fast the default code of models can be on GPUs, by its machine code.

    TONNO_TOOLS_DIR=<build>/bin bounds.py [MODEL...] [--batch=32] [--type=bf16]
        [--chips=sm_90a,gfx950]

Imports models of JAX and calls tonno-benchmark-gpu-bounds, beside the tools' folder,
which has a row for each kernel. No GPU is needed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from networks import FULL, TYPES

from tonno import models


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [model.name for model in FULL]
    parser.add_argument("models", nargs="*", metavar="MODEL", choices=[*names, []])
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--type", choices=TYPES, default="bf16")
    parser.add_argument("--chips", default="sm_90a,gfx950")
    options = parser.parse_args()
    program = pathlib.Path(os.environ["TONNO_TOOLS_DIR"]).parent / "benchmarks"
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for model in FULL:
            if model.name not in (options.models or names):
                continue
            chosen = model.cast(options.type).with_batch(options.batch)
            files.append(pathlib.Path(folder) / f"{model.name}.mlir")
            imported = models.from_jax(chosen.function, *chosen.arguments())
            files[-1].write_text(imported.text)
        return subprocess.run(
            [
                program / "tonno-benchmark-gpu-bounds",
                "--models",
                f"--chips={options.chips}",
                *files,
            ]
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
