# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Child processes that answer requests, from both sides.

A child is a new interpreter with this one's `sys.path`. It imports no `__main__`,
shares no thread with its parent, and ends with all that it has started: when it is
stopped, with its parent, and with the thread that made it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tonno._core import ChildProcess, answer_parent
from tonno.errors import Error

START_SECONDS = 60.0
"""In which a child has to answer its first request."""

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from tonno.children import main; sys.exit(main(sys.argv[1:]))"
)

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class NoAnswer(Exception):
    """A child gave no answer, and has ended.

    `cause` is `crashed`, `timed_out`, `out_of_memory`, or, where something else may
    have ended it, `killed`, `ended`, `closed` or `garbled`.
    """

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause

    @property
    def is_from_outside(self) -> bool:
        """Returns whether something else than the child's code may have ended it."""
        return self.cause in ("killed", "ended", "closed", "garbled")


class Child:
    """A child process that answers by a module's `answers(*descriptors)`."""

    def __init__(self, module: str, descriptors: Sequence[int] = ()) -> None:
        """Starts the child, which inherits the descriptors under their numbers.

        Raises `tonno.Error` if it can't be started.
        """
        if not sys.executable:
            raise Error("a child process needs Python, and sys.executable names none")
        path = [os.path.abspath(entry) for entry in sys.path]
        numbers = [str(descriptor) for descriptor in descriptors]
        for descriptor in descriptors:
            os.set_inheritable(descriptor, True)
        try:
            self._process = ChildProcess(
                [sys.executable, "-P", "-c", _BOOT, json.dumps(path), module, *numbers]
            )
        finally:
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Returns the answer to a request. Raises NoAnswer if there is none in time; time
        in which the child waits for a processor does not count."""
        given: Any
        given, cause, text = self._process.ask(dict(request), seconds)
        if given is None:
            raise NoAnswer(cause, text)
        answer: dict[str, Any] = given
        return answer

    def stop(self) -> None:
        """Ends the child and all that it has started."""
        self._process.stop()


def main(arguments: Sequence[str]) -> int:
    """Runs in the child: answers until its parent closes; returns the exit status."""
    module, *numbers = arguments

    def prepare() -> Answer:
        # Imported by the copy of the process that runs it, since this may start threads.
        answers: Answer = importlib.import_module(module).answers(*map(int, numbers))
        return answers

    status: int = answer_parent(prepare)
    return status
