# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connects tonno-tune's relays with processes on the nodes of a cluster."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any

import ray

from tonno.distributed import relay
from tonno.frames import read_frame, split_frame
from tonno.distributed.places import CONTROL, MESSAGE, MOST_INLINE, describe_failure
from tonno.errors import Error

_MOST_STORED = 64
"""Binaries that are kept in the object store, those used last."""

_START_SECONDS = 10.0
"""Time limit of a process's start, and of the end of the one before."""

_LONGEST_COMMAND = 1 << 16
"""Bytes of the arguments of a relay."""

LOSS_SECONDS = 30.0
"""Time in which Ray notices that a node is lost."""

_LOOK_SECONDS = 0.25
"""Time after which a place is asked again."""

_LONGEST_FOLDER = 80
"""Bytes of the path of a folder in which a socket can be: its own path has 108 at most."""

_LOST = -signal.SIGHUP
"""End of a relay whose process is lost with its node: not the candidate's fault."""


class Refused(Exception):
    """A relay has no place."""


@dataclasses.dataclass(eq=False)
class Slot:
    """A place that is taken by one relay at a time."""

    actor: Any
    """Handle of the `Place`."""
    tool: str
    """The tool that runs there."""
    node: str
    """Id of the node."""
    device: str = ""
    """Its device; empty for a place to compile."""
    is_named: bool = False
    """The node names the device, which Ray may hide."""
    is_doubtful: bool = False
    """The connection was lost, perhaps with the node."""
    is_lost: bool = False
    cpus: int = 0
    """CPUs that its device takes."""


def is_reachable(slot: Slot) -> bool:
    """Returns whether a place still runs, once that is known."""
    end = time.monotonic() + LOSS_SECONDS
    while True:
        about = slot.actor.about.options(concurrency_group=CONTROL).remote(())
        try:
            ray.get(about, timeout=max(0.0, end - time.monotonic()))
            return True
        except ray.exceptions.ActorUnavailableError:
            time.sleep(_LOOK_SECONDS)
        except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
            return False


class Store:
    """Binaries in the object store, which sends each to a node once."""

    def __init__(self) -> None:
        self._kept: collections.OrderedDict[bytes, Any] = collections.OrderedDict()
        self._lock = threading.Lock()

    def put(self, data: bytes) -> Any:
        """Returns a reference. Raises Ray's errors if there is no room, even on disk."""
        key = hashlib.sha256(data).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        reference = ray.put(data)
        with self._lock:
            self._kept[key] = reference
            while len(self._kept) > _MOST_STORED:
                self._kept.popitem(last=False)
        return reference


