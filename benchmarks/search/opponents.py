#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts trials until within some percent of the optimum: tonno's search, and the strategies of
Kernel Tuner and samplers of Optuna, replayed on the same recordings.

    opponents.py [--seeds=20] [--first-seed=0] [--trials=300] [--percent=5] [--batch=1]
                 [--from-default] [--strategy=NAME]... RECORDING...

Prints the mean trials for each recording and strategy, then the geometric mean over recordings of
tonno's over each strategy's, with a 95 % interval of resampled seeds. A trial is a configuration
that was not tried before: what a tool proposes again, or what is not in the space, costs it
nothing. A search that does not arrive counts as all `--trials`. With `--from-default`, the first
point of a recording is the default, at which `tonno.minimize` and `tonno.command.tune` begin;
tools that can begin at a point begin there, too. Needs tonno's package, kernel_tuner, optuna and
cmaes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import json
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tonno

_PROPOSALS_PER_TRIAL = 50
"""A tool that proposes what was tried, over and over, ends here."""


class _Ended(Exception):
    """The goal is reached, or the budget is spent."""


class Replay:
    """A recorded space that counts trials until the goal."""

    def __init__(
        self, recording: tonno.Recording, most: int, percent: float, from_default: bool
    ) -> None:
        self.recording = recording
        self.start = [dict(recording.trials[0].config)] if from_default else []
        self.knobs: Mapping[str, Sequence[Any]] = recording.space.knobs
        self.count = 0
        self.has_arrived = False
        self.most = most
        self._goal = (1 + percent / 100) * recording.best_seconds
        self._tried: set[tuple[Any, ...]] = set()
        self._proposed = 0

    def run(self, config: Mapping[str, Any]) -> float | None:
        """Returns the seconds; None for a failure and outside the space. Raises _Ended."""
        self._proposed += 1
        if self._proposed > _PROPOSALS_PER_TRIAL * self.most:
            raise _Ended
        found = self.recording.find(config)
        if found is None:
            return None
        key = tuple(config[name] for name in self.knobs)
        if key in self._tried:
            return found.seconds
        self._tried.add(key)
        self.count += 1
        if found.seconds is not None and found.seconds <= self._goal:
            self.has_arrived = True
            raise _Ended
        if self.count >= self.most:
            raise _Ended
        return found.seconds

    @property
    def trials(self) -> int:
        return self.count if self.has_arrived else self.most


Strategy = Callable[[Replay, int], None]
"""Runs a strategy with a seed."""


def _run_tonno(strategy: str, batch: int, replay: Replay, seed: int) -> None:
    space = replay.recording.space
    search = tonno.Search(space, strategy=strategy, seed=seed, start=replay.start)
    while asked := search.ask(batch):
        for config in asked:
            seconds = replay.run(config)
            found = replay.recording.find(config)
            assert found is not None
            search.tell(config, seconds, found.status)


