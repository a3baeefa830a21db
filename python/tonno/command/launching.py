# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs command lines in a child process.

The child ends with all processes that its commands have started, when it is stopped or its parent
ends.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tonno.children import START_SECONDS, Answer, Child, NoAnswer
from tonno.processes import adopt_orphans, end_children, limit


class Files(NamedTuple):
    """Files for what a command prints."""

    stdout: pathlib.Path
    stderr: pathlib.Path


class Ended(NamedTuple):
    """A command that has ended."""

    seconds: float
    """From its start to its end, by the clock."""
    status: int
    """Exit status; negative: the signal that ended it."""
    started: bool = True
    reason: str = ""
    """Why it did not start."""

    @property
    def ok(self) -> bool:
        return self.started and self.status == 0

    def describe(self) -> str:
        """Returns how it ended, for users."""
        if not self.started:
            return self.reason
        if self.status < 0:
            return f"signal {-self.status} ({signal.strsignal(-self.status)})"
        return f"exit status {self.status}"


class Launcher:
    """Runs commands one after another. Not for several threads."""

    def __init__(self, folder: str, environment: Mapping[str, str] | None) -> None:
        """`folder`, `environment`: of the commands; None: the environment of children, which
        has no credentials."""
        self._fixed: dict[str, Any] = {"folder": folder}
        if environment is not None:
            self._fixed["environment"] = dict(environment)
        self._child: Child | None = None

    def run(self, words: Sequence[str], files: Files, seconds: float) -> Ended:
        """Runs a command and waits for its end.

        Raises `tonno.children.NoAnswer` if it does not end within `seconds`; the command and all
        processes that any command here has started have ended by then.
        """
        return self._ask(self._request("run", words, files), seconds)

    def run_until(
        self, stop: threading.Event, words: Sequence[str], files: Files, seconds: float
    ) -> Ended | None:
        """Runs a command as `run` does, and looks at `stop` meanwhile. Returns None, with the
        command ended, if it is set, or if the command does not end within `seconds`."""
        ended = self._ask(self._request("start", words, files), START_SECONDS)
        end = time.monotonic() + seconds
        while ended.status == _RUNNING and time.monotonic() < end and not stop.is_set():
            ended = self._ask({"do": "wait"}, START_SECONDS)
        if ended.status != _RUNNING:
            return ended
        self.stop()
        return None

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None

    def _request(self, do: str, words: Sequence[str], files: Files) -> dict[str, Any]:
        names = {"stdout": str(files.stdout), "stderr": str(files.stderr)}
        return {"do": do, "words": list(words), **names, **self._fixed}

    def _ask(self, request: Mapping[str, Any], seconds: float) -> Ended:
        try:
            if self._child is None:
                self._child = Child("tonno.command.launching")
                # Its start does not count for the command.
                self._child.ask({"do": "nothing"}, START_SECONDS)
            return Ended(**self._child.ask(request, seconds))
        except NoAnswer:
            self.stop()
            raise


_RUNNING = 1 << 20
"""The status of a command that has not ended."""
_POLL_SECONDS = 0.1


def answers() -> Answer:
    """Returns the function that answers the requests of a `Launcher`, in the child."""
    started: list[_Started] = []
    adopt_orphans()
    _limit_files()
    with contextlib.suppress(OSError):  # so that not the caller ends where memory runs out
        pathlib.Path("/proc/self/oom_score_adj").write_text("1000")

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        if request["do"] == "nothing":
            return {}
        if request["do"] != "wait":
            try:
                started[:] = [_Started(request)]
            except (OSError, ValueError) as error:
                return Ended(0, 0, False, str(error))._asdict()
        return started[0].wait(None if request["do"] == "run" else _POLL_SECONDS)._asdict()

    return answer


def _limit_files() -> None:
    """Limits each file that this process and its commands write, so that none fills the disk."""
    limit(resource.RLIMIT_FSIZE, shutil.disk_usage(tempfile.gettempdir()).free // 2)


class _Started:
    """A command that runs."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        with open(request["stdout"], "wb") as stdout, open(request["stderr"], "wb") as stderr:
            self._begin = time.perf_counter()
            self._process = subprocess.Popen(
                request["words"],
                cwd=request["folder"],
                env=request.get("environment"),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    def wait(self, seconds: float | None) -> Ended:
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return Ended(0, _RUNNING)
        ended = Ended(time.perf_counter() - self._begin, status)
        # Processes that are left behind would disturb the next command.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # no other
            os.waitpid(-1, os.WNOHANG)
            end_children()
        return ended
