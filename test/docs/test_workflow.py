# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the jobs of the example workflow, examples/ci/github-workflow.yml.

`run` steps are executed by bash as GitHub does, in their order, in a repository with one
kernel. Stand-ins play the actions: a checkout copies the repository, caches and artifacts
are folders.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORKFLOW = yaml.safe_load((ROOT / "examples/ci/github-workflow.yml").read_text())
INPUTS = ROOT / "test/tonno-tune/Inputs"
FAST, SLOW = {"BM": 1, "MR": 4}, {"BM": 64, "MR": 1}


@dataclasses.dataclass
class Ended:
    status: int
    """That of the first step that failed, or 0."""
    step: str
    folder: pathlib.Path
    output: str


class Forge:
    """Runs jobs, and keeps what they save."""

    def __init__(self, folder: pathlib.Path, tools: pathlib.Path) -> None:
        self.folder = folder
        self.repository = folder / "repository"
        self.cache = folder / "cache"
        self.environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", CI="true")
        for name in ("TONNO_MODE", "TONNO_CACHE_DIR"):
            self.environment.pop(name, None)
        self.environment |= WORKFLOW["env"]
        (self.repository / "kernels").mkdir(parents=True)
        shutil.copy(INPUTS / "small.mlir", self.repository / "kernels")
        self.jobs = 0

    def run(self, name: str) -> Ended:
        self.jobs += 1
        ended = Ended(0, "", self.folder / f"job{self.jobs}", "")
        for step in WORKFLOW["jobs"][name]["steps"]:
            if ended.status and step.get("if") != "always()":
                continue
            status = self.run_step(step, ended)
            if status and not ended.status:
                ended.status, ended.step = status, step["name"]
        return ended

    def run_step(self, step: dict[str, Any], ended: Ended) -> int:
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            assert version.startswith("v")
            return self.play(action, step.get("with", {}), ended.folder)
        assert WORKFLOW["defaults"]["run"]["shell"] == "bash"
        assert "${{" not in step["run"]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command,
            cwd=ended.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ended.output += done.stdout
        return done.returncode

    def play(self, action: str, given: dict[str, str], folder: pathlib.Path) -> int:
        match action:
            case "actions/checkout":
                shutil.copytree(self.repository, folder)
            case "actions/cache/restore":
                if self.cache.exists():
                    shutil.copytree(self.cache, folder / given["path"])
            case "actions/cache/save":
                shutil.rmtree(self.cache, ignore_errors=True)
                shutil.copytree(folder / given["path"], self.cache)
            case "actions/upload-artifact":
                return int(not all((folder / p).exists() for p in given["path"].split()))
            case _:
                pytest.fail(f"no stand-in for {action}")
        return 0

    def decide(self, values: dict[str, int]) -> None:
        """Makes the decision in the cache one for other values."""
        script = INPUTS / "edit_records.py"
        edit = f"values={json.dumps(values)}"
        subprocess.run([sys.executable, script, self.cache / "cache", edit], check=True)


def read_checks(ended: Ended) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ended.folder / "check.jsonl").open()]


@pytest.fixture(scope="module")
def tuned(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Forge:
    """A repository whose kernel was tuned and locked, with a decision that is fast."""
    forge = Forge(tmp_path_factory.mktemp("forge"), build / "bin")
    first = forge.run("tune")
    assert (first.status, first.output.count("tonno.lock': 1 entry")) == (0, 1), first.output
    # On a busy machine the winner may be another.
    forge.decide(FAST)
    second = forge.run("tune")
    assert second.status == 0, second.output
    lock = (second.folder / "kernels/tonno.lock").read_text()
    assert json.loads(lock.splitlines()[1])["values"] == FAST
    (forge.repository / "kernels/tonno.lock").write_text(lock)
    return forge


@pytest.fixture
def forge(tuned: Forge, tmp_path: pathlib.Path, build: pathlib.Path) -> Forge:
    """A copy of that repository and what its jobs saved."""
    copy = Forge(tmp_path, build / "bin")
    for name in ("repository", "cache"):
        shutil.copytree(tuned.folder / name, tmp_path / name, dirs_exist_ok=True)
    return copy


def test_same_binary_passes(forge: Forge) -> None:
    ended = forge.run("check")
    assert ended.status == 0, ended.output
    assert [one["status"] for one in read_checks(ended)] == ["same"]
    assert {"small.mlir", "small.h", "small.o"} <= {f.name for f in (ended.folder / "out").iterdir()}


def test_regression_ends_the_job_with_3(forge: Forge) -> None:
    forge.decide(SLOW)
    ended = forge.run("check")
    assert (ended.status, ended.step) == (3, "Check"), ended.output
    (check,) = read_checks(ended)
    assert (check["status"], check["causes"]) == ("slower", ["knobs"])
    assert check["comparison"]["speedup"] > 1


def test_missing_binary_ends_the_job_with_4(forge: Forge) -> None:
    forge.decide(SLOW)
    shutil.rmtree(forge.cache / "binaries")
    ended = forge.run("check")
    assert (ended.status, ended.step) == (4, "Check"), ended.output
    (check,) = read_checks(ended)
    assert check["status"] == "not_compared"
    assert re.fullmatch("no old binary [0-9a-f]{64}", check["reason"])


def test_missing_decision_ends_the_job_with_1(forge: Forge) -> None:
    shutil.rmtree(forge.cache / "cache")
    ended = forge.run("check")
    assert (ended.status, ended.step) == (1, "Build"), ended.output
    assert "no decision" in ended.output


def test_all_kernels_are_checked(forge: Forge) -> None:
    """The first kernel is slower, the second one has no entry."""
    forge.decide(SLOW)
    kernels = forge.repository / "kernels"
    other = (kernels / "small.mlir").read_text().replace("@small", "@zeta")
    (kernels / "zeta.mlir").write_text(other)
    ended = forge.run("check")
    assert (ended.status, ended.step) == (3, "Check"), ended.output
    assert [one["status"] for one in read_checks(ended)] == ["slower", "not_compared"]


def test_steps_of_jobs_are_named_and_known() -> None:
    assert set(WORKFLOW["jobs"]) == {"tune", "check"}
    for job in WORKFLOW["jobs"].values():
        for step in job["steps"]:
            assert set(step) <= {"name", "uses", "with", "run", "if"}
            assert "name" in step or step["uses"].startswith("actions/checkout@")
