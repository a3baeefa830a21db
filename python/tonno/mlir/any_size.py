# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels of dynamic dimensions, called with arrays of any size."""

from __future__ import annotations

import ast
import functools
import operator
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tonno.errors import Error
from tonno.mlir.kernels import Kernel

_MOST_KEPT = 64
"""Sizes for which a kernel keeps what calls need, such as a workspace."""


class AnySizeKernel(Kernel):
    """A compiled kernel that takes arrays of any size in its dynamic dimensions.

        result = kernel(a, b)
        fixed = kernel.at(M=64)
        result = fixed(a, b)

    It is called as any `Kernel`; the sizes are read from the arrays. Arrays whose sizes do
    not fit each other raise `tonno.Error`, which names the argument.
    """

    sizes: tuple[str, ...]
    """Names of the dynamic dimensions."""

    def __init__(
        self,
        plan: Mapping[str, Any],
        code: pathlib.Path,
        *,
        name: str,
        target: str,
        driver: str | os.PathLike[str] | None = None,
    ) -> None:
        """Loads nothing yet; see `Kernel` for the parameters."""
        self.name = name
        self.target = target
        self.plan = dict(plan)
        self.sizes = tuple(_find_sizes(plan))
        arguments = [
            buffer
            for buffer in plan["buffers"]
            if buffer["access"] != "workspace" and buffer["name"] not in self.sizes
        ]
        self._places = _find_places(arguments, self.sizes)
        self._inputs = [buffer for buffer in arguments if buffer["access"] != "write"]
        binary = code.read_bytes()

        @functools.lru_cache(maxsize=_MOST_KEPT)
        def make(*sizes: int) -> Kernel:
            known = dict(zip(self.sizes, sizes, strict=True))
            at_sizes = _at_sizes(self.plan, known)
            return Kernel(at_sizes, binary, name=name, target=target, driver=driver)

        self._make = make

    def __repr__(self) -> str:
        return f"AnySizeKernel({self.name!r}, sizes={self.sizes!r})"

    def at(self, **sizes: int) -> Kernel:
        """Returns the kernel for arrays of these sizes alone.

        sizes: a size, of at least 0, for each dynamic dimension by its name

        Raises `tonno.Error` if a size is missing, unknown or negative.
        """
        for name in sizes:
            if name not in self.sizes:
                raise Error(
                    f"kernel '{self.name}' has no dynamic dimension '{name}'; the dimensions "
                    f"are: {', '.join(self.sizes)}"
                )
        for name in self.sizes:
            if sizes.get(name, -1) < 0:
                raise Error(
                    f"kernel '{self.name}' needs a size of at least 0 for dimension '{name}'"
                )
        return self._make(*(sizes[name] for name in self.sizes))

    def __call__(self, *arguments: Any, out: Any = None, stream: Any = None) -> Any:
        """Runs the kernel, as a `Kernel` does."""
        return self._find(arguments, self._places)(*arguments, out=out, stream=stream)

    def load(self, *arguments: Any) -> None:
        """Computes what depends on constant arguments alone, for arrays of these sizes."""
        self._find(arguments, self._places).load(*arguments)

    def as_jax(self) -> Callable[..., Any]:
        """Returns a function of JAX arrays of any size, as `Kernel.as_jax` does of one.

        What it needs for each size stays loaded until the process ends. Raises `tonno.Error` if
        a size is only that of an array that the kernel writes.
        """
        return self._make_function(Kernel.as_jax)

    def as_torch(self) -> Callable[..., Any]:
        """Returns a function of torch tensors of any size, as `as_jax` of JAX arrays."""
        return self._make_function(Kernel.as_torch)

    def _make_function(self, make: Callable[[Kernel], Callable[..., Any]]) -> Callable[..., Any]:
        places = _find_places(self._inputs, self.sizes)
        of_size = functools.lru_cache(maxsize=None)(make)
        return lambda *arrays: of_size(self._find(arrays, places))(*arrays)

    def _find(self, arrays: tuple[Any, ...], places: Sequence[tuple[int, int]]) -> Kernel:
        """Returns the kernel for the sizes of arrays."""
        try:
            sizes = [arrays[place].shape[axis] for place, axis in places]
        except (AttributeError, IndexError):
            raise self._refuse(arrays, places) from None
        return self._make(*sizes)

    def _refuse(
        self, arrays: tuple[Any, ...], places: Sequence[tuple[int, int]]
    ) -> Exception:
        """Returns the error for arrays whose sizes can't be read."""
        for size, (place, axis) in zip(self.sizes, places, strict=True):
            what = f"argument {place} of kernel '{self.name}', which gives the size '{size}',"
            if place >= len(arrays):
                return TypeError(f"{what} is missing; {len(arrays)} were given")
            shape = getattr(arrays[place], "shape", None)
            if shape is None:
                return TypeError(f"{what} takes an array, not {type(arrays[place]).__name__}")
            if len(shape) <= axis:
                return Error(f"{what} has no axis {axis}: its shape is {tuple(shape)}")
        return TypeError(f"the sizes of kernel '{self.name}' cannot be read")


