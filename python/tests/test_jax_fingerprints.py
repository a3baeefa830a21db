# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fingerprints of programs: equal only where one executable can stand for both."""

from __future__ import annotations

import dataclasses
import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.experimental.pallas as pl
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback
from jax.experimental.layout import Format, Layout
from jax.experimental.xla_metadata import set_xla_metadata

from tonno.jax import fingerprints

X = jnp.linspace(-1, 1, 64).reshape(8, 8)
MESH = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
BACKWARD = jax.sharding.Mesh(MESH.devices[::-1], ("i",))


def fingerprint(function: Callable[..., Any], *args: Any, **options: Any) -> str:
    return fingerprints.of_program(jax.jit(function, **options).trace(*(args or (X,))).lower())


def double(x: Any) -> Any:
    return x * 2


def times(factor: float) -> Any:
    return lambda x: x * factor


def plus(constant: Any) -> Any:
    return lambda x: x + constant


def constrained(mesh: jax.sharding.Mesh, *spec: str | None) -> Any:
    place = jax.NamedSharding(mesh, jax.P(*spec))
    return lambda x: jax.lax.with_sharding_constraint(x * 2, place)


def product(precision: str) -> Any:
    return lambda x: jnp.dot(x, x, precision=precision)


def under(precision: str) -> Any:
    def function(x: Any) -> Any:
        with jax.default_matmul_precision(precision):
            return x @ x

    return function


def foreign(target: str, **attributes: Any) -> Any:
    def function(x: Any) -> Any:
        return jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(x.shape, x.dtype))(x, **attributes)

    return function


def named_as_its_target(target: str) -> Any:
    """Calls a function of the same name as a custom call's target."""

    @jax.jit
    def one(x: Any) -> Any:
        return x + 1

    return lambda x: foreign(target)(one(x))


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Labelled:
    value: Any
    label: int = dataclasses.field(metadata={"static": True})


def labelled(label: int) -> Any:
    return lambda x: Labelled(x, label)


def kernel(block: int, body: Callable[[Any], Any] = jnp.exp) -> Any:
    def copied(x_ref: Any, y_ref: Any) -> None:
        y_ref[...] = body(x_ref[...])

    def function(x: Any) -> Any:
        spec = pl.BlockSpec((block, 8), lambda i: (i, 0))
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        call = pl.pallas_call(
            copied, shape, grid=(8 // block,), in_specs=[spec], out_specs=spec, interpret=True
        )
        return call(x)

    return function


def marked(value: str) -> Any:
    def function(x: Any) -> Any:
        with set_xla_metadata(mark=value):
            return x * 2

    return function


def random_bits(kind: str) -> Any:
    return lambda x: x + jax.random.uniform(jax.random.key(0, impl=kind), x.shape)


LARGE = np.arange(40_000, dtype=np.float32)
LATE = LARGE.copy()
LATE[20_000] += 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (times(2.0), times(2.0000002)),
        (plus(np.float32(0.0)), plus(np.float32(-0.0))),
        (plus(np.arange(8.0)), plus(np.arange(8.0)[::-1].copy())),
        (plus(jnp.arange(8.0)), plus(jnp.arange(8.0) + 1)),
        (lambda x: x.sum() + LARGE, lambda x: x.sum() + LATE),
        (constrained(MESH, "i"), constrained(MESH, None, "i")),
        (constrained(MESH, "i"), constrained(BACKWARD, "i")),
        (constrained(MESH, "i"), double),
        (product("default"), product("highest")),
        (under("float32"), under("tensorfloat32")),
        (foreign("one"), foreign("other")),
        (foreign("one", n=1), foreign("one", n=2)),
        (named_as_its_target("one"), named_as_its_target("two")),
        (named_as_its_target("one"), named_as_its_target("main")),
        (labelled(1), labelled(2)),
        (lambda x: (x, 2 * x), lambda x: [x, 2 * x]),
        (lambda x: {"a": 2 * x}, lambda x: {"b": 2 * x}),
        (lambda x: (x + 1, x + 2), lambda x: (x + 2, x + 1)),
        (lambda x: x.astype("bfloat16"), lambda x: x.astype("float16")),
        (lambda x: jnp.asarray(1.0), lambda x: jnp.asarray(1.0, "float32")),
        (kernel(4), kernel(8)),
        (kernel(4), kernel(4, jnp.sin)),
        (marked("a"), marked("b")),
        (random_bits("threefry2x32"), random_bits("rbg")),
        (double, lambda x: x + x),
        (jnp.sort, lambda x: jax.lax.sort(x, is_stable=False)),
    ],
    ids=range(26),
)
def test_other_programs_are_unequal(one: Any, other: Any) -> None:
    found = fingerprint(one), fingerprint(other)
    assert all(found) and found[0] != found[1]


