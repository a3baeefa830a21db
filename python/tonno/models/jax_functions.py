# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX as models."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from tonno.models.lowering import make_symbol
from tonno.models.model import ImportFailure, explain_missing
from tonno.models.stablehlo import lower_stablehlo
from tonno.models.weights import check_memory

if TYPE_CHECKING:
    from tonno.models.model import Model

_PRECISION_FLAG = "--xla_allow_excess_precision="


def from_jax(
    function: Callable[..., Any],
    *args: Any,
    name: str | None = None,
    constants: Collection[str] = (),
) -> Model:
    """Imports a function of JAX.

    function: jitted or not
    args: its arguments: arrays, `jax.ShapeDtypeStruct`, or trees of these; values of
        arrays are not read
    name: of the model's function; else the Python function's
    constants: parameters, such as the weights, that have the same contents in all calls of
        the compiled model: what depends on them alone is computed once, by `Kernel.load`

    Each leaf of `args` is an argument, with the name of the parameter and the path in the
    tree, such as `params['w']`. Arrays that the function closes over become the last
    arguments if they have more than 1 KiB. Scopes of `jax.named_scope` name the ops.

    Intermediate results in bf16 and f16 may stay in f32, as in XLA
    by default: their ops have `fastmath<contract>`. With `--xla_allow_excess_precision=false`
    in `$XLA_FLAGS`, each of them is rounded, here and in XLA.
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
    leaves = list(_find_leaves(jitted, args))
    for parameter in constants:
        if all(parameter != own for own, _ in leaves):
            raise ImportFailure(f"'{label}' has no parameter '{parameter}' with an array")
    return lower_stablehlo(
        module,
        make_symbol(label),
        [parameter + path for parameter, path in leaves],
        [i for i, (parameter, _) in enumerate(leaves) if parameter in constants],
        source,
        excess_precision=_allows_excess_precision(),
    )


def _allows_excess_precision() -> bool:
    """Returns what the last such flag of `$XLA_FLAGS` says; XLA's default is true."""
    flags = os.environ.get("XLA_FLAGS", "").split()
    said = [f.removeprefix(_PRECISION_FLAG) for f in flags if f.startswith(_PRECISION_FLAG)]
    return not said or said[-1].lower() not in ("false", "0")


def _find_leaves(
    function: Callable[..., Any], args: tuple[Any, ...]
) -> Iterator[tuple[str, str]]:
    """Yields the parameter of each argument, and the path in its tree."""
    import jax

    bound = inspect.signature(function).bind(*args)
    for parameter, value in bound.arguments.items():
        for path, _ in jax.tree_util.tree_flatten_with_path(value)[0]:
            yield parameter, jax.tree_util.keystr(path)


def _count_constants(jaxpr: Any) -> int:
    """Returns the bytes of the arrays that a closed jaxpr contains, and those within it."""
    count = sum(getattr(constant, "nbytes", 0) for constant in jaxpr.consts)
    for equation in jaxpr.jaxpr.eqns:
        for value in equation.params.values():
            if hasattr(value, "consts"):
                count += _count_constants(value)
    return count
