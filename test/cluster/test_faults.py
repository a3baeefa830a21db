# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of nodes during sessions: nothing is lost but running trials, nothing counts twice, and no
process stays."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ray_cluster import MATMUL, LocalCluster, Session, find_processes, wait_until

TRIALS = 40


@pytest.fixture
def cluster() -> Iterator[LocalCluster]:
    """Two nodes that time, and two that compile."""
    with LocalCluster() as cluster:
        cluster.add("alpha", device="host:0")
        cluster.add("beta", device="host:1")
        cluster.add("gamma")
        cluster.add("delta")
        yield cluster
    wait_until(lambda: not find_processes(), "tools on the nodes to end")


@pytest.fixture
def kernel(tmp_path: pathlib.Path) -> str:
    file = tmp_path / "matmul.mlir"
    file.write_text(MATMUL)
    return str(file)


def start(cluster: LocalCluster, folder: pathlib.Path, kernel: str, *more: str) -> Session:
    return Session(cluster, folder, kernel, f"--budget-trials={TRIALS}", "--seed=1", *more)


def at_trial(number: int, action: Callable[[], None]) -> Callable[[dict[str, Any]], None]:
    def handle(event: dict[str, Any]) -> None:
        if event["event"] == "trial" and event["number"] == number:
            action()

    return handle


def check_whole(session: Session, status: int) -> None:
    """Checks that all trials are there, once each, and that a decision was made."""
    assert status == 0, session.events
    (tuned,) = session.kernels
    assert tuned["decision"]["comparison"]["verdict"] in ("faster", "tie")
    assert not tuned["is_cut_short"]
    trials = tuned["trials"]
    assert len(trials) == TRIALS
    values = [str(trial["values"]) for trial in trials]
    assert len(set(values)) == TRIALS
    assert {trial["status"] for trial in trials} <= {"ok", "pruned", "bounded"}, [
        trial for trial in trials if trial["status"] not in ("ok", "pruned", "bounded")
    ]


@pytest.mark.parametrize("node", ["gamma", "beta", "alpha"])
def test_node_is_lost_during_the_search(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path, node: str
) -> None:
    session = start(cluster, tmp_path, kernel)
    status = session.watch(at_trial(8, lambda: cluster.kill(node)))
    check_whole(session, status)
    assert session.warnings(node)


def test_node_is_lost_in_the_finals(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = start(cluster, tmp_path, kernel)
    killed: list[str] = []

    def kill(event: dict[str, Any]) -> None:
        if event["event"] == "state" and event["phase"] == "finals" and not killed:
            killed.append("alpha")
            cluster.kill("alpha")

    check_whole(session, session.watch(kill))
    assert killed


def test_driver_is_killed_and_resumed(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = start(cluster, tmp_path, kernel)
    session.watch(at_trial(12, session.process.kill))
    assert session.process.returncode == -signal.SIGKILL
    wait_until(lambda: not find_processes(), "tools on the nodes to end")
    again = start(cluster, tmp_path, kernel, "--resume")
    check_whole(again, again.watch())
    (tuned,) = again.kernels
    assert tuned["past_trials"] >= 12


def test_session_is_interrupted(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = start(cluster, tmp_path, kernel)
    status = session.watch(at_trial(8, lambda: session.process.send_signal(signal.SIGINT)))
    assert status == 130
    (tuned,) = session.kernels
    assert tuned["decision"]["comparison"]["verdict"] == "interrupted"


def test_last_device_is_lost(cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path) -> None:
    def kill_both() -> None:
        cluster.kill("alpha")
        cluster.kill("beta")

    session = start(cluster, tmp_path, kernel)
    session.watch(at_trial(8, kill_both))
    assert 8 <= len(session.trials) < TRIALS
    cluster.add("epsilon", device="host:0")
    again = start(cluster, tmp_path, kernel, "--resume")
    check_whole(again, again.watch())
    (tuned,) = again.kernels
    assert tuned["past_trials"] >= 8


def stop(name: str, seconds: float) -> None:
    """Stops one process of this name for a while."""
    process = find_processes([name])[0]
    os.kill(process, signal.SIGSTOP)
    threading.Timer(seconds, os.kill, (process, signal.SIGCONT)).start()


def test_slow_worker_holds_up_no_other(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = start(cluster, tmp_path, kernel)
    times: list[float] = []

    def handle(event: dict[str, Any]) -> None:
        if event["event"] == "trial":
            times.append(time.monotonic())
            if event["number"] == 8:
                stop("tonno-worker", 5)

    check_whole(session, session.watch(handle))
    # All but what the stopped worker had.
    assert len([at for at in times[8:] if at < times[7] + 4]) >= 8


def test_runner_that_hangs_costs_its_trial(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = start(cluster, tmp_path, kernel)

    def stop_runners() -> None:
        for process in find_processes(["tonno-runner"]):
            os.kill(process, signal.SIGSTOP)

    assert session.watch(at_trial(8, stop_runners)) == 0
    (tuned,) = session.kernels
    assert len(tuned["trials"]) == TRIALS
    hung = [trial for trial in tuned["trials"] if trial["status"] == "hang"]
    assert 1 <= len(hung) <= 2


@pytest.mark.parametrize("device", ["host:0", ""])
def test_node_of_another_version_is_refused_by_name(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path, device: str
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("tonno-runner", "tonno-worker"):
        file = tools / name
        file.write_text(f"#!/bin/sh\necho '{name} 0.0.1'\n")
        file.chmod(0o700)
    cluster.add("older", device=device, environment={"TONNO_TOOLS_DIR": str(tools)})
    session = start(cluster, tmp_path, kernel)
    check_whole(session, session.watch())
    (warning,) = session.warnings("older")
    assert "0.0.1" in warning


def test_full_object_store(tmp_path: pathlib.Path) -> None:
    """Binaries of 1 MB are sent although the stores have no room."""
    file = tmp_path / "table.mlir"
    file.write_text(
        f"""
func.func @matmul(%a: tensor<64x4096xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %b = arith.constant dense<"0x{os.urandom(4096 * 64 * 4).hex()}"> : tensor<4096x64xi32>
  %f = arith.sitofp %b : tensor<4096x64xi32> to tensor<4096x64xf32>
  %0 = linalg.matmul ins(%a, %f : tensor<64x4096xf32>, tensor<4096x64xf32>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}}
"""
    )
    with LocalCluster(object_store_memory=80 << 20) as cluster:
        cluster.add("alpha", device="host:0", object_store_memory=80 << 20)
        filler = subprocess.Popen(
            [sys.executable, "-c", FILLER, cluster.address],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
        )
        assert filler.stdout is not None and filler.stdin is not None
        assert filler.stdout.readline() == b"full\n"
        session = Session(cluster, tmp_path, str(file), "--budget-trials=4", "--seed=1")
        assert session.watch() == 0, session.events
        assert len(session.trials) == 4
        filler.stdin.close()
        assert filler.wait() == 0


FILLER = """
import sys, ray, numpy
ray.init(sys.argv[1], log_to_driver=False)
kept = [ray.put(numpy.ones(1 << 18)) for _ in range(80)]
read = [ray.get(reference) for reference in kept[-30:]]  # these can't be spilled
print("full", flush=True)
sys.stdin.read()
"""
