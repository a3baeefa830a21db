# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real Ray cluster on this machine, whose nodes can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import psutil
from ray.cluster_utils import Cluster

from tonno.mlir.tools import find_tool

MARK = "TONNO_TEST_CLUSTER"
"""Environment variable of nodes: the process that has started them."""

MATMUL = """
func.func @matmul(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""

PATIENCE = 60.0
"""Seconds that nothing here takes, but what waits in vain."""


class LocalCluster:
    """A head, which neither compiles nor times, and nodes by name."""

    def __init__(self, **options: Any) -> None:
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False, **options},
        )
        self._nodes: dict[str, Any] = {}

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(
        self,
        name: str,
        *,
        device: str = "",
        cpus: int = 1,
        environment: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Starts a node, perhaps with a device, such as `host:0`."""
        given = {"TONNO_TOOLS_DIR": os.fspath(find_tool("tonno-runner").parent), MARK: str(os.getpid())}
        if device:
            options["resources"] = {"tonno_host": 1}
            given["TONNO_DEVICES"] = device
        given |= environment or {}
        self._nodes[name] = self._cluster.add_node(
            num_cpus=cpus, node_name=name, env_vars=given, **options
        )

    def kill(self, name: str) -> None:
        """Kills a node's processes, as a loss of power would."""
        self._cluster.remove_node(self._nodes.pop(name), allow_graceful=False)


class Session:
    """`tonno-tune --ray` at work."""

    def __init__(self, cluster: LocalCluster, folder: pathlib.Path, *arguments: str) -> None:
        self.report = folder / "report.json"
        self.output = folder / "tuned.mlir"
        self.events: list[dict[str, Any]] = []
        self.others: list[str] = []
        # Python with Ray is found beside the tool or on the PATH.
        path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.process = subprocess.Popen(
            [
                os.fspath(find_tool("tonno-tune")),
                *arguments,
                f"--ray={cluster.address}",
                f"--cache-dir={folder / 'cache'}",
                f"--report={self.report}",
                "--progress=json",
                "-o",
                os.fspath(self.output),
            ],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PATH": path},
        )

    def watch(self, handle: Callable[[dict[str, Any]], None] = lambda event: None) -> int:
        """Passes events to `handle` until the tool ends; returns its exit status."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                self.others.append(line.rstrip())
                continue
            self.events.append(event)
            handle(event)
        return self.process.wait()

    def named(self, event: str) -> list[dict[str, Any]]:
        return [each for each in self.events if each["event"] == event]

    def warnings(self, part: str) -> list[str]:
        """Returns the warnings that have this part."""
        said = [event["message"] for event in self.named("warning")]
        return [text for text in said if part in text]

    @property
    def trials(self) -> list[dict[str, Any]]:
        return [event["trial"] for event in self.named("trial")]

    @property
    def kernels(self) -> list[dict[str, Any]]:
        return list(json.loads(self.report.read_text())["kernels"])


class JobsRun:
    """`tonno.distributed.tune` at work, for the kernels of a folder."""

    def __init__(self, cluster: LocalCluster, folder: pathlib.Path, *flags: str) -> None:
        self._folder = folder
        (folder / "events.jsonl").unlink(missing_ok=True)
        script = pathlib.Path(__file__).with_name("ray_jobs.py")
        self.process = subprocess.Popen([sys.executable, script, cluster.address, folder, *flags])

    def find_events(self, kind: str) -> list[dict[str, Any]]:
        """Returns those so far."""
        with contextlib.suppress(FileNotFoundError):
            lines = (self._folder / "events.jsonl").read_text().splitlines(keepends=True)
            events = [json.loads(line) for line in lines if line.endswith("\n")]
            return [event for event in events if event["event"] == kind]
        return []

    @property
    def report(self) -> dict[str, Any]:
        return dict(json.loads((self._folder / "report.json").read_text()))


def find_processes(names: Sequence[str] = ("tonno-runner", "tonno-worker")) -> list[int]:
    """Returns the tools that nodes of this process's clusters run."""
    found = []
    for process in psutil.process_iter(["name", "status"]):
        if process.info["name"] not in names or process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == str(os.getpid()):
                found.append(process.pid)
    return found


def wait_until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)
