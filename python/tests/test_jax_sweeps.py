# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps: failures, outputs, protocols and spaces."""

from __future__ import annotations

import gc
import re
import threading
import traceback
import warnings
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import VirtualTime

import tonno
from tonno import AllFailed, UntunedWarning, autotune
from tonno.jax import Arguments, FailureWarning, NotTunable, OutputWarning, arguments, locks

X = jnp.linspace(-1, 1, 16)


def lasting(virtual_time: VirtualTime, seconds: Any) -> Any:
    """A jitted function that takes as long as its parameter says."""

    def wait(x: Any, n: Any) -> Any:
        virtual_time.add(seconds(int(n)))
        return x

    @jax.jit(static_argnames=["N", "M"])
    def slow(x: Any, N: int = 1, M: int = 0) -> Any:
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N * 10 + M)

    return slow


def test_the_fastest_wins(cache: Any, virtual_time: VirtualTime) -> None:
    slow = lasting(virtual_time, lambda n: 0.02 if n != 20 else 0.0)
    tuned = autotune(configs=[{"N": n} for n in (1, 2, 3)], num_timing=3)(slow)
    tuned(X)
    (decision,) = tuned.decisions
    assert decision.config == {"N": 2}
    times = {trial.config["N"]: trial.time_ms for trial in decision.trials}
    assert times == pytest.approx({1: 21, 2: 1, 3: 21})


def test_far_slower_configurations_run_once(cache: Any, virtual_time: VirtualTime) -> None:
    ran: list[int] = []

    def seconds(n: int) -> float:
        ran.append(n)
        return 1.0 if n == 20 else 0.0

    tuned = autotune(configs=[{"N": n} for n in (1, 2, 3)])(lasting(virtual_time, seconds))
    tuned(X)
    (decision,) = tuned.decisions
    assert ran[:-1].count(20) == 1 and ran.count(10) >= 4
    slow = decision.trials[1]
    assert slow.status == "pruned" and slow.time_ms == pytest.approx(1001)
    assert "N=2  1001 ms (pruned: a run takes 1.00 s, and the best so far" in tuned.explain(X)
    assert not any("failed" in note for note in decision.notes)


def make_failing(**options: Any) -> Any:
    @autotune(configs=[{"N": n} for n in (1, 2, 3, 4)], num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def partly(x: Any, N: int = 1) -> Any:
        if N == 1:
            raise ValueError("1 is too few\nand more of it")
        if N == 2:

            def fail(_: Any) -> Any:
                raise RuntimeError("at run time")

            return jax.pure_callback(fail, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
        return x * 2

    return partly


def test_failing_configurations_are_skipped_with_their_reason(cache: Any) -> None:
    partly = make_failing()
    assert (partly(X) == 2 * X).all()
    trials = {trial.config["N"]: trial for trial in partly.decisions[0].trials}
    assert trials[1].status == "compile_error"
    assert trials[1].reason == "ValueError: 1 is too few"
    assert trials[2].status == "fault" and "at run time" in trials[2].reason
    assert trials[3].ok and trials[4].ok
    assert partly.decisions[0].config["N"] in (3, 4)
    assert "N=1  compile_error: ValueError: 1 is too few" in partly.explain(X)


def test_all_failing_raises_with_each_reason(cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}])
    @jax.jit(static_argnames=["N"])
    def never(x: Any, N: int = 1) -> Any:
        raise ValueError(f"not with {N}")

    for _ in range(2):
        with pytest.raises(RuntimeError) as failed:
            never(X)
        cause = failed.value.__cause__
        assert isinstance(cause, ValueError) and str(cause) == "not with 1"
        assert traceback.extract_tb(cause.__traceback__)[-1].name == "never"  # It says where.
        assert isinstance(failed.value, AllFailed) and len(failed.value.trials) == 2
        message = str(failed.value)
        assert "all 2 configs failed" in message
        assert "N=1: compile_error: ValueError: not with 1" in message
        assert "N=2: compile_error: ValueError: not with 2" in message
    assert list(cache.glob("*.json")) == [] and never.decisions == []


