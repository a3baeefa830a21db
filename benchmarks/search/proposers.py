#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts trials until within 5 % of the optimum, with proposers over without, on recordings.

    proposers.py [--seeds=30] [--trials=200] RECORDING...

Prints, for each kind of proposer, the geometric mean of the ratios, its 95 % interval, and the
proposer's share of the trials. Needs the Python package.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable

import tonno

Configurations = list[tonno.Configuration]
Proposer = Callable[[list[tonno.Trial]], Configurations]


def propose_of(configs: Configurations, chance: random.Random) -> Proposer:
    chance.shuffle(configs)
    return lambda trials: configs


def list_proposers(
    recording: tonno.Recording, chance: random.Random
) -> dict[str, Callable[[], Proposer]]:
    """Returns the kinds of proposers, each as a function that makes one."""
    timed = [trial for trial in recording.trials if trial.seconds is not None]
    timed.sort(key=lambda trial: trial.seconds or 0)
    ranked = [dict(trial.config) for trial in timed]
    count = len(ranked)

    def change_a_knob(trials: list[tonno.Trial]) -> Configurations:
        best = min((t for t in trials if t.ok), key=lambda t: t.seconds or 0, default=None)
        if best is None:
            return [chance.choice(ranked)]
        knobs = recording.space.knobs
        found = []
        for _ in range(60):
            name = chance.choice(list(knobs))
            config = {**best.config, name: chance.choice(knobs[name])}
            if recording.find(config) is not None:
                found.append(config)
        return found

    def draw(trials: list[tonno.Trial]) -> Configurations:
        return [dict(chance.choice(recording.trials).config) for _ in range(20)]

    return {
        "of the best twentieth": lambda: propose_of(ranked[: max(5, count // 20)], chance),
        "five of the best eighth": lambda: propose_of(
            chance.sample(ranked[count // 100 : count // 8], 5), chance
        ),
        "changes a knob of the best": lambda: change_a_knob,
        "any": lambda: draw,
        "the slowest": lambda: lambda trials: ranked[::-1][:200],
        "best eighth to third": lambda: propose_of(ranked[count // 8 : count // 3], chance),
    }


def search(
    recording: tonno.Recording, proposer: Proposer | None, seed: int, most: int
) -> tuple[int, int]:
    """Returns the trials to the goal, and how many of them the proposer proposed."""
    goal = 1.05 * recording.best_seconds
    running = tonno.Search(recording.space, seed=seed, proposer=proposer)
    proposed = 0
    for count in range(1, most + 1):
        asked = running.ask()
        if not asked:
            break
        proposed += running.explain(asked[0]) == "by the proposer"
        found = recording.find(asked[0])
        assert found is not None
        running.tell(asked[0], found.seconds, found.status)
        if found.seconds is not None and found.seconds <= goal:
            return count, proposed
    return most, proposed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--trials", type=int, default=200)
    given = parser.parse_args()
    recordings = [r for file in given.recordings for r in tonno.read_recordings(file)]
    cases = [(recording, seed) for recording in recordings for seed in range(given.seeds)]
    alone = [search(recording, None, seed, given.trials)[0] for recording, seed in cases]
    for kind in list_proposers(recordings[0], random.Random(0)):
        logs, total, proposed = [], 0, 0
        for (recording, seed), without in zip(cases, alone, strict=True):
            proposer = list_proposers(recording, random.Random(seed))[kind]()
            trials, of_proposer = search(recording, proposer, seed, given.trials)
            logs.append(math.log(trials / without))
            total += trials
            proposed += of_proposer
        mean, error = statistics.mean(logs), statistics.stdev(logs) / len(logs) ** 0.5
        low, high = (math.exp(mean + z * error) for z in (-1.96, 1.96))
        print(
            f"{kind:27} {math.exp(mean):.2f} [{low:.2f}, {high:.2f}], "
            f"share {proposed / total:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
