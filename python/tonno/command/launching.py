# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs command lines in a child process.

The child ends with all processes that its commands have started, when it is stopped or its parent
ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tonno.children import Answer, Child, NoAnswer


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

    def __init__(self, folder: str, environment: Mapping[str, str]) -> None:
        """`folder`, `environment`: of the commands."""
        self._fixed = {"folder": folder, "environment": dict(environment)}
        self._child: Child | None = None

    def run(self, words: Sequence[str], stdout: str, stderr: str, seconds: float) -> Ended:
        """Runs a command, with files for its output, and waits for its end.

        Raises `tonno.children.NoAnswer` if it does not end within `seconds`; the command and all
        processes that any command here has started have ended by then.
        """
        if self._child is None:
            self._child = Child("tonno.command.launching")
        request = {"words": list(words), "stdout": stdout, "stderr": stderr, **self._fixed}
        try:
            return Ended(**self._child.ask(request, seconds))
        except NoAnswer:
            self.stop()
            raise

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None


def answers() -> Answer:
    """Returns the function that answers the requests of `Launcher.run`, in the child."""
    return _launch


def _launch(request: Mapping[str, Any]) -> dict[str, Any]:
    with open(request["stdout"], "wb") as stdout, open(request["stderr"], "wb") as stderr:
        begin = time.perf_counter()
        try:
            process = subprocess.Popen(
                request["words"],
                cwd=request["folder"],
                env=request["environment"],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return {"seconds": 0.0, "status": 0, "started": False, "reason": str(error)}
        status = process.wait()
        seconds = time.perf_counter() - begin
    # What it has left behind would disturb the next one.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return {"seconds": seconds, "status": status}
