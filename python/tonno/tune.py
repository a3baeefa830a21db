# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module `tonno.tune` of the original decorator, which names the logger."""

from __future__ import annotations

from typing import Any

from tonno.jax import autotune
from tonno.jax.problems import original_form

__all__ = ["autotune"]


def _make_cache_key(
    args: tuple[Any, ...], kwargs: dict[str, Any], tunable_names: frozenset[str]
) -> dict[str, Any]:
    """Returns the key values of a call, as `tonno.cache.load_best` takes them."""
    values: dict[str, Any] = {f"__arg{i}": arg for i, arg in enumerate(args)}
    values |= {name: kwargs[name] for name in sorted(kwargs) if name not in tunable_names}
    return {name: original_form(value) for name, value in values.items()}