@pytest.mark.parametrize(
    "options",
    [
        {"donate_argnums": 0},
        {"keep_unused": True},
        {"compiler_options": {"xla_cpu_enable_fast_math": True}},
        {"out_shardings": jax.NamedSharding(MESH, jax.P("i"))},
        {"out_shardings": jax.sharding.SingleDeviceSharding(jax.devices()[1])},
        {"out_shardings": Format(Layout((1, 0)), jax.sharding.SingleDeviceSharding(MESH.devices[0]))},
    ],
    ids=lambda options: next(iter(options)),
)
def test_other_options_are_unequal(options: dict[str, Any]) -> None:
    def function(x: Any, y: Any) -> Any:
        return y * 2

    found = fingerprint(function, X, X), fingerprint(function, X, X, **options)
    assert all(found) and found[0] != found[1]


def test_other_arguments_are_unequal() -> None:
    there = jax.device_put(X, jax.devices()[1])
    here = jax.device_put(X, jax.devices()[0])
    weak = jax.ShapeDtypeStruct((8, 8), "float32", weak_type=True)
    spread = jax.device_put(X, jax.NamedSharding(MESH, jax.P("i")))
    found = [fingerprint(double, x) for x in (X, there, here, weak, spread, X.astype("float16"))]
    assert all(found) and len(set(found)) == len(found)
    # The second array is unused, and the program has one of the same type.
    first = fingerprint(lambda x, y: x * 2, X, X)
    assert first and first != fingerprint(lambda x, y: y * 2, X, X)


def call_back(x: Any) -> Any:
    return jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def print_it(x: Any) -> Any:
    jax.debug.print("{}", x)
    return x


def write_out(x: Any) -> Any:
    return io_callback(lambda y: y, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)


REF = jax.new_ref(jnp.zeros((8, 8)))


def change(x: Any) -> Any:
    REF[...] += x
    return x


def return_object(x: Any) -> Any:
    return jax.tree_util.Partial(lambda y: y, x)


@pytest.mark.parametrize("function", [call_back, print_it, write_out, change, return_object])
def test_what_refers_to_this_process_equals_nothing(function: Any) -> None:
    assert fingerprint(function) == ""


def renamed(name: str) -> Any:
    def helper(x: Any) -> Any:
        return x * 2

    helper.__name__ = name
    inner = jax.jit(helper)

    def function(x: Any) -> Any:
        return inner(x) + inner(-x)

    function.__name__ = f"of_{name}"
    return function


def at_another_line(x: Any) -> Any:
    with jax.named_scope("elsewhere"):
        return x * 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (double, at_another_line),
        (renamed("main"), renamed("other")),
        (renamed("a b"), renamed('quoted"')),
        (plus(np.arange(8.0)), plus(np.arange(8.0))),
        (lambda x: x.sum() + LARGE, lambda x: x.sum() + LARGE.copy()),
        (kernel(4), kernel(4)),
        (constrained(MESH, "i"), constrained(MESH, "i")),
        (functools.partial(lambda n, x: x[: min(n, 8)] * 2, 8), lambda x: x[:8] * 2),
        (labelled(1), labelled(1)),
        (jax.checkpoint(double), double),
    ],
    ids=range(10),
)
def test_equal_programs_are_equal(one: Any, other: Any) -> None:
    assert fingerprint(one) == fingerprint(other) != ""


def test_constants_are_compared_by_value_where_they_are_arguments() -> None:
    try:
        jax.config.update("jax_use_simplified_jaxpr_constants", True)
        found = [fingerprint(plus(jnp.arange(8.0) + n)) for n in (0, 0, 1)]
    finally:
        jax.config.update("jax_use_simplified_jaxpr_constants", False)
    assert all(found) and found[0] == found[1] != found[2]


ALONE = """
import jax, jax.numpy as jnp
from tonno.jax import fingerprints
helper = jax.jit(lambda x: {"b": jnp.where(x > 0, x, 2), "a": x}, donate_argnums=0)
print(fingerprints.of_program(helper.trace(jnp.ones(8)).lower()))
"""


def test_other_processes_find_the_same() -> None:
    runs = [subprocess.run([sys.executable, "-c", ALONE], capture_output=True) for _ in "12"]
    assert runs[0].stdout == runs[1].stdout and len(runs[0].stdout) > 30, runs[0].stderr


def test_only_names_that_are_defined_are_numbered() -> None:
    module = '"f"() <{sym_name = "g"}> {a = @g, b = @main, c = "sym_name = @g", d = @"g"}'
    numbered = '"f"() <{sym_name = <0>}> {a = @<0>, b = @main, c = "sym_name = @g", d = @<0>}'
    assert fingerprints.with_numbered_symbols(module) == numbered
