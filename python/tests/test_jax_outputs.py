# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether outputs are the same, in little memory, and fetched as JAX allows."""

from __future__ import annotations

import functools
import tracemalloc
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify

from tonno import autotune
from tonno.jax import verification
from tonno.jax.problems import NotTunable
from tonno.jax.verification import HostOutputs, compare, get_tolerance, to_host

X = jnp.linspace(-1, 1, 16)


def difference(found: Any, reference: Any, tolerance: float | str | None = None) -> float:
    return compare(to_host(found), to_host(reference), tolerance, "N=1").difference


def test_difference_is_over_the_root_mean_square() -> None:
    base = np.array([3.0, -4.0, 0.0, 5.0], np.float32)
    rms = float(np.sqrt(np.mean(base**2)))
    allowed = get_tolerance(np.dtype(np.float32)) * rms

    def compared(found: Any, reference: Any = base) -> float:
        return difference(jnp.asarray(found), jnp.asarray(reference))

    assert compared(base) == 0
    assert compared(base + np.float32(allowed / 2)) == pytest.approx(0.5, rel=0.01)
    assert compared(base + np.float32(2 * allowed)) == pytest.approx(2, rel=0.01)
    assert compared(base[:3]) == compared(base.astype(np.float16)) == float("inf")
    gone = np.array([np.nan, 1.0])
    assert compared(gone, gone) == 0 and compared([0.0, 1.0], gone) == float("inf")
    assert compared(gone, [0.0, 1.0]) == float("inf")
    assert compared([1, 2], [1, 3]) == float("inf") and compared([1], [1]) == 0
    assert compared(jnp.zeros(2) + 1j, jnp.zeros(2) + 1j) == 0
    assert compared(jnp.zeros(0), jnp.zeros(0)) == 0
    assert get_tolerance(jnp.bfloat16) > get_tolerance(np.float16) > get_tolerance(np.float32)


@pytest.mark.parametrize(
    ("found", "reference", "finite_instead", "reason"),
    [
        ([np.nan, 1, 2], [0, 1, 2], 0, "its outputs are NaN or infinite in 1 of 3 elements wh"),
        ([0, 1, 2], [np.nan, 1, np.inf], 2, "its outputs are finite in 2 of 3 elements where"),
        ([np.nan, 1], [np.inf, 1], 0, "its outputs have other NaNs and infinities than those"),
        ([-np.inf, 1], [np.inf, 1], 0, "its outputs have other NaNs and infinities than thos"),
        ([1, 2], [1, 4], 0, "its outputs differ from those of N=1 by 1.99e+03 times the toleran"),
        ([1e-9, 0], [0, 0], 0, "its outputs differ from those of N=1 by up to 1e-09, and the"),
        ({"a": [1], "b": [2, 3]}, {"a": [1], "b": [2, 4]}, 0, r"its outputs at ['b'] differ"),
        ([1, 2], [[1], [2]], 0, "its outputs are float32[2], and float32[2,1] with N=1"),
        ([1, 2], [[1], [np.nan]], 1, "its outputs are float32[2], and float32[2,1] with N=1"),
        ([1, np.nan], [[1], [np.nan]], 0, "its outputs are float32[2], and float32[2,1] w"),
        ({"a": [1]}, {"b": [np.inf]}, 1, "its outputs have another structure than those of N"),
        ({"a": [1], "b": None}, {"a": [1], "b": [1]}, 0, "its outputs have another structure"),
    ],
)
def test_reason_says_how_and_where_outputs_differ(
    found: Any, reference: Any, finite_instead: int, reason: str
) -> None:
    arrays = [
        jax.tree.map(
            lambda leaf: jnp.asarray(leaf, jnp.float32), one, is_leaf=lambda x: type(x) is list
        )
        for one in (found, reference)
    ]
    compared = compare(to_host(arrays[0]), to_host(arrays[1]), None, "N=1")
    assert compared.difference > 1 and compared.reason.startswith(reason)
    assert compared.finite_instead == finite_instead


@pytest.mark.parametrize(
    ("tolerance", "most"),
    [
        ("1e-3", 1e-3 * 3.5355),
        ("1e-3rms", 1e-3 * 3.5355),
        ("1e-3rel", 3e-3),
        ("1e-3abs", 1e-3),
        ("4ulps", 4 * 2.0**-22),
        ("1e-3abs,1e-3rel", 3e-3),
        ("result0=1e-3abs", 1e-3),
        ("1e-9rel,result0=1e-3abs", 1e-3),
    ],
)
def test_tolerances_have_units(tolerance: str, most: float) -> None:
    base = np.array([3.0, -4.0, 0.0, 5.0], np.float64)
    with jax.enable_x64(True):

        def compared(error: float) -> float:
            found = base + np.array([error, 0, 0, 0])
            kind = np.float32 if "ulps" in tolerance else np.float64
            return difference(jnp.asarray(found, kind), jnp.asarray(base, kind), tolerance)

        assert compared(0.9 * most) <= 1 < compared(1.6 * most)


