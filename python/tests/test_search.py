# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ask, tell, and the search in one call."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import tonno
from tonno import frontends


def seconds_of(config: tonno.Configuration) -> float:
    """A bowl with its bottom at BM = 64, BN = 64, split."""
    off = abs(math.log2(config["BM"]) - 6) + 2 * abs(math.log2(config["BN"]) - 6)
    return 1e-3 + 1e-4 * off + (1e-4 if config["tail"] == "mask" else 0.0)


def run(space: tonno.SearchSpace, trials: int, batch: int = 1, **options: Any) -> tonno.Search:
    search = tonno.Search(space, **options)
    while not search.done and len(search.trials) < trials:
        for config in search.ask(batch):
            search.tell(config, seconds=seconds_of(config))
    return search


@pytest.mark.parametrize("strategy", tonno.strategies())
def test_every_strategy_is_deterministic_and_never_repeats(
    space: tonno.SearchSpace, strategy: str
) -> None:
    first = run(space, 40, 4, strategy=strategy, seed=5)
    second = run(space, 40, 4, strategy=strategy, seed=5)
    configs = [trial.config for trial in first.trials]
    assert configs == [trial.config for trial in second.trials]
    assert len({repr(config) for config in configs}) == len(configs)
    assert all(space.is_legal(config) for config in configs)


def test_seeds_and_counts_are_natural(space: tonno.SearchSpace) -> None:
    with pytest.raises(tonno.Error, match="seed must be from 0 to .*, not -1"):
        tonno.Search(space, seed=-1)
    with pytest.raises(tonno.Error, match="n must be from 0 to .*, not -2"):
        tonno.Search(space).ask(-2)
    with pytest.raises(TypeError, match="seed must be an int, not None"):
        tonno.Search(space, seed=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"n must be an int, not 1\.5"):
        tonno.Search(space).ask(1.5)  # type: ignore[arg-type]


def test_what_is_no_space_or_list_of_starts_is_refused(space: tonno.SearchSpace) -> None:
    with pytest.raises(TypeError, match=r"the space must be a tonno\.SearchSpace, not {'X': \[1\]}"):
        tonno.Search({"X": [1]})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="start must be a list of configurations, not one"):
        tonno.Search(space, start=space.default)  # type: ignore[arg-type]


def test_seeds_differ(space: tonno.SearchSpace) -> None:
    assert tonno.Search(space, seed=1).ask(4) != tonno.Search(space, seed=2).ask(4)


def test_default_strategy_finds_the_bottom(space: tonno.SearchSpace) -> None:
    best = run(space, 40).best
    assert best is not None
    assert (best.config["BM"], best.config["BN"], best.config["tail"]) == (64, 64, "split")
    assert best.seconds == pytest.approx(1e-3)


def test_small_space_is_exhausted() -> None:
    space = tonno.SearchSpace({"X": [1, 2, 3]})
    search = tonno.Search(space)
    assert not search.done
    asked = search.ask(10)
    assert sorted(config["X"] for config in asked) == [1, 2, 3]
    assert search.pending == asked and not search.done
    assert search.ask() == [] and search.done
    for config in reversed(asked):
        search.tell(config, seconds=config["X"])
    assert search.pending == []
    assert search.best == tonno.Trial({"X": 1}, "ok", 1.0)
    assert repr(search) == "Search(ensemble, seed 0: 3 trials, 0 pending)"


def test_starting_points_come_first_and_say_so(space: tonno.SearchSpace) -> None:
    start = [{**space.default, "BM": 64}, space.default]
    search = tonno.Search(space, start=start)
    asked = search.ask(3)
    assert asked[:2] == start
    assert search.explain(asked[0]) == "a starting point"
    assert search.explain(asked[2]) == "far from all before"
    search.tell(asked[2], seconds=1)
    assert search.explain(asked[2]) == "far from all before"
    with pytest.raises(tonno.Error, match="does not hold"):
        tonno.Search(space, start=[{**space.default, "BM": 256, "BN": 128}])


def test_models_give_their_reasons(space: tonno.SearchSpace) -> None:
    search = run(space, 30)
    reasons = [search.explain(trial.config) for trial in search.trials]
    assert any("ranks it" in reason for reason in reasons)


def test_failures_teach_and_have_no_seconds(space: tonno.SearchSpace) -> None:
    search = tonno.Search(space)
    (config,) = search.ask()
    search.tell(config, status="fault", message="it crashed")
    assert search.trials == [tonno.Trial(config, "fault", None, "it crashed")]
    assert not search.trials[0].ok
    assert search.best is None
    (other,) = search.ask()
    search.tell(other, seconds=2.0, status="pruned")
    assert search.best is None  # its time is a bound


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({}, "needs seconds"),
        ({"seconds": 1.0, "status": "fault"}, "has no seconds"),
        ({"status": "broken"}, "the statuses are: ok, pruned, compile_error"),
        ({"seconds": 0.0}, "positive"),
        ({"seconds": -1.0}, "positive"),
        ({"seconds": math.nan}, "finite"),
        ({"seconds": math.inf}, "finite"),
    ],
)
def test_what_is_no_outcome_is_refused(
    space: tonno.SearchSpace, told: dict[str, Any], says: str
) -> None:
    search = tonno.Search(space)
    (config,) = search.ask()
    with pytest.raises(tonno.Error, match=says):
        search.tell(config, **told)
    assert search.trials == [] and search.pending == [config]


