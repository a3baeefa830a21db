# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Child processes that answer requests, from both sides.

A child is a new interpreter with this one's `sys.path`. It imports no `__main__` and shares no
thread with its parent. The child and all processes that it has started end when it is stopped,
when its parent ends, and when the thread that created it ends.
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
"""Time limit of a child's first answer, in seconds."""

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from tonno.children import main; sys.exit(main(sys.argv[1:]))"
)

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class NoAnswer(Exception):
    """A child gave no answer, and has ended.

    `cause` is `crashed`, `timed_out` or `out_of_memory`; or, if something else may have ended the
    child, `killed`, `ended`, `closed` or `garbled`.
    """

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause

    @property
    def is_from_outside(self) -> bool:
        """Returns True if something other than the child's code may have ended the child."""
        return self.cause in ("killed", "ended", "closed", "garbled")


class Child:
    """A child process that answers requests by a module's `answers(*descriptors)`."""

    def __init__(self, module: str, descriptors: Sequence[int] = ()) -> None:
        """Starts the child, which inherits the descriptors under the same numbers.

        Raises `tonno.Error` if the child can't be started.
        """
        if not sys.executable:
            raise Error("a child process needs a Python interpreter; set sys.executable to it")
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
        """Returns the answer to a request. Raises NoAnswer if there is none within `seconds`;
        time in which the child waits for a processor does not count."""
        given: Any
        given, cause, text = self._process.ask(dict(request), seconds)
        if given is None:
            raise NoAnswer(cause, text)
        answer: dict[str, Any] = given
        return answer

    def stop(self) -> None:
        """Ends the child and all processes that it has started."""
        self._process.stop()


def main(arguments: Sequence[str]) -> int:
    """Answers requests, in the child, until the parent closes; returns the exit status."""
    module, *numbers = arguments

    def prepare() -> Answer:
        # Imported by the forked copy that uses the module, because importing may start threads.
        answers: Answer = importlib.import_module(module).answers(*map(int, numbers))
        return answers

    status: int = answer_parent(prepare)
    return status
