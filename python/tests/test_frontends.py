# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loop over candidates that Python builds, on simulated times."""

from __future__ import annotations

import collections
import contextlib
import math
import pathlib
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest

import tonno
from tonno import frontends
from tonno.frontends import CandidateFailed


class Machine:
    """Times with noise of a share, in phases of two clocks 4 % apart.

    A frontend and its sampler. What is in `failing` can't be built."""

    def __init__(
        self,
        times: list[float],
        noise: float = 0.02,
        seed: int = 0,
        policy: frontends.Policy | None = None,
        failing: tuple[int, ...] = (),
    ) -> None:
        self.runs = [0] * len(times)
        self.samples: collections.Counter[int] = collections.Counter()
        self.built: list[list[int]] = []
        self.verified: list[int] = []
        self.redrawn = 0
        self.is_taken = False
        self._times = times
        self._noise = noise
        self._random = random.Random(seed)
        self._policy = policy or frontends.paired()
        self._failing = failing
        self._entrants: list[int] = []

    def tune(self, **options: int) -> frontends.Outcome:
        space = tonno.SearchSpace({"N": range(len(self._times))})
        return frontends.tune(self, space, strategy="exhaustive", **options)  # type: ignore[arg-type]

    def build(self, configs: list[tonno.Configuration]) -> list[CandidateFailed | None]:
        numbers = [config["N"] for config in configs]
        self.built.append(numbers)
        failed = CandidateFailed("compile_error", "no such tile")
        return [failed if number in self._failing else None for number in numbers]

    def policy(self) -> frontends.Policy:
        return self._policy

    @contextlib.contextmanager
    def sampler(self, entrants: list[tonno.Configuration]) -> Iterator[Machine]:
        assert not self.is_taken
        self.is_taken = True
        self._entrants = [config["N"] for config in entrants]
        yield self
        self.is_taken = False

    def is_stopped(self) -> bool:
        return False

    def seconds(self, number: int) -> float:
        self.runs[number] += 1
        clock = 1.04 if sum(self.runs) // 50 % 2 else 1.0
        return self._times[number] * clock * math.exp(self._random.gauss(0, self._noise))

    def launch_first(self) -> float:
        return self.seconds(self._entrants[1])

    def sample(self, entrant: int) -> float:
        self.samples[self._entrants[entrant]] += entrant == 1 and not self.redrawn
        return self.seconds(self._entrants[entrant])

    def warm(self, entrant: int) -> float:
        return self.seconds(self._entrants[entrant])

    def verify_last(self) -> None:
        self.verified.append(self._entrants[1])

    def redraw(self) -> None:
        self.redrawn += 1


def verdict(found: frontends.Outcome) -> str:
    assert found.comparison is not None
    return found.comparison.verdict


def test_small_differences_are_found_in_noise() -> None:
    # Differences of two thirds of the noise of a sample: 9 of 10 are found.
    machines = [
        Machine([1e-3, 0.98e-3, 1.02e-3, 1.01e-3], 0.03, seed) for seed in range(10)
    ]
    found = [machine.tune(seed=seed) for seed, machine in enumerate(machines)]
    assert sum(each.chosen == 1 for each in found) >= 9
    assert all(verdict(each) == "faster" for each in found if each.chosen == 1)
    assert all(machine.redrawn >= 8 for machine in machines)


@pytest.mark.parametrize("seed", range(5))
def test_equals_leave_the_baseline(seed: int) -> None:
    found = Machine([1e-3] * 6, noise=0.03, seed=seed).tune(seed=seed)
    assert found.chosen == 0 and verdict(found) == "tie"


def test_slow_ones_are_pruned_after_three_samples() -> None:
    machine = Machine([1e-3, 0.9e-3, 4e-3])
    found = machine.tune()
    assert found.chosen == 1
    assert found.trials[2].status == "pruned" and machine.samples[2] == 3
    assert 2 not in machine.verified


def test_few_samples_do_where_there_is_no_noise() -> None:
    machine = Machine([1e-3, 0.9e-3], noise=1e-4)
    machine.tune()
    assert machine.samples[0] == machine.samples[1] == 6


def test_noise_takes_more_samples_up_to_a_limit() -> None:
    machine = Machine([1e-3, 1e-3], noise=0.3)
    machine.tune()
    assert machine.samples[1] == 8


class FailingInFinals(Machine):
    """Candidates fail once data was placed elsewhere."""

    def __init__(self, failing: tuple[int, ...], status: str) -> None:
        super().__init__([1e-3, 0.9e-3, 0.9e-3])
        self._late = failing
        self._status = status

    def sample(self, entrant: int) -> float:
        if self.redrawn and self._entrants[entrant] in self._late:
            raise CandidateFailed(self._status, "no room")
        return super().sample(entrant)

    warm = sample


