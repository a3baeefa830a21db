#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports models of JAX and compares the results of their default code with JAX's.

    TONNO_TOOLS_DIR=<build>/bin verify.py [MODEL...] [--type=f32]

Prints the seconds of importing and of compiling, and the largest difference over the
largest magnitude of a result. Fails if that is above 1e-4, or above 2^-5 with
--type=bf16: eight times the distance of bf16 numbers, for layers that round one after
the other. What is expected is computed in f32, of the same values.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import jax
import numpy as np
from networks import FULL, TYPES, Model

from tonno import mlir, models

MUST = {"f32": 1e-4, "bf16": 2**-5}
AIM = {"f32": 1e-5, "bf16": 2**-6}


def difference(found: Any, expected: Any) -> float:
    """Returns the largest difference over the largest magnitude of what is expected."""
    wide = np.asarray(expected, "f8")
    return float(np.max(np.abs(np.asarray(found, "f8") - wide)) / np.max(np.abs(wide)))


def align(value: Any) -> Any:
    """Returns a copy of an array, aligned as kernels expect it."""
    copy = mlir.empty(value.shape, value.dtype)
    copy[...] = value
    return copy


def verify(model: Model) -> float:
    begin = time.perf_counter()
    imported = models.from_jax(model.function, *model.arguments())
    middle = time.perf_counter()
    kernel = mlir.compile(imported)
    end = time.perf_counter()
    values = model.draw()
    leaves = [align(leaf) for leaf in jax.tree.leaves(values)]
    found = kernel(*leaves, *imported.weights.values())
    error = difference(found, model.compute_expected())
    must, aim = MUST[model.type], AIM[model.type]
    reached = "aim" if error <= aim else "must" if error <= must else "MISSED"
    times = f"imported in {middle - begin:.1f} s, compiled in {end - middle:.1f} s"
    print(f"{model.name:14} {times}; error {error:.1e}: {reached}", flush=True)
    return error


if __name__ == "__main__":
    warnings.simplefilter("error", mlir.AlignmentWarning)
    parser = argparse.ArgumentParser()
    names = [model.name for model in FULL]
    parser.add_argument("models", nargs="*", metavar="MODEL", choices=[*names, []])
    parser.add_argument("--type", choices=TYPES, default="f32")
    options = parser.parse_args()
    chosen = [model.cast(options.type) for model in FULL if model.name in (options.models or names)]
    if not all([verify(model) <= MUST[options.type] for model in chosen]):
        sys.exit(1)
