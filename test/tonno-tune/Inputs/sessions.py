# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tuner that is watched while things go wrong, for tests of whole sessions."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable

MARK = "TONNO_TEST_MARK"
# Nothing here takes so long, but a tuner that waits for what it should not.
PATIENCE = 60.0
numbers = itertools.count()


def wait_until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} s in vain for {what}")
        time.sleep(0.02)


def read(path: pathlib.Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def parent_and_state(process: int) -> tuple[int, str]:
    """Of one that is gone: no parent, and X."""
    fields = read(pathlib.Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return (int(fields[1]), fields[0]) if fields else (0, "X")


def processor_seconds(process: int) -> float:
    """That it has used; 0 of one that is gone."""
    fields = read(pathlib.Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def shared_memory() -> set[str]:
    return {entry.name for entry in pathlib.Path("/dev/shm").iterdir()}


def adopt_strays() -> None:
    """Whose parent has ended becomes a child of this process. What is stopped and
    adopted from another session is ended by the system, as an orphaned group,
    which hides who should have ended it: such tuners have no session of their
    own."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1)


class Tuner:
    """tonno-tune, or another tool, with a mark in its environment, by which all that it starts is
    found, and a folder of its own for temporary files."""

    def __init__(
        self,
        folder: pathlib.Path,
        *arguments: str,
        environment: dict[str, str] | None = None,
        stdout: int = subprocess.DEVNULL,
        prefix: tuple[str, ...] = (),
        tool: tuple[str, ...] = ("tonno-tune",),
        own_session: bool = True,
    ):
        self.folder = folder
        number = f"{os.getpid()}-{next(numbers)}"
        self.temporaries = folder / f"tmp-{number}"
        self.temporaries.mkdir(parents=True)
        self.log = folder / f"log-{number}"
        self.journal = folder / "journal.jsonl"
        self.mark = f"{MARK}={number}\0"
        self.shared_before = shared_memory()
        marked = {MARK: number, "TMPDIR": str(self.temporaries)}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*prefix, *tool, *arguments],
                env=os.environ | marked | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=log,
                start_new_session=own_session,
                process_group=None if own_session else 0,
            )

    def said(self) -> str:
        return read(self.log)

    def fail(self, why: str) -> None:
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        sys.exit(f"{why}; it said:\n{self.said()}")

    def processes(self, name: str = "") -> list[int]:
        """Those that run, of this name."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            process = int(folder.name)
            if (
                self.mark in read(folder / "environ")
                and parent_and_state(process)[1] not in "ZX"
                and (not name or read(folder / "comm").strip() == name)
            ):
                found.append(process)
        return found

    def children(self, name: str) -> list[int]:
        """The tuner's own of this name; of a supervised one also its copy."""
        found, parents = [], {self.process.pid}
        for child in sorted(self.processes(name)):
            if parent_and_state(child)[0] in parents:
                found.append(child)
                parents.add(child)
        return found

    def wait_for_work(self, name: str, seconds: float = 0.2) -> None:
        """Waits until one of its processes of this name has used that much processor
        time from now on: it is within something long."""
        before = {process: processor_seconds(process) for process in self.processes(name)}
        wait_until(
            lambda: any(
                processor_seconds(process) >= before.get(process, 0.0) + seconds
                for process in self.processes(name)
            ),
            f"{name} to work",
        )

    def wait_for_rest(self) -> None:
        """Waits until none of its processes runs or wants to, twice in a row."""

        def rests() -> bool:
            return all(parent_and_state(process)[1] not in "RD" for process in self.processes())

        def rests_on() -> bool:
            if not rests():
                return False
            time.sleep(0.1)
            return rests()

        wait_until(rests_on, "it to wait")

    def trials(self) -> int:
        return read(self.journal).count('"trial":')

    def wait_for_trials(self, count: int) -> None:
        wait_until(lambda: self.trials() >= count or self.process.poll() is not None, "trials")
        if self.process.poll() is not None:
            self.fail(f"it ended by itself, with {self.process.returncode}")

    def expect_status(self, expected: int, seconds: float = PATIENCE) -> None:
        """Its exit status, or the signal that ends it, negated."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.fail(f"it did not end within {seconds} s")
        if self.process.returncode != expected:
            self.fail(f"it ended with {self.process.returncode}, not {expected}")

    def expect_said(self, *texts: str) -> None:
        for text in texts:
            if text not in self.said():
                self.fail(f"it did not say '{text}'")

    def expect_nothing_left(self) -> None:
        end = time.monotonic() + PATIENCE
        while self.processes() and time.monotonic() < end:
            time.sleep(0.02)
        if left := self.processes():
            self.fail("left are " + ", ".join(read(pathlib.Path(f"/proc/{p}/cmdline")) for p in left))
        files = [*self.temporaries.iterdir(), *self.folder.rglob("*.tmp.*")]
        if files:
            self.fail(f"left are the files {files}")
        # Other processes of the machine come and go there, too.
        wait_until(lambda: shared_memory() <= self.shared_before, "shared memory to be free")


def check_records(cache: pathlib.Path) -> int:
    """That each is whole, and how many there are."""
    records = list(cache.glob("v1/??/*"))
    for record in records:
        content = json.loads(record.read_text())
        if record.name != content["key"] + ".json" or len(content) != 4:
            sys.exit(f"{record} is no record")
    return len(records)


def run_scenario(scenarios: dict[str, Callable[..., None]]) -> None:
    """`<script> <scenario> <folder> <argument>...`"""
    scenarios[sys.argv[1]](pathlib.Path(sys.argv[2]), *sys.argv[3:])
