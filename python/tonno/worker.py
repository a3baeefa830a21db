# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Any compiler as a worker of tonno-tune, for kernels that run on the host.

    from tonno.worker import Kernel, serve

    def compile(kernel: Kernel, values):
        return a_shared_object(kernel.text, values)  # its bytes, or its path

    raise SystemExit(serve(compile, version="mycc 1.2"))

`tonno-tune kernel.mlir --worker-command='python worker.py'` then compiles each configuration by
this function, and does all else itself: search, verification against the kernel's IR, timing,
records. docs/reference/protocol.md describes the messages.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import hashlib
import inspect
import os
import pathlib
import resource
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

try:
    import cbor2
except ImportError as error:
    raise ImportError("tonno.worker needs cbor2: pip install 'tonno-mlir[worker]'") from error

from tonno import _core
from tonno.frontends import CandidateFailed
from tonno.mlir.tools import find_tool

__all__ = ["Buffer", "Compile", "Kernel", "serve"]

PROTOCOL = 1
"""Version of the messages."""
_HEADER = struct.Struct("<4sI")
_LENGTH = struct.Struct("<Q")
_MAGIC = b"TNO1"
_ALIVE_SECONDS = 1.0
_LIMIT_SECONDS = 60.0
_MOST_BYTES = 16 << 30
"""Address space of a compilation, and of each program that it starts."""
_PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A buffer of a kernel, dense and in row-major order: an argument, or a result."""

    name: str
    """`arg0`, `result0`."""
    element_type: str
    """MLIR's name, such as `f32`."""
    shape: tuple[int, ...]
    access: str
    """`read`, `write` or `read_write`."""
    alignment: int
    """Alignment in bytes that the code may rely on; `tonno.alignment` in the IR states another."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel to compile."""

    name: str
    """The function's symbol, and that of the entry: `void name(void **buffers)`."""
    module: bytes
    """The function and what it calls, as MLIR bytecode of this tonno's version, with its knobs."""
    chip: str
    """CPU to compile for, as LLVM calls it."""
    features: str
    """Its features, as LLVM writes them: `+avx2,+fma`."""
    buffers: tuple[Buffer, ...]
    """What the entry is called with, in this order."""

    @functools.cached_property
    def text(self) -> str:
        """The module as text that needs no dialect of tonno, with the knobs' defaults in it.
        Raises `CandidateFailed` if tonno-opt fails."""
        ran = subprocess.run(
            [find_tool("tonno-opt"), "-", "--tonno-strip"], input=self.module, capture_output=True
        )
        if ran.returncode != 0:
            text = ran.stderr.decode(errors="replace").strip()
            raise CandidateFailed("compile_error", f"tonno-opt: {text}")
        return ran.stdout.decode()


Compile = Callable[[Kernel, Mapping[str, Any]], bytes | str | os.PathLike[str]]
"""Compiles a kernel with an option for each knob, by name. Returns a shared object, or its path.
It runs in a process of its own for each configuration, in an empty folder, which is removed, and
ends with all that it has started. What it raises fails the configuration; a
`tonno.frontends.CandidateFailed` states the status."""


def serve(compile: Compile, *, version: str) -> int:
    """Answers tonno-tune on standard input and output until it ends; returns the exit status.

        version: of the compiler, with all options and programs that affect its code. It is part
            of the keys of the cache, as is the file that defines `compile`

    Call it before the process has threads. Prints of `compile` go to standard error. Options that
    tonno-tune adds to the command are in sys.argv: leave them there. Raises TypeError if no file
    defines `compile`.
    """
    identity = f"{version}, {_hash_file(compile)}"
    if sys.stdin.isatty():
        print(f"{sys.argv[0]}: not started by tonno-tune --worker-command", file=sys.stderr)
        return 2
    reader, writer = map(os.dup, _core.claim_channel())
    # Compilations would disturb the times.
    avoided = (arg.partition("=")[2] for arg in sys.argv if arg.startswith("--avoid-core="))
    _core.avoid_timing_cores(list(map(int, avoided)))
    with os.fdopen(reader, "rb") as requests, os.fdopen(writer, "wb") as answers:
        with _Worker(compile, version, identity, answers) as worker:
            for request in _read_frames(requests):
                _write_frame(answers, worker.reply(request))
    return 0


