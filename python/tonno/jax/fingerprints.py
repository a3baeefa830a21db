# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a function, or what it was tuned over, is still the same."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import types
from collections.abc import Iterator
from typing import Any

import jax

from tonno.jax.reprs import with_sorted_sets, without_addresses
from tonno.jax.versions import processor
from tonno.trials import Configuration


def of_code(jitted: Any) -> str:
    """Of the function's own code: not of comments, line numbers or annotations."""
    function = inspect.unwrap(jitted)
    code = getattr(function, "__code__", None)
    if code is None:
        return _digest(repr(type(function)))
    return _digest(repr(_parts(code, function.__doc__)))


def of_trace(traced: Any) -> str:
    """Of what is computed, in whatever function it is written."""
    pieces = [str(traced.jaxpr)]
    # Where blocks are is in the parameters of a Pallas call, and not printed.
    pieces += [str(m.index_map_jaxpr) for m in _block_mappings(traced.jaxpr.jaxpr)]
    return _digest(with_sorted_sets(without_addresses("\n".join(pieces))))


def of_choices(configs: list[Configuration] | None, space: Any) -> str:
    """Of a list of configurations, in any order, or of a space."""
    if configs is not None:
        return _digest(json.dumps(sorted(json.dumps(c, sort_keys=True) for c in configs)))
    return _digest(repr((space.knobs, space.constraints)))


def versions(device: jax.Device) -> dict[str, str]:
    """What compiles and what runs it."""
    found = {"jax": jax.__version__, "backend": str(device.client.platform_version)}
    if device.platform == "cpu":
        found["processor"] = processor()
        # XLA divides work among as many threads.
        found["processors"] = str(len(os.sched_getaffinity(0)))
    return found


def _block_mappings(jaxpr: Any) -> Iterator[Any]:
    for equation in jaxpr.eqns:
        mapping = equation.params.get("grid_mapping")
        yield from getattr(mapping, "block_mappings", ())
        for value in jax.tree.leaves(list(equation.params.values()), is_leaf=_is_jaxpr):
            if _is_jaxpr(value):
                yield from _block_mappings(getattr(value, "jaxpr", value))


def _is_jaxpr(value: Any) -> bool:
    return hasattr(getattr(value, "jaxpr", value), "eqns")


def _parts(code: types.CodeType, docstring: str | None = None) -> Any:
    # The first constant is the docstring, or None in its place.
    first = code.co_consts[:1]
    rest = code.co_consts[1:] if first in ((docstring,), (None,)) else code.co_consts
    constants = [_constant(constant) for constant in rest]
    return code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, constants


def _constant(constant: Any) -> Any:
    if isinstance(constant, types.CodeType):
        return _parts(constant)
    if isinstance(constant, frozenset):
        return sorted(map(repr, constant))
    return type(constant).__name__, repr(constant)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
