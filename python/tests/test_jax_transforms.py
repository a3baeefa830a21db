# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Under JAX's transformations the sweep runs beside the trace."""

from __future__ import annotations

import functools
import json
import re
import threading
from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import pytest
from jax.experimental import checkify

from tonno import AllFailed, UntunedWarning, autotune
from tonno.jax import CacheWarning, NotTunable


def make_square(**options: Any) -> Any:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def square(x: jax.Array, N: int = 1) -> jax.Array:
        # Each configuration computes the same with other operations.
        return x * x if N == 1 else jnp.square(x)

    return square


X = jnp.arange(4.0)
ONES = jnp.ones((2, 3))


@pytest.mark.parametrize(
    ("transformed", "argument", "expected", "shape"),
    [
        (lambda f: jax.jit(f), X, X * X, [4]),
        (lambda f: jax.jit(lambda x: f(f(x))), X, X**4, [4]),
        (lambda f: jax.jit(jax.jit(f)), X, X * X, [4]),
        (lambda f: jax.grad(lambda x: f(x).sum()), X, 2 * X, [4]),
        (lambda f: jax.jit(jax.grad(lambda x: f(x).sum())), X, 2 * X, [4]),
        (lambda f: jax.grad(jax.grad(f)), jnp.float32(3), jnp.float32(2), []),
        (lambda f: jax.vmap(f), jnp.ones((3, 4)), jnp.ones((3, 4)), [4]),
        (lambda f: jax.vmap(jax.vmap(f)), jnp.ones((3, 4)), jnp.ones((3, 4)), []),
        (lambda f: jax.vmap(jax.grad(f)), X, 2 * X, []),
        (lambda f: jax.jacfwd(f), X, jnp.diag(2 * X), [4]),
        (lambda f: jax.checkpoint(f), X, X * X, [4]),
        (lambda f: jax.grad(jax.checkpoint(lambda x: f(x).sum())), X, 2 * X, [4]),
        (lambda f: lambda xs: jax.lax.scan(lambda c, x: (c, f(x)), 0, xs)[1], X, X * X, []),
        (lambda f: lambda x: jax.lax.fori_loop(0, 2, lambda _, v: f(v), x), X, X**4, [4]),
        (lambda f: lambda x: jax.lax.cond(x[1] > 0, f, lambda v: v, x), X, X * X, [4]),
        (lambda f: lambda x: jax.lax.map(f, x), X, X * X, []),
        (lambda f: jax.jit(jax.vmap(lambda x: jax.lax.map(f, x))), ONES, ONES, []),
    ],
    ids=range(17),
)
def test_sweep_runs_beside_the_trace(
    transformed: Any, argument: Any, expected: Any, shape: list[int], cache: Any
) -> None:
    square = make_square()
    assert jnp.allclose(transformed(square)(argument), expected)
    (decision,) = square.decisions
    assert decision.source == "sweep"
    assert all(trial.ok and trial.time_ms for trial in decision.trials)
    assert json.loads(decision.key)["__arg0"]["shape"] == shape  # As seen inside.
    # What was found there holds outside.
    square(jnp.ones(shape))
    assert len(square.decisions) == 1


def test_shapes_are_enough_for_a_trace(cache: Any) -> None:
    square = make_square()
    spec = jax.ShapeDtypeStruct((5,), "float32")
    assert jax.eval_shape(square, spec).shape == (5,)
    assert square.lower(spec).compile()(jnp.ones(5)).shape == (5,)
    assert square.trace(spec).jaxpr.in_avals[0].shape == (5,)
    assert jax.jit(square).lower(spec).compile()(jnp.ones(5)).shape == (5,)
    assert len(square.decisions) == 1