def is_any_size(plan: Mapping[str, Any]) -> bool:
    """Returns true if the kernel of this launch plan takes sizes."""
    return any(buffer.get("sizes") for buffer in plan["buffers"])


def _find_sizes(plan: Mapping[str, Any]) -> list[str]:
    """Returns the names of the buffers that are sizes of others, in their order."""
    names = {size for buffer in plan["buffers"] for size in buffer.get("sizes", ())}
    return [buffer["name"] for buffer in plan["buffers"] if buffer["name"] in names]


def _find_places(
    arrays: list[dict[str, Any]], sizes: Sequence[str]
) -> list[tuple[int, int]]:
    """Returns for each size the first array that has it, and the axis. Raises `Error` if there is
    none."""
    places: dict[str, tuple[int, int]] = {}
    for position, buffer in enumerate(arrays):
        for axis, size in enumerate(buffer.get("sizes", ())):
            places.setdefault(size, (position, axis))
    for size in sizes:
        if size not in places:
            raise Error(f"no argument that the kernel reads has the size '{size}'")
    return [places[size] for size in sizes]


def _at_sizes(plan: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    """Returns the plan for known sizes. The sizes are workspace with stated contents."""

    def fix(buffer: dict[str, Any]) -> dict[str, Any]:
        fixed = {key: value for key, value in buffer.items() if key != "sizes"}
        if buffer["name"] in sizes:
            stated = f"constant({sizes[buffer['name']]})"
            return fixed | {"access": "workspace", "input": stated}
        texts = buffer.get("sizes")
        if not texts:
            return fixed
        if buffer["access"] == "workspace":
            return fixed | {"shape": [_evaluate(texts[0], sizes)]}
        shape = zip(buffer["shape"], texts, strict=True)
        return fixed | {"shape": [sizes[name] if name else known for known, name in shape]}

    return {
        **plan,
        "buffers": [fix(buffer) for buffer in plan["buffers"]],
        "launches": _launches_at_sizes(plan["launches"], sizes),
    }


def _launches_at_sizes(
    launches: Sequence[Mapping[str, Any]], sizes: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Returns the launches that run at these sizes, with their grids."""
    running = []
    for launch in launches:
        fixed = dict(launch)
        condition = fixed.pop("condition", None)
        grid = fixed.pop("grid_sizes", None)
        if condition and not _evaluate(condition, sizes):
            continue
        if grid:
            fixed["grid"] = [_evaluate(extent, sizes) for extent in grid]
        if 0 not in fixed.get("grid", ()):
            running.append(fixed)
    return running


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
}


def _evaluate(text: str, sizes: Mapping[str, int]) -> int:
    """Returns the value of an expression or a condition of sizes, in C's integers."""

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return sizes[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
            return _COMPARISONS[type(node.ops[0])](
                value(node.left), value(node.comparators[0])
            )
        if isinstance(node, ast.BoolOp):
            every = isinstance(node.op, ast.And)
            return (all if every else any)(value(part) for part in node.values)
        raise Error(f"'{text}' cannot be evaluated as an expression of sizes")

    return value(ast.parse(text, mode="eval").body)
