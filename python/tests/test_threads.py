# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads share what they may, and long calls let others run."""

from __future__ import annotations

import concurrent.futures
import threading
import time

import tonno


def test_one_search_serves_several_threads(space: tonno.SearchSpace) -> None:
    search = tonno.Search(space, seed=1)

    def work(_: int) -> int:
        done = 0
        for _ in range(10):
            for config in search.ask(2):
                search.tell(config, seconds=1e-3 * config["BM"] + 1e-6 * config["BN"])
                done += 1
        return done

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = sum(pool.map(work, range(4)))
    configs = [repr(trial.config) for trial in search.trials]
    assert len(configs) == len(set(configs)) == done == 80
    assert search.pending == []


def test_threads_share_a_space_that_nobody_counted() -> None:
    space = tonno.SearchSpace(
        {f"K{i}": range(8) for i in range(12)},
        [f"K{i} + K{i + 1} <= 9" for i in range(11)],
    )
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        draws = list(pool.map(lambda _: space.draw(100, seed=1), range(8)))
    assert all(draw == draws[0] for draw in draws)


def test_long_calls_let_other_threads_run(transpose: tonno.Recording) -> None:
    ticks = 0
    is_over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not is_over.is_set():
            ticks += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    within = []
    for _ in range(20):  # The other thread may get no processor meanwhile.
        before = ticks
        run = tonno.replay(transpose, trials=144)
        within.append(ticks - before)
        assert len(run.steps) > 50
        if within[-1] >= 5:
            break
    is_over.set()
    ticker.join()
    # With the lock held, there would be none or one in each.
    assert within[-1] >= 5, within