@pytest.mark.parametrize(
    ("failing", "status", "winners", "verdicts"),
    [
        ((1,), "out_of_memory", (2,), "faster"),
        ((1, 2), "fault", (0,), "tie"),
        ((0,), "out_of_memory", (1, 2), "interrupted"),
    ],
    ids=str,
)
def test_who_fails_in_the_finals_is_out(
    failing: tuple[int, ...], status: str, winners: tuple[int, ...], verdicts: str
) -> None:
    found = FailingInFinals(failing, status).tune()
    assert found.chosen in winners and verdict(found) == verdicts
    for number in failing:
        if number != 0:
            assert found.trials[number].status == status
            assert found.trials[number].message.endswith("no room")


def test_nothing_is_compared_with_a_baseline_that_fails() -> None:
    found = FailingInFinals((0,), "fault").tune()
    assert found.chosen is None and found.comparison is None
    assert "the default configuration was correct before, but fails in the finals" in found.error
    assert [trial.status for trial in found.trials] == ["ok"] * 3


def test_what_can_not_be_built_is_not_run() -> None:
    machine = Machine([1e-3, 1e-3, 0.5e-3], failing=(1,))
    found = machine.tune()
    assert found.chosen == 2 and machine.runs[1] == 0
    assert (found.trials[1].status, found.trials[1].message) == ("compile_error", "no such tile")


def test_candidates_are_built_side_by_side_after_the_default() -> None:
    machine = Machine([1e-3] * 7, policy=frontends.median(samples=3, warmup=1))
    machine.tune(batch=3)
    assert machine.built == [[0], [1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("seconds", "warmup", "runs"), [(1e-5, 1, 6), (1e-5, 0, 3), (0.01, 1, 4)]
)
def test_what_warms_up_counts_against_nobody(seconds: float, warmup: int, runs: int) -> None:
    class WarmingUp(Machine):
        """Its first five runs are slow, whose they are, and so is a program's second."""

        def seconds(self, number: int) -> float:
            slow = max(1.0, 2.0 - 0.2 * sum(self.runs))
            self.runs[number] += 1
            slow *= {1: 5.0, 2: 4.0, 3: 1.4}.get(self.runs[number], 1.0)
            return self._times[number] * slow

    policy = frontends.median(samples=3, warmup=warmup, short_warmup=2)
    machine = WarmingUp([seconds] * 2, policy=policy)
    found = machine.tune()
    assert machine.runs == [runs, runs] and machine.verified == [0, 1]
    times = [trial.seconds or 0.0 for trial in found.trials]
    assert verdict(found) == "no-baseline"
    if runs == 6:
        assert 0.8 * times[1] < times[0] < 1.25 * times[1]


@pytest.mark.parametrize(("seconds", "runs"), [(1.0, 1), (0.03, 2), (0.004, 4)])
def test_far_slower_than_the_best_is_pruned(seconds: float, runs: int) -> None:
    policy = frontends.median(samples=3, warmup=1)
    machine = Machine([1e-4, seconds, 1e-4], noise=0, policy=policy)
    found = machine.tune()
    assert machine.runs == [4, runs, 4]
    slow = found.trials[1]
    if runs == 4:
        assert slow.ok
        return
    assert slow.status == "pruned"
    assert slow.seconds == pytest.approx(seconds, rel=0.05)
    assert slow.message.startswith("a run takes ") and "the best so far" in slow.message


def test_nothing_is_pruned_by_an_infinite_factor() -> None:
    policy = frontends.median(samples=3, warmup=1, prune_factor=math.inf)
    machine = Machine([1e-4, 1.0], policy=policy)
    assert all(trial.ok for trial in machine.tune().trials)
    assert frontends.median(3, 1).options["prune_factor"] == frontends.PRUNE_FACTOR == 10


def test_least_median_is_chosen() -> None:
    policy = frontends.median(samples=3, warmup=1)
    machine = Machine([1e-3, 0.9e-3, 1.1e-3], noise=0, policy=policy, failing=(2,))
    found = machine.tune()
    assert found.chosen == 1 and verdict(found) == "no-baseline" and machine.redrawn == 0


@pytest.mark.parametrize("finalists", [0, 2])
def test_overlapping_medians_play_finals_if_asked_to(finalists: int) -> None:
    policy = frontends.median(samples=3, warmup=1, finalists=finalists)
    machine = Machine([1.0, 1.001, 1.5], noise=0.02, policy=policy)
    found = machine.tune()
    assert found.chosen in (0, 1) and verdict(found) == "no-baseline"
    runs = [4, 4, 4] if finalists == 0 else [machine.runs[0], machine.runs[0], 4]
    assert machine.runs == runs and (machine.runs[0] > 4) == (finalists == 2)


def test_what_is_no_failure_of_a_candidate_goes_through() -> None:
    class Broken(Machine):
        def launch_first(self) -> float:
            raise RuntimeError("a defect")

    machine = Broken([1e-3, 1e-3])
    with pytest.raises(RuntimeError, match="a defect"):
        machine.tune()


def test_stopped_search_keeps_what_it_has() -> None:
    class Stopped(Machine):
        def is_stopped(self) -> bool:
            return sum(run > 0 for run in self.runs) >= 2

    found = Stopped([1e-3, 0.5e-3, 0.1e-3]).tune()
    assert len(found.trials) == 2 and found.chosen == 1 and verdict(found) == "interrupted"


@pytest.mark.parametrize(
    "policy", [frontends.paired(), frontends.median(3, 1), frontends.repeated()]
)
def test_equal_programs_are_run_once(policy: frontends.Policy) -> None:
    class Equal(Machine):
        def build(self, configs: list[tonno.Configuration]) -> list[str]:  # type: ignore[override]
            return [f"program {config['N'] // 2}" for config in configs]

        def launch_first(self) -> float:
            return self.seconds(self._entrants[1])

    machine = Equal([4e-3, 1e-3, 2e-3, 1e-3], noise=0, policy=policy)
    found = machine.tune(batch=2)
    assert machine.runs[1] == machine.runs[3] == 0
    assert [trial.status for trial in found.trials] == ["ok"] * 4
    assert found.trials[3].seconds == found.trials[2].seconds and found.chosen == 2


def test_build_answers_for_each_configuration() -> None:
    class Short(Machine):
        def build(self, configs: list[tonno.Configuration]) -> list[CandidateFailed | None]:
            return []

    with pytest.raises(tonno.Error, match="for each of 1 configurations"):
        Short([1e-3, 1e-3]).tune()


def test_example_runs() -> None:
    example = pathlib.Path(__file__).parents[2] / "examples/python/compiler_flags.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{'LEVEL': '-O2', 'WIDTH': 1}: ok")
    assert "\nfaster: {" in done.stdout


