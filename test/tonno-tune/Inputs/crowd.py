# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuners that share a cache and are killed at random moments."""

import os
import pathlib
import random
import signal
import sys
import time

from sessions import PATIENCE, Tuner, check_records, read

TUNERS = 8
KILLS = 16


def start(folder: pathlib.Path, kernel: str, number: int, trials: int) -> Tuner:
    """Of other budgets they are other sessions, of the same candidates."""
    own = folder / str(number)
    own.mkdir(exist_ok=True)
    return Tuner(
        own,
        *(kernel, "-o", str(own / "tuned.mlir"), "--cache-dir", str(folder / "cache")),
        *("--budget-seconds=600", f"--budget-trials={trials}", f"--seed={number}"),
    )


def has_failure(cache: pathlib.Path) -> bool:
    """Returns True if a failure is recorded: later sessions recall nothing else."""
    return any('"wrong"' in read(record) for record in cache.glob("v1/??/*.json"))


def main(folder: pathlib.Path, kernel: str, seed: int) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    folder.mkdir()
    # Some are killed before they have begun, some while they write.
    lives = [(start(folder, kernel, n, 10 + n), chance.uniform(0.1, 4)) for n in range(TUNERS)]
    begin = time.monotonic()
    killed = 0
    while killed < KILLS or not has_failure(folder / "cache"):
        if time.monotonic() > begin + PATIENCE:
            break
        for n, (tuner, end) in enumerate(lives):
            if tuner.process.poll() is None and time.monotonic() < begin + end:
                continue
            # With so many on a busy machine, one may find no time to measure.
            if tuner.process.poll() not in (None, 0) and "can't be timed" not in tuner.said():
                tuner.fail(f"it ended by itself, with {tuner.process.returncode}")
            if tuner.process.poll() is None:
                tuner.process.kill()
                killed += 1
            tuner.process.wait()
            # Eight tuners take turns on the device: on a slow one, four seconds are too
            # few for a trial beyond the default's.
            longest = 4 if killed < KILLS else 16
            life = time.monotonic() - begin + chance.uniform(0.1, longest)
            lives[n] = (start(folder, kernel, n, chance.randrange(8, 30)), life)
        time.sleep(0.01)
    for tuner, _ in lives:
        os.kill(tuner.process.pid, signal.SIGKILL)
        tuner.process.wait()
    for tuner, _ in lives:
        tuner.expect_nothing_left()
    records = check_records(folder / "cache")
    cache = folder / "cache"
    abandoned = len(list(cache.rglob("*.tmp.*")))
    print(f"{killed + TUNERS} killed, {records} records, {abandoned} temporaries")
    if killed < TUNERS or records == 0:
        sys.exit("that was no test")

    last = start(folder, kernel, TUNERS, 1000)
    last.expect_status(0)
    last.expect_said("16 of 16 configurations", "4 ok", "12 wrong", "verdict")
    journals = [read(journal) for journal in folder.glob("cache/journals/*")]
    if '"recalled":true' not in "".join(journals):
        last.fail("it has used nothing of what the others found")
    if "warning: cache record" in last.said() or list(cache.rglob("*.tmp.*")):
        last.fail("the cache is not in order")
    check_records(folder / "cache")
    last.expect_nothing_left()


main(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
