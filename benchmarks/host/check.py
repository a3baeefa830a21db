#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts how often `tonno-tune check` finds a slow-down of 2 %, and how often it is mistaken.

    check.py --build=build [--checks=50] [--kernels=20]

The kernel is a product that takes about a millisecond, and exponentials of some numbers. Three
binaries differ in the tile of the exponentials: two take the same time, and the third, which
computes them one by one, is made to take 2 % more by their number. Then a module of `--kernels`
kernels is checked, all of which have changed, and the seconds are printed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time
from typing import Any

_TARGET = 0.02
_BEFORE, _EQUAL, _SLOWER = 16, 32, 1
"""Tiles of the exponentials."""
_KERNEL = """\
func.func @{name}(%a: tensor<256x288xf32>, %b: tensor<288x256xf32>, %z: tensor<{size}xf32>)
    -> (tensor<256x256xf32>, tensor<{size}xf32>) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x288xf32>, tensor<288x256xf32>)
                     outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = tensor.empty() : tensor<{size}xf32>
  %x = linalg.generic {{
         indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
         iterator_types = ["parallel"],
         tonno.lowering_config = {{
           workgroup = [64],
           subgroup = [#tonno.knob<"TILE" from [1, 16, 32] default {tile}>]}}}}
       ins(%z : tensor<{size}xf32>) outs(%y : tensor<{size}xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  }} -> tensor<{size}xf32>
  return %c, %x : tensor<256x256xf32>, tensor<{size}xf32>
}}
"""


class Checker:
    """Checks modules against the lock of another one, in a folder."""

    def __init__(self, tools: pathlib.Path, folder: pathlib.Path) -> None:
        self._tools = tools
        self._folder = folder

    def _write(self, name: str, tile: int, size: int, kernels: int) -> pathlib.Path:
        text = "".join(
            _KERNEL.format(name=f"kernel{i}", tile=tile, size=size) for i in range(kernels)
        )
        raw, kept = self._folder / f"{name}.knobs.mlir", self._folder / f"{name}.mlir"
        raw.write_text(text)
        select = f"--tonno-apply=set=TILE={tile} keep"
        subprocess.run([self._tools / "tonno-opt", raw, select, "-o", kept], check=True)
        return kept

    def _run(self, *command: Any) -> str:
        options = ["--cache-dir=none", f"--lock={self._folder / 'lock'}", "--when-busy=measure"]
        options.append(f"--binaries={self._folder / 'binaries'}")
        done = subprocess.run(
            [self._tools / "tonno-tune", *command, *options],
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 3, 4):
            raise RuntimeError(done.stderr)
        return done.stdout

    def lock(self, size: int, kernels: int = 1) -> None:
        (self._folder / "lock").unlink(missing_ok=True)
        self._run("lock", self._write("before", _BEFORE, size, kernels))

    def check(self, tile: int, size: int, kernels: int = 1) -> list[dict[str, Any]]:
        printed = self._run("check", self._write("now", tile, size, kernels), "--json")
        return [json.loads(line) for line in printed.splitlines()]


def find_size(checker: Checker) -> tuple[int, float]:
    """Returns how many exponentials make the third binary take 2 % more, and the ratio of times
    with many, of which that follows."""
    size = 32768  # of which the difference is known to some percent
    checker.lock(size)
    ratio = statistics.median(
        check["comparison"]["speedup"] for _ in range(5) for check in checker.check(_SLOWER, size)
    )
    if ratio < 1.03:
        raise RuntimeError(f"{size} exponentials one by one take only {ratio:.4f}x")
    return round(size * _TARGET / (ratio - 1) / 64) * 64, ratio


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="tonno's build tree")
    parser.add_argument("--checks", type=int, default=50, help="of each kind")
    parser.add_argument("--kernels", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
        checker = Checker(given.build.resolve() / "bin", pathlib.Path(folder))
        size, ratio = find_size(checker)
        print(f"{size} exponentials: of many, it follows from {ratio:.3f}x", flush=True)
        checker.lock(size)
        counts = {_EQUAL: 0, _SLOWER: 0}
        ratios: dict[int, list[float]] = {_EQUAL: [], _SLOWER: []}
        for _ in range(given.checks):  # in turn, so that both meet the same disturbances
            for tile in counts:
                (found,) = checker.check(tile, size)
                counts[tile] += found["status"] == "slower"
                if tile == _EQUAL and found["status"] == "slower":
                    print(f"false alarm: {found['comparison']}", flush=True)
                ratios[tile].append(found["comparison"]["speedup"])
        for tile, what in ((_SLOWER, "slow-downs found"), (_EQUAL, "false alarms")):
            low, high = min(ratios[tile], default=0), max(ratios[tile], default=0)
            median = statistics.median(ratios[tile]) if ratios[tile] else 0
            measured = f"measured {low:.4f} to {high:.4f}, median {median:.4f}"
            print(f"{what}: {counts[tile]} of {given.checks}, {measured}")
        checker.lock(size, given.kernels)
        begin = time.monotonic()
        changed = checker.check(_EQUAL, size, given.kernels)
        seconds = time.monotonic() - begin
        print(f"{len(changed)} changed kernels: {seconds:.1f} s")


if __name__ == "__main__":
    main()
