# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Child's side of `tonno.jax.isolation`: compiles programs and runs them.

Answers are plain values. Programs, arguments and outputs are in files in memory.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import pickle
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

# The parent's JAX may have reserved the device's memory already.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402

from tonno.jax import hangs  # noqa: E402
from tonno.jax.arguments import Given, Recipe, given_array, made_up_array  # noqa: E402
from tonno.jax.candidates import Candidate, brief, failed_status  # noqa: E402
from tonno.jax.decisions import ConfigTrial  # noqa: E402
from tonno.jax.draws import Draw  # noqa: E402
from tonno.jax.runs import Bench  # noqa: E402
from tonno.jax.verification import to_host  # noqa: E402

_SHORT_SECONDS = 1e-3
"""Programs that take less run once untimed before each timed run: just after the wait for a
request, a program of 7 us took 22."""

Request = Mapping[str, Any]
Reply = dict[str, Any]


def answers(arguments: int, program: int, outputs: int) -> Callable[[Request], Reply]:
    """Returns the function that answers the parent's requests; the descriptors are of the files.
    """
    served = _Served(arguments, program, outputs)
    requests: dict[str, Callable[[Request], Reply]] = {
        "open": served.open,
        "compile": served.compile,
        "wait": served.wait,
        "run": served.run,
        "outputs": served.write_outputs,
        "redraw": served.redraw,
        "use": served.use,
    }

    def answer(request: Request) -> Reply:
        try:
            return requests[request["do"]](request)
        except Exception as error:
            return {"status": failed_status(error), "reason": brief(error)}

    return answer


class _Served:
    """The programs and arguments of one sweep."""

    def __init__(self, arguments: int, program: int, outputs: int) -> None:
        self._arguments_file = arguments
        self._program_file = program
        self._outputs_file = outputs
        self._changed = threading.Condition()
        """Condition whose lock protects the following fields."""
        self._loaded: dict[int, Candidate] = {}
        self._seconds: dict[int, float] = {}
        """Seconds of each program's last run."""
        self._compiled: list[Reply] = []
        """Compilations not yet reported."""
        self._outputs: Any = None
        """Outputs of the last run."""

    def open(self, request: Request) -> Reply:
        opened = _read(self._arguments_file, request)
        for name, value in opened["settings"].items():
            if getattr(jax.config, name) != value:
                jax.config.update(name, value)
        platform, number = opened["device"]
        self._device = next(d for d in jax.local_devices(backend=platform) if d.id == number)
        with jax.default_device(self._device):
            leaves = [self._made(leaf) for leaf in opened["leaves"]]
        self._bench = Bench(self._device, (leaves, {}), _unwatched)
        return {"pid": os.getpid()}

    def _made(self, leaf: Any) -> Any:
        if not isinstance(leaf, (Recipe, Given)):
            return leaf  # a number that is passed unchanged
        place = self._device if leaf.is_committed else None
        if isinstance(leaf, Given):
            return given_array(leaf, place)
        return made_up_array(leaf.leaf, place, leaf.seed)

    def compile(self, request: Request) -> Reply:
        exported, donated = _read(self._program_file, request)
        arguments = request["number"], exported, donated
        threading.Thread(target=self._compile, args=arguments, daemon=True).start()
        return {}

    def _compile(self, number: int, exported: Any, donated: tuple[bool, ...]) -> None:
        begin = time.perf_counter()
        report: Reply = {"number": number, "begin": begin, "status": "", "reason": ""}
        compiled = None
        try:
            specs = [
                jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
                for aval in exported.in_avals
            ]
            taken = tuple(i for i, is_donated in enumerate(donated) if is_donated)
            with jax.default_device(self._device):
                compiled = jax.jit(exported.call, donate_argnums=taken).lower(*specs).compile()
        except Exception as error:
            report |= {"status": "compile_error", "reason": brief(error)}
        with self._changed:
            if compiled is not None:
                self._loaded[number] = Candidate(ConfigTrial({}), compiled, donated)
            self._compiled.append(report | {"end": time.perf_counter()})
            self._changed.notify_all()

    def wait(self, request: Request) -> Reply:
        """Reports the compilations that have ended; waits for one, up to a limit."""
        with self._changed:
            self._changed.wait_for(lambda: self._compiled, request["seconds"])
            compiled, self._compiled = self._compiled, []
        return {"compiled": compiled}

    def run(self, request: Request) -> Reply:
        for dropped in request["dropped"]:
            self._loaded.pop(dropped, None)
        self._outputs = None  # one run's outputs are in memory at a time
        number = request["number"]
        if self._seconds.get(number, math.inf) < _SHORT_SECONDS:
            self._bench.run(self._loaded[number])
        seconds, self._outputs = self._bench.run(self._loaded[number])
        self._seconds[number] = seconds
        return {"seconds": seconds}

    def write_outputs(self, _: Request) -> Reply:
        """Writes the outputs of the last run, one after the other."""
        arrays = to_host(self._outputs).arrays
        size = sum(array.nbytes for array in arrays)
        os.ftruncate(self._outputs_file, size)
        if size:
            with mmap.mmap(self._outputs_file, size) as memory:
                for array in arrays:
                    memory.write(array.tobytes())
        return {"bytes": size}

    def use(self, request: Request) -> Reply:
        draw = request["draw"]
        self._bench.use(Draw(*draw) if draw else None)
        return {}

    def redraw(self, _: Request) -> Reply:
        self._bench.redraw()
        return {}


def _read(file: int, request: Request) -> Any:
    with mmap.mmap(file, request["bytes"], prot=mmap.PROT_READ) as memory:
        return pickle.loads(memory)


@contextlib.contextmanager
def _unwatched(_: Candidate) -> Any:
    """Watches nothing during a first run; the parent watches it."""
    yield hangs.FirstRun(float("inf"))