def test_ulps_of_small_numbers_are_those_of_the_least_normal_one() -> None:
    tiny = np.finfo(np.float32).tiny
    base = np.array([0.0, tiny], np.float32)
    # The distance of numbers is eps * tiny, which is not normal: in float64, nothing is lost.
    off = base + np.float32(3) * np.float32(1.4e-45)
    assert difference(off, base, "4ulps") <= 1 < difference(off, base, "2ulps")


def test_outputs_have_tolerances_of_their_own() -> None:
    base = {"sum": jnp.array([1.0, 2.0]), "count": jnp.array([5, 7])}
    off = {"sum": jnp.array([1.01, 2.0]), "count": jnp.array([5, 8])}
    # The leaves are in the order of their names.
    assert difference(off, base, "result0=1abs,result1=0.1") <= 1
    assert difference(off, base, "['count']=1abs,['sum']=0.1") <= 1
    assert difference(off, base, "1abs") == float("inf"), "integers need their name"
    assert difference(off, base, "result0=1abs") > 1, "the type's limit stays"
    # The errors of an output are alternatives, also of one unit.
    assert difference(off, base, "result0=1abs,result1=1e-6rel,1e-1rel") <= 1
    large = np.array([2**60], np.int64)
    for step, is_right in ((1, True), (100, False)):
        with jax.enable_x64(True):
            found = difference(jnp.asarray(large + step), jnp.asarray(large), "result0=1abs")
        assert (found <= 1) == is_right
    with pytest.raises(NotTunable, match=r"names the output 'result2'; the outputs are: result0 \['c"):
        difference(off, base, "result2=1")


def test_wrong_name_of_an_output_is_an_error_of_the_call(cache: Any) -> None:
    @functools.partial(jax.jit, static_argnames=["N"])
    def function(x: Any, N: int = 1) -> Any:
        return x * N

    tuned = autotune(configs=[{"N": 1}, {"N": 2}], tolerance="result9=1")(function)
    with pytest.raises(NotTunable, match="tolerance names the output 'result9'; the outputs are"):
        tuned(jnp.ones(4))


@pytest.mark.filterwarnings("ignore::tonno.jax.failures.FailureWarning")
def test_text_is_a_part_of_the_question(cache: Any) -> None:
    @functools.partial(jax.jit, static_argnames=["N"])
    def function(x: Any, N: int = 1) -> Any:
        return x * (1 + 1e-2 * (N - 1))

    for tolerance, status, first in (("1e-1rel", "ok", "sweep"), ("1e-3rel", "wrong", "sweep")):
        for source in (first, "cache"):
            tuned = autotune(configs=[{"N": 1}, {"N": 2}], tolerance=tolerance)(function)
            tuned(X)
            (decision,) = tuned.decisions
            assert decision.source == source
            statuses = {trial.config["N"]: trial.status for trial in decision.trials}
            assert statuses[1] == "ok" and statuses[2] in (status, "pruned")


def test_integers_that_differ_are_counted() -> None:
    compared = compare(to_host(jnp.arange(4)), to_host(jnp.zeros(4, int)), 9.0, "N=1")
    assert compared.difference == float("inf")
    assert compared.reason == "its outputs differ from those of N=1 in 3 of 4 elements"


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int4", "uint8", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float16"]
    + ["bfloat16", "float32", "complex64", "float4_e2m1fn"],
)
def test_types_are_compared_by_their_precision(dtype: str) -> None:
    reference = jnp.array([1, 1, 0.5, 1]).astype(dtype)
    other = jnp.array([0, 4, 4, 4]).astype(dtype)
    assert difference(reference, reference) == 0
    assert difference(other, reference) > 1
    if dtype not in ("bool", "int4", "uint8", "float4_e2m1fn"):
        gone = jnp.full(4, np.nan).astype(dtype)
        assert difference(gone, gone) == 0
        assert difference(gone, reference) == difference(reference, gone) == float("inf")


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.7e308])
def test_squares_of_doubles_neither_overflow_nor_vanish(scale: float) -> None:
    base = np.array([1.0, -1.0, 0.5]) * scale
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert difference(jnp.asarray(base), jnp.asarray(base)) == 0
        assert 0 < difference(jnp.asarray(base * (1 + 1e-12)), jnp.asarray(base)) < 1e-3
        assert difference(jnp.asarray(-base), jnp.asarray(base)) > 1e6
        assert difference(jnp.asarray(base / 2), jnp.asarray(base)) > 1e6


