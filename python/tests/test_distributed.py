# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions on a Ray cluster of two nodes; scripts/test_cluster.sh has the longer ones."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ray_cluster import LocalCluster, Session, find_processes, wait_until

MATMUL = """
func.func @matmul(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster() as cluster:
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
    before = set(find_processes())
    session = Session(cluster, tmp_path, kernel, "--budget-trials=16", "--seed=1")
    assert session.watch() == 0, session.events
    (tuned,) = session.kernels
    # A busy core may be left out.
    if not session.warnings("left out"):
        assert {trial.get("device") for trial in tuned["trials"]} == {None, "alpha", "beta"}
    assert len(session.trials) == 16
    assert not [trial for trial in session.trials if trial["status"] == "lost"]
    assert "tonno.knob<\"BM\" = " in session.output.read_text()
    assert session.others == []
    wait_until(lambda: set(find_processes()) <= before, "tools on the nodes to end")


def test_node_that_is_lost_costs_nothing_but_its_running_trials(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    cluster.add("gamma", device="host:1")
    session = Session(cluster, tmp_path, kernel, "--budget-trials=40", "--seed=1")

    def kill_once(event: dict[str, Any]) -> None:
        if event["event"] == "trial" and event["number"] == 8:
            cluster.kill("gamma")

    assert session.watch(kill_once) == 0, session.events
    (tuned,) = session.kernels
    assert tuned["decision"]["comparison"]["verdict"] != "interrupted"
    assert len(session.trials) == 40
    values = [str(trial["values"]) for trial in session.trials]
    assert len(set(values)) == len(values)
    assert not [trial for trial in session.trials if trial["status"] == "lost"]
    assert session.warnings("gamma")


def test_chip_without_a_device_is_refused(
    cluster: LocalCluster, kernel: str, tmp_path: pathlib.Path
) -> None:
    session = Session(cluster, tmp_path, kernel, "--target=nvptx", "--chip=sm_90")
    assert session.watch() == 1
    (error,) = session.named("error")
    assert "no node has a device for '--target=nvptx'" in error["message"]
    assert "tonno_sm_90" in error["message"]
