# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and runs tonno's tools."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from tonno import _core
from tonno.errors import Error
from tonno.printable import printable

if TYPE_CHECKING:
    from tonno.mlir.results import Tuned

Event: TypeAlias = Mapping[str, Any]
"""A message of a tool, listed in docs/guide/json.md."""

_DIRECTORY = "TONNO_TOOLS_DIR"
_REMEDY = "'pip install tonno-mlir[tools]'"


@dataclasses.dataclass(frozen=True)
class Message:
    """A diagnostic of a tool."""

    severity: str
    """`error`, `warning` or `remark`; `note` in notes."""
    text: str
    file: str | None = None
    """`<stdin>` if the source was text."""
    line: int | None = None
    column: int | None = None
    notes: tuple[Message, ...] = ()

    @classmethod
    def _of(cls, event: Event, severity: str | None = None) -> Message:
        return cls(
            severity or event["event"],
            event["message"],
            event.get("file"),
            event.get("line"),
            event.get("column"),
            tuple(cls._of(note, "note") for note in event.get("notes", ())),
        )

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = f"{place}: {self.severity}: {self.text}" if place else self.text
        return printable("\n".join([text, *(f"note: {note.text}" for note in self.notes)]))


class ToolError(Error):
    """A tool is missing or has failed; the message is the tool's."""

    messages: tuple[Message, ...]
    """Errors that the tool reported."""
    result: Tuned | None
    """Decisions made despite the failure, such as for other kernels of the module."""

    def __init__(
        self, text: str, messages: Sequence[Message] = (), result: Tuned | None = None
    ) -> None:
        super().__init__(text)
        self.messages = tuple(messages)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.messages, self.result)

    @property
    def file(self) -> str | None:
        """File of the first error; `<stdin>` if the source was text."""
        return self.messages[0].file if self.messages else None

    @property
    def line(self) -> int | None:
        """Line of the first error, from 1."""
        return self.messages[0].line if self.messages else None

    @property
    def column(self) -> int | None:
        """Column of the first error, from 1."""
        return self.messages[0].column if self.messages else None


def find_tool(name: str) -> pathlib.Path:
    """Returns the path of a tool: in $TONNO_TOOLS_DIR if that is set, else beside the
    interpreter, else on the PATH. Raises `ToolError` if there is none."""
    given = os.environ.get(_DIRECTORY)
    if given:
        tool = pathlib.Path(given, name)
        if not os.access(tool, os.X_OK):
            raise ToolError(f"${_DIRECTORY} is '{given}', where no program {name} is")
        return tool
    beside = pathlib.Path(sysconfig.get_path("scripts"), name)
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(name)
    if found is None:
        raise ToolError(
            f"{name} is neither beside the interpreter nor on the PATH; install it by "
            f"{_REMEDY}, or set ${_DIRECTORY} to its folder"
        )
    return pathlib.Path(found)


def check_list(name: str, words: Sequence[str]) -> None:
    """Raises TypeError for a text, which is also a sequence of texts, its characters."""
    if isinstance(words, str):
        raise TypeError(f"{name}= is a list of text, not a text; pass {name}=[{words!r}]")


def find_openmp() -> pathlib.Path | None:
    """Returns the path of the OpenMP runtime that is installed with the tools, None if
    they use the system's."""
    folder = find_tool("tonno-compile").resolve().parent.parent
    library = folder / "lib/tonno/libomp.so.5"
    return library if library.exists() else None


@dataclasses.dataclass
class ToolRun:
    """Outcome of a tool's run."""

    exit_status: int
    is_interrupted: bool
    """True after Ctrl-C, which was forwarded to the tool."""
    messages: list[Message]
    failure: str
    """Reason of the failure, for users; empty on success."""

    @property
    def errors(self) -> list[Message]:
        return [message for message in self.messages if message.severity == "error"]

    def error(self, result: Tuned | None = None) -> ToolError:
        """Returns the failure as an exception."""
        return ToolError(self.failure, self.errors, result)


class _Reader:
    """Reads a tool's standard error."""

    def __init__(self, tool: pathlib.Path, handle: Callable[[Event], None]) -> None:
        self.messages: list[Message] = []
        self.others: list[str] = []
        """Lines that are not events: from a library, or from a crash."""
        self.has_started = False
        self._tool = tool
        self._handle = handle

    def read(self, stream: IO[bytes]) -> None:
        """Handles lines until the stream ends."""
        for line in stream:
            event = self._decode(line)
            if event is None:
                self.others.append(printable(line.decode(errors="replace")).rstrip())
                continue
            if event["event"] == "start":
                self._check(event)
                self.has_started = True
            elif event["event"] in ("error", "warning", "remark"):
                self.messages.append(Message._of(event))
            self._handle(event)

    @staticmethod
    def _decode(line: bytes) -> Event | None:
        try:
            event = json.loads(line)
        except ValueError:
            return None
        return event if isinstance(event, dict) and "event" in event else None

    def _check(self, start: Event) -> None:
        if start["version"] != _core.version():
            raise ToolError(
                f"'{self._tool}' is of version {start['version']}, the Python package of "
                f"{_core.version()}; install both of one version by {_REMEDY}"
            )

    def explain(self, status: int) -> str:
        """Returns why the tool failed; empty if it did not."""
        name = self._tool.name
        others = "\n".join(self.others[-50:])
        errors = [str(message) for message in self.messages if message.severity == "error"]
        if status == 0 and self.has_started:
            return ""
        if errors:
            return "\n".join(errors)
        if status < 0:
            end = signal.Signals(-status).name
            return f"{name} was ended by {end}" + (f":\n{others}" if others else "")
        if not self.has_started:
            return (
                f"'{self._tool}' does not answer as version {_core.version()} does; install "
                f"that by {_REMEDY}" + (f"; it said:\n{others}" if others else "")
            )
        return others or f"{name} has ended with status {status}"


def run_tool(
    name: str,
    arguments: Sequence[str],
    text: bytes | None = None,
    handle: Callable[[Event], None] = lambda event: None,
    watch: Callable[[subprocess.Popen[bytes]], contextlib.AbstractContextManager[Any]] = (
        contextlib.nullcontext
    ),
) -> ToolRun:
    """Runs a tool with `text` as its standard input and passes its events to `handle`. `watch` gets
    the process, and is entered while the process runs.

    Forwards Ctrl-C, upon which the tool ends in order. A second Ctrl-C kills the tool and raises
    KeyboardInterrupt. The tool ends with this process. Raises `ToolError` if the tool is missing
    or of another version.
    """
    tool = find_tool(name)
    command = [os.fspath(tool), *arguments, "--progress=json", f"--parent={os.getpid()}"]
    reader = _Reader(tool, handle)
    is_interrupted = False
    with tempfile.TemporaryFile() as source:
        source.write(text or b"")
        source.seek(0)
        # In a process group of its own: a terminal's Ctrl-C reaches it through this process only.
        try:
            process = subprocess.Popen(
                command,
                stdin=source,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        except OSError as error:
            raise ToolError(f"cannot start '{tool}': {error.strerror}") from error
    assert process.stderr is not None
    with process, watch(process):
        try:
            while True:
                try:
                    reader.read(process.stderr)
                    status = process.wait()
                    break
                except KeyboardInterrupt:
                    if is_interrupted:
                        raise
                    is_interrupted = True
                    process.send_signal(signal.SIGINT)
        except BaseException:
            process.kill()
            raise
    return ToolRun(status, is_interrupted, reader.messages, reader.explain(status))
