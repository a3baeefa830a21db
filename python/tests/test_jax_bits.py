# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations whose outputs have other bits than the baseline's."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_events import VirtualTime
from jax_kinds import X, clocks, decided, double, inexact, make, slow

from tonno.jax.draws import DRAWS
from tonno.jax.verification import HostOutputs, find_other_bits, to_host


@pytest.fixture(autouse=True)
def clock(virtual_time: VirtualTime) -> None:
    clocks.append(virtual_time)


def nearly_double(x: Any) -> Any:
    """Returns the double, off in the last bit of one element."""
    doubled = x * 2
    bits = jax.lax.bitcast_convert_type(doubled[5], jnp.int32) ^ 1
    return doubled.at[5].set(jax.lax.bitcast_convert_type(bits, jnp.float32))


def test_last_bit_of_one_element_is_refused(cache: pathlib.Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for expected in ("sweep", "cache"):
            tuned = make(slow, nearly_double, double, bits="same")
            source, winner, told = decided(tuned)
            # Other bits are no failure to warn of.
            assert (source, winner, told) == (expected, 3, [])
    statuses = {trial.config["N"]: trial.status for trial in tuned.decisions[-1].trials}
    assert statuses == {1: "ok", 2: "different_bits", 3: "ok"}
    reason = "its outputs have other bits than those of N=1 in 1 of 16 elements"
    assert f"N=2  different_bits: {reason}" in tuned.explain()
    assert f"1 of 3 configurations give other bits, the first: N=2: {reason}" in tuned.explain()
    assert "; the fastest of them, N=2, took " in tuned.explain()
    assert " ms in its first run, the winner " in tuned.explain()


def of_order(x: Any) -> Any:
    """Doubles all elements, but those of arrays in another order than X's."""
    return jnp.where(x[0] == x.min(), x * 2, x * jnp.float32(2.0000002))


def of_signs(x: Any) -> Any:
    """Doubles all elements of arrays without negative ones."""
    return jnp.where(x.min() < 0, x * jnp.float32(2.0000002), x * 2)


@pytest.mark.parametrize(
    ("kind", "place"),
    [(of_signs, "on arguments whose sums cancel"), (of_order, "on the arguments' elements in")],
)
@pytest.mark.parametrize("is_isolated", [False, True])
def test_bits_are_compared_on_other_arguments(
    cache: pathlib.Path, kind: Any, place: str, is_isolated: bool
) -> None:
    tuned = make(double, kind, bits="same", inputs="call", isolate=is_isolated)
    decided(tuned, jnp.linspace(0.5, 1, 4096))
    first, second = tuned.decisions[-1].trials
    assert (first.status, second.status) == ("ok", "different_bits")
    assert second.reason.startswith(place)
    tuned = make(double, kind, inputs="call", isolate=is_isolated)
    decided(tuned, jnp.linspace(0.5, 1, 4096))
    assert [trial.status for trial in tuned.decisions[-1].trials] == ["ok", "ok"]


def test_arguments_that_the_baseline_does_not_take_are_left_out(cache: pathlib.Path) -> None:
    tuned = make(
        jnp.sqrt,
        lambda x: jnp.sqrt(x) + jnp.where(x.min() < 0, 1.0, 0.0),
        bits="same",
        inputs="call",
    )
    decided(tuned)
    assert [trial.status for trial in tuned.decisions[-1].trials] == ["ok", "ok"]
    assert "on arguments whose sums cancel: the baseline's outputs are not finite" in tuned.explain()


def test_loops_that_data_end_get_the_timed_arguments_alone(cache: pathlib.Path) -> None:
    def halve(x: Any) -> Any:
        # Never ends if the first element is negative.
        return jax.lax.while_loop(lambda y: (y[0] > 0.1) | (y[0] < 0), lambda y: y * 0.5, x)

    # A loop of any configuration counts, not only the baseline's.
    for kinds in ((halve, lambda x: halve(x) * 1.0), (lambda x: halve(x), lambda x: x * 0.125)):
        tuned = make(*kinds, bits="same", inputs="call")
        decided(tuned)
        assert [trial.status for trial in tuned.decisions[-1].trials] == ["ok", "ok"]
        assert "elements in another order: other data may not end a loop" in tuned.explain()


def test_integers_and_shapes_of_draws_stay() -> None:
    leaves = [X, jnp.arange(5), 2.5, X.reshape(4, 4).astype(jnp.bfloat16)]
    for draw in DRAWS:
        same, counted, number, halves = draw.make(leaves)
        assert same is not None and halves is not None
        assert same.shape == X.shape and not (same == X).all()
        assert counted is number is None
        assert (halves.shape, halves.dtype) == ((4, 4), jnp.bfloat16)
        again = draw.make(leaves)[0]
        assert again is not None and (again == same).all()
    ordered, signed = (draw.make([X])[0] for draw in DRAWS)
    assert ordered is not None and sorted(ordered.tolist()) == sorted(X.tolist())
    assert signed is not None and (signed < 0).any()


def test_wrong_outputs_stay_wrong(cache: pathlib.Path) -> None:
    tuned = make(slow, inexact, double, bits="same")
    assert decided(tuned)[1] == 3
    assert [trial.status for trial in tuned.decisions[-1].trials] == ["ok", "wrong", "ok"]


def test_decision_holds_for_its_class_alone(cache: pathlib.Path) -> None:
    sources = []
    for bits in ("free", "same", "same", "free"):
        tuned = make(slow, nearly_double, bits=bits)
        source, winner, _ = decided(tuned)
        sources.append(source)
        assert winner == (2 if bits == "free" else 1)
    assert sources == ["sweep", "sweep", "cache", "sweep"]


def test_signs_of_zero_and_nans_count() -> None:
    def outputs(*values: float) -> HostOutputs:
        return to_host({"a": np.array(values, np.float32)})

    assert find_other_bits(outputs(0.0, np.nan), outputs(0.0, np.nan), "N=1") == ""
    reason = "its outputs at ['a'] have other bits than those of N=1 in 2 of 2 elements"
    assert find_other_bits(outputs(-0.0, -np.nan), outputs(0.0, np.nan), "N=1") == reason
    assert find_other_bits(outputs(), outputs(), "N=1") == ""


def test_contradictions_are_refused() -> None:
    with pytest.raises(ValueError, match="bits must be one of 'free', 'same', not 'equal'"):
        make(double, bits="equal")
    with pytest.raises(ValueError, match="leave out outputs='warn', or bits="):
        make(double, bits="same", outputs="warn")
