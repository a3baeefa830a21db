# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the opponents' C code, and finds OpenBLAS's fastest core type."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator, Mapping

from cases import Case, Source

SOURCES = pathlib.Path(__file__).resolve().parent / "c"
BLAS_LIBRARY = "libopenblas.so.0"
CORE_TYPES = [
    *("Nehalem", "Sandybridge", "Haswell", "SkylakeX", "Cooperlake", "Sapphirerapids"),
    *("Excavator", "Zen", "NEOVERSEN1", "NEOVERSEV1", "ARMV8"),
]
"""Of OPENBLAS_CORETYPE; a library takes what it has, and says what it took."""
PROBES = 3
COMMON = ["-O3", "-march=native", "-std=gnu11", "-w", "-fPIC", "-shared"]


@dataclasses.dataclass(frozen=True)
class Compiler:
    label: str
    command: list[str]
    macros: str
    """What it predefines: its version, and what this processor has."""


def _macros(command: list[str]) -> str:
    return subprocess.run(
        [*command, "-march=native", "-dM", "-E", "-x", "c", os.devnull],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def compilers() -> list[Compiler]:
    """Both compilers with and without fast mathematics, in vectors as wide as
    they like, and as wide as there are."""
    clang, gcc = ["clang-22"], ["g++", "-x", "c"]
    of_clang, of_gcc = _macros(clang), _macros(gcc)
    found = [
        Compiler("clang", clang, of_clang),
        Compiler("clang -ffast-math", [*clang, "-ffast-math", "-fveclib=libmvec"], of_clang),
        Compiler("g++", gcc, of_gcc),
        Compiler("g++ -ffast-math", [*gcc, "-ffast-math"], of_gcc),
    ]
    if "__AVX512F__" in of_clang:
        wide = "-mprefer-vector-width=512"
        found += [
            Compiler(f"{one.label}, 512 bits", [*one.command, wide], one.macros)
            for one in found
            if "fast-math" in one.label
        ]
    return found


@dataclasses.dataclass(frozen=True)
class Opponent:
    name: str
    library: pathlib.Path


class CompileError(Exception):
    pass


def _variants(source: Source, every: list[Compiler]) -> list[Compiler]:
    return every[:1] if source.only_calls else every


def _name(source: Source, compiler: Compiler) -> str:
    macros = ", ".join(f"{key}={value}" for key, value in source.macros.items())
    what = f"{source.file} ({macros})" if macros else source.file
    return f"OpenBLAS, {what}" if source.only_calls else f"{compiler.label}: {what}"


def _text(source: Source) -> str:
    headers = sorted(SOURCES.glob("*.h"))
    return "".join(path.read_text() for path in [SOURCES / f"{source.file}.c", *headers])


def build(
    case: Case, folder: pathlib.Path, every: list[Compiler], has_blas: bool
) -> Iterator[Opponent]:
    """Compiles a case's opponents into the folder, but for those that are there;
    without BLAS only those that don't call it."""
    macros = {key: value for key, value in case.sizes.items() if isinstance(value, int)}
    for source in case.sources:
        if source.calls_blas and not has_blas:
            continue
        for compiler in _variants(source, every):
            definitions = [f"-D{key}={value}" for key, value in {**macros, **source.macros}.items()]
            command = [*compiler.command, *COMMON, *definitions]
            key = hashlib.sha256(" ".join([*command, compiler.macros, _text(source)]).encode())
            library = folder / f"{source.file}-{key.hexdigest()[:16]}.so"
            if library.exists():
                yield Opponent(_name(source, compiler), library)
                continue
            # g++ as a driver of C does not ask for -lmvec by itself.
            libraries = ["-Wl,--push-state,--as-needed", "-lmvec", "-lm"]
            command += [str(SOURCES / f"{source.file}.c"), "-o", str(library), *libraries]
            result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
            if result.returncode != 0:
                raise CompileError(f"{_name(source, compiler)}: {result.stderr}")
            yield Opponent(_name(source, compiler), library)


def missing_tools() -> list[str]:
    return [tool for tool in ("clang-22", "g++") if not shutil.which(tool)]


def blas_environment(core: str | None, threads: int = 1) -> dict[str, str]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    if core:
        environment["OPENBLAS_CORETYPE"] = core
    return environment


@dataclasses.dataclass
class BlasChoice:
    core: str | None
    """What OPENBLAS_CORETYPE says; none: the library's own choice."""
    speeds: Mapping[str, float]
    """GFLOP/s by the core type that the library took."""


def choose_core(driver: pathlib.Path) -> BlasChoice:
    """The fastest core type by short runs in turn, each in a process of its own:
    an instruction that this processor lacks ends just that. Raises CompileError
    where there is no OpenBLAS."""
    speeds: dict[str, float] = {}
    asked: dict[str, str | None] = {}
    problem = ""
    for _ in range(PROBES):
        for core in [None, *CORE_TYPES]:
            result = subprocess.run(
                [str(driver), f"--blas={BLAS_LIBRARY}"],
                env=blas_environment(core),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            if core is None and result.returncode == 1:
                raise CompileError(result.stderr.strip().removeprefix("error: "))
            if result.returncode != 0:
                problem = result.stderr
                continue
            speed, took = result.stdout.split()
            speeds[took] = max(float(speed), speeds.get(took, 0))
            asked.setdefault(took, core)
    if not speeds:
        raise CompileError(f"OpenBLAS does not run: {problem}")
    return BlasChoice(asked[max(speeds, key=lambda took: speeds[took])], speeds)