def test_failures_hold_no_arguments(cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def partly(x: Any, N: int = 1) -> Any:
        assert N == 1
        return x

    given = jnp.ones(5)
    alive = weakref.ref(given)
    gc.collect()
    gc.disable()
    try:
        with pytest.warns(FailureWarning):
            partly(given)
        del given
        assert alive() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "error", [MemoryError(), jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")]
)
def test_too_little_memory_for_arguments_leaves_the_default(
    error: Exception, cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(arguments, "made_up_array", make)

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def times(x: Any, N: int = 3) -> Any:
        return x * N

    said = "too little free memory.*tune.*ShapeDtypeStruct"
    with pytest.raises(NotTunable, match=said) as refused:
        times.tune([(X,)])
    assert refused.value.__cause__ is error
    with pytest.warns(UntunedWarning, match=f"times runs with N=3, by the signature.*{said}") as told:
        assert times(X).tolist() == times(X).tolist() == (3 * X).tolist()
    assert len(told) == 1
    monkeypatch.undo()
    monkeypatch.setenv("TONNO_CACHE_DIR", str(cache))
    with pytest.warns(FailureWarning):
        times.tune([(X,)])
    assert times(X).tolist() == X.tolist()


def test_interrupted_sweep_leaves_nothing_behind(cache: Any) -> None:
    interrupts = [KeyboardInterrupt()]

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def interrupted(x: Any, N: int = 1) -> Any:
        if N == 2 and interrupts:
            raise interrupts.pop()
        return x

    with pytest.raises(KeyboardInterrupt):
        interrupted(X)
    assert interrupted.decisions == [] and list(cache.rglob("*.json")) == []
    interrupted(X)
    assert all(trial.ok for trial in interrupted.decisions[0].trials)
    assert list(cache.rglob("*.lock")) == []


def test_interrupt_in_a_callback_ends_the_sweep(cache: Any) -> None:
    def interrupt(_: Any) -> Any:
        raise KeyboardInterrupt

    @autotune(configs=[{"N": 1}, {"N": 2}])
    @jax.jit(static_argnames=["N"])
    def interrupted(x: Any, N: int = 1) -> Any:
        return jax.pure_callback(interrupt, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    with pytest.raises(KeyboardInterrupt):
        interrupted(X)
    assert interrupted.decisions == []


def test_timing_beside_another_is_noted(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "THREAD_SECONDS", 0.001)
    partly = make_failing()

    def call_beside(config: object) -> float:
        thread = threading.Thread(target=partly, args=(X,))
        thread.start()
        thread.join()
        return 1.0

    tonno.minimize(call_beside, tonno.SearchSpace({"N": [1]}))
    assert partly.decisions[0].notes[0] == "another process timed on the device meanwhile"
    again = make_failing()
    again.tune([(X,)], again=True)
    assert "meanwhile" not in again.explain()


def make_wrong(**options: Any) -> Any:
    @autotune(configs=[{"N": 2}, {"N": 1}, {"N": 3}], num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def differing(x: Any, N: int = 1) -> Any:
        return {"sum": x.sum() * (1.0 if N < 3 else 1.01), "same": x}

    return differing


def test_outputs_that_differ_are_warned_of(cache: Any) -> None:
    differing = make_wrong(outputs="warn")
    told = r"N=3: its outputs at \['sum'\] differ from those of N=1 by \S+ times .*\. outputs="
    with pytest.warns(OutputWarning, match=told):
        differing(X)
    trials = {trial.config["N"]: trial for trial in differing.decisions[0].trials}
    assert trials[2].difference == 0 and trials[3].difference > 1
    assert "N=3: its outputs at ['sum'] differ" in differing.explain()
    assert re.search(r"\n  N=3  \S+ ms, and its outputs at \S+ differ", differing.explain())


def test_outputs_that_differ_are_refused(cache: Any) -> None:
    differing = make_wrong()
    with pytest.warns(FailureWarning, match="1 of 3 configurations failed, the first: N=3: wrong"):
        differing(X)
    trials = {trial.config["N"]: trial for trial in differing.decisions[0].trials}
    assert trials[3].status == "wrong" and "from those of N=1" in trials[3].reason
    assert trials[2].ok


@pytest.mark.parametrize("options", [{"outputs": "ignore"}, {"tolerance": 0.1}])
def test_outputs_that_may_differ_are_not_told(options: Any, cache: Any) -> None:
    wrong = make_wrong(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wrong(X)
    assert all(trial.ok for trial in wrong.decisions[0].trials)


@pytest.mark.parametrize("setting", [jax.debug_nans, jax.debug_infs], ids=["nans", "infs"])
def test_made_up_arguments_may_give_no_numbers(setting: Any, cache: Any) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def logarithm(x: Any, N: int = 1) -> Any:
        return jnp.log(x) + 1 / jnp.floor(x)

    with setting(True):
        logarithm(jnp.full(16, 2.0))
        assert all(trial.ok for trial in logarithm.decisions[0].trials)
        if setting is jax.debug_nans:  # The call itself is still checked.
            with pytest.raises(FloatingPointError):
                logarithm(jnp.full(16, -1.0))


def test_space_is_searched_within_its_constraints(
    cache: Any, virtual_time: VirtualTime
) -> None:
    slow = lasting(virtual_time, lambda n: 0.001 * abs(n - 34))
    tuned = autotune(
        space={"N": range(6), "M": range(6)},
        constraints=["N + M <= 8", "N != M"],
        budget_trials=20,
        num_timing=1,
        num_warmup=0,
        seed=1,
    )(slow)
    tuned(X)
    (decision,) = tuned.decisions
    configs = [trial.config for trial in decision.trials]
    assert configs[0] == {"N": 1, "M": 0}  # The signature's defaults.
    assert len(configs) == 20 and len({repr(config) for config in configs}) == 20
    assert all(c["N"] + c["M"] <= 8 and c["N"] != c["M"] for c in configs)
    assert decision.time_ms == min(trial.time_ms or 0.0 for trial in decision.trials)
    again = autotune(
        space=tonno.SearchSpace({"N": range(6), "M": range(6)}, ["N + M <= 8", "N != M"])
    )(slow)
    again(X)
    assert again.decisions[0].source == "cache"
    changed = autotune(space={"N": [1, 3], "M": [4]}, num_timing=1, num_warmup=0)(slow)
    changed(X)
    assert changed.decisions[0].source == "sweep" and len(changed.decisions[0].trials) == 2


def test_search_is_told_of_failures(cache: Any) -> None:
    @autotune(space={"N": range(1, 9)}, num_timing=1, num_warmup=0)
    @jax.jit(static_argnames=["N"])
    def odd(x: Any, N: int = 1) -> Any:
        assert N % 2, "even"
        return x + 1

    odd(X)
    trials = odd.decisions[0].trials
    assert len(trials) == 8 and sum(trial.ok for trial in trials) == 4
    assert odd.decisions[0].config["N"] % 2


def test_paired_protocol_is_there_by_choice(cache: Any, virtual_time: VirtualTime) -> None:
    def wait(x: Any) -> Any:
        virtual_time.add(0.003)
        return x

    @autotune(configs=[{"N": 1}, {"N": 2}, {"N": 3}], protocol="paired")
    @jax.jit(static_argnames=["N"])
    def slow(x: Any, N: int = 1) -> Any:
        if N == 2:
            return x
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    slow(X)
    (decision,) = slow.decisions
    assert decision.config == {"N": 2}
    assert decision.notes[0].startswith("faster than the baseline: ")
    assert all(3 <= len(trial.samples_ms) <= 20 for trial in decision.trials)


def test_tune_decides_ahead(cache: Any) -> None:
    traced: list[Any] = []

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N", "up"])
    def scaled(x: Any, up: bool = True, N: int = 1) -> Any:
        traced.append(N)
        return x * 2 if up else x / 2

    spec = jax.ShapeDtypeStruct
    decisions = scaled.tune(
        [(spec((n,), "float32"),) for n in (3, 4)]
        + [Arguments((spec((3,), "float32"),), {"up": False}), (X,)]
    )
    assert [decision.source for decision in decisions] == ["sweep"] * 4
    assert '"up":false' in decisions[2].key
    traced.clear()
    scaled(jnp.ones(3))
    assert len(scaled.decisions) == 4 and traced == []
    (again,) = scaled.tune([(X,)], again=True)
    assert again.source == "sweep" and scaled.decisions[-1] == again
    with pytest.raises(TypeError, match="missing"):
        scaled.tune([()])
    with pytest.raises(TypeError):
        scaled.tune([("text",)])
    with pytest.raises(TypeError, match=r"list of calls, .* scaled.tune\(\[\(x, y\)\]\)"):
        scaled.tune([X])
    for passing in ((X, True, 2), Arguments((X,), {"N": 2})):
        with pytest.raises(TypeError, match="passes N has nothing to tune"):
            scaled.tune([passing])


def test_explain_tries_nothing(cache: Any) -> None:
    partly = make_failing()
    assert partly.explain(X).startswith("partly: not tuned yet for {")
    assert partly.explain(X, N=3) == "partly: not tuned where N is passed"
    assert partly.explain() == "partly: nothing was decided yet"
    assert partly.decisions == [] and not cache.exists()
