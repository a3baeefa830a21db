# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What people change, in the file or of what they were given."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import autotune

X = jnp.ones(4)
KEY = '{"__arg0":{"dtype":"float32","shape":[4]}}'
CONFIGS: dict[str, Any] = {"configs": [{"N": 1}, {"N": 2}]}


def make(choices: dict[str, Any]) -> Any:
    @autotune(**choices, num_timing=1, outputs="ignore", name="rows")
    @jax.jit(static_argnames=["N"])
    def rows(x: Any, N: int = 1) -> Any:
        return x.reshape(-1, N)

    return rows


def edit(cache: pathlib.Path, stored: Any) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "rows.json").write_text(json.dumps(stored))


@pytest.mark.parametrize("choices", [CONFIGS, {"space": {"N": [1, 2]}}], ids=["configs", "space"])
def test_value_is_the_option_that_it_equals(choices: Any, cache: pathlib.Path) -> None:
    edit(cache, {"cpu": {KEY: {"config": {"N": 2.0}}}})
    rows = make(choices)
    assert rows(X).shape == (2, 2)
    (decision,) = rows.decisions
    assert decision.source == "file" and type(decision.config["N"]) is int


def test_options_that_are_one_to_python_are_two() -> None:
    rows = make({"space": {"N": [1, True, 2]}})
    found = [rows._plan.own({"N": value}) for value in (1, True, 2.0, 3)]
    assert str(found) == "[{'N': 1}, {'N': True}, {'N': 2}, None]"


@pytest.mark.parametrize("time_ms", [10**400, "fast", None, [1]], ids=range(4))
def test_time_that_is_none_is_unknown(time_ms: Any, cache: pathlib.Path) -> None:
    edit(cache, {"cpu": {KEY: {"config": {"N": 2}, "time_ms": time_ms}}})
    rows = make(CONFIGS)
    assert rows(X).shape == (2, 2) and rows.decisions[0].time_ms is None


def test_varying_what_was_decided_decides_nothing(cache: Any) -> None:
    rows = make(CONFIGS)
    (tuned,) = rows.tune([(X,)])
    found = rows(X).shape
    (decided,) = rows.decisions
    for decision in (tuned, decided):
        decision.config["N"] = 4
        decision.trials[0].config["N"] = 4
    assert rows(X).shape == rows(x=X).shape == found
    assert "N=4" not in rows.explain() and rows.decisions != [decided]