def test_winner_is_a_constant_of_the_jaxpr(cache: Any) -> None:
    @autotune(configs=[{"N": 7}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def times(x: jax.Array, N: int = 1) -> jax.Array:
        return x * N

    text = str(jax.make_jaxpr(lambda x: jax.lax.scan(lambda c, v: (c, times(v)), 0, x))(X))
    assert "mul" in text and "7.0:f32[]" in text


def test_random_keys_and_donation_beside_a_trace(cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"], donate_argnums=(1,))
    def noisy(key: Any, x: jax.Array, N: int = 1) -> jax.Array:
        return x + jax.random.normal(key, x.shape)

    assert jax.jit(noisy)(jax.random.key(0), jnp.ones(4)).shape == (4,)
    assert all(trial.ok for trial in noisy.decisions[0].trials)


def test_autotuned_functions_call_each_other(cache: Any) -> None:
    square = make_square()

    @autotune(configs=[{"M": 1}, {"M": 2}], num_timing=1)
    @jax.jit(static_argnames=["M"])
    def outer(x: jax.Array, M: int = 1) -> jax.Array:
        # The inner problem depends on the outer's configuration.
        return jnp.concatenate([square(part) for part in jnp.split(x, M)])

    assert jnp.allclose(jax.jit(outer)(X), X * X)
    assert sorted(json.loads(d.key)["__arg0"]["shape"][0] for d in square.decisions) == [2, 4]
    assert all(trial.ok for trial in outer.decisions[0].trials)


def test_function_that_calls_itself(cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["depth", "N"])
    def down(x: jax.Array, depth: int, N: int = 1) -> jax.Array:
        return x if depth == 0 else down(x + 1, depth - 1)

    assert down(jnp.zeros(2), 3).tolist() == [3, 3]
    assert len(down.decisions) == 4


def test_function_that_calls_itself_without_end_is_told(cache: Any) -> None:
    @autotune(configs=[{"N": 1}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def endless(x: jax.Array, N: int = 1) -> jax.Array:
        return endless(x)

    with pytest.raises(AllFailed, match="calls itself with the same arguments"):
        endless(X)


@pytest.mark.parametrize(
    "around", [lambda f: jax.vmap(f, axis_name="i"), lambda f: jax.jit(jax.vmap(f, axis_name="i"))]
)
def test_names_of_axes_around_leave_the_default(
    around: Any, cache: Any, swept: list[object]
) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def total(x: jax.Array, N: int = 1) -> jax.Array:
        return jax.lax.psum(x, "i")

    with pytest.warns(UntunedWarning, match="N=1, by .* name of an axis .* explicitly") as told:
        assert around(total)(X).tolist() == [6] * 4
        assert around(lambda x: total(x))(X).tolist() == [6] * 4
    assert len(told) == 1 and len(swept) == 1
    (decision,) = total.decisions
    assert decision.source == "default" and "name of an axis" in decision.notes[0]
    assert not list(cache.glob("*.json"))
    assert around(functools.partial(total, N=1))(X).tolist() == [6] * 4
    with pytest.raises(AllFailed, match="unbound axis name"):
        total(X)  # Which is wrong in itself.


def test_tune_in_a_trace_that_it_needs_is_refused(cache: Any) -> None:
    @autotune(configs=[{"N": 1}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def total(x: jax.Array, N: int = 1) -> jax.Array:
        return jax.lax.psum(x, "i")

    with pytest.raises(NotTunable, match="name of an axis .* explicitly"):
        jax.vmap(lambda x: total.tune([(x,)]), axis_name="i")(X)


def test_function_that_is_wrong_in_itself_fails_in_a_trace(cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def wrong(x: jax.Array, N: int = 1) -> jax.Array:
        return x @ jnp.ones(7)

    with pytest.raises(AllFailed, match="all 2 configs failed"):
        jax.jit(wrong)(X)


def test_values_of_the_trace_around_leave_the_default(cache: Any) -> None:
    @jax.jit
    def around(w: jax.Array) -> jax.Array:
        @autotune(configs=[{"N": 1}], num_timing=1)
        @jax.jit(static_argnames=["N"])
        def inner(x: jax.Array, N: int = 1) -> jax.Array:
            return x * w

        return inner(w)

    with pytest.warns(UntunedWarning, match="a value of the outer trace .* pass the value as an"):
        assert jnp.allclose(around(X), X * X)


def test_symbolic_shapes_leave_the_default(cache: Any) -> None:
    (rows,) = jax.export.symbolic_shape("b")
    spec = jax.ShapeDtypeStruct((rows,), "float32")
    square = make_square()
    said = r"symbolic shapes, such as float32\[b\].*explicitly"
    with pytest.warns(UntunedWarning, match=said) as told:
        for _ in range(2):
            found = jax.export.export(jax.jit(lambda x: square(x)))(spec)
    assert len(told) == 1 and found.out_avals[0].shape == (rows,)
    assert re.search(said, square.explain(spec))
    with pytest.raises(NotTunable, match=said):
        square.tune([(spec,)])
    fixed = jax.export.export(jax.jit(lambda x: square(x, N=2)))(spec)
    assert fixed.out_avals[0].shape == (rows,)


def test_references_leave_the_default(cache: Any) -> None:
    @autotune(configs=[{"N": 1}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def increment(ref: Any, N: int = 1) -> None:
        ref[...] += N

    ref = jax.new_ref(X)
    with pytest.warns(UntunedWarning, match=r"jax\.Ref.* explicitly") as told:
        increment(ref)
        increment(ref)
    assert len(told) == 1 and increment.decisions[0].source == "default"
    increment(ref, N=2)
    assert (ref[...] == X + 4).all()
    with pytest.raises(NotTunable, match=r"jax\.Ref.* explicitly"):
        increment.tune([(ref,)])


def test_arrays_that_are_closed_over_are_no_trouble(cache: Any) -> None:
    weights = jnp.full(4, 3.0)

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def weighted(x: jax.Array, N: int = 1) -> jax.Array:
        return x * weights

    assert jnp.allclose(jax.jit(weighted)(X), 3 * X)
    assert jnp.allclose(weighted(X), 3 * X)


def test_without_jit_nothing_is_tuned(cache: Any) -> None:
    square = make_square()
    with jax.disable_jit():
        assert jnp.allclose(square(X), X * X)
    assert square.decisions == []


def test_settings_of_the_thread_count(cache: Any) -> None:
    square = make_square()
    seen = []
    for precision in (None, "float32"):
        with jax.default_matmul_precision(precision):
            square(X)
            seen.append(json.loads(square.decisions[-1].key).get("__context"))
    assert seen == [None, {"default_matmul_precision": "float32"}]
    with jax.enable_x64(True):
        assert square(jnp.arange(4.0)).dtype == "float64"
    assert "float64" in square.decisions[-1].key


class Opaque:
    """Nothing that could be stored, so that nothing but this process is waited for."""


def test_threads_that_call_at_once_sweep_once(cache: Any, swept: list[object]) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N", "option"])
    def scaled(x: jax.Array, option: Any, N: int = 1) -> jax.Array:
        return x * 2

    option = Opaque()
    barrier = threading.Barrier(4)
    results = []

    def call(number: int) -> None:
        function = functools.partial(scaled, option=option)
        barrier.wait()
        results.append((jax.jit(function) if number % 2 else function)(X))

    threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    with pytest.warns(CacheWarning, match="is not stored"):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(swept) == 1 and len(scaled.decisions) == 1
    assert len(results) == 4 and all(jnp.allclose(result, 2 * X) for result in results)


def test_threads_with_other_problems_do_not_wait_in_a_circle(cache: Any) -> None:
    square = make_square()

    @autotune(configs=[{"M": 1}, {"M": 2}], num_timing=1)
    @jax.jit(static_argnames=["M"])
    def outer(x: jax.Array, M: int = 1) -> jax.Array:
        return square(x) + 1

    sizes = [3, 4, 5]
    calls = [functools.partial(f, jnp.ones(n)) for n in sizes for f in (outer, square)]
    threads = [threading.Thread(target=call, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert len(outer.decisions) == len(square.decisions) == 3


def test_function_may_call_one_of_its_name(cache: Any) -> None:
    inner = make_square(name="square")

    @autotune(configs=[{"M": 1}], num_timing=1, name="square")
    @jax.jit(static_argnames=["M"])
    def outer(x: jax.Array, M: int = 1) -> jax.Array:
        return inner(x)

    assert jnp.allclose(outer(X), X * X)
    assert len(outer.decisions) == len(inner.decisions) == 1


@pytest.mark.parametrize("transformed", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_checkify_around_it_leaves_the_default(transformed: Any, cache: Any) -> None:
    def checked(x: Any, N: int = 1) -> Any:
        checkify.check(x.sum() > 0, "none of it")
        return x * N

    tuned = autotune(configs=[{"N": 1}, {"N": 2}])(jax.jit(checked, static_argnames=["N"]))
    with pytest.warns(UntunedWarning, match="the checkify around it.* explicitly"):
        error, found = checkify.checkify(transformed(tuned))(X)
    assert error.get() is None and found.tolist() == [0, 1, 2, 3]
    error, found = checkify.checkify(transformed(functools.partial(tuned, N=2)))(X)
    assert error.get() is None and found.tolist() == [0, 2, 4, 6]
    with pytest.raises(AllFailed):
        tuned(X)  # Which is wrong in itself: nothing takes its checks.
