# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When a record of an earlier process holds."""

from __future__ import annotations

import time
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import autotune

X = jnp.linspace(-1, 1, 16)


def make_differing(**options: Any) -> Any:
    """N=2 is the faster one, and up to 1.7 % of the root mean square off."""

    def wait(x: Any) -> Any:
        time.sleep(0.005)
        return x

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def differing(x: Any, N: int = 1) -> Any:
        if N == 2:
            return x * 1.01
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    return differing


def decided(tuned: Any) -> tuple[str, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned(X)
    (decision,) = tuned.decisions
    return decision.source, decision.config["N"]


@pytest.mark.parametrize("before", ["warn", "ignore"])
def test_winner_that_would_be_refused_is_tuned_again(
    before: str, cache: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert decided(make_differing(outputs=before)) == ("sweep", 2)
    assert decided(make_differing(outputs="warn")) == ("cache", 2)
    with caplog.at_level("INFO", "tonno.autotune"):
        assert decided(make_differing(outputs="refuse")) == ("sweep", 1)
    assert "tuned again, since what is asked of its outputs changed" in caplog.text
    for outputs in ("refuse", "warn", "ignore"):
        assert decided(make_differing(outputs=outputs)) == ("cache", 1)


def test_tighter_tolerance_is_asked_of_the_record(cache: Any) -> None:
    def refusing(tolerance: float | None) -> tuple[str, int]:
        return decided(make_differing(outputs="refuse", tolerance=tolerance))

    assert refusing(0.1) == ("sweep", 2)
    assert [refusing(known) for known in (0.1, 0.05, 0.2)] == [("cache", 2)] * 3
    assert refusing(0.001) == ("sweep", 1)
    # What the others were compared with is as good for any.
    assert [refusing(known) for known in (0.001, 0.1, 0.0, None)] == [("cache", 1)] * 4


def test_types_own_tolerance_is_no_number(cache: Any) -> None:
    assert decided(make_differing(outputs="refuse", tolerance=0.1)) == ("sweep", 2)
    assert decided(make_differing(outputs="refuse")) == ("sweep", 1)


def test_stricter_protocol_is_a_change(cache: Any) -> None:
    assert decided(make_differing()) == ("sweep", 2)
    assert decided(make_differing(protocol="paired")) == ("sweep", 2)
    for protocol in ("paired", "median"):
        assert decided(make_differing(protocol=protocol)) == ("cache", 2)
