# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the README of the original decorator says, statement by statement."""

from __future__ import annotations

import inspect
import json
import pathlib
import statistics
import threading
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import monitoring

from tonno import autotune
from tonno.jax.runs import Bench

compiled: list[str] = []


def _count(event: str, duration: float, **_: Any) -> None:
    if event.endswith("backend_compile_duration"):
        compiled.append(event)


monitoring.register_event_duration_secs_listener(_count)


def make_matmul(traced: list[tuple[int, int]] | None = None) -> Any:
    @autotune(configs=[{"BM": 32, "BN": 64}, {"BM": 64, "BN": 128}], num_warmup=1, num_timing=3)
    @jax.jit(static_argnames=["BM", "BN"])
    def matmul(a: jax.Array, b: jax.Array, BM: int = 32, BN: int = 64) -> jax.Array:
        assert type(BM) is int and type(BN) is int  # Concrete at compile time.
        if traced is not None:
            traced.append((BM, BN))
        rows = [a[i : i + BM] @ b for i in range(0, a.shape[0], BM)]
        return jnp.concatenate(rows)

    return matmul


A, B = jnp.ones((128, 64)), jnp.ones((64, 128))


def test_first_call_sweeps_and_later_ones_do_not(cache: pathlib.Path) -> None:
    traced: list[tuple[int, int]] = []
    matmul = make_matmul(traced)
    first = matmul(A, B)
    assert sorted(set(traced)) == [(32, 64), (64, 128)]
    (decision,) = matmul.decisions
    assert decision.source == "sweep" and len(decision.trials) == 2
    traced.clear()
    compiled.clear()
    second = matmul(A, B)
    assert traced == [] and compiled == []
    assert (second == first).all() and float(first[0, 0]) == 64


def test_winner_is_written_under_device_and_key(cache: pathlib.Path) -> None:
    matmul = make_matmul()
    matmul(A, B)
    (path,) = cache.glob("*.json")
    assert path.name == "make_matmul.<locals>.matmul.json"
    stored = json.loads(path.read_text())
    assert '\n      "config": {\n' in path.read_text()  # For people.
    key = (
        '{"__arg0":{"dtype":"float32","shape":[128,64]},'
        '"__arg1":{"dtype":"float32","shape":[64,128]}}'
    )
    (decision,) = matmul.decisions
    entry = stored[jax.devices()[0].device_kind][key]
    assert entry["config"] == decision.config
    assert entry["key_values"] == json.loads(key)
    assert entry["time_ms"] == pytest.approx(decision.time_ms, rel=1e-3)
    assert entry.keys() == {"config", "time_ms", "key_values"}
    # Finals may choose another one than the least median.
    (winner,) = [t for t in decision.trials if t.config == decision.config]
    assert decision.time_ms == winner.time_ms


