# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations in processes of their own: a crash or a hang costs one candidate."""

from __future__ import annotations

import contextlib
import os
import pathlib
import resource
import selectors
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import cbor2

from tonno.frontends import CandidateFailed
from tonno.processes import adopt_orphans, end_children, kill_tree, list_children
from tonno.processes import limit as limit_process
from tonno.worker.kernels import Compile, Kernel

LIMIT_SECONDS = 60.0
"""Limit of a compilation, if none is stated."""
_LENGTH = struct.Struct("<Q")
_ALIVE_SECONDS = 1.0
_MOST_BYTES = 16 << 30
"""Address space of a compilation, and of each program that it starts."""
_MOST_FILE_BYTES = 1 << 30
"""Size of each file that a compilation writes, and of what it prints."""
_MOST_FORWARDED = 1 << 16
"""Bytes of what a compilation prints that are shown."""
_STATUSES = ("compile_error", "compile_crash", "compile_timeout", "out_of_memory", "unlaunchable")
"""Statuses that a compilation may have; others end the worker."""

Answer = dict[str, Any]
"""`status`, `message`, and if it is `ok`, the `binary`."""


class Compilations:
    """Compiles one configuration after the other.

        folder: in which each compilation has a folder of its own
        show_life: called once a second meanwhile
    """

    def __init__(self, compile: Compile, folder: str, show_life: Callable[[], None]) -> None:
        self._compile = compile
        self._folder = folder
        self._show_life = show_life
        self._others = set(list_children(os.getpid()))
        # Programs of a compilation come to this process when the compilation ends.
        adopt_orphans()

    def run(self, kernel: Kernel, values: Mapping[str, Any], limit: float) -> Answer:
        """Compiles within `limit` seconds."""
        with tempfile.TemporaryDirectory(
            dir=self._folder, ignore_cleanup_errors=True
        ) as folder:
            return self._ask_child(kernel, values, folder, limit)

    def _ask_child(
        self, kernel: Kernel, values: Mapping[str, Any], folder: str, limit: float
    ) -> Answer:
        reader, writer = os.pipe()
        sys.stdout.flush()
        messages = pathlib.Path(folder).with_suffix(".messages")
        child = os.fork()
        if child == 0:
            os.close(reader)
            _run_child(self._compile, kernel, values, folder, writer, messages)
        os.close(writer)
        with os.fdopen(reader, "rb", 0) as pipe:
            answer, is_late = self._wait(pipe, child, time.monotonic() + limit)
        kill_tree(child)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        end_children(self._others)
        _forward(messages)
        if answer is not None:
            return answer
        if is_late:
            text = f"compiling took over {limit:.3g} s; increase '--compile-seconds'"
            return {"status": "compile_timeout", "message": text}
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        text = f"the compiler's process ended with {how}; its messages are above"
        return {"status": "compile_crash", "message": text}

    def _wait(
        self, pipe: Any, child: int, deadline: float
    ) -> tuple[Answer | None, bool]:
        """Returns a child's answer, None without one, and whether the time ran out. Shows life
        meanwhile."""
        found = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if not selector.select(min(left, _ALIVE_SECONDS)):
                    self._show_life()
                    # Others may hold the pipe of a child that has ended.
                    if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                        return None, False
                    continue
                part = pipe.read(1 << 20)
                if not part:
                    return None, False
                found += part
                length = len(found) - _LENGTH.size
                if length >= 0 and length >= _LENGTH.unpack_from(found)[0]:
                    return cbor2.loads(found[_LENGTH.size :]), False
        return None, True


def _run_child(
    compile: Compile,
    kernel: Kernel,
    values: Mapping[str, Any],
    folder: str,
    writer: int,
    messages: pathlib.Path,
) -> None:
    """Compiles, writes what came of it, and waits to be killed. Does not return."""
    process = os.getpid()
    try:
        with messages.open("wb", buffering=0) as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        limit_process(resource.RLIMIT_FSIZE, _MOST_FILE_BYTES)
        limit_process(resource.RLIMIT_AS, _MOST_BYTES)
        os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        body = cbor2.dumps(_compile(compile, kernel, values))
        if os.getpid() != process:
            os._exit(0)  # a copy that `compile` has forked, and that returned, too
        sys.stdout.flush()
        with os.fdopen(writer, "wb", closefd=False) as pipe:
            pipe.write(_LENGTH.pack(len(body)) + body)
        signal.pause()
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def _forward(messages: pathlib.Path) -> None:
    """Prints the last of what a compilation has printed to stderr, and deletes it."""
    with contextlib.suppress(FileNotFoundError):  # the child ended before
        with messages.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _MOST_FORWARDED))
            text = file.read().decode(errors="replace")
        messages.unlink()
        if size > _MOST_FORWARDED:
            text = f"[{size - _MOST_FORWARDED} bytes were left out]\n{text}"
        sys.stderr.write(text)
        sys.stderr.flush()


def _compile(compile: Compile, kernel: Kernel, values: Mapping[str, Any]) -> Answer:
    def fail(status: str, message: object) -> Answer:
        text = str(message).encode(errors="backslashreplace").decode()
        return {"status": status, "message": text}

    try:
        made = compile(kernel, dict(values))
        binary = made if isinstance(made, bytes) else pathlib.Path(made).read_bytes()
        return {"status": "ok", "message": "", "binary": binary}
    except CandidateFailed as failed:
        if failed.status not in _STATUSES:
            return fail("compile_error", f"{failed.status}: {failed.message}")
        return fail(failed.status, failed.message)
    except MemoryError:
        return fail("out_of_memory", "compiling took all the memory that it may have")
    except BaseException as error:
        traceback.print_exc()
        return fail("compile_error", f"{type(error).__name__}: {error}")
