# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A place on a node of a cluster, where one process after another runs."""

from __future__ import annotations

import collections
import contextlib
import fcntl
import os
import pathlib
import queue
import signal
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import IO, Any

import ray

from tonno.mlir.tools import find_tool

MOST_INLINE = 64 << 10
"""The most bytes of output in one message: more would pass through the object store."""

_CLOSING_SECONDS = 2.0
"""Time that a process has to end after its input has."""

_MOST_LINES = 10
"""Lines of standard error that are passed on: the last ones."""

MESSAGE = struct.Struct("<QQ")
"""Head of a message to a process: numbers of the run, and of the message in it."""

DEVICES = "TONNO_DEVICES"
"""Environment variable of a node: its devices, such as `cuda:0,cuda:2`."""

CONTROL = "control"
"""Concurrency group of `start`, which others must not hold up."""

_SECRETS = ("TONNO_STORE_TOKEN",)
"""Environment variables that no candidate may read."""

_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
"""Environment variables by which Ray shows a place the GPU that it has reserved."""


def read_versions(tools: Sequence[str]) -> dict[str, str]:
    """Returns what the tools of this machine say by `--version`."""
    found = {}
    for tool in tools:
        asked = subprocess.run([find_tool(tool), "--version"], capture_output=True, check=True)
        found[tool] = asked.stdout.decode(errors="replace").strip()
    return found


def describe_failure(error: Exception) -> str:
    """Returns the last line of what a place has raised, without Ray's traceback."""
    lines = str(getattr(error, "cause", None) or error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


class _Run:
    """A process with its input and output."""

    def __init__(self, number: int, command: Sequence[str], shows_all: bool) -> None:
        self.number = number
        self._command = list(command)
        hidden = _SECRETS + (_VISIBLE if shows_all else ())
        self._environment = {
            name: value for name, value in os.environ.items() if name not in hidden
        }
        self._started: queue.Queue[OSError | None] = queue.Queue()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._next = 0
        self._early: dict[int, bytes] = {}
        self._said: collections.deque[str] = collections.deque(maxlen=_MOST_LINES)
        # A tool ends with the thread that has started it.
        threading.Thread(target=self._attend, daemon=True).start()
        error = self._started.get()
        if error is not None:
            raise error

    def _attend(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,
                env=self._environment,
            )
        except OSError as error:
            self._started.put(error)
            return
        self._started.put(None)
        reader = threading.Thread(target=self._listen, daemon=True)
        reader.start()
        self._process.wait()
        reader.join(_CLOSING_SECONDS)  # what the process has started may hold it open
        self._ended.set()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with open(self._process.stderr.fileno(), "rb", closefd=False) as lines:
            for line in lines:
                self._said.append(line.decode(errors="replace").rstrip())

    def write(self, sequence: int, data: bytes) -> None:
        """Writes messages in their order, whatever the order of calls; empty ends the input."""
        assert self._process.stdin is not None
        with self._lock, contextlib.suppress(BrokenPipeError):
            self._early[sequence] = data
            while (following := self._early.pop(self._next, None)) is not None:
                self._next += 1
                if not following:
                    self._process.stdin.close()
                    threading.Thread(target=self._end_soon, daemon=True).start()
                    return
                view = memoryview(following)
                while view:
                    view = view[self._process.stdin.write(view) :]

    def output(self) -> Iterator[bytes]:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while data := os.read(descriptor, MOST_INLINE):
            yield data

    def await_end(self) -> tuple[int, list[str]]:
        """Waits for the end. Returns the exit status, or the negative number of a signal that has
        ended the process, and the last lines of its standard error."""
        self._ended.wait()
        return self._process.wait(), list(self._said)

    def _end_soon(self) -> None:
        if not self._ended.wait(_CLOSING_SECONDS):
            self.end()

    def end(self) -> None:
        """Ends the process and what it has started."""
        for number in (signal.SIGTERM, signal.SIGCONT):
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
        self._ended.wait(_CLOSING_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._ended.wait()


class Place:
    """Runs a tool at a time, and passes on its input and output. An actor of several threads."""

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._number = 0
        self._lock = threading.Lock()
        self._claimed: IO[str] | None = None

    def about(self, tools: Sequence[str]) -> dict[str, Any]:
        """Describes the node: its id, devices, and what its tools say by `--version`."""
        devices = os.environ.get(DEVICES, "")
        return {
            "node": ray.get_runtime_context().get_node_id(),
            "devices": [name for name in devices.split(",") if name],
            "versions": read_versions(tools),
        }

    def claim(self, devices: Sequence[str]) -> str:
        """Returns the first of these devices that no other place of the node has, and keeps it; the
        first of all if others have all."""
        folder = pathlib.Path(tempfile.gettempdir(), f"tonno-devices-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        for device in devices:
            file = open(folder / device.replace("/", "_"), "w")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                continue
            self._claimed = file  # until this process ends
            return device
        return devices[0]

    def start(self, tool: str, arguments: Sequence[str], shows_all: bool) -> int:
        """Starts a tool, after the one before was ended; returns the run's number."""
        with self._lock:
            before, self._run = self._run, None
            if before is not None:
                before.end()
            self._number += 1
            command = [os.fspath(find_tool(tool)), *arguments]
            self._run = _Run(self._number, command, shows_all)
            return self._number

    def write(self, message: bytes, stored: bytes = b"") -> None:
        """Writes a part of the input; one without content ends it.

        message: `MESSAGE`, and the content unless that is stored. Ray serializes one argument of
            bytes fast, and each other one takes as long as the call
        """
        run, sequence = MESSAGE.unpack_from(message)
        current = self._run
        if current is not None and run == current.number:
            current.write(sequence, stored or message[MESSAGE.size :])

    def output(self, run: int) -> Iterator[bytes | tuple[int, list[str]]]:
        """Yields the output as it comes, and the exit status last, with lines of standard error."""
        current = self._run
        if current is None or run != current.number:
            return
        yield from current.output()
        yield current.await_end()
