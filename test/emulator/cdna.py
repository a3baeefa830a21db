# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels for AMD's CDNA and runs the machine code on an emulator.

$TONNO_CDNA_EMULATOR names the emulator's folder. It is not a part of tonno.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve()
VARIABLE = "TONNO_CDNA_EMULATOR"

# Waves run one after another up to a barrier, or, with a seed, in random order.
# With `lazy`, loads land at the wait that covers them.
MODES: dict[str, dict[str, Any]] = {
    "plain": {},
    "lazy": {"lazy": True},
    "seed 3": {"seed": 3},
    "lazy, seed 4": {"lazy": True, "seed": 4},
}

# The greatest error relative to a value, or absolute if the value is below 1.
LIMITS = {"f64": 1e-12, "f32": 2e-5, "f16": 4e-3, "bf16": 4e-2}

# Reasons for which a kernel does not lower for AMD's GPUs.
REFUSALS = (
    "computes a value that other launches use",
    "has branches; launches must be in one block",
    "which AMD's device libraries (ocml.bc) would have",
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A kernel to run on a chip."""

    name: str
    chip: str
    mlir: str
    reference: str
    """The kernel as the host backend compiles it."""
    instruction: str | None = None
    """The matrix instruction, or "mfma" for any, that the machine code runs."""
    has_default_space: bool = False
    is_exact: bool = False
    """Inputs are small integers, and the results have no error."""

    def __str__(self) -> str:
        return f"{self.name}-{self.chip}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    failure: str = ""
    skip: str = ""


def probe() -> str:
    """Returns why the emulator does not run here, or an empty text.

    Raises FileNotFoundError if the variable names another folder.
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} is not set"
    program = ROOT / folder / "emulate.py"
    if not program.exists():
        raise FileNotFoundError(f"{program}, by {VARIABLE}={folder}")
    command = [sys.executable, str(program), "--probe"]
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, 2):
        raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}: {ended.stderr}")
    return ended.stderr.strip() if ended.returncode else ""


@functools.cache
def emulator(module: str) -> Any:
    """Imports a module of the emulator."""
    folder = str(ROOT / os.environ[VARIABLE])
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # Compiled instructions, which are the same in each run.
    os.environ.setdefault("CACHEDB", str(BUILD / "cdna-emulator.db"))
    return importlib.import_module(module)


@contextlib.contextmanager
def written(text: str) -> Iterator[str]:
    """Writes a file that exists within the context, and yields its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.mlir"
        path.write_text(text)
        yield str(path)


def annotate(mlir: str, chip: str) -> str:
    """Returns the kernel with its default space. Raises RuntimeError."""
    command = [str(BUILD / "bin/tonno-opt"), f"--tonno-annotate=target=amdgpu chip={chip}"]
    ended = subprocess.run(command, input=mlir, capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    return ended.stdout


def compile_kernel(case: Case) -> Any:
    """Returns the emulator's plan.Compiled, with `code` and `plan`. Raises RuntimeError."""
    mlir = annotate(case.mlir, case.chip) if case.has_default_space else case.mlir
    with written(mlir) as path:
        return emulator("plan").Compiled(str(BUILD / "bin/tonno-compile"), path, case.chip)


