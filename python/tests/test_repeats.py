# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that measure themselves are called again, and may give values."""

from __future__ import annotations

import collections
import math
import random
import statistics
from typing import Any

import pytest

import tonno
from tonno import frontends

SPACE = tonno.SearchSpace({"BM": tonno.pow2(8, 512), "BN": tonno.pow2(8, 512), "U": range(8)})


def seconds_of(config: tonno.Configuration) -> float:
    off: float = abs(math.log2(config["BM"]) - 6) + abs(math.log2(config["BN"]) - 5)
    unrolled: int = config["U"]
    return 1e-3 * (1 + 0.15 * off + 0.05 * abs(unrolled - 4))


class Noisy:
    """Seconds with multiplicative normal noise."""

    def __init__(self, noise: float, seed: int) -> None:
        self.calls: collections.Counter[str] = collections.Counter()
        self._noise = noise
        self._random = random.Random(seed)

    def __call__(self, config: tonno.Configuration) -> float:
        self.calls[repr(config)] += 1
        return seconds_of(config) * max(0.05, 1 + self._random.gauss(0, self._noise))

    def minimize(self, **options: Any) -> tonno.Result:
        return tonno.minimize(self, SPACE, strategy="random", **options)


def test_reported_times_are_true_in_noise() -> None:
    reported, errors, winners, lucky, before = [], [], [], [], []
    for seed in range(60):
        found = Noisy(0.3, seed).minimize(seed=seed)
        true = seconds_of(found.config)
        reported.append(found.seconds / true)
        errors.append(abs(found.seconds / true - 1))
        winners.append(true)
        alone = Noisy(0.3, seed).minimize(seed=seed, repeats=0)
        lucky.append(alone.seconds / seconds_of(alone.config))
        before.append(seconds_of(alone.config))
    assert 0.97 < statistics.median(reported) < 1.03
    assert statistics.median(errors) <= 0.05
    assert statistics.median(lucky) < 0.6
    assert statistics.median(winners) <= statistics.median(before)
    assert statistics.mean(winners) < statistics.mean(before)


def test_deterministic_functions_are_called_twice_more() -> None:
    function = Noisy(0, 0)
    found = function.minimize()
    assert function.calls.total() == 62 and len(found.trials) == 60
    assert found.seconds == min(trial.seconds or 0.0 for trial in found.trials)
    assert found.repeats == 1


def test_repeats_keep_to_their_number() -> None:
    for repeats in (0, 1, 5, 40):
        function = Noisy(0.3, 0)
        found = function.minimize(budget_trials=20, repeats=repeats)
        assert function.calls.total() == 20 + repeats
        assert 0 <= found.repeats <= repeats and bool(found.repeats) == bool(repeats)
    function = Noisy(0.3, 0)
    function.minimize(budget_trials=20)
    assert function.calls.total() == 40
    with pytest.raises(tonno.Error, match="repeats must be from 0 to .*, not -1"):
        function.minimize(repeats=-1)


def test_winner_that_fails_again_is_out() -> None:
    called: set[int] = set()

    def function(config: tonno.Configuration) -> float:
        number: int = config["N"]
        if number == 3 and number in called:
            raise RuntimeError("worn out")
        called.add(number)
        return 2.0 - 0.1 * number

    found = tonno.minimize(function, tonno.SearchSpace({"N": range(4)}))
    assert found.config == {"N": 2} and found.seconds == pytest.approx(1.8)
    last = next(trial for trial in found.trials if trial.config["N"] == 3)
    assert (last.status, last.message) == ("fault", "in the finals: RuntimeError: worn out")
    assert any("worn out" in warning for warning in found.warnings)


def test_all_that_fail_again_leave_nothing() -> None:
    called: set[int] = set()

    def function(config: tonno.Configuration) -> float:
        if config["N"] in called:
            raise RuntimeError("once only")
        called.add(config["N"])
        return 1.0

    with pytest.raises(tonno.AllFailed, match="once only"):
        tonno.minimize(function, tonno.SearchSpace({"N": range(3)}))