def test_cache_is_in_the_working_directory_by_default(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TONNO_CACHE_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    make_matmul()(A, B)
    assert len(list((tmp_path / ".tonno-cache").glob("*.json"))) == 1


def test_next_process_compiles_the_winner_only(cache: pathlib.Path) -> None:
    tuned = make_matmul()
    tuned(A, B)
    jax.clear_caches()
    # A function that was never called, as in another process.
    traced: list[tuple[int, int]] = []
    again = make_matmul(traced)
    compiled.clear()
    again(A, B)
    (decision,) = again.decisions
    assert decision.source == "cache" and decision.config == tuned.decisions[0].config
    # The fingerprint's trace is the call's.
    assert traced == [(decision.config["BM"], decision.config["BN"])]
    assert len(compiled) == 1


def test_sweep_compiles_the_winner_once(cache: pathlib.Path) -> None:
    matmul = make_matmul()
    jax.clear_caches()
    compiled.clear()
    matmul(A, B)
    # Two of the sweep; the call takes over what the sweep compiled.
    assert len(compiled) == 2


def test_explicit_parameter_bypasses_tuning(cache: pathlib.Path) -> None:
    traced: list[tuple[int, int]] = []
    matmul = make_matmul(traced)
    matmul(A, B, BM=16, BN=32)
    matmul(A, B, BN=8)
    matmul(A, B, 64)
    assert traced == [(16, 32), (32, 8), (64, 64)]
    assert matmul.decisions == [] and not cache.exists()


def test_shapes_and_dtypes_are_the_key(cache: pathlib.Path) -> None:
    matmul = make_matmul()
    for a, b in [(A, B), (A[:64], B), (A.astype(jnp.bfloat16), B), (A + 1, B * 2)]:
        matmul(a, b)
    assert len(matmul.decisions) == 3


def test_other_static_arguments_are_in_the_key(cache: pathlib.Path) -> None:
    @autotune(configs=[{"BM": 32}, {"BM": 64}])
    @jax.jit(static_argnames=["BM", "transpose"])
    def matmul(a: jax.Array, b: jax.Array, transpose: bool = False, BM: int = 32) -> jax.Array:
        return (b.T @ a.T) if transpose else a @ b

    assert matmul(A, B).shape == (128, 128)
    assert matmul(A, B[:, :64], transpose=True).shape == (64, 128)
    matmul(A, B, transpose=True)
    matmul(A, B, True)
    matmul(A, B, transpose=False)
    keys = [json.loads(decision.key) for decision in matmul.decisions]
    assert [key.get("transpose") for key in keys] == [None, True, True]


def test_configurations_are_compiled_side_by_side(cache: pathlib.Path) -> None:
    @autotune(configs=[{"N": n} for n in (8, 9, 10, 11)], outputs="ignore")
    @jax.jit(static_argnames=["N"])
    def deep(x: jax.Array, N: int = 8) -> jax.Array:
        for i in range(N):
            x = jnp.sin(x @ x) + i
        return x

    deep(jnp.ones((8, 8)))
    spans = [
        (trial.compile_begin_s or 0.0, trial.compile_end_s or 0.0)
        for trial in deep.decisions[0].trials
    ]
    overlaps = [
        min(a_end, b_end) - max(a_begin, b_begin)
        for i, (a_begin, a_end) in enumerate(spans)
        for b_begin, b_end in spans[:i]
    ]
    assert max(overlaps) > 0.5 * min(end - begin for begin, end in spans)


def test_candidates_are_timed_one_after_the_other(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Bench.run
    running: list[Any] = []

    def alone(bench: Bench, candidate: Any) -> Any:
        # Nothing is compiled beside it, either.
        others = [t for t in threading.enumerate() if t.name.startswith("tonno-compile")]
        assert running == others == []
        running.append(candidate)
        result = run(bench, candidate)
        running.clear()
        return result

    monkeypatch.setattr(Bench, "run", alone)
    matmul = make_matmul()
    matmul(A, B)
    assert [trial.status for trial in matmul.decisions[0].trials] == ["ok"] * 2


def test_arguments_and_their_defaults() -> None:
    parameters = inspect.signature(autotune).parameters
    assert next(iter(parameters)) == "configs"
    for name, default in [("num_warmup", 1), ("num_timing", 3)]:
        assert parameters[name].default == default
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def test_median_of_the_timed_runs_counts(cache: pathlib.Path) -> None:
    @autotune(configs=[{"BM": 1}], num_warmup=2, num_timing=5)
    @jax.jit(static_argnames=["BM"])
    def double(x: jax.Array, BM: int = 1) -> jax.Array:
        return x * 2

    double(A)
    (trial,) = double.decisions[0].trials
    assert len(trial.samples_ms) == 5
    assert trial.time_ms == pytest.approx(statistics.median(trial.samples_ms))


def test_arguments_of_the_sweep_are_made_up(cache: pathlib.Path) -> None:
    seen: list[float] = []

    @autotune(configs=[{"BM": 1}], num_warmup=0, num_timing=1)
    @jax.jit(static_argnames=["BM"])
    def observed(x: jax.Array, BM: int = 1) -> jax.Array:
        jax.debug.callback(lambda value: seen.append(float(value)), x[0])
        return x

    observed(jnp.full(4, 7.0)).block_until_ready()
    jax.effects_barrier()
    assert len(seen) == 2 and abs(seen[0]) <= 1 and seen[1] == 7


def test_sweep_beside_a_trace_gives_a_constant(cache: pathlib.Path) -> None:
    traced: list[tuple[int, int]] = []
    matmul = make_matmul(traced)
    jaxpr = str(jax.make_jaxpr(matmul)(A, B))
    (decision,) = matmul.decisions
    assert decision.source == "sweep" and all(trial.ok for trial in decision.trials)
    # As many products as the winner has, and none of the other's.
    assert jaxpr.count("dot_general[") == 128 // decision.config["BM"]
    assert jaxpr == str(jax.make_jaxpr(lambda a, b: matmul(a, b))(A, B))