def draw_inputs(plan: Any, seed: int = 0) -> list[Any]:
    """Returns small integers for floating-point inputs, and all of i8 for integers."""
    random = numpy.random.default_rng(seed)
    inputs = []
    for buffer in plan["buffers"]:
        if buffer["access"] not in ("read", "read_write"):
            continue
        kind, count = buffer["element_type"], emulator("plan").extent(buffer)
        is_integer = kind[0] == "i"
        values = random.integers(-128, 128, count) if is_integer else random.integers(-4, 5, count)
        dtype = emulator("plan").DTYPES[kind]
        if kind.startswith("f8"):
            narrow = getattr(ml_dtypes, "float8_" + kind[2:].lower())
            inputs.append(values.astype(narrow).view(dtype))
        elif kind == "bf16":
            inputs.append((values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(dtype))
        else:
            inputs.append(values.astype(dtype))
    return inputs


def allocate(case: Case, plan: Any) -> list[Any]:
    """Returns a buffer for each of the plan. Results hold NaN or ones."""
    return list(emulator("plan").allocate(plan, draw_inputs(plan) if case.is_exact else None))


@functools.cache
def run_reference(case: Case, inputs: tuple[bytes, ...], types: tuple[str, ...]) -> list[Any]:
    """Returns the buffers of the host backend's kernel, except workspaces."""
    plan = emulator("plan")
    arrays = [numpy.frombuffer(data, plan.DTYPES[kind]) for data, kind in zip(inputs, types)]
    with written(case.reference) as path:
        return list(plan.run_on_host(str(BUILD / "bin/tonno-compile"), path, arrays))


def expect(case: Case, plan: Any, buffers: list[Any]) -> list[Any]:
    """Returns the buffers as the host backend leaves them, except workspaces."""
    read = [
        (data.tobytes(), about["element_type"])
        for data, about in zip(buffers, plan["buffers"])
        if about["access"] in ("read", "read_write")
    ]
    reference = dataclasses.replace(case, name="", chip="", mlir="", instruction=None)
    return run_reference(reference, tuple(data for data, _ in read), tuple(kind for _, kind in read))


def find_difference(case: Case, plan: Any, buffers: list[Any], expected: list[Any]) -> str:
    """Returns a description of the worst element, or an empty text."""
    kept = [pair for pair in zip(buffers, plan["buffers"]) if pair[1]["access"] != "workspace"]
    for (data, about), host in zip(kept, expected, strict=True):
        kind = about["element_type"]
        found, wanted = emulator("plan").values(data, kind), emulator("plan").values(host, kind)
        if not found.size:
            continue
        with numpy.errstate(invalid="ignore"):
            error = numpy.abs(found - wanted) / numpy.maximum(numpy.abs(wanted), 1)
        error[(found == wanted) | (numpy.isnan(found) & numpy.isnan(wanted))] = 0
        error[numpy.isnan(error)] = numpy.inf
        worst = int(error.argmax())
        if error[worst] > (0 if case.is_exact else LIMITS.get(kind, 0)):
            differ = int(numpy.count_nonzero(error))
            return (
                f"element {worst} of {about['name']} ({kind}) is {found[worst]}, "
                f"on the host {wanted[worst]}; {differ} of {error.size} differ"
            )
    return ""


def run(case: Case) -> Outcome:
    """Runs a kernel's code object in each mode, and compares with the host backend."""
    try:
        kernel = compile_kernel(case)
    except RuntimeError as error:
        message = str(error).partition("error: ")[2] or str(error)
        is_known = any(words in message for words in REFUSALS)
        return Outcome(skip=message) if is_known else Outcome(f"does not compile: {message}")
    initial = allocate(case, kernel.plan)
    expected = expect(case, kernel.plan, initial)
    for mode, options in MODES.items():
        buffers = [data.copy() for data in initial]
        try:
            report = kernel.run(buffers, **options)
        except emulator("emulate").UnsupportedInstruction as error:
            return Outcome(skip=f"the emulator lacks {error}")
        except emulator("emulate").EmulatorError as error:
            return Outcome(f"{mode}: {type(error).__name__}: {error}")
        if difference := find_difference(case, kernel.plan, buffers, expected):
            return Outcome(f"{mode}: {difference}")
        if wrong := find_wrong_instructions(case, report["counts"]):
            return Outcome(wrong)
    return Outcome()


def find_wrong_instructions(case: Case, counts: dict[str, int]) -> str:
    """Returns what is wrong with the matrix instructions that ran, or an empty text."""
    ran = sorted({name.lower() for name in counts if name.lower().startswith("v_mfma_")})
    if not case.instruction:
        return ""
    tile = "" if case.instruction == "mfma" else case.instruction.removeprefix("mfma") + "_"
    if ran and all(tile in name for name in ran):
        return ""
    return f"{', '.join(ran) or 'no matrix instruction'} ran, not {case.instruction}"
