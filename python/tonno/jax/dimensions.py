# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the arguments' axes, their sizes in a call, and buckets of sizes."""

from __future__ import annotations

import bisect
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jax

from tonno import _core

Dims = Mapping[str, tuple[str, ...]]
"""Names of the axes of each parameter."""
Sizes = Mapping[str, int]
"""Sizes of dimensions by name, in order of first appearance."""
Bucket = Callable[[int], int | None]
"""Returns the size that a size is tuned at; None if the size is in no bucket."""


def checked_dims(given: Any, knobs: Iterable[str]) -> Dims:
    """Returns dims= as tuples. Raises TypeError or ValueError, which states the remedy."""
    if not isinstance(given, Mapping):
        raise TypeError('dims must be a dict of names by parameter, such as {"a": ("M", "K")}')
    known = set(knobs)
    dims: dict[str, tuple[str, ...]] = {}
    for parameter, names in given.items():
        if not isinstance(names, (tuple, list)) or not all(isinstance(n, str) for n in names):
            raise TypeError(
                f"dims[{parameter!r}] must be a tuple of names, one for each axis, such as "
                f'("M", "K"), not {names!r}'
            )
        for name in names:
            if not _core.is_plain_name(name):
                raise ValueError(
                    f"dims[{parameter!r}] has {name!r}; use an identifier that is not a keyword of "
                    "constraints, such as M"
                )
            if name in known:
                raise ValueError(
                    f"dims[{parameter!r}] has {name!r}, which is a tunable's name; rename the "
                    "dimension"
                )
        dims[parameter] = tuple(names)
    return dims


def check_parameters(dims: Dims, signature: inspect.Signature, statics: frozenset[str]) -> None:
    """Raises TypeError if dims= names something other than an array parameter of the function."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name in dims:
        parameter = signature.parameters.get(name)
        if parameter is None:
            raise TypeError(
                f"dims has {name!r}, which is not a parameter; the parameters are: "
                f"{', '.join(signature.parameters)}"
            )
        if parameter.kind in variable:
            raise TypeError(
                f"dims has {name!r}, which takes any number of arguments; name axes of parameters "
                "that take one array"
            )
        if name in statics:
            raise TypeError(f"dims has {name!r}, which is static and has no axes; leave it out")


def checked_buckets(given: Any, dims: Dims) -> Mapping[str, Bucket]:
    """Returns bucket= as functions. Raises TypeError or ValueError, which states the remedy."""
    if not isinstance(given, Mapping):
        raise TypeError('bucket must be a dict by dimension, such as {"M": "pow2"}')
    named = {name for names in dims.values() for name in names}
    for name in given:
        if name not in named:
            raise ValueError(f"bucket has {name!r}, which is not a dimension; name it in dims=")
    return {name: _bucket(name, rule) for name, rule in given.items()}


def _bucket(name: str, rule: Any) -> Bucket:
    if rule == "pow2":
        return _next_power_of_two
    if callable(rule):
        return lambda size: _checked_size(name, rule(size))
    is_list = isinstance(rule, (list, tuple, range)) and len(rule) > 0
    if not is_list or not all(type(bound) is int and bound > 0 for bound in rule):
        raise TypeError(
            f"bucket[{name!r}] must be 'pow2', a list of upper bounds such as [16, 64, 256], or a "
            f"function of a size, not {rule!r}"
        )
    bounds = sorted(rule)

    def smallest_bound(size: int) -> int | None:
        place = bisect.bisect_left(bounds, size)
        return bounds[place] if place < len(bounds) else None

    return smallest_bound


def _next_power_of_two(size: int) -> int:
    return 1 << (size - 1).bit_length() if size > 0 else size


def _checked_size(name: str, size: Any) -> int | None:
    if size is None:
        return None
    if type(size) is not int or size < 1:
        raise ValueError(
            f"bucket[{name!r}] returned {size!r}; return the size to tune at, an int from 1, or "
            "None for a size in no bucket"
        )
    return size


def get_sizes(dims: Dims, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Returns the size of each named axis of a call; an argument that is None has no axes.

    Raises ValueError for an argument without the named axes, and for axes of one name with
    different sizes.
    """
    sizes: dict[str, int] = {}
    for parameter, names in dims.items():
        for name, size in zip(names, _shape(parameter, names, arguments), strict=False):
            if sizes.setdefault(name, size) != size:
                raise ValueError(
                    f"dimension {name!r} is {sizes[name]}, and {parameter!r} gives it {size}; pass "
                    "arrays that agree, or give the axes different names in dims="
                )
    return sizes


def _shape(
    parameter: str, names: tuple[str, ...], arguments: Mapping[str, Any]
) -> tuple[int, ...]:
    value = arguments.get(parameter)
    if value is None:
        return ()
    leaves, tree = jax.tree.flatten(value)
    if not jax.tree_util.treedef_is_leaf(tree):
        raise ValueError(
            f"dims[{parameter!r}] names the axes of one array, but the argument is a pytree of "
            f"{len(leaves)}; leave it out of dims=, or pass the array by itself"
        )
    shape: tuple[int, ...] = jax.typeof(leaves[0]).shape
    if len(shape) != len(names):
        raise ValueError(
            f"dims[{parameter!r}] has {len(names)} names, {names}, and the argument has the shape "
            f"{shape}; give each axis a name"
        )
    return shape


def bucketed(sizes: Sizes, buckets: Mapping[str, Bucket]) -> dict[str, int]:
    """Returns the size to tune at of each dimension that is in a bucket."""
    found = {name: bucket(sizes[name]) for name, bucket in buckets.items() if name in sizes}
    return {name: size for name, size in found.items() if size is not None}


def resized(names: tuple[str, ...], shape: tuple[int, ...], sizes: Sizes) -> tuple[int, ...]:
    """Returns the shape with the given sizes of the named axes."""
    return tuple(sizes.get(name, size) for name, size in zip(names, shape, strict=True))


def shown(sizes: Sizes) -> str:
    """Formats sizes as reports of tonno-tune do: "M=1024 K=512"."""
    return _core.format_dimensions(list(sizes.items()))