def test_failure_can_be_pickled() -> None:
    failed = pickle.loads(pickle.dumps(CandidateFailed("hang", "for 5 s")))
    assert (failed.status, failed.message) == ("hang", "for 5 s")


@pytest.mark.parametrize("status", ["ok", "pruned", "slow"])
def test_failure_has_a_status_of_failures(status: str) -> None:
    with pytest.raises(tonno.Error, match="is not a failure status; the statuses are: compile_error"):
        CandidateFailed(status, "x")


class Odd(Machine):
    """Answers a question with something else."""

    def __init__(self, **answers: object) -> None:
        super().__init__([1e-3, 2e-3])
        self._answers = answers

    def build(self, configs: list[tonno.Configuration]) -> list[CandidateFailed | None]:
        made = super().build(configs)
        return self._answers.get("build", made)  # type: ignore[return-value]

    def policy(self) -> frontends.Policy:
        return self._answers.get("policy", super().policy())  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"build": None}, "build must return None, text or a CandidateFailed for each of 1"),
        ({"build": [True]}, "expected None, text or a CandidateFailed, not True"),
        ({"policy": None}, r"policy must return paired\(\), median\(\) or repeated\(\), not None"),
        ({"policy": frontends.Policy("pared", {})}, "policy must return paired"),
    ],
)
def test_wrong_answer_is_an_error(answers: dict[str, object], message: str) -> None:
    with pytest.raises(tonno.Error, match=message):
        Odd(**answers).tune()


def test_batch_of_none_is_refused() -> None:
    with pytest.raises(tonno.Error, match="batch must be at least 1, not 0"):
        Machine([1e-3]).tune(batch=0)


def test_options_of_the_policy_hold_for_the_finals() -> None:
    class Counting(Machine):
        most = 0

        def sampler(self, entrants: list[tonno.Configuration]):  # type: ignore[no-untyped-def]
            self.most = max(self.most, len(entrants))
            return super().sampler(entrants)

    machine = Counting([1e-3] * 6, policy=frontends.paired(max_finalists=2))
    machine.tune()
    assert machine.most == 3  # The baseline plays, too.


def test_default_that_breaks_late_is_not_blamed_on_candidates() -> None:
    class Breaking(Machine):
        def seconds(self, number: int) -> float:
            if number == 0 and self.runs[0] > 40:
                raise CandidateFailed("fault", "the default broke")
            return super().seconds(number)

    found = Breaking([1e-3, 0.9e-3, 0.8e-3]).tune()
    assert {trial.status for trial in found.trials[1:]} <= {"ok", "lost"}
    told = [trial.message for trial in found.trials] + found.warnings
    assert any("the default failed beside it: the default broke" in text for text in told)
    assert found.comparison is not None and found.comparison.verdict != "faster"