class Exchange:
    """Serves relays at a socket of the file system until it is closed.

    `take(key)` returns the slot for a relay, or raises `Refused`; `release(slot, problem, is_lost)`
    gets it back, with what went wrong, or an empty text; `report(slot, text)` gets what a tool says.
    All are called by several threads.
    """

    def __init__(
        self,
        take: Callable[[str], Slot],
        release: Callable[[Slot, str, bool], None],
        report: Callable[[Slot, str], None],
    ) -> None:
        self._take = take
        self._release = release
        self._report = report
        self._store = Store()
        folder = tempfile.gettempdir()
        if len(os.fsencode(folder)) > _LONGEST_FOLDER:
            folder = "/tmp"
        self._folder = tempfile.TemporaryDirectory(prefix="tonno-", dir=folder)
        self._address = os.path.join(self._folder.name, "driver")
        os.mkdir(os.path.join(self._folder.name, "relays"))
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(self._address)
        self._server.listen(256)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._server.close()
        self._folder.cleanup()

    def command(self, key: str, name: str) -> str:
        """Returns the command of a relay, a file of this name."""
        file = pathlib.Path(self._folder.name, "relays", name)
        words = [sys.executable, "-I", "-S", relay.__file__, self._address, key]
        file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        file.chmod(0o700)
        return shlex.quote(os.fspath(file))

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            message, descriptors, _, _ = socket.recv_fds(connection, _LONGEST_COMMAND, 2)
            if not message:
                return
            key, arguments = json.loads(message)
            requests = open(descriptors[0], "rb")
            with open(descriptors[1], "wb", buffering=0) as answers:
                status = self._connect(key, arguments, requests, answers)
                with contextlib.suppress(OSError):  # the relay has ended
                    connection.sendall(relay.STATUS.pack(status))
                _shut_down(answers)

    def _connect(
        self, key: str, arguments: list[str], requests: IO[bytes], answers: IO[bytes]
    ) -> int:
        """Runs a process in a place until it ends; returns its exit status."""
        try:
            slot = self._take(key)
        except Refused:
            requests.close()
            return _LOST
        status, problem, is_lost = _LOST, "", False
        sender: threading.Thread | None = None
        failures: list[str] = []
        try:
            if slot.is_doubtful and not is_reachable(slot):
                raise ray.exceptions.RayActorError
            slot.is_doubtful = False
            words = [f"--device={slot.device}" if _is_device(word) else word for word in arguments]
            start = slot.actor.start.options(concurrency_group=CONTROL)
            started = start.remote(slot.tool, words, slot.is_named)
            run = ray.get(started, timeout=_START_SECONDS)
            sender = threading.Thread(
                target=self._send_requests,
                args=(slot.actor, run, requests, failures.append),
                daemon=True,
            )
            sender.start()
            status, lines = _pass_answers(slot.actor, run, answers)
            for line in lines:
                self._report(slot, line)
        except ray.exceptions.ActorUnavailableError:
            slot.is_doubtful = True
            problem = "the connection to it was lost"
        except ray.exceptions.GetTimeoutError:
            problem = f"{slot.tool} has not started in {_START_SECONDS:.0f} s"
        except ray.exceptions.RayActorError:
            problem, is_lost = "the process of the device or worker has ended", True
        except ray.exceptions.RayError as error:
            problem = describe_failure(error)
        finally:
            if sender is None:
                requests.close()
            self._release(slot, problem or "".join(failures), is_lost)
        return _LOST if failures else status

    def _send_requests(
        self, actor: Any, run: int, requests: IO[bytes], fail: Callable[[str], None]
    ) -> None:
        """Passes requests on until there are no more; `fail` gets why one could not be."""
        sequence = 0
        try:
            with requests, contextlib.suppress(OSError, Error):
                while frame := read_frame(requests):
                    for part in split_frame(frame, least=MOST_INLINE):
                        self._send(actor, run, sequence, part)
                        sequence += 1
        except ray.exceptions.RayError as error:
            fail(describe_failure(error))
        with contextlib.suppress(ray.exceptions.RayError):
            actor.write.remote(MESSAGE.pack(run, sequence))

    def _send(self, actor: Any, run: int, sequence: int, data: bytes) -> None:
        head = MESSAGE.pack(run, sequence)
        if len(data) < MOST_INLINE:
            actor.write.remote(head + data)
        else:
            actor.write.remote(head, self._store.put(data))


def _shut_down(channel: IO[bytes]) -> None:
    """Ends what both directions of a socket have; a pipe ends as it is closed."""
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(channel.fileno())) as ended:
        ended.shutdown(socket.SHUT_RDWR)


def _is_device(word: str) -> bool:
    """Returns whether the argument names the device, which differs from node to node."""
    return word.startswith("--device=")


def _pass_answers(actor: Any, run: int, answers: IO[bytes]) -> tuple[int, list[str]]:
    """Passes the output on until it ends; returns the exit status, and lines of standard error."""
    # Reads on after the relay has ended, so that the process can end.
    end: tuple[int, list[str]] = _LOST, []
    for reference in actor.output.options(num_returns="streaming").remote(run):
        item = ray.get(reference)
        if isinstance(item, tuple):
            end = item
            continue
        with contextlib.suppress(OSError):  # the relay has ended
            view = memoryview(item)
            while view:
                view = view[answers.write(view) :]
    return end
