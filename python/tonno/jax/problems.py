# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls as problems: the identity of a call in this process and in a file, and what is compiled
and run for it."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import inspect
import json
import math
import sys
import types
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tonno.jax import dimensions, fingerprints
from tonno.jax.dimensions import Bucket, Sizes
from tonno.jax.fingerprints import with_sorted_sets
from tonno.jax.inputs import Inputs
from tonno.jax.plans import Contract
from tonno.records import cache_directory
from tonno.trials import Configuration

@contextlib.contextmanager
def outside_traces() -> Iterator[None]:
    """Lets arrays that are made within be concrete, and programs run, inside any trace."""
    # The first one does not leave a shard_map without a jit around it, which wraps all arrays
    # that are made in it.
    with jax.ensure_compile_time_eval(), jax.core.eval_context():
        yield


def is_in_trace() -> bool:
    """Returns True if an operation would be traced, even one without traced arguments."""
    return isinstance(jnp.zeros(()), jax.core.Tracer)


@dataclasses.dataclass(frozen=True)
class Form:
    """A static argument in JSON."""

    json: Any
    is_stable: bool = True
    """True if another process has the same form for the same value."""


def serialize_key(key_values: dict[str, Any]) -> str:
    """Returns the key in the file: sorted, without blanks."""
    return json.dumps(key_values, sort_keys=True, separators=(",", ":"))


def static_form(value: Any, around: frozenset[int] = frozenset()) -> Form:
    """Returns the form of a static argument: numbers, strings, bools, None and tuples unchanged;
    objects that a module names, by that name; others by repr.

    A repr with an address is not stable; most objects and nested functions have one. A dataclass,
    a named tuple and a functools.partial then have the form of their parts. `around` has the
    containers of the value.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return Form(value)
    if type(value) is float:
        return Form(value if math.isfinite(value) else {"repr": repr(value)})
    if type(value) is tuple:
        forms = [static_form(element, around) for element in value]
        return Form([f.json for f in forms], all(f.is_stable for f in forms))
    if isinstance(value, enum.Enum):
        return Form({"repr": f"{type(value).__qualname__}.{value.name}"})
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        name = f"{value.__module__}.{value.__qualname__}"
        return Form({"repr": name}, "<" not in name)
    imported = _imported_as(value)
    if imported is not None:
        return Form({"repr": imported})
    text = with_sorted_sets(repr(value))
    if " at 0x" not in text:
        return Form({"repr": text})
    parts = None if id(value) in around else _parts(value)
    if parts is not None:
        forms_of = {n: static_form(part, around | {id(value)}) for n, part in parts.items()}
        if all(form.is_stable for form in forms_of.values()):
            made_of = {name: form.json for name, form in forms_of.items()}
            return Form({"type": type(value).__qualname__, "parts": made_of})
    return Form({"repr": text}, is_stable=False)


def _parts(value: Any) -> dict[str, Any] | None:
    """Returns the parts of a value, if they define it completely."""
    if type(value) is functools.partial:
        placed = {str(i): part for i, part in enumerate((value.func, *value.args))}
        return placed | value.keywords
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {f.name: getattr(value, f.name, None) for f in fields if f.compare}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    return None


def _imported_as(value: Any) -> str | None:
    """Returns the name by which a module has the value, such as a jitted function."""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(path, str):
        return None
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return f"{module}.{path}" if found is value else None


@dataclasses.dataclass(frozen=True)
class Leaf:
    """An array, or a value that JAX treats as one, as far as compiling depends on it."""

    shape: tuple[int, ...]
    dtype: Any
    weak_type: bool
    sharding: jax.sharding.Sharding | None
    """Sharding that the array was explicitly put to, or None."""

    @property
    def json(self) -> dict[str, Any]:
        form: dict[str, Any] = {"dtype": str(self.dtype), "shape": list(self.shape)}
        if self.weak_type:
            form["weak_type"] = True
        if isinstance(self.sharding, jax.sharding.NamedSharding):
            mesh = {str(axis): size for axis, size in self.sharding.mesh.shape.items()}
            form["sharding"] = {"mesh": mesh, "spec": _partition_spec(self.sharding.spec)}
        if self.sharding is not None and _is_elsewhere(self.sharding):
            form["memory"] = self.sharding.memory_kind
        return form


def _is_elsewhere(sharding: jax.sharding.Sharding) -> bool:
    """Returns True if the array is in memory other than a device's own."""
    if sharding.memory_kind is None:
        return False
    if isinstance(getattr(sharding, "mesh", None), jax.sharding.AbstractMesh):
        return False
    device = min(sharding.device_set, key=lambda device: device.id)
    return bool(sharding.memory_kind != device.default_memory().kind)


