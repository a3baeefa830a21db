# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuned functions where nothing is to be measured."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import Error, UntunedWarning, autotune
from tonno.jax import NotTunable, failures

X = jnp.arange(4.0)


def make_times(**options: Any) -> Any:
    """Returns a function that tells which configuration it runs with."""

    @autotune(configs=[{"N": 2}, {"N": 4}], outputs="ignore", num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def times(x: Any, N: int = 3) -> Any:
        return jnp.full_like(x, N)

    return times


def ran_with(found: Any) -> int:
    return int(found[0])


def test_cached_takes_the_default_and_warns_once(
    cache: Any, swept: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TONNO_MODE", "cached")
    times = make_times()
    with pytest.warns(UntunedWarning, match="mode cached by TONNO_MODE measures nothing") as told:
        assert [ran_with(times(X)), ran_with(times(X)), ran_with(jax.jit(times)(X))] == [3] * 3
    assert len(told) == 1 and told[0].filename == __file__ and "times runs with N=3" in str(told[0])
    with pytest.warns(UntunedWarning):
        times(X[:2])
    assert swept == [] and not cache.exists()
    assert {decision.source for decision in times.decisions} == {"default"}
    assert "the cache has no decision" in times.decisions[0].notes[0]
    said = times.explain(X)
    assert said.startswith("times: N=3, by the signature\n") and "note: the cache has no" in said
    assert said.endswith("\n  mode cached by TONNO_MODE")


def test_cached_warns_once_of_a_bucket(cache: Any) -> None:
    times = make_times(mode="cached", dims={"x": ("M",)}, bucket={"M": "pow2"})
    with pytest.warns(UntunedWarning) as told:
        for size in range(60, 70):
            assert ran_with(times(jnp.ones(size))) == 3
    assert [re.findall(r'"__bucket":{"M":(\d+)}', str(w.message)) for w in told] == [["64"], ["128"]]
    assert '"shape":[61]' in times.explain(jnp.ones(61))


def test_cached_takes_what_was_tuned(cache: Any, swept: list[object]) -> None:
    before = make_times()
    chosen = ran_with(before(X))
    assert chosen in (2, 4) and len(swept) == 1
    times = make_times(mode="cached")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ran_with(times(X)) == ran_with(jax.jit(times)(X)) == chosen
    assert len(swept) == 1 and times.decisions[0].source == "cache"
    assert times.explain(X).endswith("\n  mode cached")


def test_cached_tries_nothing_again(
    cache: Any, swept: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_times()(X)
    again = [{"N": 4}]
    monkeypatch.setattr(failures, "to_retry", lambda *_: again)
    make_times(mode="cached")(X)
    assert len(swept) == 1


def test_cached_writes_nothing(cache: Any) -> None:
    with pytest.warns(UntunedWarning):
        make_times(mode="cached")(X)
    assert not cache.exists()


def test_off_reads_no_cache_and_says_nothing(cache: Any, swept: list[object]) -> None:
    make_times()(X)
    (file,) = cache.glob("*.json")
    file.write_text("damaged")
    times = make_times(mode="off")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ran_with(times(X)) == ran_with(jax.jit(times)(X)) == 3
        assert times.tune([(X,)])[0].source == "default"
    assert len(swept) == 1 and times.decisions == []
    assert times.explain(X) == "times: N=3, by the signature, as in mode off"


def test_argument_wins_over_the_variable(
    cache: Any, swept: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TONNO_MODE", "off")
    make_times(mode="tune")(X)
    assert len(swept) == 1


def test_mode_may_change_within_a_process(
    cache: Any, swept: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = make_times()
    monkeypatch.setenv("TONNO_MODE", "cached")
    with pytest.warns(UntunedWarning):
        assert ran_with(times(X)) == 3
        (decision,) = times.tune([(X,)])
    assert decision.source == "default" and swept == []
    monkeypatch.setenv("TONNO_MODE", "tune")
    assert ran_with(times(X)) in (2, 4)
    monkeypatch.setenv("TONNO_MODE", "cached")
    assert ran_with(times(X)) in (2, 4)
    assert [decision.source for decision in times.decisions] == ["sweep"]
    monkeypatch.setenv("TONNO_MODE", "off")
    assert ran_with(times(X)) == 3


def test_invalid_mode_is_told_when_it_is_read(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Error, match="mode: unknown mode 'never'; the modes are: tune, cached, off"):
        make_times(mode="never")
    times = make_times()
    monkeypatch.setenv("TONNO_MODE", "never")
    with pytest.raises(Error, match="TONNO_MODE: unknown mode 'never'"):
        times(X)


def test_processes_that_could_differ_are_refused(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    with pytest.raises(NotTunable, match="one of 2 processes"):
        jax.jit(make_times(mode="cached"))(X)
    assert ran_with(jax.jit(make_times(mode="off"))(X)) == 3


def test_warning_may_be_an_error(cache: Any) -> None:
    times = make_times(mode="cached")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UntunedWarning)
        with pytest.raises(UntunedWarning, match="keep the cache"):
            times(X)
    assert json.loads(times.decisions[0].key)["__arg0"]["shape"] == [4]
