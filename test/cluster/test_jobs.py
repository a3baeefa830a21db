# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs of several kernels on a cluster, with faults of the process that tunes them."""

from __future__ import annotations

import json
import pathlib
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from ray_cluster import MATMUL, JobsRun, LocalCluster, find_processes, wait_until

TRIALS = 12


@pytest.fixture
def cluster() -> Iterator[LocalCluster]:
    """Two nodes with a core each, and one that only compiles."""
    with LocalCluster() as cluster:
        cluster.add("alpha", device="host:0")
        cluster.add("beta", device="host:1")
        cluster.add("gamma")
        yield cluster
    wait_until(lambda: not find_processes(), "tools on the nodes to end")


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """Four kernels, two more than devices."""
    (tmp_path / "a.mlir").write_text(MATMUL)
    (tmp_path / "b.mlir").write_text(MATMUL.replace("64x64", "96x96"))
    (tmp_path / "c.mlir").write_text(MATMUL.replace("64x64", "80x80"))
    (tmp_path / "d.mlir").write_text(MATMUL.replace("64x64", "48x48"))
    return tmp_path


def find_values(run: JobsRun) -> list[tuple[str, str]]:
    """Returns the trials that were taken, as jobs and values."""
    return [(event["job"], str(event["trial"]["values"])) for event in run.find_events("trial")]


def check_whole(report: dict[str, Any], folder: pathlib.Path) -> None:
    """Checks that each kernel was decided once."""
    assert len(report["jobs"]) == 4
    assert not [error for job in report["jobs"] for error in job["errors"]]
    for job in report["jobs"]:
        (kernel,) = job["kernels"]
        assert kernel["decision"]["comparison"]["verdict"] in ("faster", "tie")
        assert not kernel["is_cut_short"]
    (journal,) = (folder / "cache/jobs").iterdir()
    keys = [json.loads(line)["key"] for line in journal.read_text().splitlines()]
    assert len(keys) == len(set(keys)) == len(report["jobs"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_jobs_end_early_and_go_on(
    cluster: LocalCluster, folder: pathlib.Path, number: signal.Signals
) -> None:
    run = JobsRun(cluster, folder, f"--trials={TRIALS}")
    wait_until(lambda: run.find_events("decided"), "a decision")
    run.process.send_signal(number)
    assert run.process.wait() == (130 if number == signal.SIGINT else -number)
    wait_until(lambda: not find_processes(), "tools on the nodes to end")
    if number == signal.SIGINT:
        assert not [error for job in run.report["jobs"] for error in job["errors"]]
        assert 1 <= len(run.report["sessions"]) < 4
    before = find_values(run)

    again = JobsRun(cluster, folder, f"--trials={TRIALS}", "--resume")
    assert again.process.wait() == 0
    check_whole(again.report, folder)
    after = find_values(again)
    assert len(set(after)) == len(after)
    # Trials are taken again if they were running, or their journal entries were not yet written.
    assert len(set(before) & set(after)) <= 2


@pytest.mark.parametrize("node", ["alpha", "beta"])
def test_kernels_of_a_lost_device_are_tuned_on_another(
    cluster: LocalCluster, folder: pathlib.Path, node: str
) -> None:
    run = JobsRun(cluster, folder, f"--trials={TRIALS}")
    wait_until(lambda: len(find_values(run)) >= 4, "trials")
    cluster.kill(node)
    assert run.process.wait() == 0
    check_whole(run.report, folder)
    assert any(node in event["message"] for event in run.find_events("warning"))
    assert [job["devices"] for job in run.report["jobs"]] == 4 * [
        ["beta" if node == "alpha" else "alpha"]
    ]


def test_two_drivers_share_the_devices(
    cluster: LocalCluster, folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    for name, size in (("e", 64), ("f", 96), ("g", 80)):
        (other / f"{name}.mlir").write_text(MATMUL.replace("64x64", f"{size}x{size}"))
    cluster.add("epsilon")
    runs = [JobsRun(cluster, each, "--devices=1") for each in (folder, other)]
    assert [run.process.wait() for run in runs] == [0, 0]
    devices = [{tuple(job["devices"]) for job in run.report["jobs"]} for run in runs]
    assert sorted(map(list, devices)) in ([[("alpha",)], [("beta",)]], [[("beta",)], [("alpha",)]])
    warnings = [event["message"] for run in runs for event in run.find_events("warning")]
    # One of them may compile on all CPUs for a while.
    assert not [message for message in warnings if "waiting for a CPU" not in message]


def test_lost_devices_fail_what_waits_for_them(
    cluster: LocalCluster, folder: pathlib.Path
) -> None:
    run = JobsRun(cluster, folder, f"--trials={TRIALS}")
    wait_until(lambda: len(find_values(run)) >= 4, "trials")
    cluster.kill("alpha")
    cluster.kill("beta")
    assert run.process.wait() == 0
    for job in run.report["jobs"]:
        assert "no device is left" in job["errors"][0]
    cluster.add("epsilon", device="host:0")
    again = JobsRun(cluster, folder, f"--trials={TRIALS}", "--resume")
    assert again.process.wait() == 0
    check_whole(again.report, folder)


def test_jobs_whose_devices_fail_leave_others_alone(
    cluster: LocalCluster, folder: pathlib.Path
) -> None:
    (folder / "e.nvptx.mlir").write_text(MATMUL)
    cluster.add("epsilon", resources={"tonno_sm_90": 1})
    run = JobsRun(cluster, folder)
    assert run.process.wait() == 0
    *others, failed = run.report["jobs"]
    check_whole({"jobs": others}, folder)
    assert (failed["target"], failed["chip"]) == ("nvptx", "sm_90")
    assert "no device is left" in failed["errors"][0]
    warnings = [event["message"] for event in run.find_events("warning")]
    assert any("the node epsilon: tonno-runner: no NVIDIA driver" in text for text in warnings)