def _partition_spec(spec: jax.sharding.PartitionSpec) -> list[Any]:
    parts = [list(part) if isinstance(part, tuple) else part for part in spec]
    while parts and parts[-1] is None:
        parts.pop()
    return [part if part is None or isinstance(part, list) else str(part) for part in parts]


def dynamic_form(leaves: list[Leaf], tree: Any) -> Form:
    """Returns the form of an argument that is not static: one array, or a pytree of arrays."""
    if jax.tree_util.treedef_is_leaf(tree) and tree.num_leaves == 1:
        return Form(leaves[0].json)
    if tree.num_leaves == 0 and tree == jax.tree.structure(None):
        return Form(None)
    text = with_sorted_sets(str(tree))
    return Form({"leaves": [leaf.json for leaf in leaves], "tree": text}, " at 0x" not in text)


_SETTINGS = tuple(
    name
    for name in (
        "jax_default_matmul_precision",
        "jax_default_device",
        "jax_enable_x64",
        "jax_numpy_dtype_promotion",
        "jax_default_prng_impl",
        "jax_threefry_partitionable",
    )
    if hasattr(jax.config, name)
)
"""Settings of JAX that affect how a function is traced and where it runs."""


def static_places(contract: Contract, args: tuple[Any, ...]) -> frozenset[int]:
    """Returns the positions of static arguments."""
    return _static_places(
        contract.positional[: len(args)],
        contract.statics,
        contract.static_numbers,
    )


@functools.lru_cache
def _static_places(
    names: tuple[str, ...], statics: frozenset[str], numbers: frozenset[int]
) -> frozenset[int]:
    return numbers | {i for i, name in enumerate(names) if name in statics}


def make_call_key(contract: Contract, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
    """Returns a hashable that distinguishes calls in this process, computed quickly.

    One problem may have several calls, since its arguments may be passed in other ways. Raises
    TypeError for a value that is not an argument of jax.jit.
    """
    statics, names = static_places(contract, args), contract.statics
    dynamic = [arg for i, arg in enumerate(args) if i not in statics]
    fixed: list[Hashable] = [
        (i, type(args[i]), held(args[i])) for i in statics if i < len(args)
    ]
    named = {}
    for name, value in kwargs.items():
        if name in names:
            fixed.append((name, type(value), held(value)))
        else:
            named[name] = value
    leaves, tree = jax.tree.flatten((dynamic, named))
    return tuple(map(_brief, leaves)), tree, tuple(fixed), surroundings()


def _brief(leaf: Any) -> Hashable:
    if isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer):
        return leaf.aval, leaf.sharding if leaf.committed else None
    aval: Hashable = jax.typeof(leaf)
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return aval, leaf.sharding
    return aval


def surroundings() -> Hashable:
    """Returns the settings that a call depends on, besides its arguments."""
    return (*[getattr(jax.config, name) for name in _SETTINGS], cache_directory())


def held(value: Any) -> Hashable:
    """Returns a weak reference for objects that equal only themselves: a table of calls keeps no
    object alive."""
    hashing: Any = type(value).__hash__
    if hashing is object.__hash__:
        try:
            return weakref.ref(value)
        except TypeError:
            pass  # of a class with __slots__
    itself: Hashable = value
    return itself


