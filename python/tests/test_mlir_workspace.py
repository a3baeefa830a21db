# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers that share a workspace, in random functions."""

from __future__ import annotations

import pathlib
import random
import re
import subprocess

import numpy as np
import pytest

from tonno import mlir

LENGTH = 64
VIEW = re.compile(r"memref\.view (%\w+)\[(%\w+)\]\[\] : memref<(\d+)xi8> to memref<(\d+)xi32>")


class _Function:
    """A function on memrefs of i32 whose result depends on each of its buffers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0
        values = ["%a", "%b"]
        for _ in range(self.random.randint(4, 9)):
            kind = self.random.choice(["op", "op", "loop", "branch", "slice"])
            values.append(getattr(self, f"_add_{kind}")(values))
            if len(values) > 5:  # read for the last time
                dead = values.pop(self.random.randrange(len(values) - 1))
                values.append(self._combine(dead, values[-1], "  "))
        result = values[0]
        for value in values[1:]:
            result = self._combine(result, value, "  ")
        self.lines.append(f"  memref.copy {result}, %r : {self.type} to {self.type}")

    type = f"memref<{LENGTH}xi32>"

    def _name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def _alloc(self, indent: str) -> str:
        name = self._name()
        self.lines.append(f"{indent}{name} = memref.alloc() : {self.type}")
        return name

    def _write(self, x: str, y: str, destination: str, indent: str) -> None:
        # Neither op loses bits of its operands, so an overwritten one shows.
        op = self.random.choice(["add", "sub"])
        self.lines.append(
            f"{indent}linalg.{op} ins({x}, {y} : {self.type}, {self.type}) "
            f"outs({destination} : {self.type})"
        )

    def _combine(self, x: str, y: str, indent: str) -> str:
        destination = self._alloc(indent)
        self._write(x, y, destination, indent)
        return destination

    def _combine_any(self, values: list[str]) -> str:
        x, y = self.random.choices(values, k=2)
        return self._combine(x, y, "  ")

    def _add_op(self, values: list[str]) -> str:
        return self._combine_any(values)

    def _add_loop(self, values: list[str]) -> str:
        """Adds a loop with buffers of its own, which sums up in one from outside."""
        total = self._combine_any(values)
        self.lines.append("  scf.for %i = %c0 to %c3 step %c1 {")
        inner = self._combine(total, self.random.choice(values), "    ")
        other = self._combine(inner, self.random.choice(values), "    ")
        self._write(inner, other, total, "    ")
        self.lines.append("  }")
        return total

    def _add_branch(self, values: list[str]) -> str:
        result = self._combine_any(values)
        self.lines.append("  scf.if %condition {")
        inner = self._combine(result, self.random.choice(values), "    ")
        self._write(inner, self.random.choice(values), result, "    ")
        self.lines.append("  }")
        return result

    def _add_slice(self, values: list[str]) -> str:
        """Adds a buffer that is written and read through views of it."""
        source = self._combine_any(values)
        whole, view = self._name(), self._name()
        double = f"memref<{2 * LENGTH}xi32>"
        strided = f"memref<{LENGTH}xi32, strided<[1], offset: {LENGTH}>>"
        result = self._alloc("  ")
        self.lines += [
            f"  {whole} = memref.alloc() : {double}",
            f"  {view} = memref.subview {whole}[{LENGTH}] [{LENGTH}] [1] : {double} to {strided}",
            f"  memref.copy {source}, {view} : {self.type} to {strided}",
            f"  linalg.add ins({view}, {self.random.choice(values)} : {strided}, {self.type}) "
            f"outs({result} : {self.type})",
        ]
        return result

    @property
    def text(self) -> str:
        return "\n".join(
            [
                f"func.func @f(%a: {self.type}, %b: {self.type}, %r: {self.type}) {{",
                *(f"  %c{i} = arith.constant {i} : index" for i in (0, 1, 3)),
                "  %first = memref.load %a[%c0] : " + self.type,
                "  %five = arith.constant 5 : i32",
                "  %condition = arith.cmpi slt, %first, %five : i32",
                *self.lines,
                "  return",
                "}",
                "",
            ]
        )


def _place(planned: str, offsets: list[int]) -> str:
    """Returns the planned function with other offsets of its views, in their order."""
    views = list(VIEW.finditer(planned))
    size = max(o + 4 * int(v[4]) for o, v in zip(offsets, views, strict=True))
    left = iter(enumerate(offsets))

    def move(line: str) -> str:
        if not (view := VIEW.search(line)):
            return line
        i, offset = next(left)
        moved = line.replace(f"{view[1]}[{view[2]}]", f"{view[1]}[%moved{i}]")
        return f"    %moved{i} = arith.constant {offset} : index\n{moved}"

    text = "\n".join(move(line) for line in planned.splitlines())
    return re.sub(r"memref<\d+xi8>", f"memref<{size}xi8>", text)


def _run(text: str) -> np.ndarray:
    kernel = mlir.compile(text)
    arrays = []
    for i, buffer in enumerate(kernel.plan["buffers"]):
        array = mlir.empty(tuple(buffer["shape"]), np.int8 if i == 3 else np.int32)
        array[:] = np.arange(len(array)) * (2 * i + 1) if i < 2 else 1
        arrays.append(array)
    kernel(*arrays)
    return arrays[2].copy()


@pytest.mark.parametrize("seed", range(6))
def test_shared_memory_changes_no_result(seed: int, tools: pathlib.Path) -> None:
    planned = subprocess.run(
        [tools / "tonno-opt", "--tonno-workspace"],
        input=_Function(seed).text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    views = list(VIEW.finditer(planned))
    sizes = [4 * int(view[4]) for view in views]
    constants = dict(re.findall(r"(%\w+) = arith\.constant (\d+) : index", planned))
    offsets = [int(constants[view[2]]) for view in views]
    assert int(views[0][3]) < sum(sizes)
    expected = _run(planned)
    apart = [sum(sizes[:i]) for i in range(len(sizes))]
    np.testing.assert_array_equal(_run(_place(planned, apart)), expected)

    # A planner that ignores a lifetime places the buffer over a live one.
    caught = 0
    for ignored in range(0, len(views), 3):
        wrong = list(offsets)
        wrong[ignored] = next(o for o in [*offsets[ignored + 1 :], *offsets] if o != wrong[ignored])
        caught += not np.array_equal(_run(_place(planned, wrong)), expected)
    assert caught >= 1
