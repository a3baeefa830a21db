# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions on a Ray cluster of two nodes; scripts/test_cluster.sh has the longer ones."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
from ray_cluster import MATMUL, JobsRun, LocalCluster, Session, find_processes, wait_until


@pytest.fixture(scope="module")
def cluster(built_tools: pathlib.Path) -> Iterator[LocalCluster]:
    with pytest.MonkeyPatch.context() as patch, LocalCluster() as cluster:
        patch.setenv("TONNO_TOOLS_DIR", str(built_tools))
        cluster.add("alpha", device="host:0")
        cluster.add("beta", device="host:1")
        yield cluster


@pytest.fixture
def kernel(tmp_path: pathlib.Path) -> str:
    file = tmp_path / "matmul.mlir"
    file.write_text(MATMUL)
    return str(file)


def test_trials_are_taken_on_the_devices_of_all_nodes(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = Session(cluster, tmp_path, kernel, "--budget-trials=16", "--seed=1")
    assert session.watch() == 0, session.events
    (tuned,) = session.kernels
    # A busy core may be left out.
    if not session.warnings("left out"):
        assert {trial.get("device") for trial in tuned["trials"]} == {None, "alpha", "beta"}
    assert len(session.trials) == 16
    assert not [trial for trial in session.trials if trial["status"] == "lost"]
    assert "tonno.knob<\"BM\" = " in session.output.read_text()
    assert not [line for line in session.others if "Traceback" in line]
    wait_until(lambda: not find_processes(), "tools on the nodes to end")


def test_chip_without_a_device_is_refused(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = Session(cluster, tmp_path, kernel, "--target=nvptx", "--chip=sm_90")
    assert session.watch() == 1
    (error,) = session.named("error")
    assert "no node has a device for '--target=nvptx'" in error["message"]
    assert "tonno_sm_90" in error["message"]


def test_jobs_share_devices_and_equal_kernels_are_tuned_once(
    cluster: LocalCluster, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "first.mlir").write_text(MATMUL)
    (tmp_path / "second.mlir").write_text(
        MATMUL.replace("@matmul", "@same") + MATMUL.replace("64x64", "32x32")
    )
    (tmp_path / "third.mlir").write_text("func.func @broken(")
    run = JobsRun(cluster, tmp_path)
    assert run.process.wait() == 0
    report = run.report
    first, second, third = report["jobs"]
    assert [kernel["kernel"] for kernel in first["kernels"]] == ["matmul"]
    assert [kernel["kernel"] for kernel in second["kernels"]] == ["same", "matmul"]
    assert third["kernels"] == []
    assert "expected" in third["errors"][0]
    assert first["errors"] == second["errors"] == []
    assert len(report["sessions"]) == 2
    assert first["kernels"][0]["values"] == second["kernels"][0]["values"]
    trials = run.find_events("trial")
    assert {event["job"] for event in trials} == {"first.mlir", "second.mlir"}
    assert {tuple(event["devices"]) for event in trials} == {("alpha",), ("beta",)}

    states = run.find_events("jobs")
    assert [(len(state["running"]), state["waiting"]) for state in (states[0], states[-1])] == [
        (2, 0),
        (0, 0),
    ]
    assert states[-1]["decided"] == 2
    assert states[-1]["seconds_left"] == 0
    assert "seconds_left" not in states[0]

    again = JobsRun(cluster, tmp_path, "--resume")
    assert again.process.wait() == 0
    assert [kernel["values"] for kernel in again.report["jobs"][1]["kernels"]] == [
        kernel["values"] for kernel in second["kernels"]
    ]
    assert not again.find_events("trial")