def test_nothing_is_told_twice(space: tonno.SearchSpace) -> None:
    search = tonno.Search(space)
    search.tell(space.default, seconds=1)  # though nobody asked
    with pytest.raises(tonno.Error, match="a result already"):
        search.tell(space.default, seconds=2)
    assert all(space.default not in search.ask(50) for _ in range(3))


def test_illegal_configuration_is_not_told(space: tonno.SearchSpace) -> None:
    with pytest.raises(tonno.Error, match="`BM \\* BN <= 8192` does not hold"):
        tonno.Search(space).tell({**space.default, "BM": 256, "BN": 128}, seconds=1)
    listed = tonno.SearchSpace.of([{"X": 1, "Y": 2}, {"X": 2, "Y": 1}])
    with pytest.raises(tonno.Error, match="not a point of the space"):
        tonno.Search(listed).tell({"X": 1, "Y": 1}, seconds=1)


def test_unknown_strategy_lists_the_known(space: tonno.SearchSpace) -> None:
    with pytest.raises(tonno.Error, match="unknown strategy 'bayes'; .*ensemble"):
        tonno.Search(space, "bayes")


def test_minimize_finds_and_repeats(space: tonno.SearchSpace) -> None:
    result = tonno.minimize(seconds_of, space, budget_trials=40, seed=1)
    assert result.trials[0].config == space.default
    assert len(result.trials) == 40
    assert result.seconds == pytest.approx(1e-3)
    assert seconds_of(result.config) == result.seconds
    assert result == tonno.minimize(seconds_of, space, budget_trials=40, seed=1)
    assert "40 trials, 40 ok" in repr(result)


def test_minimize_takes_a_dict_of_lists() -> None:
    result = tonno.minimize(lambda config: 1.0 + config["N"], {"N": [3, 1, 2]}, lock=None)
    assert result.config == {"N": 1}
    space: Any = ["N"]
    with pytest.raises(TypeError, match="space must be a dict of lists"):
        tonno.minimize(seconds_of, space)


def test_minimize_records_failures(space: tonno.SearchSpace) -> None:
    raised: dict[int, BaseException] = {
        16: ValueError("no such tile"),
        32: MemoryError(),
        128: TimeoutError("too long"),
    }

    def function(config: tonno.Configuration) -> float:
        if config["BM"] in raised:
            raise raised[config["BM"]]
        return math.inf if config["BM"] == 256 else seconds_of(config)

    result = tonno.minimize(function, space, budget_trials=60)
    assert result.config["BM"] == 64
    of = {trial.config["BM"]: trial for trial in result.trials}
    assert (of[16].status, of[16].message) == ("fault", "ValueError: no such tile")
    assert of[32].status == "out_of_memory"
    assert of[128].status == "hang"
    assert of[256].status == "fault"
    assert of[256].message.startswith("the function returned inf seconds")
    assert of[256].seconds is None


def test_minimize_where_all_fail(space: tonno.SearchSpace) -> None:
    def function(config: tonno.Configuration) -> float:
        raise RuntimeError("no device")

    with pytest.raises(tonno.AllFailed, match="5 fault, the first: RuntimeError: no device") as c:
        tonno.minimize(function, space, budget_trials=5)
    assert [trial.status for trial in c.value.trials] == ["fault"] * 5
    assert pickle.loads(pickle.dumps(c.value)).trials == c.value.trials


@pytest.mark.parametrize("seconds", [0.0, -1.5])
@pytest.mark.parametrize("is_built", [False, True])
def test_time_that_is_not_positive_is_one_fault(seconds: float, is_built: bool) -> None:
    def function(config: tonno.Configuration) -> Any:
        taken = seconds if config["N"] == 1 else 1e-3
        return (lambda: taken) if is_built else taken

    found = tonno.minimize(function, tonno.SearchSpace({"N": range(4)}))
    statuses = {trial.config["N"]: trial.status for trial in found.trials}
    assert statuses == {0: "ok", 1: "fault", 2: "ok", 3: "ok"}
    (failed,) = (trial for trial in found.trials if not trial.ok)
    assert failed.message.startswith(f"the function returned {seconds} seconds")


