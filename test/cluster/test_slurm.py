# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions within an allocation of Slurm, as docs/guide/slurm.md shows them."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import slurm
from ray_cluster import MATMUL, find_processes, wait_until

from tonno.mlir.tools import find_tool

STEP = "srun --exact --ntasks=1 --unbuffered --quiet"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[slurm.Slurm]:
    missing = slurm.find_missing()
    if missing:
        pytest.skip(f"{', '.join(missing)} missing; install slurmctld, slurmd, slurm-client, munge")
    if (os.cpu_count() or 1) < 2:
        pytest.skip("a worker and a runner need two CPUs")
    with slurm.Slurm(tmp_path_factory.mktemp("slurm")) as cluster:
        trial = ["timeout", "60", "srun", "--ntasks=1", "true"]
        if subprocess.run(trial, env=cluster.environment, check=False).returncode != 0:
            pytest.skip("Slurm can't run a job here")
        yield cluster


@pytest.fixture
def words(tmp_path: pathlib.Path) -> list[str]:
    file = tmp_path / "matmul.mlir"
    file.write_text(MATMUL)
    return [
        os.fspath(find_tool("tonno-tune")),
        str(file),
        "--cache=off",
        "--budget-trials=6",
        f"--report={tmp_path / 'report.json'}",
        "-o",
        os.devnull,
    ]


def read_report(folder: pathlib.Path) -> dict[str, Any]:
    (kernel,) = json.loads((folder / "report.json").read_text())["kernels"]
    assert isinstance(kernel, dict)
    return kernel


def check_clean(cluster: slurm.Slurm) -> None:
    wait_until(lambda: not cluster.list_jobs(), "jobs of Slurm to end")
    wait_until(lambda: not find_processes(), "tools to end")


def test_steps_run_and_compile(
    cluster: slurm.Slurm, words: list[str], tmp_path: pathlib.Path
) -> None:
    runner, worker = find_tool("tonno-runner"), find_tool("tonno-worker")
    commands = [
        f"--runner-command={STEP} --gres=gpu:1 {runner}",
        f"--worker-command={STEP} --gres=none {worker}",
    ]
    subprocess.run(
        ["salloc", "--quiet", "--ntasks=2", "--gres=gpu:1", *words, *commands],
        env=cluster.environment,
        check=True,
        timeout=120,
    )
    kernel = read_report(tmp_path)
    assert len(kernel["trials"]) == 6
    assert {trial["status"] for trial in kernel["trials"]} <= {"ok", "pruned"}
    check_clean(cluster)


def test_ray_runs_within_an_allocation(
    cluster: slurm.Slurm, words: list[str], tmp_path: pathlib.Path
) -> None:
    pytest.importorskip("ray")
    folder = pathlib.Path(sys.executable).parent
    address = f"127.0.0.1:{slurm.find_port()}"
    environment = {
        **cluster.environment,
        "PATH": f"{folder}{os.pathsep}{cluster.environment['PATH']}",
        "RAY_AUTH_MODE": "disabled",
        "TONNO_TOOLS_DIR": os.fspath(find_tool("tonno-runner").parent),
    }
    start = ["ray", "symmetric-run", f"--address={address}", "--num-cpus=1", "--min-nodes=1"]
    subprocess.run(
        ["salloc", "--quiet", "--ntasks=2", "srun", "--ntasks=1", "--exact", *start]
        + ['--resources={"tonno_host": 1}', "--", *words, f"--ray={address}"],
        env=environment,
        check=True,
        timeout=180,
    )
    assert len(read_report(tmp_path)["trials"]) == 6
    check_clean(cluster)
