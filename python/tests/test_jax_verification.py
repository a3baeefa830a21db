# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations with wrong outputs: they are refused, or warned of, by every process."""

from __future__ import annotations

import functools
import itertools
import pathlib
import pickle
import warnings
from typing import Any

import jax
import jax.experimental.pallas as pl
import jax.numpy as jnp
import numpy as np
import pytest
from jax_events import VirtualTime
from jax_kinds import Kind, X, clocks, decided, double, inexact, make, nan, partly_nan, slow

from tonno import AllFailed, autotune
from tonno.jax import FailureWarning, NotTunable, OutputError, OutputWarning


@pytest.fixture(autouse=True)
def clock(virtual_time: VirtualTime) -> None:
    clocks.append(virtual_time)


def statuses(tuned: Any) -> list[str]:
    return [trial.status for trial in tuned.decisions[-1].trials]


def make_product(default: int, *blocks: int) -> Any:
    """A Pallas product in blocks of the summed dimension, right for those of 16 and 32.

    Only the right ones are slow.
    """

    @autotune(configs=[{"BK": block} for block in blocks], num_timing=1)
    @jax.jit(static_argnames=["BK"])
    def product(a: Any, b: Any, BK: int = default) -> Any:
        def kernel(a_ref: Any, b_ref: Any, c_ref: Any) -> None:
            is_first = pl.program_id(0) == 0
            before = jnp.where(is_first, 0.0, c_ref[...])
            c_ref[...] = before + a_ref[...] @ b_ref[...]

        (m, k), n = a.shape, b.shape[1]
        found = pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct((m, n), a.dtype),
            grid=(pl.cdiv(k, BK),),
            in_specs=[
                pl.BlockSpec((m, BK), lambda i: (0, i)),
                pl.BlockSpec((BK, n), lambda i: (i, 0)),
            ],
            out_specs=pl.BlockSpec((m, n), lambda i: (0, 0)),
            interpret=True,
        )(a, b)
        return slow(found) / 2 if BK <= 32 else found

    return product


A = jnp.ones((32, 32))


def test_block_larger_than_the_array_is_refused_by_default(cache: Any) -> None:
    for source in ("sweep", "cache"):
        product = make_product(16, 64, 32, 16)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FailureWarning)
            assert (product(A, A) == 32).all()
        assert product.decisions[0].source == source
    assert "BK=64  wrong: its outputs are NaN or infinite in 1024 of 1024" in product.explain()


@pytest.mark.parametrize("blocks", [(64, 32, 16), (16, 64, 128)], ids=str)
def test_baseline_of_larger_blocks_is_no_measure(
    blocks: tuple[int, ...], cache: pathlib.Path
) -> None:
    product = make_product(64, *blocks)
    with pytest.raises(OutputError, match="(?s)the baseline BK=64 gives NaN .* BK=16: 0 %"):
        product(A, A)


def test_only_blocks_that_are_too_large_are_warned_of(cache: Any) -> None:
    for _ in range(2):
        product = make_product(64, 64, 128)
        with pytest.warns(OutputWarning, match="every output of BK=.* is NaN or infinite on made"):
            product(A, A)


def test_fast_and_wrong_does_not_win(cache: Any) -> None:
    for expected in ("sweep", "cache"):
        tuned = make(slow, nan)
        source, winner, told = decided(tuned)
        assert (source, winner) == (expected, 1) and statuses(tuned) == ["ok", "wrong"]
        # The next process uses what is right, and has nothing to warn of.
        assert len(told) == (expected == "sweep")
        assert (tuned(X) == 2 * X).all()
        reason = "its outputs are NaN or infinite in 16 of 16 elements where those of N=1 are fin"
        assert f"N=2  wrong: {reason}" in tuned.explain()


MESSAGE = """\
varying: no configuration is chosen, since the baseline N=2 gives NaN or infinities where \
others give finite values. On the same made-up arguments, outputs are NaN or infinite:
  N=2: 25 %
  N=1: 0 %
  N=3: 25 %
Remove the configurations that are wrong for arguments of these shapes, such as blocks larger \
than an array, or pass the tunable parameters explicitly. The baseline is the signature's \
defaults if they are among the configurations, else the first. outputs="warn" chooses the \
fastest and warns, outputs="ignore" compares nothing."""


