# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The worker's side of the protocol."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import cbor2

from tonno import _core
from tonno.errors import Error
from tonno.frames import BODY, read_frame, write_frame
from tonno.mlir.tools import find_tool
from tonno.worker.compilations import LIMIT_SECONDS, Compilations
from tonno.worker.kernels import Buffer, Compile, Kernel

PROTOCOL = 1
"""Version of the messages."""


def serve(compile: Compile, *, version: str) -> int:
    """Answers tonno-tune on standard input and output until it ends; returns the exit status.

        version: of the compiler, with all options and programs that affect its code. It is part
            of the keys of the cache, as is the file that defines `compile`

    Call it before the process has threads. Prints of `compile` go to standard error. Options that
    tonno-tune adds to the command are in sys.argv: leave them there. Raises TypeError or OSError if
    no file defines `compile`.
    """
    identity = f"{version}, {_hash_file(compile)}"
    folder = tempfile.mkdtemp(prefix="tonno-worker-")
    if sys.stdin.isatty():
        os.rmdir(folder)
        print(f"{sys.argv[0]}: not started by tonno-tune --worker-command", file=sys.stderr)
        return 2
    reader, writer = map(os.dup, _core.claim_channel(folder))
    with os.fdopen(reader, "rb") as requests, os.fdopen(writer, "wb") as answers:
        with _Worker(compile, version, identity, answers, folder) as worker:
            _avoid_timing_cores()
            for request in _read(requests):
                _write(answers, worker.reply(request))
    return 0


def _avoid_timing_cores() -> None:
    avoided = (word.partition("=")[2] for word in sys.argv if word.startswith("--avoid-core="))
    try:
        _core.avoid_timing_cores(list(map(int, avoided)))
    except Error as error:
        print(f"warning: {error}; compiling disturbs the times", file=sys.stderr)


def _read(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    while frame := read_frame(stream):
        yield cbor2.loads(frame[BODY:])


def _write(stream: IO[bytes], message: Mapping[str, Any]) -> None:
    write_frame(stream, cbor2.dumps(message))


def _refuse(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


class _Own:
    """A tonno-worker, which knows what no other compiler can: the kernel's signature, and the
    code that its results are verified against."""

    def __init__(self, show_life: Callable[[], None]) -> None:
        self._show_life = show_life
        passed = ("--avoid-core=", "--load-dialect-plugin=", "--load-pass-plugin=")
        options = [word for word in sys.argv[1:] if word.startswith(passed)]
        command = [str(find_tool("tonno-worker")), *options]
        plugins = [word for word in options if word.startswith("--load-")]
        self.strip = [str(find_tool("tonno-opt")), "-", "--tonno-strip", *plugins]
        """Command that makes text of a module."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        greeted = self.ask({"hello": {"protocol": PROTOCOL}})
        if greeted.get("hello", {}).get("protocol") != PROTOCOL:
            raise RuntimeError(f"'{command[0]}' is of another version: {greeted}")

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer; passes signs of life on. Raises RuntimeError if there is none."""
        assert self._process.stdin is not None and self._process.stdout is not None
        _write(self._process.stdin, request)
        for answer in _read(self._process.stdout):
            if "alive" not in answer:
                return answer
            self._show_life()
        raise RuntimeError("the tonno-worker ended")

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


class _Worker:
    """Answers requests."""

    def __init__(
        self, compile: Compile, version: str, identity: str, answers: IO[bytes], folder: str
    ) -> None:
        self._version = version
        self._identity = identity
        self._answers = answers
        self._limit = LIMIT_SECONDS
        self._description: dict[str, Any] = {}
        self._kernel: Kernel | None = None
        self._own = _Own(self._show_life)
        self._compilations = Compilations(compile, folder, self._show_life)

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._own.stop()

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if "hello" in request:
            return {"hello": {"protocol": PROTOCOL}}
        if "compile" in request:
            if self._kernel is None:
                return _refuse("no kernel was opened")
            values = request["compile"]
            return {"compiled": self._compile(self._kernel, values), "values": values}
        return self._open(request) if "open" in request else self._own.ask(request)

    def _open(self, request: Mapping[str, Any]) -> dict[str, Any]:
        session = request["open"]
        if session["target"] != "host":
            return _refuse("the worker compiles for the host alone; leave out '--target'")
        answer = self._own.ask(request)
        if "opened" not in answer:
            return answer
        found = answer["opened"]
        if any(each.get("strides") or each.get("sizes") for each in found["signature"]):
            return _refuse("the worker takes buffers without strides and of static sizes alone")
        stripped = subprocess.run(self._own.strip, input=session["module"], capture_output=True)
        if stripped.returncode != 0:
            return _refuse(f"tonno-opt: {stripped.stderr.decode(errors='replace').strip()}")
        self._limit = session.get("compile_seconds") or LIMIT_SECONDS
        names = [field.name for field in dataclasses.fields(Buffer)]
        buffers = [
            Buffer(**{name: each[name] for name in names} | {"shape": tuple(each["shape"])})
            for each in found["signature"]
        ]
        self._kernel = Kernel(
            session["kernel"],
            session["module"],
            found["chip"],
            found["features"],
            tuple(buffers),
            stripped.stdout.decode(),
        )
        self._description = found
        found["fingerprint"] += f", {self._identity}"
        found["versions"] = f"{self._version}, {found['versions']}"
        return answer

    def _show_life(self) -> None:
        _write(self._answers, {"alive": True})

    def _compile(self, kernel: Kernel, values: Mapping[str, Any]) -> dict[str, Any]:
        begin = time.monotonic()
        answer = self._compilations.run(kernel, values, self._limit)
        answer["seconds"] = time.monotonic() - begin
        if answer["status"] == "ok":
            answer["artifact"] = self._make_artifact(kernel.name, answer.pop("binary"))
        return answer

    def _make_artifact(self, symbol: str, binary: bytes) -> dict[str, Any]:
        buffers = self._description["signature"]
        launch = {"symbol": symbol, "buffers": list(range(len(buffers)))}
        return {
            "target": "host",
            "triple": self._description["triple"],
            "chip": self._description["chip"],
            "binary": binary,
            "plan": {"buffers": buffers, "launches": [launch]},
            "usage": {"code_bytes": len(binary)},
        }


def _hash_file(compile: Compile) -> str:
    """Returns a hash of the file that defines a function."""
    while isinstance(compile, functools.partial):
        compile = compile.func
    source = pathlib.Path(inspect.getfile(compile))
    return hashlib.sha256(source.read_bytes()).hexdigest()[:16]