def _read_frames(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    while header := stream.read(_HEADER.size):
        magic, length = _HEADER.unpack(header)
        if magic != _MAGIC:
            raise ValueError("a message is not one of tonno's frames")
        yield cbor2.loads(stream.read(length))


def _write_frame(stream: IO[bytes], message: Mapping[str, Any]) -> None:
    body = cbor2.dumps(message)
    stream.write(_HEADER.pack(_MAGIC, len(body)) + body)
    stream.flush()


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
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        greeted = self.ask({"hello": {"protocol": PROTOCOL}})
        if greeted.get("hello", {}).get("protocol") != PROTOCOL:
            raise RuntimeError(f"'{command[0]}' is of another version: {greeted}")

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer; passes signs of life on. Raises RuntimeError if there is none."""
        assert self._process.stdin is not None and self._process.stdout is not None
        _write_frame(self._process.stdin, request)
        for answer in _read_frames(self._process.stdout):
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
        self, compile: Compile, version: str, identity: str, answers: IO[bytes]
    ) -> None:
        self._compile = compile
        self._version = version
        self._identity = identity
        self._answers = answers
        self._limit = _LIMIT_SECONDS
        self._description: dict[str, Any] = {}
        self._kernel: Kernel | None = None
        self._own: _Own | None = None

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.stop()

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if "hello" in request:
            return {"hello": {"protocol": PROTOCOL}}
        if "compile" in request:
            if self._kernel is None:
                return _refuse("no kernel was opened")
            values = request["compile"]
            return {"compiled": self._compile_apart(self._kernel, values), "values": values}
        if self._own is None:
            self._own = _Own(self._show_life)
        return self._open(request) if "open" in request else self._own.ask(request)

    def _open(self, request: Mapping[str, Any]) -> dict[str, Any]:
        session = request["open"]
        assert self._own is not None
        if session["target"] != "host":
            return _refuse("the worker compiles for the host alone; leave out '--target'")
        answer = self._own.ask(request)
        if "opened" not in answer:
            return answer
        found = answer["opened"]
        if any(each.get("strides") or each.get("sizes") for each in found["signature"]):
            return _refuse("the worker takes buffers without strides and of static sizes alone")
        self._limit = session.get("compile_seconds") or _LIMIT_SECONDS
        names = [field.name for field in dataclasses.fields(Buffer)]
        buffers = [
            Buffer(**{name: each[name] for name in names} | {"shape": tuple(each["shape"])})
            for each in found["signature"]
        ]
        self._kernel = Kernel(
            session["kernel"], session["module"], found["chip"], found["features"], tuple(buffers)
        )
        self._description = found
        found["fingerprint"] += f", {self._identity}"
        found["versions"] = f"{self._version}, {found['versions']}"
        return answer

    def _show_life(self) -> None:
        _write_frame(self._answers, {"alive": True})

    def _compile_apart(self, kernel: Kernel, values: Mapping[str, Any]) -> dict[str, Any]:
        """Compiles in a process of its own, so that a crash or a hang costs one candidate."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(
            prefix="tonno-worker-", ignore_cleanup_errors=True
        ) as folder:
            answer = self._ask_child(kernel, values, folder)
        answer["seconds"] = time.monotonic() - begin
        if answer["status"] == "ok":
            answer["artifact"] = self._make_artifact(kernel.name, answer.pop("binary"))
        return answer

    def _ask_child(
        self, kernel: Kernel, values: Mapping[str, Any], folder: str
    ) -> dict[str, Any]:
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _run_child(self._compile, kernel, values, folder, writer)
        os.close(writer)
        with os.fdopen(reader, "rb", 0) as pipe:
            answer, is_late = self._wait(pipe, time.monotonic() + self._limit)
        _kill(child)  # with all that it has started
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if answer is not None:
            return answer
        if is_late:
            return {
                "status": "compile_timeout",
                "message": f"compiling took over {self._limit:.3g} s; increase '--compile-seconds'",
            }
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return {
            "status": "compile_crash",
            "message": f"the compiler's process ended with {how}; its messages are above",
        }

    def _wait(self, pipe: Any, deadline: float) -> tuple[dict[str, Any] | None, bool]:
        """Returns a child's answer, None without one, and whether the time ran out. Shows life
        meanwhile."""
        found = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if not selector.select(min(left, _ALIVE_SECONDS)):
                    self._show_life()
                    continue
                part = pipe.read(1 << 20)
                if not part:
                    return None, False
                found += part
                body = found[_LENGTH.size :]
                if len(found) >= _LENGTH.size and len(body) == _LENGTH.unpack_from(found)[0]:
                    return cbor2.loads(body), False
        return None, True

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


def _run_child(
    compile: Compile, kernel: Kernel, values: Mapping[str, Any], folder: str, writer: int
) -> None:
    """Compiles, writes what came of it, and waits to be killed. Does not return."""
    with contextlib.suppress(BaseException):
        # What it starts stays among its children, where `_kill` finds it.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
        os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        body = cbor2.dumps(_compile(compile, kernel, values))
        sys.stdout.flush()
        with os.fdopen(writer, "wb", closefd=False) as pipe:
            pipe.write(_LENGTH.pack(len(body)) + body)
        signal.pause()
    os._exit(1)


def _compile(compile: Compile, kernel: Kernel, values: Mapping[str, Any]) -> dict[str, Any]:
    def fail(status: str, message: str) -> dict[str, Any]:
        text = message.encode(errors="backslashreplace").decode()
        return {"status": status, "message": text}

    try:
        made = compile(kernel, dict(values))
        binary = made if isinstance(made, bytes) else pathlib.Path(made).read_bytes()
        return {"status": "ok", "message": "", "binary": binary}
    except CandidateFailed as failed:
        return fail(failed.status, failed.message)
    except MemoryError:
        return fail("out_of_memory", "compiling took all the memory that it may have")
    except BaseException as error:
        traceback.print_exc()
        return fail("compile_error", f"{type(error).__name__}: {error}")


def _kill(process: int) -> None:
    """Kills a process and all that it has started."""
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGSTOP)  # starts no more
        for child in _list_children(process):
            _kill(child)
        os.kill(process, signal.SIGKILL)


def _list_children(process: int) -> Iterator[int]:
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = stat.read_text().rpartition(")")[2].split()[1]
            if int(parent) == process:
                yield int(stat.parent.name)


def _hash_file(compile: Compile) -> str:
    """Returns a hash of the file that defines a function."""
    while isinstance(compile, functools.partial):
        compile = compile.func
    source = pathlib.Path(inspect.getfile(compile))
    return hashlib.sha256(source.read_bytes()).hexdigest()[:16]
