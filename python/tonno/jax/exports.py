# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports programs of configurations for another process, and checks that they can be sent."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax.extend import source_info_util

from tonno.jax import fingerprints
from tonno.jax.candidates import Candidate, brief
from tonno.jax.decisions import shown
from tonno.jax.hangs import HangError
from tonno.jax.problems import NotTunable, Problem, describe_leaf

_CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")


@dataclasses.dataclass(eq=False)
class Program:
    """A configuration's program, which another process compiles."""

    number: int
    text: bytes
    """A pickled `jax.export.Exported` of flat arguments, and the donated arguments."""
    out_tree: Any
    out_types: list[tuple[tuple[int, ...], Any]]
    """Shape and dtype of each output, with random keys as their data."""
    has_run: bool = False


def export(
    problem: Problem, candidate: Candidate, number: int, is_known: Callable[[Candidate], bool]
) -> Program | None:
    """Returns the program of a configuration. Raises NotTunable if it can't be sent.

    Returns None if the program `is_known`, or can't be traced or lowered; the failure is then in
    the candidate.
    """
    try:
        traced = problem.trace(candidate.config)
    except (NotTunable, HangError):
        raise
    except Exception as error:
        candidate.fail("compile_error", error)
        return None
    _check(problem, candidate, traced)
    try:
        lowered = traced.lower(lowering_platforms=(problem.device.platform,))
        candidate.identify(traced, lowered)
    except Exception as error:
        candidate.fail("compile_error", error)
        return None
    if is_known(candidate):
        return None
    donated = tuple(bool(leaf.donated) for leaf in fingerprints.get_arguments(traced))
    exported = _exported(problem, candidate, lowered)
    count = exported.nr_devices
    if count > 1:
        raise _refusal(problem, candidate, f"the function runs on {count} devices")
    # Types of nodes exist in this process only, and the derivative is not needed.
    arguments = jax.tree.structure(((0,) * len(exported.in_avals), {}))
    outputs = jax.tree.structure((0,) * len(exported.out_avals))
    flat = dataclasses.replace(exported, in_tree=arguments, out_tree=outputs, _get_vjp=None)
    return Program(
        number,
        pickle.dumps((flat, donated)),
        exported.out_tree,
        [_data_type(aval) for aval in exported.out_avals],
    )


def _exported(problem: Problem, candidate: Candidate, lowered: Any) -> Any:
    platform = problem.device.platform
    platforms = None if platform == jax.default_backend() else [platform]

    def exported(targets: list[str]) -> Any:
        # The other process has the same jaxlib, and therefore the same targets of custom calls.
        allowed = [jax.export.DisabledSafetyCheck.custom_call(target) for target in targets]
        made = jax.export.export(
            problem.contract.jitted, platforms=platforms, disabled_checks=allowed
        )
        args, kwargs = problem.specs()
        return made(*args, **kwargs, **candidate.config)

    try:
        return exported([])
    except Exception:
        pass  # a custom call without guarantees
    try:
        return exported(sorted(set(_custom_calls(lowered.compiler_ir("stablehlo").operation))))
    except Exception as error:
        raise _refusal(problem, candidate, brief(error)) from error


def _custom_calls(operation: Any) -> Iterator[str]:
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                if inner.operation.name == "stablehlo.custom_call":
                    yield inner.operation.attributes["call_target_name"].value
                yield from _custom_calls(inner.operation)


def _data_type(aval: Any) -> tuple[tuple[int, ...], Any]:
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        aval = jax.eval_shape(
            jax.random.key_data, jax.ShapeDtypeStruct(aval.shape, aval.dtype)
        )
    return tuple(aval.shape), aval.dtype


def _check(problem: Problem, candidate: Candidate, traced: Any) -> None:
    """Raises NotTunable for a program that refers to objects of this process."""
    for leaf in problem.leaves():
        sharding = describe_leaf(leaf).sharding
        if sharding is None:
            continue
        if len(sharding.device_set) > 1:
            raise _refusal(problem, candidate, "an argument is spread over several devices")
        if sharding.memory_kind != problem.device.default_memory().kind:
            kind = sharding.memory_kind
            raise _refusal(problem, candidate, f"an argument is in the memory {kind!r}")
    function = inspect.unwrap(problem.contract.jitted)
    for constant in traced.jaxpr.consts:
        if hasattr(jax.typeof(constant), "inner_aval"):
            name = _variable(function, constant)
            found = f"captures {name}, a jax.Ref" if name else "captures a jax.Ref"
            found = f"the function {found}"
            raise _refusal(problem, candidate, found)
    for equation in fingerprints.equations(traced.jaxpr.jaxpr):
        primitive, place = equation.primitive.name, source_info_util.summarize(equation.source_info)
        if primitive == "ffi_call":
            target = equation.params["target_name"]
            found = f"the function calls the FFI target {target!r} ({place})"
            raise _refusal(problem, candidate, found)
        if primitive in _CALLBACKS:
            called = _called(function, equation.params)
            by = f"{primitive}: {place}"
            raise _refusal(problem, candidate, f"the function calls {called} of this process ({by})")


def _called(function: Any, parameters: dict[str, Any]) -> str:
    """Returns the name of the function that an equation calls on the host."""
    if "fmt" in parameters:
        return f"print({parameters['fmt']!r})"
    callback = parameters.get("callback")
    callback = getattr(callback, "callback_func", callback)
    # JAX wraps the function.
    while isinstance(callback, types.FunctionType) and callback.__module__.startswith("jax."):
        callback = inspect.getclosurevars(callback).nonlocals.get("callback")
    name = _variable(function, callback)
    return name or getattr(callback, "__qualname__", repr(callback))


def _variable(function: Any, value: Any) -> str:
    """Returns the name by which a function refers to a value of its enclosing scope; "" if it has
    none."""
    if not isinstance(function, types.FunctionType):
        return ""
    captured = inspect.getclosurevars(function)
    around = [*captured.nonlocals.items(), *captured.globals.items()]
    return next((name for name, found in around if found is value), "")


def _refusal(problem: Problem, candidate: Candidate, reason: str) -> NotTunable:
    return NotTunable(
        f"{problem.contract.name}: {shown(candidate.config)} cannot run in a process of its own "
        f"(isolate=True): {reason}; leave out isolate=True to tune in this process"
    )
