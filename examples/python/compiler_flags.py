# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses flags and the number of partial sums of a C function: a frontend in Python.

A frontend builds configurations and launches them; `tonno.frontends.tune` searches,
times in pairs with the default, and tests the winner.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes
import pathlib
import subprocess
import tempfile
import time

import tonno
from tonno import frontends
from tonno.frontends import CandidateFailed

SOURCE = """
float dot(const float *a, const float *b, int n) {
  float sums[WIDTH] = {0};
  for (int i = 0; i < n; i += WIDTH)
    for (int k = 0; k < WIDTH; ++k)
      sums[k] += a[i + k] * b[i + k];
  float sum = 0;
  for (int k = 0; k < WIDTH; ++k)
    sum += sums[k];
  return sum;
}
"""
SIZE = 1 << 16


class Dot:
    """The frontend: a builder, and a sampler for those it has built."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._built: dict[str, ctypes._NamedFuncPointer] = {}

    def build(self, configs: list[tonno.Configuration]) -> list[CandidateFailed | None]:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return list(pool.map(self._compile, configs))

    def _compile(self, config: tonno.Configuration) -> CandidateFailed | None:
        name = "_".join(str(value) for value in config.values())
        source, library = self._folder / f"{name}.c", self._folder / f"{name}.so"
        source.write_text(SOURCE)
        flags = [config["LEVEL"], f"-DWIDTH={config['WIDTH']}", "-march=native"]
        command = ["cc", *flags, "-shared", "-fPIC", str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return CandidateFailed("compile_error", done.stderr)
        function = ctypes.CDLL(str(library)).dot
        function.restype = ctypes.c_float
        self._built[str(config)] = function
        return None

    def policy(self) -> frontends.Policy:
        return frontends.paired()

    def sampler(
        self, entrants: list[tonno.Configuration]
    ) -> contextlib.AbstractContextManager[Launches]:
        return contextlib.nullcontext(Launches([self._built[str(c)] for c in entrants]))

    def is_stopped(self) -> bool:
        return False


class Launches:
    def __init__(self, entrants: list[ctypes._NamedFuncPointer]) -> None:
        self._entrants = entrants
        self._sums: dict[int, float] = {}
        self.redraw()

    def redraw(self) -> None:
        """Allocates the arrays again: their addresses influence times."""
        array = ctypes.c_float * SIZE
        self._arrays = array(*[1.0] * SIZE), array(*[1.0] * SIZE)

    def sample(self, entrant: int) -> float:
        a, b = self._arrays
        begin = time.perf_counter()
        self._sums[entrant] = self._entrants[entrant](a, b, SIZE)
        return time.perf_counter() - begin

    warm = sample

    def launch_first(self) -> float:
        seconds = self.sample(1)
        self.verify_last()
        return seconds

    def verify_last(self) -> None:
        if self._sums[1] != SIZE:
            raise CandidateFailed("wrong", f"the sum is {self._sums[1]}, not {SIZE}")


def main() -> None:
    space = tonno.SearchSpace({"LEVEL": ["-O2", "-O3"], "WIDTH": [1, 4, 16, 64, 256]})
    with tempfile.TemporaryDirectory() as folder:
        found = frontends.tune(Dot(pathlib.Path(folder)), space, batch=4)
    if found.chosen is None or found.comparison is None:
        raise SystemExit(found.error)
    for trial in found.trials:
        time_us = "" if trial.seconds is None else f"{trial.seconds * 1e6:.1f} us"
        print(f"{trial.config}: {trial.status} {time_us} {trial.message}".rstrip())
    low, high = found.comparison.interval
    speedup = f"{found.comparison.speedup:.3g}x [{low:.3g}, {high:.3g}]"
    print(f"{found.comparison.verdict}: {found.trials[found.chosen].config}, {speedup}")


if __name__ == "__main__":
    main()
