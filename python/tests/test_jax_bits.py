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