def test_parts_of_complex_numbers_may_be_infinite() -> None:
    def compared(found: complex, reference: complex) -> float:
        return difference(jnp.array([found, 1.0]), jnp.array([reference, 1.0]))

    assert compared(complex(np.inf, 1 + 1e-6), complex(np.inf, 1)) < 1
    assert compared(complex(np.inf, 2), complex(np.inf, 1)) > 1
    assert compared(complex(-np.inf, 1), complex(np.inf, 1)) == float("inf")
    assert compared(complex(np.nan, 1), complex(1, np.nan)) == 0
    assert compared(complex(np.nan, 1), complex(1, np.inf)) == float("inf")


def test_outputs_without_numbers_are_equal() -> None:
    for nothing in ((), None, {"a": None}, jnp.zeros((0, 3))):
        assert difference(nothing, nothing) == 0
    integers = jax.jit(jax.grad(lambda n: n.sum() * 1.0, allow_int=True))(jnp.arange(3))
    assert difference(integers, integers) == 0  # Of type float0.
    keys = [jax.random.key(seed) for seed in (1, 1, 2)]
    assert difference(keys[0], keys[1]) == 0 and difference(keys[0], keys[2]) > 1


@jax.tree_util.register_pytree_node_class
class Tagged:
    """An array with metadata."""

    def __init__(self, array: Any, tag: Any) -> None:
        self.array, self.tag = array, tag

    def tree_flatten(self) -> Any:
        return (self.array,), self.tag

    @classmethod
    def tree_unflatten(cls, tag: Any, children: Any) -> Any:
        (array,) = children
        return cls(array, tag)


def test_metadata_that_is_new_in_each_trace_is_the_same() -> None:
    def derivative() -> Any:
        return jax.jit(lambda x: jax.vjp(lambda y: y * 2, x)[1])(1.0)

    assert difference(derivative(), derivative()) == 0
    for make in (object, lambda: np.ones(3), lambda: "name"):
        assert difference(Tagged(1.0 * X, make()), Tagged(1.0 * X, make())) == 0
    assert difference(Tagged(X, 1), Tagged(X, 2)) == float("inf")


def test_parts_give_the_verdict_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    base = generator.normal(size=(7, 11)).astype(np.float32)
    cases = [base, base + np.float32(1e-3), base * np.nan, np.where(base > 1, np.inf, base)]
    cases += [np.where(base < 0, np.nan, base), base.astype(np.complex64) * 1j, base > 0]

    def verdicts() -> list[float]:
        hosts = [HostOutputs(None, [""], [case]) for case in cases]
        return [compare(a, b, None, "N=1").difference for a in hosts for b in hosts]

    whole = verdicts()
    monkeypatch.setattr(verification, "_CHUNK", 5)
    assert verdicts() == pytest.approx(whole, rel=1e-12)
    assert 0 < whole[1] < float("inf") == whole[2]


def test_comparing_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "_CHUNK", 1 << 12)
    a = np.ones(1 << 20, np.float32)
    tracemalloc.start()
    try:
        one, other = (HostOutputs(None, [""], [array]) for array in (a, a + 0))
        assert compare(one, other, None, "N=1").difference == 0
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 1.5 * a.nbytes  # Of which one is the copy made here.


def test_outputs_are_fetched_where_transfers_must_be_asked_for(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def double(x: jax.Array, N: int = 1) -> jax.Array:
        return x * 2

    # A CPU's arrays are not transferred, and so not guarded.
    fetched: list[Any] = []
    get = jax.device_get

    def observed(array: Any) -> Any:
        fetched.append(array)
        return get(array)

    monkeypatch.setattr(jax, "device_get", observed)
    x = jnp.ones(3)
    with jax.transfer_guard("disallow"):
        double(x)
    assert all(trial.ok for trial in double.decisions[0].trials) and len(fetched) >= 2


@pytest.mark.parametrize("wrong", [(), (2,)])
def test_errors_of_checkify_differ_in_whether_there_is_one(wrong: Any) -> None:
    @jax.jit(static_argnames=["N"])
    def checked(x: Any, N: int = 1) -> Any:
        def double(x: Any) -> Any:
            checkify.check(N not in wrong and (x < 9).all(), "too large")
            return x * 2

        return checkify.checkify(double)(x)

    found = [checked(jnp.ones(3), N=n) for n in (1, 2, 3)]
    differences = [difference(one, found[0]) for one in found]
    assert differences == [0, float("inf") if wrong else 0, 0]
