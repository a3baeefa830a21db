# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX as models."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tonno.models.lowering import make_symbol
from tonno.models.model import explain_missing
from tonno.models.stablehlo import lower_stablehlo
from tonno.models.weights import check_memory

if TYPE_CHECKING:
    from tonno.models.model import Model


def from_jax(function: Callable[..., Any], *args: Any, name: str | None = None) -> Model:
    """Imports a function of JAX.

    function: jitted or not
    args: its arguments: arrays, `jax.ShapeDtypeStruct`, or trees of these; values of
        arrays are not read
    name: of the model's function; else the Python function's

    Each leaf of `args` is an argument, with the name of the parameter and the path in the
    tree, such as `params['w']`. Arrays that the function closes over become the last
    arguments if they have more than 1 KiB. Scopes of `jax.named_scope` name the ops.
    """
    try:
        import jax
    except ImportError as error:
        raise explain_missing(error) from error
    jitted = function if hasattr(function, "trace") else jax.jit(function)
    # For this platform JAX emits no loops in place of ops.
    traced = jax.jit(jitted, keep_unused=True).trace(*args)
    check_memory(_count_constants(traced.jaxpr), "the arrays that the function closes over")
    module = traced.lower(lowering_platforms=("tpu",)).compiler_ir("stablehlo")
    label = name or str(getattr(function, "__name__", "model"))
    code = getattr(inspect.unwrap(function), "__code__", None)
    source = (code.co_filename, code.co_firstlineno) if code else None
    return lower_stablehlo(module, make_symbol(label), _name_leaves(jitted, args), source)


def _name_leaves(function: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """Returns the names of the arguments: the parameter, and the path in its tree."""
    import jax

    bound = inspect.signature(function).bind(*args)
    names = []
    for parameter, value in bound.arguments.items():
        for path, _ in jax.tree_util.tree_flatten_with_path(value)[0]:
            names.append(parameter + jax.tree_util.keystr(path))
    return names


def _count_constants(jaxpr: Any) -> int:
    """Returns the bytes of the arrays that a closed jaxpr contains, and those within it."""
    count = sum(getattr(constant, "nbytes", 0) for constant in jaxpr.consts)
    for equation in jaxpr.jaxpr.eqns:
        for value in equation.params.values():
            if hasattr(value, "consts"):
                count += _count_constants(value)
    return count
