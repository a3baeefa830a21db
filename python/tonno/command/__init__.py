# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes anything that builds and runs: two command lines with places for the knobs.

    result = tonno.command.tune(
        build="gcc -O3 -DTILE=@TILE@ product.c -o @OUT@",
        run="./@OUT@",
        space={"TILE": [8, 16, 32, 64]},
        outputs=["product.out"],
    )

Command lines are split as a shell would, and run without one: a knob's value is a part of one
argument, never code. `@NAME@` stands for the value of a knob, `@OUT@` for a file that the build
writes, in a folder of the configuration's own; `@@` is `@`.
"""

from tonno.command.templates import Template
from tonno.command.tuning import tune

__all__ = ["Template", "tune"]
