# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments that a problem is timed on: made up, or given by inputs=."""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tonno.jax.inputs import CALL, Inputs, by_argument
from tonno.jax.problems import Leaf, NotTunable, Problem, describe_leaf, outside_traces, spec

_FUNCTION = "*"
"""Key in `get_sources` of a function that returns the arguments."""
_SCALARS = (bool, int, float, complex, np.generic)
"""Types whose values are known in a trace, too; a value may be a trip count, for example."""
_BLOCK = 65537


class _MadeUp:
    """Type of `MADE_UP`."""


MADE_UP = _MadeUp()
"""Stands for an array to be made up."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A made-up array that another process creates."""

    leaf: Leaf
    """The leaf without its sharding, which only this process knows."""
    seed: int
    is_committed: bool


@dataclasses.dataclass(frozen=True)
class Given:
    """A given array, for another process."""

    data: np.ndarray[Any, Any]
    """Elements, or the data of random keys."""
    key_impl: Any
    """Implementation of random keys; None for other arrays."""
    is_committed: bool


@dataclasses.dataclass(frozen=True)
class TimedArguments:
    """The arguments that one problem is timed on."""

    problem: Problem
    seed: int
    """Seed of made-up arrays."""
    leaves: tuple[Any, ...]
    """Value of each leaf, in the order of `Problem.arguments`, or MADE_UP."""
    notes: tuple[str, ...]
    """Notes that list the arguments that are not made up, if inputs= is given."""

    def get_arrays(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns arguments for the program that `trace(...).lower().compile()` returns.

        Arrays without a sharding are left without one, on the device that runs the program. Each
        configuration's program determines over which devices they are spread, and each run
        spreads them, as each call does.
        """

        def made(leaf: Any, index: int) -> Any:
            value = self.leaves[index]
            if isinstance(value, _SCALARS):
                return value
            described = describe_leaf(leaf)
            if value is MADE_UP:
                return made_up_array(described, described.sharding, self.seed + index)
            return _placed(value, described, self.problem.device)

        with outside_traces(), jax.default_device(self.problem.device):
            args, kwargs = self.problem.mapped(made)
        return self.problem.dynamic(args, kwargs)

    def get_sendable(self) -> list[Any]:
        """Returns the leaves of `get_arrays` for another process: a Recipe or Given for each
        array, and other values unchanged.

        Raises NotTunable for values that can't be sent.
        """

        def described(leaf: Any, index: int) -> Any:
            value = self.leaves[index]
            if isinstance(value, _SCALARS):
                return value
            known = describe_leaf(leaf)
            is_committed = known.sharding is not None
            if value is not MADE_UP:
                return Given(*_host(value), is_committed)
            alone = dataclasses.replace(known, sharding=None)
            return Recipe(alone, self.seed + index, is_committed)

        with outside_traces():
            args, kwargs = self.problem.mapped(described)
        sendable: list[Any] = jax.tree.leaves(self.problem.dynamic(args, kwargs))
        for one in sendable:
            _check_sendable(self.problem, one)
        return sendable

    def compute_digest(self) -> str:
        """Returns a digest of the values that inputs= gives; "" without inputs=."""
        return "" if self.problem.inputs is None else _digest(self.leaves)


def get_timed_arguments(problem: Problem, seed: int) -> TimedArguments:
    """Returns the arguments to time a problem on.

    Raises NotTunable if inputs= does not fit the call, TypeError for a value that is not an
    array, and any exception of a user's function.
    """
    chosen = list(_choices(problem))
    leaves = tuple(leaf for choice in chosen for leaf in choice.leaves)
    notes = () if problem.inputs is None else _notes(problem.inputs, chosen)
    return TimedArguments(problem, seed, leaves, notes)


def get_sources(problem: Problem) -> dict[str, str]:
    """Returns the arguments that inputs= gives for a problem: by name, the fingerprint of the
    values. A function has one entry."""
    inputs = problem.inputs
    if inputs is None:
        return {}
    if inputs.function is not None:
        return {_FUNCTION: f"function {inputs.function_fingerprint}"}
    if inputs.is_call:
        return {choice.name: CALL for choice in _choices_of_call(problem) if choice.is_given}
    found = {}
    for name, value, is_static in problem.arguments():
        if name in inputs.arguments and not is_static and jax.tree.leaves(value):
            if name not in inputs.digests:
                inputs.digests[name] = _digest(jax.tree.leaves(inputs.arguments[name]))
            found[name] = f"array {inputs.digests[name]}"
    return found


def made_up_array(leaf: Leaf, place: Any, seed: int) -> jax.Array:
    """Returns an array like `leaf`, with the sharding `place`, or where JAX puts it if None.

    The array is concrete even inside a trace, if called under `outside_traces`.
    """
    is_key = _is_key(leaf)
    shape, dtype = leaf.shape, leaf.dtype
    array = jnp.zeros(shape, dtype) if is_key else host_array(shape, dtype, seed)
    made: jax.Array = jax.device_put(array, place)
    return made


def given_array(given: Given, place: Any) -> jax.Array:
    """Returns the array that was given in another process, with the sharding `place`, as
    `made_up_array`."""
    made: jax.Array = jax.device_put(given.data, place)
    if given.key_impl is None:
        return made
    keys: jax.Array = jax.random.wrap_key_data(made, impl=given.key_impl)
    return keys


def host_array(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray[Any, Any]:
    """Returns a made-up NumPy array; the same seed gives the same values."""
    if not shape:
        return np.ones((), dtype)
    length = min(_BLOCK, int(np.prod(shape)))
    return np.resize(_block(np.random.default_rng(seed), length, dtype), shape).astype(dtype)


def _block(
    generator: np.random.Generator, length: int, dtype: Any
) -> np.ndarray[Any, Any]:
    if dtype == np.bool_:
        return generator.integers(0, 2, length).astype(dtype)
    if jnp.issubdtype(dtype, jnp.integer):
        most = min(7, int(jnp.iinfo(dtype).max))
        return generator.integers(0, most + 1, length).astype(dtype)
    values: np.ndarray[Any, Any] = generator.uniform(-1, 1, length)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        values = values + 1j * generator.uniform(-1, 1, length)
    return values.astype(dtype)


@dataclasses.dataclass(frozen=True)
class _Choice:
    """The leaves of one non-static argument."""

    name: str
    leaves: Sequence[Any]
    """Values, or MADE_UP."""
    why: str = ""
    """Reason why inputs="call" finds no arrays for the leaves that are made up."""

    @property
    def is_given(self) -> bool:
        """True if the argument has arrays, and none of them is made up."""
        return self.has_arrays and not self.is_made_up

    @property
    def has_arrays(self) -> bool:
        """True if at least one array is not made up."""
        return any(not isinstance(leaf, (*_SCALARS, _MadeUp)) for leaf in self.leaves)

    @property
    def is_made_up(self) -> bool:
        """True if at least one array is made up."""
        return any(leaf is MADE_UP for leaf in self.leaves)


def _choices(problem: Problem) -> Iterator[_Choice]:
    inputs = problem.inputs
    if inputs is not None and inputs.is_call:
        yield from _choices_of_call(problem)
        return
    given: Mapping[str, Any] = {}
    if inputs is not None:
        given = inputs.arguments if inputs.function is None else _returned(problem)
        _check_statics(problem, given)
    for name, value, is_static in problem.arguments():
        if is_static:
            continue
        # An argument that is None has no arrays to replace.
        if name in given and jax.tree.leaves(value):
            yield _Choice(name, _matched(problem, name, given[name], value))
        else:
            yield _Choice(name, [_known(leaf) for leaf in jax.tree.leaves(value)])


def _known(leaf: Any) -> Any:
    return leaf if isinstance(leaf, _SCALARS) else MADE_UP


def _choices_of_call(problem: Problem) -> Iterator[_Choice]:
    """Yields the call's own arrays that have the shapes to time on."""
    call = problem.member or problem
    # Elements may be indices into an array that would be smaller.
    is_smaller = any(size < call.sizes[name] for name, size in problem.sizes.items())
    for (name, timed, is_static), (_, passed, _) in zip(
        problem.arguments(), call.arguments(), strict=True
    ):
        if is_static:
            continue
        leaves, why = [], ""
        for leaf, own in zip(jax.tree.leaves(timed), jax.tree.leaves(passed), strict=True):
            absent = _why_absent(own)
            if is_smaller or describe_leaf(leaf).shape != describe_leaf(own).shape:
                absent = "a bucket has sizes of its own"
            is_scalar = isinstance(own, _SCALARS)
            leaves.append(own if is_scalar or not absent else MADE_UP)
            why = why or absent
        yield _Choice(name, leaves, why)


def _why_absent(leaf: Any) -> str:
    """Returns why an argument has no elements; empty if it has elements."""
    if isinstance(leaf, jax.core.Tracer):
        return "a trace has no arrays; call or tune it with arrays before the trace"
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return "a jax.ShapeDtypeStruct has no elements; tune it with arrays"
    return ""


def _returned(problem: Problem) -> dict[str, Any]:
    """Calls the function given as inputs=, and returns its values by argument name."""
    assert problem.inputs is not None and problem.inputs.function is not None
    args, kwargs = problem.mapped(
        lambda leaf, _: leaf if isinstance(leaf, _SCALARS) else spec(leaf)
    )
    name = problem.contract.name
    try:
        with outside_traces(), jax.default_device(problem.device):
            returned = problem.inputs.function(*args, **kwargs)
    except Exception as error:
        error.add_note(
            f"inputs= of {name} was called as {name} is, with a jax.ShapeDtypeStruct for each array"
        )
        raise
    return by_argument(returned, problem.contract, f"the function inputs= of {name}")


def _check_statics(problem: Problem, given: Mapping[str, Any]) -> None:
    """Raises NotTunable if a static argument is given another value than in the call."""
    contract = problem.contract
    parameters = contract.signature.parameters
    passed = {name: value for name, value, is_static in problem.arguments() if is_static}
    for name in given.keys() & contract.static_arguments:
        default = parameters[name].default if name in parameters else None
        own = passed.get(name, default)
        if type(own) is not type(given[name]) or not bool(own == given[name]):
            raise NotTunable(
                f"{contract.name}: inputs= has {name}={given[name]!r}, and the call "
                f"{name}={own!r}; leave static arguments out, and give arrays by parameter"
            )


def _matched(problem: Problem, name: str, given: Any, value: Any) -> list[Any]:
    """Returns the given leaves of an argument. Raises NotTunable if they differ from the call's
    in structure, shape or type."""
    leaves, tree = jax.tree.flatten(given)
    own_leaves, own_tree = jax.tree_util.tree_flatten_with_path(value)
    if tree != own_tree:
        raise _misfit(problem, name, _structure(tree), _structure(own_tree))
    found = []
    for leaf, (path, own) in zip(leaves, own_leaves, strict=True):
        if _type(leaf) != _type(own):
            place = f"{name}{jax.tree_util.keystr(path)}"
            raise _misfit(problem, place, _type(leaf), _type(own))
        found.append(_known(own) if isinstance(leaf, jax.ShapeDtypeStruct) else leaf)
    return found


def _misfit(problem: Problem, place: str, given: str, own: str) -> NotTunable:
    """Returns the error for a given value that does not match the call's."""
    return NotTunable(
        f"{problem.contract.name}: inputs= has {given} for {place}, and the call "
        f"{own}{'' if problem.member is None else ' at the size of its bucket'}; give arrays of "
        "the call's shapes and types, or a function that makes them"
    )


def _type(leaf: Any) -> str:
    described = describe_leaf(leaf)
    return f"{described.dtype}[{','.join(map(str, described.shape))}]"


def _structure(tree: Any) -> str:
    is_array = jax.tree_util.treedef_is_leaf(tree) and tree.num_leaves == 1
    return "one array" if is_array else f"{tree}"


def _notes(inputs: Inputs, chosen: list[_Choice]) -> tuple[str, ...]:
    given = [choice.name for choice in chosen if choice.has_arrays]
    made_up = [
        f"part of {choice.name}" if choice.has_arrays else choice.name
        for choice in chosen
        if choice.is_made_up
    ]
    if not given and not made_up:
        return ()
    origin = "the call's arrays" if inputs.is_call else "arrays of inputs="
    parts = []
    if given:
        parts.append(f"{origin} for {', '.join(given)}" if made_up else origin)
    if made_up:
        parts.append(f"made-up arrays for {', '.join(made_up)}" if given else "made-up arrays")
    why = next((choice.why for choice in chosen if choice.is_made_up and choice.why), "")
    return (f"timed on {' and '.join(parts)}{f': {why}' if why else ''}",)


def _placed(value: Any, described: Leaf, device: jax.Device) -> jax.Array:
    """Returns a given array placed as in the call: with its sharding, or without one on the
    device that runs the program, so that no run copies it there."""
    placed: jax.Array
    if described.sharding is not None:
        placed = jax.device_put(value, described.sharding)
    elif isinstance(value, jax.Array) and not value.committed and value.devices() == {device}:
        placed = value
    else:
        placed = given_array(Given(*_host(value), is_committed=False), None)
    return placed


def _host(value: Any) -> tuple[np.ndarray[Any, Any], Any]:
    """Returns an array in host memory, random keys as their data, and the implementation of the
    keys."""
    impl = None
    if _is_key(describe_leaf(value)):
        impl = jax.random.key_impl(value)
        value = jax.random.key_data(value)
    # An explicit transfer, which jax.transfer_guard allows.
    return np.asarray(jax.device_get(value)), impl


def _is_key(leaf: Leaf) -> bool:
    return bool(jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _check_sendable(problem: Problem, one: Any) -> None:
    kind = one.leaf.dtype if isinstance(one, Recipe) else getattr(one, "key_impl", None)
    try:
        pickle.dumps(kind)
    except Exception as error:
        raise NotTunable(
            f"{problem.contract.name}: an argument cannot be sent to a child process "
            f"(isolate=True): keys of the generator {kind} are of this process; leave out "
            "isolate=True to tune in this process"
        ) from error


def _digest(leaves: Sequence[Any]) -> str:
    digest = hashlib.sha256()
    with outside_traces():
        for leaf in leaves:
            if leaf is MADE_UP or isinstance(leaf, jax.ShapeDtypeStruct):
                digest.update(b"made up;")
                continue
            host, impl = _host(leaf)
            digest.update(f"{host.dtype}{host.shape}{impl or ''};".encode())
            digest.update(np.ascontiguousarray(host).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()[:32]
