# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether outputs are the same, in little memory, and fetched as JAX allows."""

from __future__ import annotations

import tracemalloc
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify

from tonno import autotune
from tonno.jax import outputs
from tonno.jax.outputs import difference, to_host, tolerance_of


def test_difference_is_over_the_root_mean_square() -> None:
    base = np.array([3.0, -4.0, 0.0, 5.0], np.float32)
    rms = float(np.sqrt(np.mean(base**2)))
    allowed = tolerance_of(np.dtype(np.float32)) * rms

    def compared(found: Any, reference: Any = base) -> float:
        return difference(to_host(jnp.asarray(found)), to_host(jnp.asarray(reference)), None)

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
    assert tolerance_of(jnp.bfloat16) > tolerance_of(np.float16) > tolerance_of(np.float32)


def test_parts_give_the_verdict_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    base = generator.normal(size=(7, 11)).astype(np.float32)
    cases = [base, base + np.float32(1e-3), base * np.nan, np.where(base > 1, np.inf, base)]
    cases += [np.where(base < 0, np.nan, base), base.astype(np.complex64) * 1j, base > 0]

    def verdicts() -> list[float]:
        hosts = [(None, [case]) for case in cases]
        return [difference(a, b, None) for a in hosts for b in hosts]

    whole = verdicts()
    monkeypatch.setattr(outputs, "_CHUNK", 5)
    assert verdicts() == pytest.approx(whole, rel=1e-12)
    assert 0 < whole[1] < float("inf") == whole[2]


def test_comparing_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "_CHUNK", 1 << 12)
    a = np.ones(1 << 20, np.float32)
    tracemalloc.start()
    try:
        assert difference((None, [a]), (None, [a + 0]), None) == 0
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
    assert all(trial.ok for trial in double.decisions[0].trials) and len(fetched) == 2


@pytest.mark.parametrize("wrong", [(), (2,)])
def test_errors_of_checkify_differ_in_whether_there_is_one(wrong: Any) -> None:
    @jax.jit(static_argnames=["N"])
    def checked(x: Any, N: int = 1) -> Any:
        def double(x: Any) -> Any:
            checkify.check(N not in wrong and (x < 9).all(), "too large")
            return x * 2

        return checkify.checkify(double)(x)

    found = [to_host(checked(jnp.ones(3), N=n)) for n in (1, 2, 3)]
    differences = [difference(one, found[0], None) for one in found]
    assert differences == [0, float("inf") if wrong else 0, 0]