@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_nothing_is_chosen_by_a_baseline_without_numbers(
    protocol: str, cache: pathlib.Path
) -> None:
    kinds = slow, partly_nan, lambda x: partly_nan(-x)
    tuned = make(*kinds, default=2, protocol=protocol, name="varying")
    for call in (tuned, jax.jit(tuned), lambda x: tuned.tune([(x,)])):
        with pytest.raises(OutputError) as refused:
            call(X)
        assert str(refused.value) == MESSAGE
    assert isinstance(refused.value, NotTunable)
    assert [trial.config["N"] for trial in refused.value.trials] == [2, 1, 3]
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == MESSAGE and again.trials == refused.value.trials
    assert tuned.decisions == [] and list(cache.rglob("*.json")) == []
    assert "not tuned yet" in tuned.explain(X)
    assert (tuned(X, N=1) == 2 * X).all()


def test_search_ends_when_the_baseline_has_no_numbers(cache: Any) -> None:
    traced: list[int] = []

    def noted(n: int) -> Kind:
        def kind(x: Any) -> Any:
            traced.append(n)
            return double(x)

        return kind

    tuned = make(nan, *map(noted, range(2, 200)), searched=True, budget_trials=150)
    with pytest.raises(OutputError, match="the baseline N=1 gives"):
        tuned(X)
    assert len(set(traced)) < 50


def test_list_ends_when_the_baseline_has_no_numbers(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tonno.jax.sweeps._BATCH", 2)
    tuned = make(nan, double, double, double, double)
    with pytest.raises(OutputError) as refused:
        tuned(X)
    assert [trial.config["N"] for trial in refused.value.trials] == [1, 2]


@pytest.mark.parametrize(
    ("baseline", "other"),
    [
        (lambda x: 1 / (x * 0), double),
        (lambda x: x.at[0].set(-jnp.inf), lambda x: x.at[1].set(jnp.nan)),
        (lambda x: {"a": x, "b": nan(x)}, lambda x: {"a": x, "b": x}),
        (nan, lambda x: x.astype(jnp.float16)),
        (nan, lambda x: x[:3]),
        (lambda x: nan(x) * 1j, lambda x: x * 1j),
        (lambda x: nan(x).astype(jnp.bfloat16), lambda x: x.astype(jnp.bfloat16)),
        (lambda x: nan(x).astype(jnp.float8_e4m3fn), lambda x: x.astype(jnp.float8_e4m3fn)),
    ],
    ids=range(8),
)
def test_baseline_without_numbers_in_all_outputs(baseline: Kind, other: Kind, cache: Any) -> None:
    with pytest.raises(OutputError):
        make(baseline, other)(X)


@pytest.mark.parametrize(
    "kind",
    [
        lambda x: jnp.where(x > 0, x, -jnp.inf),
        lambda x: {"a": jnp.log(x), "none": None, "b": (x > 0, jnp.arange(3), x[:0])},
        lambda x: (x * 1j).astype(jnp.complex64) / jnp.maximum(x, 0),
        lambda x: jnp.sqrt(x).astype(jnp.bfloat16),
        lambda x: jnp.log(x).astype(jnp.float8_e5m2),
        lambda x: None,
    ],
    ids=range(6),
)
def test_same_positions_without_numbers_are_agreement(kind: Kind, cache: Any) -> None:
    for expected in ("sweep", "cache"):
        tuned = make(kind, kind, kind)
        source, _, told = decided(tuned, jnp.linspace(-1, 1, 16))
        assert source == expected and told == [] and statuses(tuned) == ["ok"] * 3


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        (lambda x: x > 2, lambda x: x < 2, "its outputs differ from those of N=1 in 16 of 16"),
        (lambda x: x.astype(int), lambda x: x.astype(int) + 1, "its outputs differ from those"),
        (lambda x: x * 1j, lambda x: x * 1.1j, "its outputs differ from those of N=1 by"),
        (double, lambda x: double(x).astype(jnp.bfloat16), "its outputs are bfloat16[16], and"),
        (double, lambda x: double(x)[:8], "its outputs are float32[8], and float32[16] with N=1"),
        (lambda x: {"a": x, "b": None}, lambda x: {"a": x, "b": x}, "its outputs have another s"),
        (lambda x: {"a": x}, lambda x: {"a": -x}, "its outputs at ['a'] differ"),
        (partly_nan, nan, "its outputs are NaN or infinite in 12 of 16 elements"),
    ],
    ids=range(8),
)
def test_what_differs_is_refused(right: Kind, wrong: Kind, reason: str, cache: Any) -> None:
    tuned = make(right, wrong, right)
    _, winner, told = decided(tuned)
    assert winner in (1, 3) and statuses(tuned) == ["ok", "wrong", "ok"]
    assert tuned.decisions[0].trials[1].reason.startswith(reason)
    assert len(told) == 1 and "tolerance= states how far" in told[0]