def _run_optuna(sampler: Callable[[int], Any], has_order: bool, replay: Replay, seed: int) -> None:
    """`has_order`: knobs are the places of their options, for samplers of numbers."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler(seed))
    for config in replay.start:
        places = {name: replay.knobs[name].index(value) for name, value in config.items()}
        study.enqueue_trial(places)
    while True:
        trial = study.ask()
        config = {}
        for name, options in replay.knobs.items():
            if has_order and len(options) > 1:
                config[name] = options[trial.suggest_int(name, 0, len(options) - 1)]
            elif len(options) > 1:
                place = trial.suggest_categorical(name, list(range(len(options))))
                config[name] = options[place]
            else:
                config[name] = options[0]
        seconds = replay.run(config)
        if seconds is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, seconds)


def _samplers() -> dict[str, Strategy]:
    import optuna

    kinds: dict[str, tuple[Callable[[int], Any], bool]] = {
        "optuna: TPE, categories": (lambda seed: optuna.samplers.TPESampler(seed=seed), False),
        "optuna: TPE, multivariate": (
            lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True),
            False,
        ),
        "optuna: TPE, numbers": (
            lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True),
            True,
        ),
        "optuna: CMA-ES": (lambda seed: optuna.samplers.CmaEsSampler(seed=seed), True),
        "optuna: NSGA-II": (lambda seed: optuna.samplers.NSGAIISampler(seed=seed), False),
    }
    return {
        name: functools.partial(_run_optuna, sampler, has_order)
        for name, (sampler, has_order) in kinds.items()
    }


def _write_cache(replay: Replay, file: pathlib.Path) -> None:
    """Writes a recording as a cache file of Kernel Tuner."""
    names = list(replay.knobs)
    cache = {}
    for trial in replay.recording.trials:
        config = {name: trial.config[name] for name in names}
        times = {"compile_time": 0, "verification_time": 0, "benchmark_time": 0}
        times |= {"strategy_time": 0, "framework_time": 0, "timestamp": "2026-01-01"}
        ms = None if trial.seconds is None else 1e3 * trial.seconds
        outcome = (
            {"time": "RuntimeFailedConfig", "__error__": "RuntimeFailedConfig"}
            if ms is None
            else {"time": ms, "times": [ms]}
        )
        cache[",".join(str(value) for value in config.values())] = config | outcome | times
    document = {
        "schema_version": "1.0.0",
        "device_name": "replay",
        "kernel_name": "replay",
        "problem_size": 1,
        "tune_params_keys": names,
        "tune_params": {name: list(options) for name, options in replay.knobs.items()},
        "objective": "time",
        "cache": cache,
    }
    file.write_text(json.dumps(document))


def _run_kernel_tuner(strategy: str, replay: Replay, seed: int) -> None:
    import kernel_tuner
    import numpy
    from kernel_tuner.runners import simulation

    class Runner(simulation.SimulationRunner):
        """The runner of simulations, which counts trials as for the other tools."""

        def run(self, parameter_space: Any, tuning_options: Any) -> Any:
            elements = list(parameter_space)
            results = super().run(elements, tuning_options)
            for element in elements:
                replay.run(dict(zip(replay.knobs, element, strict=True)))
            return results

    random.seed(seed)
    numpy.random.seed(seed)
    simulation.SimulationRunner, original = Runner, simulation.SimulationRunner
    points = {
        tuple(trial.config[name] for name in replay.knobs) for trial in replay.recording.trials
    }
    is_whole = len(points) == math.prod(len(options) for options in replay.knobs.values())
    names = list(replay.knobs)

    def is_recorded(params: Mapping[str, Any]) -> bool:
        return tuple(params[name] for name in names) in points

    try:
        with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
            file = pathlib.Path(folder) / "cache.json"
            _write_cache(replay, file)
            options: dict[str, Any] = {"max_fevals": replay.most}
            if replay.start and strategy in _WITH_START:
                options["x0"] = [replay.start[0][name] for name in names]
            kernel_tuner.tune_kernel(
                "replay",
                "void replay() {}",
                1,
                [],
                {name: list(options) for name, options in replay.knobs.items()},
                lang="C",
                restrictions=None if is_whole else is_recorded,
                strategy=strategy,
                strategy_options=options,
                cache=str(file),
                simulation_mode=True,
                quiet=True,
                seed=seed,
            )
    finally:
        simulation.SimulationRunner = original


_KERNEL_TUNER = [
    "adaptive_tabu_greywolf",
    "hybrid_vndx",
    "genetic_algorithm",
    "bayes_opt",
    "diff_evo",
    "greedy_ils",
    "mls",
    "pso",
    "simulated_annealing",
    "dual_annealing",
    "firefly_algorithm",
]


_WITH_START = ("genetic_algorithm", "diff_evo", "simulated_annealing", "dual_annealing")
"""Strategies that can begin at a point."""


def list_strategies(batch: int) -> dict[str, Strategy]:
    own = {"tonno": functools.partial(_run_tonno, "ensemble", batch)}
    others = {
        f"kernel tuner: {name}": functools.partial(_run_kernel_tuner, name)
        for name in _KERNEL_TUNER
    }
    chance = {"random": functools.partial(_run_tonno, "random", 1)}
    return {**own, **others, **_samplers(), **chance}


@functools.cache
def _read(file: str) -> list[tonno.Recording]:
    return list(tonno.read_recordings(file))


def count(
    file: str,
    place: int,
    name: str,
    seed: int,
    most: int,
    percent: float,
    batch: int,
    from_default: bool,
) -> int:
    """Returns the trials of a strategy on one recording of a file."""
    replay = Replay(_read(file)[place], most, percent, from_default)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        with contextlib.suppress(_Ended):
            list_strategies(batch)[name](replay, seed)
    return replay.trials


def compare(own: list[list[int]], other: list[list[int]]) -> float:
    """Returns the geometric mean over recordings of the ratio of mean trials."""
    return statistics.geometric_mean(
        statistics.mean(mine) / statistics.mean(theirs)
        for mine, theirs in zip(own, other, strict=True)
    )


def resample(own: list[list[int]], other: list[list[int]]) -> tuple[float, float]:
    """Returns the 95 % interval of `compare` under resampled seeds."""
    chance = random.Random(0)
    drawn = []
    for _ in range(1000):
        seeds = [chance.choices(range(len(mine)), k=len(mine)) for mine in own]
        pick = [[[each[s] for s in chosen] for each, chosen in zip(side, seeds, strict=True)]
                for side in (own, other)]
        drawn.append(compare(*pick))
    drawn.sort()
    return drawn[25], drawn[974]


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], allow_abbrev=False
    )
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=300, help="of a search, at most")
    parser.add_argument("--percent", type=float, default=5)
    parser.add_argument("--batch", type=int, default=1, help="configurations that tonno is asked for at once")
    parser.add_argument("--from-default", action="store_true", help="begin at the first point")
    parser.add_argument("--strategy", action="append", default=[], help="compare these alone")
    given = parser.parse_args()
    recordings = [
        (file, place, recording.name)
        for file in given.recordings
        for place, recording in enumerate(tonno.read_recordings(file))
    ]
    names = given.strategy or list(list_strategies(1))
    if "tonno" not in names:
        names.insert(0, "tonno")
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    counts: dict[str, list[list[int]]] = {}
    options = (given.trials, given.percent, given.batch, given.from_default)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for name in names:
            jobs = [
                [pool.submit(count, file, place, name, seed, *options) for seed in seeds]
                for file, place, _ in recordings
            ]
            counts[name] = [[job.result() for job in each] for each in jobs]
            means = " ".join(f"{statistics.mean(each):6.1f}" for each in counts[name])
            print(f"{name:38} {means}", end="", flush=True)
            if name == "tonno":
                print()
                continue
            low, high = resample(counts["tonno"], counts[name])
            ratio = compare(counts["tonno"], counts[name])
            print(f"  {ratio:.2f} [{low:.2f}, {high:.2f}]", flush=True)
    print("recordings:", ", ".join(name for _, _, name in recordings), file=sys.stderr)


if __name__ == "__main__":
    main()
