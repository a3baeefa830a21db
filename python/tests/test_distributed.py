# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions on a Ray cluster of two nodes; scripts/test_cluster.sh has the longer ones."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from ray_cluster import MATMUL, LocalCluster, Session, find_processes, wait_until


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


def run_jobs(cluster: LocalCluster, folder: pathlib.Path, *flags: str) -> dict[str, Any]:
    script = pathlib.Path(__file__).with_name("ray_jobs.py")
    subprocess.run([sys.executable, script, cluster.address, folder, *flags], check=True)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def test_jobs_share_devices_and_equal_kernels_are_tuned_once(
    cluster: LocalCluster, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "first.mlir").write_text(MATMUL)
    (tmp_path / "second.mlir").write_text(
        MATMUL.replace("@matmul", "@same") + MATMUL.replace("64x64", "32x32")
    )
    (tmp_path / "third.mlir").write_text("func.func @broken(")
    report = run_jobs(cluster, tmp_path)
    first, second, third = report["jobs"]
    assert [kernel["kernel"] for kernel in first["kernels"]] == ["matmul"]
    assert [kernel["kernel"] for kernel in second["kernels"]] == ["same", "matmul"]
    assert third["kernels"] == []
    assert "expected" in third["errors"][0]
    assert first["errors"] == second["errors"] == []
    assert len(report["sessions"]) == 2
    assert first["kernels"][0]["values"] == second["kernels"][0]["values"]
    events = json.loads((tmp_path / "events.json").read_text())
    trials = [event for event in events if event["event"] == "trial"]
    assert {event["job"] for event in trials} == {"first.mlir", "second.mlir"}
    assert {tuple(event["devices"]) for event in trials} == {("alpha",), ("beta",)}

    again = run_jobs(cluster, tmp_path, "--resume")
    assert [kernel["values"] for kernel in again["jobs"][1]["kernels"]] == [
        kernel["values"] for kernel in second["kernels"]
    ]
    events = json.loads((tmp_path / "events.json").read_text())
    assert not [event for event in events if event["event"] == "trial"]
