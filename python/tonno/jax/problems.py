# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One call to tune for: its key, and what is compiled and run for it."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Hashable
from typing import Any

import jax
import numpy as np

from tonno.jax import fingerprints, inputs
from tonno.jax.calls import held, static_places, surroundings
from tonno.jax.contract import Contract
from tonno.jax.keys import Form, Leaf, dynamic_form, static_form, text_of
from tonno.jax.tracing import is_in_trace, outside_traces
from tonno.jax.winners import directory_name
from tonno.trials import Configuration


class NotTunable(RuntimeError):
    """A call that can't be tuned as it is; the message says what can be done."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """A call by the shapes and types of its arguments."""

    contract: Contract
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    identity: tuple[Hashable, Hashable]
    """In this process: the call, and its surroundings."""
    key_values: dict[str, Any]
    is_stable: bool
    """Whether `key_values` are the same in another process."""

    @property
    def key(self) -> str:
        return text_of(self.key_values)

    @property
    def is_traced(self) -> bool:
        """Whether the call is, if only with values, as under an eager `checkify`."""
        leaves = jax.tree.leaves((self.args, self.kwargs))
        return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) or is_in_trace()

    def original_key(self) -> str | None:
        """As the original decorator has it: each argument as it was passed."""
        values: dict[str, Any] = {f"__arg{i}": arg for i, arg in enumerate(self.args)}
        values |= self.kwargs
        try:
            return text_of({name: _original_form(value) for name, value in values.items()})
        except (TypeError, ValueError):
            return None  # The original could not store it either.

    @property
    def device(self) -> jax.Device:
        """Where it runs, or the first of where."""
        for leaf in self._leaves():
            place = leaf_of(leaf).sharding
            if place is not None and not _is_abstract(place):
                return min(place.device_set, key=lambda device: device.id)
        return default_device()

    def trace(self, config: Configuration) -> Any:
        """The function traced with a configuration."""
        args, kwargs = self._mapped(lambda leaf, _: _spec(leaf))
        traced = self.contract.jitted.trace(*args, **kwargs, **config)
        given = len(self._leaves())
        if len(traced.jaxpr.in_avals) != given:
            raise NotTunable(
                "it uses a value of the trace around it that is no argument of it: pass that "
                "as an argument, so that one can be made up"
            )
        return traced

    def trace_fingerprint(self, config: Configuration) -> str:
        """The same where the function computes the same with the configuration."""
        try:
            return fingerprints.of_trace(self.trace(config))
        except Exception as error:
            # A configuration that can't be traced any more is no winner.
            return f"{type(error).__name__}"

    def dummies(self, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Made-up arguments for what `trace(...).lower().compile()` gives.

        What was put nowhere is left so, where it runs: over which devices that is
        spread, each configuration's program says, and it is done by each run, as by
        each call.
        """

        def made(leaf: Any, index: int) -> Any:
            if isinstance(leaf, (bool, int, float, complex, np.generic)):
                return leaf  # Known, and as in a trip count it may matter.
            described = leaf_of(leaf)
            return inputs.array(described, described.sharding, seed + index)

        with outside_traces(), jax.default_device(self.device):
            args, kwargs = self._mapped(made)
        statics = self._static_places()
        return (
            tuple(arg for i, arg in enumerate(args) if i not in statics),
            {name: v for name, v in kwargs.items() if name not in self.contract.statics},
        )

    def _leaves(self) -> list[Any]:
        statics, names = self._static_places(), self.contract.statics
        args = [arg for i, arg in enumerate(self.args) if i not in statics]
        kwargs = {name: v for name, v in self.kwargs.items() if name not in names}
        leaves: list[Any] = jax.tree.leaves((args, kwargs))
        return leaves

    def _static_places(self) -> frozenset[int]:
        return static_places(self.contract, self.args)

    def _mapped(self, made: Any) -> tuple[list[Any], dict[str, Any]]:
        statics = self._static_places()
        numbers = iter(range(1 << 62))

        def of(value: Any) -> Any:
            return jax.tree.map(lambda leaf: made(leaf, next(numbers)), value)

        args = [arg if i in statics else of(arg) for i, arg in enumerate(self.args)]
        kwargs = {
            name: value if name in self.contract.statics else of(value)
            for name, value in self.kwargs.items()
        }
        return args, kwargs


