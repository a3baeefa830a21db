# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes of functions that have no cache, and how a mode is chosen."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import tonno
from tonno.modes import mode_in_force

SPACE = tonno.SearchSpace({"N": [1, 2, 4]})


def never(config: tonno.Configuration) -> float:
    raise AssertionError(f"{config} was measured")


def test_argument_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mode_in_force(None) == ("tune", "")
    monkeypatch.setenv("TONNO_MODE", "off")
    assert mode_in_force(None) == ("off", "mode off by TONNO_MODE")
    assert mode_in_force("cached") == ("cached", "mode cached")
    assert tonno.minimize(lambda config: config["N"], SPACE, mode="tune").seconds == 1
    monkeypatch.setenv("TONNO_MODE", "")
    assert mode_in_force(None).measures


def test_invalid_mode_names_its_source_and_the_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tonno.Error, match="^mode: unknown mode 'x'; the modes are: tune, cached, off"):
        tonno.minimize(never, SPACE, mode="x")
    wrong: Any = True
    with pytest.raises(TypeError, match="mode must be text or None, not True"):
        tonno.minimize(never, SPACE, mode=wrong)
    monkeypatch.setenv("TONNO_MODE", "x")
    with pytest.raises(tonno.Error, match="^TONNO_MODE: unknown mode 'x'; the modes are: tune, "):
        tonno.minimize(never, SPACE)


def test_minimize_without_measuring_returns_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNO_MODE", "cached")
    with pytest.warns(tonno.UntunedWarning, match="{'N': 1}, since mode cached by TONNO_MODE") as told:
        results = [tonno.minimize(never, SPACE) for _ in range(2)]
    assert len(told) == 1 and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results.append(tonno.minimize(never, SPACE, mode="off"))
    for result in results:
        assert result.config == {"N": 1} and result.trials == [] and result.verdict == "untuned"
        assert result.best.seconds is None and math.isnan(result.seconds)
    assert repr(results[0]) == "Result(untuned, {'N': 1}; mode cached by TONNO_MODE)"
    with pytest.warns(tonno.UntunedWarning):  # It is another problem.
        tonno.minimize(never, tonno.SearchSpace({"N": [2, 4]}))