def test_result_says_why_the_search_ended(space: tonno.SearchSpace) -> None:
    assert tonno.minimize(seconds_of, space, budget_trials=4).ended == "budget"
    small = tonno.SearchSpace({"BM": [16, 32], "BN": [32], "tail": ["mask"]})
    assert tonno.minimize(seconds_of, small).ended == "done"
    large = tonno.SearchSpace({"X": range(400)})
    flat = tonno.minimize(lambda config: 1.0, large, budget_trials=400)
    assert flat.ended == "converged" and len(flat.trials) < 400


def test_minimize_keeps_to_its_budgets(space: tonno.SearchSpace) -> None:
    with pytest.raises(tonno.Error, match="budget_trials must be at least 1"):
        tonno.minimize(seconds_of, space, budget_trials=0)
    for seconds in (0.0, math.nan):
        with pytest.raises(tonno.Error, match="budget_seconds must be more than 0"):
            tonno.minimize(seconds_of, space, budget_seconds=seconds)
    result = tonno.minimize(seconds_of, space, budget_seconds=1e-9)
    assert [trial.config for trial in result.trials] == [space.default]
    small = tonno.SearchSpace({"BM": [16, 32], "BN": [32], "tail": ["mask"]})
    assert len(tonno.minimize(seconds_of, small).trials) == 2


def work(iterations: int) -> None:
    sum(range(iterations))


def test_callables_are_timed_in_pairs() -> None:
    space = tonno.SearchSpace({"N": [1, 2, 4, 8]})
    result = tonno.minimize(lambda config: lambda: work(20000 // config["N"]), space)
    assert result.config == {"N": 8}
    assert result.verdict == "faster"
    assert result.interval is not None and result.speedup is not None
    assert result.interval.low > 4
    assert result.interval.low <= result.speedup <= result.interval.high
    assert "faster, " in repr(result)


def test_seconds_of_a_callable_count() -> None:
    space = tonno.SearchSpace({"N": [1, 2]})
    noise = itertools.cycle([1.0, 1.01, 0.99])

    def build(config: tonno.Configuration) -> Callable[[], float]:
        return lambda: next(noise) * 1e-3 / int(config["N"])

    result = tonno.minimize(build, space)
    assert result.config == {"N": 2} and result.verdict == "faster"
    assert result.speedup == pytest.approx(2, rel=0.02)
    assert result.seconds == pytest.approx(5e-4, rel=0.02)


def test_equal_callables_tie() -> None:
    space = tonno.SearchSpace({"N": [1, 2, 4]})
    result = tonno.minimize(lambda config: lambda: 1e-3, space)
    assert result.config == space.default and result.verdict == "tie"


def test_callable_that_raises_is_a_failed_trial() -> None:
    space = tonno.SearchSpace({"N": [1, 2, 4]})

    def build(config: tonno.Configuration) -> Callable[[], float]:
        def run() -> float:
            if config["N"] == 4:
                raise RuntimeError("no device")
            return 1e-3 / int(config["N"])

        return run

    result = tonno.minimize(build, space)
    assert result.config == {"N": 2} and result.verdict == "faster"
    failed = [trial for trial in result.trials if not trial.ok]
    assert [(t.config["N"], t.status, t.message) for t in failed] == [
        (4, "fault", "RuntimeError: no device")
    ]


def test_seconds_and_callables_do_not_mix() -> None:
    space = tonno.SearchSpace({"N": [1, 2]})
    with pytest.raises(TypeError, match="for some configurations"):
        tonno.minimize(lambda c: 1.0 if c["N"] == 1 else lambda: 1.0, space)


def test_time_that_is_no_number_is_a_fault() -> None:
    def build(config: tonno.Configuration) -> Callable[[], float]:
        return lambda: math.nan if config["N"] else 1e-3

    found = tonno.minimize(build, tonno.SearchSpace({"N": [0, 1]}))
    assert [trial.status for trial in found.trials] == ["ok", "fault"]
    assert found.trials[1].message.startswith("the function returned nan seconds")


def test_failure_that_the_function_states_is_kept() -> None:
    def build(config: tonno.Configuration) -> Callable[[], float]:
        if config["N"]:
            raise frontends.CandidateFailed("compile_error", "no such tile")
        return lambda: 1e-3

    found = tonno.minimize(build, tonno.SearchSpace({"N": [0, 1]}))
    assert (found.trials[1].status, found.trials[1].message) == ("compile_error", "no such tile")


def test_default_that_fails_at_last_is_said() -> None:
    built, calls = 0, 0

    def default() -> float:
        nonlocal calls
        calls += built == 8
        if calls > 20:  # More than a trial has: in the finals.
            raise ValueError("worn out")
        return 1e-3

    def build(config: tonno.Configuration) -> Callable[[], float]:
        nonlocal built
        built += 1
        return (lambda: 0.9e-3 + config["N"] * 1e-6) if config["N"] else default

    with pytest.raises(tonno.AllFailed, match="the default configuration was correct before"):
        tonno.minimize(build, tonno.SearchSpace({"N": range(8)}))