def is_gone(call: Hashable) -> bool:
    """Returns True if a call, or a problem's identity, is of an object that no longer exists."""
    if isinstance(call, weakref.ref):
        return call() is None
    return isinstance(call, tuple) and any(map(is_gone, call))


class NotTunable(RuntimeError):
    """A call that can't be tuned as it is; the message states the remedy."""


class CannotTime(NotTunable):
    """A call that runs, but can't be timed where it is made: it takes the defaults."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """A call by the shapes and types of its arguments."""

    contract: Contract
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    identity: tuple[Hashable, Hashable]
    """Identity in this process: the call, and its surroundings."""
    key_values: dict[str, Any]
    is_stable: bool
    """True if `key_values` are the same in another process."""
    sizes: Sizes
    """Sizes of the dimensions that dims= names."""
    member: Problem | None = None
    """Call that this problem represents, if it is of a bucket."""
    inputs: Inputs | None = None
    """Arrays to time on; made-up ones if None."""

    @property
    def key(self) -> str:
        return serialize_key(self.key_values)

    @property
    def is_traced(self) -> bool:
        """True if the call is traced, even if only with values, as under an eager `checkify`."""
        if self.member is not None:
            return self.member.is_traced
        leaves = jax.tree.leaves((self.args, self.kwargs))
        return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) or is_in_trace()

    def original_key(self) -> str | None:
        """Key of the original decorator: each argument as it was passed."""
        if self.member is not None:
            return None  # the original has no buckets
        values: dict[str, Any] = {f"__arg{i}": arg for i, arg in enumerate(self.args)}
        values |= self.kwargs
        try:
            return serialize_key({name: original_form(value) for name, value in values.items()})
        except (TypeError, ValueError):
            return None  # the original could not store it either

    @property
    def device(self) -> jax.Device:
        """Device of the call, or the first one of several."""
        for leaf in self.leaves():
            place = describe_leaf(leaf).sharding
            if place is not None and not _is_abstract(place):
                return min(place.device_set, key=lambda device: device.id)
        return default_device()

    def trace(self, config: Configuration) -> Any:
        """Traces the function with a configuration."""
        args, kwargs = self.specs()
        traced = self.contract.jitted.trace(*args, **kwargs, **config)
        given = len(self.leaves())
        if len(traced.jaxpr.in_avals) != given:
            raise CannotTime(
                "the call uses a value of the outer trace that is not an argument; pass the value "
                "as an argument"
            )
        _check_effects(self, traced)
        return traced

    def specs(self) -> tuple[list[Any], dict[str, Any]]:
        """Arguments with a `jax.ShapeDtypeStruct` for each array."""
        return self.mapped(lambda leaf, _: spec(leaf))

    def trace_fingerprint(self, config: Configuration) -> str:
        """Returns the fingerprint of the function's trace with the configuration, independent of
        the order in which arguments are passed."""
        try:
            bound = self.contract.signature.bind(*self.args, **self.kwargs)
            ordered = dataclasses.replace(self, args=bound.args, kwargs=bound.kwargs)
            return fingerprints.of_trace(ordered.trace(config))
        except Exception as error:
            # A configuration that can't be traced any more is no winner.
            return f"{type(error).__name__}"

    def why_untraceable(self, config: Configuration) -> str:
        """Returns why no arguments of these shapes can be made up; empty if they can."""
        try:
            for leaf in self.leaves():
                described = describe_leaf(leaf)
                if described.sharding is not None:
                    described.sharding.shard_shape(described.shape)
            self.trace(config)
        except Exception as error:
            return f"{type(error).__name__}: {error}".splitlines()[0]
        return ""

    def leaves(self) -> list[Any]:
        """Arrays, and values that JAX treats as such, that a program takes."""
        leaves: list[Any] = jax.tree.leaves(self.dynamic(self.args, self.kwargs))
        return leaves

    def dynamic(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the arguments that are not static."""
        statics, names = self._static_places(), self.contract.statics
        return (
            tuple(arg for i, arg in enumerate(args) if i not in statics),
            {name: value for name, value in kwargs.items() if name not in names},
        )

    def arguments(self) -> list[tuple[str, Any, bool]]:
        """Name, value and staticness of each argument, in the order of the call."""
        contract, places = self.contract, self._static_places()
        found = [
            (contract.argument_name(place), value, place in places)
            for place, value in enumerate(self.args)
        ]
        names = contract.statics
        return found + [(name, value, name in names) for name, value in self.kwargs.items()]

    def _static_places(self) -> frozenset[int]:
        return static_places(self.contract, self.args)

    def mapped(
        self, made: Callable[[Any, int], Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Returns the arguments with `made(leaf, index)` for each leaf of those that are not
        static. Leaves are counted in the order of `arguments`."""
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


def make_problem(
    contract: Contract,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    inputs: Inputs | None = None,
) -> Problem | None:
    """Returns the call as a problem; None for an invalid call, which jax.jit reports better."""
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
        sizes=dimensions.get_sizes(contract.dims, _named(contract, args, kwargs)),
        inputs=inputs,
    )


def _named(
    contract: Contract, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Returns the arguments by parameter name, except for *args."""
    return dict(zip(contract.positional, args, strict=False)) | kwargs


def find_unnamed(problem: Problem, bucket: Problem) -> list[tuple[str, str]]:
    """Returns the parameters without names in dims= that have an axis of the size of a dimension
    which the bucket changes, each with the name of the dimension."""
    contract, sizes = problem.contract, problem.sizes
    changed = [name for name, size in sizes.items() if bucket.sizes.get(name, size) != size]
    return [
        (parameter, name)
        for parameter, value in _named(contract, problem.args, problem.kwargs).items()
        if parameter not in contract.dims
        for name in changed
        if any(sizes[name] in getattr(leaf, "shape", ()) for leaf in jax.tree.leaves(value))
    ]


def find_bucket(problem: Problem, buckets: Mapping[str, Bucket]) -> Problem | None:
    """Returns the problem that all calls of a bucket share: the call with its bucketed dimensions
    at the sizes that the bucket is tuned at. Returns None if the call is in no bucket.

    The key states these sizes under `__bucket`. Raises NotTunable if JAX has no arguments of
    these sizes.
    """
    sizes = dimensions.bucketed(problem.sizes, buckets)
    if not sizes:
        return None
    contract = problem.contract

    def resized(name: str, value: Any) -> Any:
        names = contract.dims.get(name)
        if names is None or value is None or not any(axis in sizes for axis in names):
            return value
        passed = spec(value)
        return passed.update(shape=dimensions.resized(names, passed.shape, sizes))

    placed = len(contract.positional)
    try:
        args = tuple(map(resized, contract.positional, problem.args)) + problem.args[placed:]
        kwargs = {name: resized(name, value) for name, value in problem.kwargs.items()}
        found = make_problem(contract, args, kwargs, problem.inputs)
    except ValueError:  # such as a sharding that does not divide them
        found = None
    if found is None:
        raise NotTunable(f"arguments cannot have the sizes {dimensions.shown(sizes)}")
    call, around = found.identity
    return dataclasses.replace(
        found,
        identity=((call, tuple(sizes.items())), around),
        key_values=found.key_values | {"__bucket": sizes},
        member=problem,
    )


def _pieces(contract: Contract, bound: inspect.BoundArguments) -> Any:
    """Returns name, form and identity of each argument, independent of how it was passed.

    Static arguments have their names, and are omitted if they have their defaults, so a call has
    one key. Arrays have their positions, as in the original, or names if they have no position.
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
    described = [describe_leaf(leaf) for leaf in leaves]
    return name, dynamic_form(described, tree), (tree, tuple(described))


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def describe_leaf(value: Any) -> Leaf:
    """Returns the leaf that jax.jit compiles for.

    Raises TypeError for a value that JAX does not accept, CannotTime for one that can't be made
    up.
    """
    aval = jax.typeof(value)
    if hasattr(aval, "inner_aval"):
        raise CannotTime(
            "the arguments include a jax.Ref, to which each configuration would write; pass the "
            "tunable parameters explicitly"
        )
    if not hasattr(aval, "dtype"):
        raise TypeError(f"{value!r} has no dtype")
    if not all(isinstance(extent, int) for extent in aval.shape):
        raise CannotTime(
            f"the arguments have symbolic shapes, such as {aval.str_short()}, which cannot be "
            "timed; pass the tunable parameters explicitly"
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
    # For a mesh that the compiler distributes over by itself, or inside a shard_map, the visible
    # shape counts; an explicit sharding is in the type.
    sharding = getattr(aval, "sharding", None)
    if sharding is None or sharding.mesh.empty:
        return None
    explicit = jax.sharding.AxisType.Explicit
    if all(kind is not explicit for kind in sharding.mesh.axis_types):
        return None
    found: jax.sharding.Sharding = sharding
    return found


def spec(leaf: Any) -> Any:
    """Returns the `jax.ShapeDtypeStruct` of an array."""
    described = describe_leaf(leaf)
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
    """Returns the device on which jax.jit puts arrays without a sharding."""
    stated = jax.config.jax_default_device
    if stated is None:
        return jax.devices()[0]
    return jax.devices(stated)[0] if isinstance(stated, str) else stated


_EFFECTS_OF_TRACES = {
    "NamedAxisEffect": "the call uses the name of an axis of the vmap or shard_map around it",
    "ErrorEffect": "the call has checks for the checkify around it",
}
"""Effects that only the surrounding trace can handle, by the names of JAX's types."""


def _check_effects(problem: Problem, traced: Any) -> None:
    """Raises CannotTime if a traced function needs the surrounding trace."""
    for effect in traced.jaxpr.effects:
        found = _EFFECTS_OF_TRACES.get(type(effect).__name__)
        if found is not None and problem.is_traced:
            raise CannotTime(
                f"{found}, but is timed without that; pass the tunable parameters explicitly"
            )


def _shardings(problem: Problem) -> list[jax.sharding.Sharding]:
    found = [describe_leaf(leaf).sharding for leaf in problem.leaves()]
    return [sharding for sharding in found if sharding is not None]


def check_processes(problem: Problem) -> None:
    """Raises NotTunable if several processes must agree on a winner, and can't."""
    if jax.process_count() == 1 or not problem.is_traced:
        return
    shared = f"tune(...) it in one process and copy '{cache_directory()}' to the others, or "
    raise NotTunable(
        f"the call is traced in one of {jax.process_count()} processes, which must agree on the "
        f"winner; {shared if problem.is_stable else ''}pass the tunable parameters explicitly"
    )


def check_agreement(problem: Problem) -> None:
    """Raises NotTunable if processes must agree on a configuration, the default or another, and
    can't: one may know a winner that another does not."""
    check_processes(problem)
    for sharding in _shardings(problem):
        if not _is_abstract(sharding) and not sharding.is_fully_addressable:
            raise NotTunable(
                "the arguments are sharded over several processes, which must agree on the "
                "winner; pass the tunable parameters explicitly"
            )


def check_placement(problem: Problem) -> None:
    """Raises NotTunable as `check_agreement`, and CannotTime if the call's devices and memory are
    not available for timing."""
    check_agreement(problem)
    for sharding in _shardings(problem):
        if _is_abstract(sharding):
            raise CannotTime(
                "the call is traced with arguments that are sharded over an explicit mesh, "
                "without arrays to time with; call it with arrays, or tune(...) it, before the "
                "trace"
            )
        if len(sharding.device_set) > 1 and not isinstance(
            sharding, jax.sharding.NamedSharding
        ):
            raise CannotTime(
                f"the arguments have a {type(sharding).__name__}, which has no name; use a "
                "jax.sharding.NamedSharding"
            )


def original_form(value: Any) -> Any:
    """Returns an argument in the form of the original's keys: arrays by shape and type."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return {"shape": list(value.shape), "dtype": str(value.dtype)}
    return value