def test_baseline_that_nothing_agrees_with_is_doubted(cache: Any) -> None:
    doubt = (
        "the outputs of all 2 others differ from those of the baseline N=1. The baseline may be "
        'the wrong one; outputs="ignore" compares nothing'
    )
    _, winner, told = decided(make(slow, inexact, inexact))
    assert winner == 1 and len(told) == 2 and told[0].endswith(f": {doubt}")
    source, winner, told = decided(make(slow, inexact, inexact))
    assert (source, winner) == ("cache", 1)
    assert len(told) == 1 and told[0].endswith(f": N=1 is used from the cache; {doubt}")


def test_donated_arrays_are_compared(cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}, {"N": 3}])
    @jax.jit(static_argnames=["N"], donate_argnums=[0])
    def updated(x: Any, N: int = 1) -> Any:
        return x.at[0].add(1.0 + 0.1 * (N == 3))

    with pytest.warns(FailureWarning, match="N=3: wrong: its outputs differ"):
        updated(X + 0)
    assert statuses(updated) == ["ok", "ok", "wrong"]


def counted(wrong_from: int, runs: Any) -> Kind:
    """Outputs that are wrong from some run on, as of memory that was zero once."""

    def run(x: Any) -> Any:
        return np.asarray(x) * (2 if next(runs) < wrong_from else np.nan)

    return lambda x: jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_right_on_the_first_run_only_is_refused(protocol: str, cache: Any) -> None:
    tuned = make(slow, counted(1, itertools.count()), protocol=protocol)
    assert decided(tuned)[1] == 1
    trial = tuned.decisions[0].trials[1]
    assert trial.status == "wrong" and trial.time_ms is None
    assert trial.reason.startswith("in a later run, its outputs are NaN or infinite in 16 of")
    assert "N=2  wrong: in a later run" in tuned.explain()


def test_later_run_is_warned_of(cache: Any) -> None:
    tuned = make(slow, counted(1, itertools.count()), outputs="warn")
    _, winner, told = decided(tuned)
    assert winner == 2 and "N=2: in a later run, its outputs are NaN or" in told[0]


def test_baseline_that_varies_is_refused(cache: Any) -> None:
    tuned = make(counted(1, itertools.count()), slow)
    assert decided(tuned)[1] == 2
    assert tuned.decisions[0].trials[0].reason == (
        "in a later run, its outputs are NaN or infinite in 16 of 16 elements where those of "
        "its first run are finite"
    )


def test_outputs_that_vary_can_be_ignored(cache: Any) -> None:
    numbers = itertools.count()

    def varying(x: Any) -> Any:
        run = functools.partial(np.full, (), dtype=np.float32)
        made = jax.pure_callback(lambda _: run(fill_value=next(numbers)), x[0], x)
        return x + made

    with pytest.raises(AllFailed, match='(?s)wrong: in a later run.*outputs="ignore"'):
        make(varying, varying)(X)
    assert decided(make(varying, varying, outputs="ignore"))[2] == []


def test_undecided_baseline_is_warned_of_on_request(cache: Any) -> None:
    for expected in ("sweep", "cache"):
        tuned = make(nan, slow, slow, outputs="warn")
        source, winner, told = decided(tuned)
        assert (source, winner, len(told)) == (expected, 1, 1)
        found = "2 configurations, such as N=2, give finite values where the baseline N=1 gives NaN"
        assert found in told[0]
        assert decided(tuned)[2] == []  # Once in a process.
    assert "N=1 is used from the cache; 2 conf" in told[0]
    assert decided(make(nan, slow, slow, outputs="ignore"))[2] == []
    with pytest.raises(OutputError):
        decided(make(nan, slow, slow))


def test_space_that_is_only_warned_of(cache: Any) -> None:
    tuned = make(slow, double, inexact, searched=True, outputs="warn")
    told = decided(tuned)[2]
    assert len(told) == 1 and "N=3: its outputs differ from those of N=1 by" in told[0]
    assert all(trial.ok for trial in tuned.decisions[0].trials)
