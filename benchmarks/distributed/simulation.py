# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Efficiency of a cluster of 1 to 1,000 nodes, by a discrete simulation, and of a real one of 8.

    simulation.py [--measured]

Each node compiles and times; each has a session, whose trials take the recorded times of
`benchmarks/pools/durations.json`, one after the other. All messages pass through the node's driver,
which handles one at a time. `--measured` runs the same on a Ray cluster of this machine, where nodes
sleep for the recorded times, and takes the driver's seconds for a message from there.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import pathlib
import random
import resource
import shlex
import tempfile
import threading
import time
from collections.abc import Sequence

import overhead

DURATIONS = pathlib.Path(__file__).parent.parent / "pools/durations.json"
MESSAGES = 4
"""Messages of a trial: to the worker, from it, to the runner, from it."""
BYTES = overhead.KNOBS + 20000 + 40000 + overhead.TIMES
"""Bytes of them, with binaries of 20,000."""
TRIALS = 240
"""Trials of a node."""
SECONDS_OF_SEARCH = 0.7e-3
"""CPU seconds of tonno-tune for a trial."""
CORES = 16
"""Cores of the driver's machine, for the processes of tonno-tune."""


class Server:
    """Serves one request after the other, each on the processor that is free first."""

    def __init__(self, processors: int) -> None:
        self._free = [0.0] * processors
        self.busy = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """Returns when a request that comes now is done."""
        begin = max(now, heapq.heappop(self._free))
        heapq.heappush(self._free, begin + seconds)
        self.busy += seconds
        return begin + seconds


def simulate(
    nodes: int,
    durations: Sequence[tuple[float, float]],
    message: float,
    seed: int,
    drivers: int = 1,
) -> tuple[float, float, float]:
    """Returns the efficiency, the share of the time in which drivers are busy, and the messages a
    second.

    message: seconds of a driver for a message; each driver has its own nodes
    """
    draw = random.Random(seed)
    served, search = [Server(1) for _ in range(drivers)], Server(CORES)
    work = 0.0
    events: list[tuple[float, int, int, int]] = []
    for node in range(nodes):
        heapq.heappush(events, (0.0, node, 0, 0))
    trials = [[draw.choice(durations) for _ in range(TRIALS)] for _ in range(nodes)]
    end = 0.0
    while events:
        now, node, trial, step = heapq.heappop(events)
        compiling, timing = trials[node][trial]
        if step == 0:
            now = search.serve(now, SECONDS_OF_SEARCH)
        elif step in (1, 3, 4, 6):  # a message passes the driver
            now = served[node % drivers].serve(now, message)
        elif step == 2:
            now += compiling
            work += compiling
        elif step == 5:
            now += timing
            work += timing
        step += 1
        if step == 7:
            trial, step = trial + 1, 0
            end = max(end, now)
        if trial < TRIALS:
            heapq.heappush(events, (now, node, trial, step))
    count = MESSAGES * nodes * TRIALS
    busy = sum(driver.busy for driver in served)
    return work / (nodes * end), busy / (drivers * end), count / end


def read_memory(process: int | str) -> float:
    """Returns the megabytes that a process holds and shares with no other."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
    return sum(kilobytes) / 1e3


def measure(
    nodes: int, durations: Sequence[tuple[float, float]], seed: int
) -> tuple[float, float, float, float]:
    """Returns the efficiency on a real cluster, the driver's CPU seconds for a message, and the
    megabytes of the driver and of the relays of a node."""
    from tonno.distributed import cluster

    draw = random.Random(seed)
    trials = [[draw.choice(durations) for _ in range(TRIALS)] for _ in range(nodes)]
    workers = cluster.Workers(nodes, print)
    with contextlib.closing(workers), cluster.Places("host", "host", workers, most=nodes) as places:
        worker = shlex.split(places.worker_command)
        peers = [
            (overhead.Peer(worker), overhead.Peer(shlex.split(runner)))
            for runner in places.runner_commands.values()
        ]
        for peer in peers:
            for each in peer:
                each.ask(overhead.make_request(100, 100, 0))

        def run(node: int) -> None:
            worker, runner = peers[node]
            for compiling, timing in trials[node]:
                worker.ask(overhead.make_request(overhead.KNOBS, 20000, compiling))
                runner.ask(overhead.make_request(40000, overhead.TIMES, timing))

        before = resource.getrusage(resource.RUSAGE_SELF)
        begin = time.monotonic()
        threads = [threading.Thread(target=run, args=(node,)) for node in range(nodes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        elapsed = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_SELF)
        driver = read_memory("self")
        relays = sum(read_memory(each.process.pid) for peer in peers for each in peer) / nodes
        for peer in peers:
            for each in peer:
                each.close()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    work = sum(compiling + timing for node in trials for compiling, timing in node)
    return work / (nodes * elapsed), used / (MESSAGES * nodes * TRIALS), driver, relays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measured", action="store_true")
    parser.add_argument("--message", type=float, default=0.5e-3, help="seconds for a message")
    given = parser.parse_args()
    durations = [tuple(trial) for trial in json.loads(DURATIONS.read_text())["trials"]]
    message = given.message
    if given.measured:
        with tempfile.TemporaryDirectory() as folder:
            overhead.install_tools(folder)
            import ray

            resources = {"tonno_host": 8.0}
            ray.init("local", num_cpus=8, resources=resources, include_dashboard=False)
            print(
                f"{'nodes':>6} {'measured':>9} {'simulated':>9} {'ms a message':>13} "
                f"{'MB of the driver':>17} {'of relays of a node':>20}"
            )
            for nodes in (1, 2, 4, 8):
                efficiency, message, driver, relays = measure(nodes, durations, seed=0)
                predicted, _, _ = simulate(nodes, durations, message, seed=0)
                print(
                    f"{nodes:6} {efficiency:9.3f} {predicted:9.3f} {1e3 * message:13.2f} "
                    f"{driver:17.0f} {relays:20.1f}"
                )
    for drivers in (1, 32, 64):
        print(f"\n{drivers} driver(s), {1e3 * message:.2f} ms for a message")
        print(f"{'nodes':>6} {'efficiency':>10} {'busy':>6} {'messages/s':>10} {'MB/s':>6}")
        for nodes in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000):
            efficiency, busy, rate = simulate(nodes, durations, message, 0, drivers)
            megabytes = rate / MESSAGES * BYTES * 1e-6
            print(f"{nodes:6} {efficiency:10.3f} {busy:6.3f} {rate:10.0f} {megabytes:6.1f}")


if __name__ == "__main__":
    main()