def test_interrupt_among_repeats_keeps_the_best_trial() -> None:
    calls = 0

    def function(config: tonno.Configuration) -> float:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise KeyboardInterrupt
        number: int = config["N"]
        return 2.0 - 0.1 * number + 0.001 * calls

    with pytest.raises(KeyboardInterrupt) as caught:
        tonno.minimize(function, tonno.SearchSpace({"N": range(4)}))
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.config == {"N": 3} and result.ended == "interrupted"
    assert result.repeats == 0 and len(result.trials) == 4


def test_none_is_a_fault_once_numbers_have_come() -> None:
    def function(config: tonno.Configuration) -> Any:
        return None if config["N"] == 1 else 1.0

    found = tonno.minimize(function, tonno.SearchSpace({"N": range(3)}))
    assert found.trials[0].ok
    (failed,) = (trial for trial in found.trials if not trial.ok)
    assert "returns a number or a callable, not None" in failed.message
    with pytest.raises(TypeError, match="a number or a callable, not None"):
        tonno.minimize(lambda config: None, SPACE)  # type: ignore[arg-type, return-value]


def accuracy_of(config: tonno.Configuration) -> float:
    """A score to maximize, negated: its least value is -1, others are above 0."""
    return seconds_of(config) * 1e3 - 2


@pytest.mark.parametrize("strategy", tonno.strategies())
def test_values_may_be_negative(strategy: str) -> None:
    found = tonno.minimize(accuracy_of, SPACE, objective="value", strategy=strategy)
    assert all(trial.ok and trial.seconds is None for trial in found.trials)
    assert found.value == min(accuracy_of(trial.config) for trial in found.trials)
    assert found.best.value == found.value == accuracy_of(found.config)
    assert repr(found).startswith(f"Result(value {found.value:.6g} with {{'BM': ")
    with pytest.raises(tonno.Error, match="no seconds"):
        _ = found.seconds


def test_search_finds_the_least_value() -> None:
    found = tonno.minimize(accuracy_of, SPACE, objective="value", budget_trials=80)
    assert found.value == -1


@pytest.mark.parametrize("strategy", tonno.strategies())
def test_shifted_and_scaled_values_are_searched_alike(strategy: str) -> None:
    def steps(config: tonno.Configuration) -> float:
        return float(round(seconds_of(config) * 2e4))

    def tried(scale: float, shift: float) -> list[tonno.Configuration]:
        found = tonno.minimize(
            lambda config: scale * steps(config) + shift,
            SPACE,
            objective="value",
            strategy=strategy,
            budget_trials=50,
        )
        return [trial.config for trial in found.trials]

    assert tried(1, 0) == tried(0.25, -64) == tried(1024, 2.0**30)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_value_that_is_not_finite_is_a_fault(value: float) -> None:
    found = tonno.minimize(
        lambda config: value if config["N"] == 1 else -1.0,
        tonno.SearchSpace({"N": range(3)}),
        objective="value",
    )
    (failed,) = (trial for trial in found.trials if not trial.ok)
    assert failed.status == "fault" and failed.message.startswith(f"the value is {value}")
    assert failed.value is None


def test_objectives_have_names_and_callables_no_values() -> None:
    with pytest.raises(tonno.Error, match="unknown objective 'speed'; .* time, value"):
        tonno.minimize(seconds_of, SPACE, objective="speed")
    with pytest.raises(TypeError, match="the function returns its value"):
        tonno.minimize(lambda config: lambda: 1.0, SPACE, objective="value")
    with pytest.raises(tonno.Error, match="no values"):
        _ = tonno.minimize(seconds_of, SPACE, budget_trials=2).value


def test_noisy_values_are_repeated() -> None:
    drawn = random.Random(0)
    found = tonno.minimize(
        lambda config: accuracy_of(config) + drawn.gauss(0, 0.3),
        SPACE,
        objective="value",
    )
    assert found.repeats > 20
    assert abs(found.value - accuracy_of(found.config)) < 0.2


def test_frontend_of_values_repeats() -> None:
    class Wrong:
        def build(self, configs: list[tonno.Configuration]) -> list[None]:
            return [None for _ in configs]

        def policy(self) -> frontends.Policy:
            return frontends.paired()

        def sampler(self, entrants: list[tonno.Configuration]) -> Any:
            raise AssertionError

        def is_stopped(self) -> bool:
            return False

    with pytest.raises(tonno.Error, match=r"values need the policy repeated\(\), not paired"):
        frontends.tune(Wrong(), SPACE, objective="value")
