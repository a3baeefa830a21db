# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the models of jax_models.py, calls the emitted code, and compares with JAX.

    compare_with_jax.py <build tree> [MODEL...]

Run by hand with the Python of the build tree's virtual environment. Prints, for
each model, the largest difference of a result over its largest magnitude, and
that in epsilons of the result's type.
"""

from __future__ import annotations

import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax_models import MODELS, Model
from jaxlib.mlir.dialects import stablehlo

Array = np.ndarray[Any, Any]
TUNE = ["--budget-trials=2", "--cache=off", "--when-busy=measure", "--emit=so,plan"]


def draw(shape: jax.ShapeDtypeStruct, random: np.random.Generator) -> Array:
    """Returns inputs as a model has them: vectors, such as variances, are positive."""
    if jnp.issubdtype(shape.dtype, jnp.integer):
        bounds = (-128, 128) if shape.dtype == jnp.int8 else (1, 100)
        return np.asarray(random.integers(*bounds, shape.shape), shape.dtype)
    values = random.normal(0, 0.1, shape.shape)
    return np.asarray(np.abs(values) if len(shape.shape) == 1 else values, shape.dtype)


def aligned(array: Array, alignment: int) -> Array:
    """Returns a copy whose first element is aligned."""
    memory = np.zeros(array.nbytes + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def tune(name: str, model: Model, build: pathlib.Path, folder: pathlib.Path) -> str | None:
    """Emits <name>.so and <name>.plan.json; returns an error's first line."""
    given = folder / "given.mlir"
    given.write_text(model.lowered().replace("@main(", f"@{name}("))
    command = [str(build / "bin/tonno-tune"), str(given), "-o", "tuned.mlir", *TUNE, *model.options.split()]
    ended = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    if ended.returncode == 0:
        return None
    return next((line for line in ended.stderr.splitlines() if "error: " in line), "no message")


def call(name: str, folder: pathlib.Path, inputs: list[Array], results: list[Array]) -> list[Array]:
    """Returns what the emitted kernel makes of the inputs, as arrays like `results`."""
    plan = json.loads((folder / f"{name}.plan.json").read_text())["buffers"]
    arrays = [*inputs, *(np.zeros_like(result) for result in results)]
    arrays += [np.zeros(buffer["shape"], np.uint8) for buffer in plan[len(arrays) :]]
    copies = [aligned(array, buffer["alignment"]) for array, buffer in zip(arrays, plan, strict=True)]
    pointers = (ctypes.c_void_p * len(copies))(*(copy.ctypes.data for copy in copies))
    getattr(ctypes.CDLL(str(folder / f"{name}.so")), f"{name}_entry")(pointers)
    return copies[len(inputs) : len(inputs) + len(results)]


def difference(found: Array, expected: Array) -> str:
    if np.array_equal(found, expected, equal_nan=found.dtype.kind == "f"):
        return "equal"
    if not jnp.issubdtype(found.dtype, jnp.floating):
        return f"{np.count_nonzero(found != expected)} of {found.size} elements differ"
    wide = expected.astype(np.float64)
    relative = np.max(np.abs(found.astype(np.float64) - wide)) / np.max(np.abs(wide))
    return f"{relative:.2g} ({relative / float(jnp.finfo(found.dtype).eps):.2g} eps)"


def compare(name: str, model: Model, build: pathlib.Path) -> str:
    random = np.random.default_rng(0)
    inputs = [draw(shape, random) for shape in model.arguments]
    expected = [np.asarray(result) for result in jax.tree.leaves(jax.jit(model.function)(*inputs))]
    symbol = "model_" + name.replace("-", "_")
    with tempfile.TemporaryDirectory() as folder:
        error = tune(symbol, model, build, pathlib.Path(folder))
        if error:
            return error
        found = call(symbol, pathlib.Path(folder), inputs, expected)
    return ", ".join(difference(*pair) for pair in zip(found, expected, strict=True))


def main() -> None:
    stablehlo.register_stablehlo_passes()
    build = pathlib.Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or MODELS:
        print(f"{name:24} {compare(name, MODELS[name], build)}", flush=True)


if __name__ == "__main__":
    main()