def problem_of(
    contract: Contract, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Problem | None:
    """The call as a problem; None if it is none, which jax.jit says better."""
    try:
        bound = contract.signature.bind(*args, **kwargs)
        pieces = list(_pieces(contract, bound))
        forms = {name: form for name, form, _ in pieces}
        identity = tuple((name, part) for name, _, part in pieces)
        hash(identity)
    except TypeError:
        return None
    precision = jax.config.jax_default_matmul_precision
    if precision is not None:
        forms["__context"] = Form({"default_matmul_precision": precision})
    return Problem(
        contract=contract,
        args=args,
        kwargs=kwargs,
        identity=(identity, surroundings()),
        key_values={name: form.json for name, form in forms.items()},
        is_stable=all(form.is_stable for form in forms.values()),
    )


def _pieces(contract: Contract, bound: inspect.BoundArguments) -> Any:
    """Name, form and identity of each argument, however it was passed.

    Static ones go by name, and are left out where they have their default; so a
    call has one key. Arrays go by their place, as in the original, and by name
    where they have none.
    """
    for place, (name, parameter) in enumerate(contract.signature.parameters.items()):
        if name not in bound.arguments or name in contract.tunables:
            continue
        value = bound.arguments[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            for i, element in enumerate(value, place):
                yield _piece(f"__arg{i}", element, i in contract.static_numbers)
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            for key, element in value.items():
                yield _piece(key, element, key in contract.statics)
        elif name in contract.statics or place in contract.static_numbers:
            if not _is_same(value, parameter.default):
                yield _piece(name, value, True)
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            yield _piece(name, value, False)
        else:
            yield _piece(f"__arg{place}", value, False)


def _piece(name: str, value: Any, is_static: bool) -> tuple[str, Form, Hashable]:
    if is_static:
        return name, static_form(value), (type(value), held(value))
    leaves, tree = jax.tree.flatten(value)
    described = [leaf_of(leaf) for leaf in leaves]
    return name, dynamic_form(described, tree), (tree, tuple(described))


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def leaf_of(value: Any) -> Leaf:
    """What jax.jit compiles for.

    Raises TypeError for what is nothing to it, NotTunable for what can't be made up.
    """
    aval = jax.typeof(value)
    if hasattr(aval, "inner_aval"):
        raise NotTunable(
            "a jax.Ref is among its arguments, which each configuration would write to: "
            "pass the tunable parameters explicitly"
        )
    if not hasattr(aval, "dtype"):
        raise TypeError(f"{value!r} has no dtype")
    if not all(isinstance(extent, int) for extent in aval.shape):
        raise NotTunable(
            f"its arguments have symbolic shapes, such as {aval.str_short()}, and nothing of "
            "that shape can be timed: pass the tunable parameters explicitly"
        )
    return Leaf(aval.shape, aval.dtype, bool(aval.weak_type), _sharding(value, aval))


def _sharding(value: Any, aval: Any) -> jax.sharding.Sharding | None:
    if isinstance(value, jax.core.Tracer):
        return _traced_sharding(aval)
    if isinstance(value, jax.Array):
        sharding = value.sharding
        if len(sharding.device_set) > 1:
            return sharding
        if not value.committed:
            return None
        (device,) = sharding.device_set
        return jax.sharding.SingleDeviceSharding(device, memory_kind=sharding.memory_kind)
    found: jax.sharding.Sharding | None = getattr(value, "sharding", None)
    return found


def _traced_sharding(aval: Any) -> jax.sharding.Sharding | None:
    # Of a mesh that the compiler distributes over by itself, or inside a
    # shard_map, what is seen is the shape; an explicit one is in the type.
    sharding = getattr(aval, "sharding", None)
    if sharding is None or sharding.mesh.empty:
        return None
    explicit = jax.sharding.AxisType.Explicit
    if all(kind is not explicit for kind in sharding.mesh.axis_types):
        return None
    found: jax.sharding.Sharding = sharding
    return found


def _spec(leaf: Any) -> Any:
    described = leaf_of(leaf)
    return jax.ShapeDtypeStruct(
        described.shape,
        described.dtype,
        sharding=described.sharding,
        weak_type=described.weak_type,
    )


def _is_abstract(sharding: jax.sharding.Sharding) -> bool:
    mesh = getattr(sharding, "mesh", None)
    return isinstance(mesh, jax.sharding.AbstractMesh)


def default_device() -> jax.Device:
    """Where jax.jit puts what nobody put anywhere."""
    stated = jax.config.jax_default_device
    if stated is None:
        return jax.devices()[0]
    return jax.devices(stated)[0] if isinstance(stated, str) else stated


def check_processes(problem: Problem) -> None:
    """Raises NotTunable where processes that have to agree on a winner could not."""
    if jax.process_count() == 1 or not problem.is_traced:
        return
    shared = f"tune(...) it in one process and copy '{directory_name()}' to the others, or "
    raise NotTunable(
        f"it is being traced in one of {jax.process_count()} processes, each of which would "
        "choose a winner of its own, and programs that differ wait for each other without "
        f"end: {shared if problem.is_stable else ''}pass the tunable parameters explicitly"
    )


def check_placement(problem: Problem) -> None:
    """Raises NotTunable where what the call runs on can't be had for timing."""
    check_processes(problem)
    for leaf in problem._leaves():
        sharding = leaf_of(leaf).sharding
        if sharding is None:
            continue
        if _is_abstract(sharding):
            raise NotTunable(
                "it is being traced with arguments that are sharded over an explicit mesh, "
                "and there is no such array to time with: call it once with arrays, or "
                "tune(...) it, before the trace"
            )
        if not sharding.is_fully_addressable:
            raise NotTunable(
                "its arguments are spread over several processes, which would have to agree "
                "on the winner: pass the tunable parameters explicitly"
            )
        if len(sharding.device_set) > 1 and not isinstance(
            sharding, jax.sharding.NamedSharding
        ):
            raise NotTunable(
                f"its arguments have a {type(sharding).__name__}, which has no name to be "
                "found by: use a jax.sharding.NamedSharding"
            )


def _original_form(value: Any) -> Any:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return {"shape": list(value.shape), "dtype": str(value.dtype)}
    json.dumps(value)
    return value
