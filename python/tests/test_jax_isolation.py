# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations run in a child process, and only they fail with it."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_processes import run, trying

from tonno import AllFailed, autotune
from tonno.children import Child
from tonno.frontends import CandidateFailed
from tonno.jax import NotTunable
from tonno.jax.arguments import get_timed_arguments
from tonno.jax.candidates import Candidate
from tonno.jax.decisions import ConfigTrial
from tonno.jax.exports import export
from tonno.jax.isolation import IsolatedBench
from tonno.jax.problems import make_problem
from tonno.jax.programs import Programs
from tonno.jax.verification import to_host
from tonno.progress import Progress

X = jnp.linspace(0.5, 1, 64)
Before = Callable[[dict[str, Any], int], None]


def isolated(function: Any, count: int = 3, **options: Any) -> Any:
    """A function of an array that is tuned in a child over N, from 1 to a count."""
    options.setdefault("num_timing", 1)
    configs = [{"N": n} for n in range(1, 1 + count)]
    tuned: Any = autotune(configs=configs, isolate=True, **options)(
        jax.jit(function, static_argnames=["N"])
    )
    return tuned


def statuses(tuned: Any) -> list[str]:
    return [trial.status for trial in tuned.decisions[-1].trials]


def double(x: Any, N: int = 1) -> Any:
    return x * N * (2 / N)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Children:
    return Children(monkeypatch)


class Children:
    """The child processes of a test, which signals end at some requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pids: list[int] = []
        self.requests: list[dict[str, Any]] = []
        self._faults: list[tuple[Callable[[dict[str, Any]], bool], int, bool]] = []
        ask = Child.ask

        def watched(child: Child, request: Any, seconds: float) -> Any:
            for fault in list(self._faults):
                is_due, number, is_once = fault
                if self.pids and is_due(request):
                    if is_once:
                        self._faults.remove(fault)
                    os.kill(self.pids[-1], number)
            self.requests.append(dict(request))
            answer = ask(child, request, seconds)
            if "pid" in answer:
                self.pids.append(answer["pid"])
            return answer

        monkeypatch.setattr(Child, "ask", watched)

    def end(
        self, is_due: Callable[[dict[str, Any]], bool], number: int, is_once: bool = False
    ) -> None:
        """Ends the child by a signal, at requests that are due."""
        self._faults.append((is_due, number, is_once))

    def done(self, kind: str) -> int:
        return sum(request["do"] == kind for request in self.requests)

    def are_gone(self) -> bool:
        return not any(map(is_alive, self.pids))


def is_alive(pid: int) -> bool:
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"  # Which its reaper has yet to see.


def is_gone_soon(pid: int) -> bool:
    end = time.monotonic() + 60
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_alive(pid)


def runs_program(number: int) -> Callable[[dict[str, Any]], bool]:
    return lambda request: request["do"] == "run" and request["number"] == number


def test_hang_costs_one_configuration(cache: pathlib.Path, children: Children) -> None:
    def varying(x: Any, N: int = 1) -> Any:
        if N == 2:
            return jax.lax.while_loop(lambda v: (v != 7).any(), lambda v: jnp.cos(v), x)
        if N == 3:  # More than there is memory for.
            return jnp.broadcast_to(x, (1 << 30, 1 << 20, 64)).cumsum(0)[-1, -1]
        return x * 2

    tuned = isolated(varying, 4, limit_seconds=1)
    with pytest.warns(UserWarning, match=r"N=2: hang: ran for over 1 s \(limit_seconds=\), and"):
        tuned(X)
    third = tuned.decisions[0].trials[2]
    assert statuses(tuned) == ["ok", "hang", third.status, "ok"]
    assert re.search("RESOURCE_EXHAUSTED|Out of memory", third.reason)
    assert len(children.pids) == 2 and children.are_gone() and trying(cache) == []


def test_crash_costs_one_configuration(cache: Any, children: Children) -> None:
    children.end(runs_program(2), signal.SIGSEGV)
    # A program that ran before runs once more.
    runs: list[int] = []

    def is_second_of_third(request: dict[str, Any]) -> bool:
        runs.append(request.get("number", 0) if request["do"] == "run" else 0)
        return runs[-1] == 3 and runs.count(3) == 2

    children.end(is_second_of_third, signal.SIGSEGV, is_once=True)
    tuned = isolated(double)
    with pytest.warns(UserWarning, match=r"N=2: fault: the process ended: signal 11"):
        tuned(X)
    assert statuses(tuned) == ["ok", "fault", "ok"]
    assert len(children.pids) == 3 and children.are_gone()


def test_baseline_and_candidate_share_a_child(children: Children) -> None:
    problem = make_problem(isolated(double)._contract, (X,), {})
    assert problem is not None
    progress, begin = Progress("double"), time.perf_counter()
    bench = IsolatedBench(get_timed_arguments(problem, 0), 60.0, None, progress, begin)
    try:
        both = [Candidate(ConfigTrial({"N": n})) for n in (1, 2)]
        bench.prepare(both, Programs().has)
        bench.compile(both, 2)
        _, first = bench.run(both[0])
        bench.redraw()
        _, second = bench.run(both[1])
        assert len(children.pids) == 1
        # The child no longer has outputs of the first.
        assert to_host(first.fetch()).arrays[0] == pytest.approx(second.fetch())
        # A child that something else ended is no failure.
        children.end(runs_program(2), signal.SIGKILL, is_once=True)
        bench.run(both[1])
        assert len(children.pids) == 2
        children.end(runs_program(2), signal.SIGKILL)
        with pytest.raises(CandidateFailed, match=r"the process ended: signal 9"):
            bench.run(both[1])
    finally:
        bench.close()
    assert children.are_gone()


def test_programs_take_and_return_anything(cache: Any) -> None:
    captured = jnp.arange(64.0)

    def various(x: Any, key: Any, count: Any, state: Any, N: int = 1) -> Any:
        drawn = jax.random.split(key)
        total = jax.lax.fori_loop(0, count, lambda i, v: v + captured[i], 0.0)
        narrow = (x * N * (2 / N)).astype(jnp.bfloat16)
        return {"keys": drawn, "total": total, "narrow": narrow, "empty": x[:0]}, state + 1

    # The setting is of the thread, and holds in the child.
    with jax.enable_x64(True):
        tuned: Any = autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, isolate=True)(
            jax.jit(various, static_argnames=["N"], donate_argnames=["state"])
        )
        found, state = tuned(jnp.ones(4), jax.random.key(3), 5, jnp.zeros(4))
    assert statuses(tuned) == ["ok", "ok"] and found["total"] == 10
    assert state.dtype == jnp.float64 and found["empty"].size == 0


def test_crash_of_one_of_several_compilations_is_attributed(
    cache: Any, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tonno.jax.sweeps.workers", lambda: 2)
    submitted: list[int] = []

    def is_compiling_first(request: dict[str, Any]) -> bool:
        if request["do"] == "compile":
            submitted.append(request["number"])
        return request["do"] == "wait" and submitted in ([1, 2], [1, 2, 1])

    children.end(is_compiling_first, signal.SIGABRT)
    tuned = isolated(double, 2)
    with pytest.warns(UserWarning, match=r"N=1: compile_crash: the process ended: signal 6"):
        tuned(X)
    assert statuses(tuned) == ["compile_crash", "ok"]
    assert submitted[:4] == [1, 2, 1, 2]  # Side by side, then each by itself.


def test_compiling_too_long_fails(cache: Any) -> None:
    tuned = isolated(double, 1, compile_seconds=1e-6)
    reason = r"N=1: compile_timeout: compiling took over 1e-06 s \(compile_seconds=\), and its"
    with pytest.raises(AllFailed, match=reason):
        tuned(X)


def back(x: Any) -> Any:
    return x


def calling(x: Any, N: int = 1) -> Any:
    return jax.pure_callback(back, x, x)


def calling_local(x: Any, N: int = 1) -> Any:
    def inner(x: Any) -> Any:
        return x

    return jax.experimental.io_callback(inner, x, x)


def debugging(x: Any, N: int = 1) -> Any:
    jax.debug.callback(back, x)
    return x


def printing(x: Any, N: int = 1) -> Any:
    jax.debug.print("x is {}", x)
    return x


def foreign(x: Any, N: int = 1) -> Any:
    return jax.ffi.ffi_call("not_ours", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


REF = jax.new_ref(jnp.zeros(64))


def referring(x: Any, N: int = 1) -> Any:
    return x + REF[...]


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (calling, r"calls back of this process \(pure_callback: .*test_jax_isolation.py"),
        (calling_local, r"calls .*inner of this process \(io_callback: "),
        (debugging, r"calls back of this process \(debug_callback: "),
        (printing, r"calls print\('x is \{\}'\) of this process \(debug_print: "),
        (foreign, r"calls the FFI target 'not_ours' \("),
        (referring, r"the function captures REF, a jax.Ref"),
    ],
)
def test_what_can_not_be_sent_is_named(function: Any, named: str) -> None:
    tuned = isolated(function, 1)
    problem = make_problem(tuned._contract, (X,), {})
    assert problem is not None
    with pytest.raises(NotTunable, match=rf"{function.__name__}: N=1 cannot run .*{named}"):
        export(problem, Candidate(ConfigTrial({"N": 1})), 1, Programs().has)


def test_several_devices_are_refused() -> None:
    mesh = jax.make_mesh((2,), ("i",))
    spread = jax.device_put(X, jax.NamedSharding(mesh, jax.P("i")))
    problem = make_problem(isolated(double)._contract, (spread,), {})
    assert problem is not None
    with pytest.raises(NotTunable, match="spread over several devices"):
        export(problem, Candidate(ConfigTrial({"N": 1})), 1, Programs().has)


def test_what_can_not_be_sent_ends_the_call(cache: Any, children: Children) -> None:
    with pytest.raises(NotTunable, match="isolate=True"):
        isolated(calling)(X)
    assert children.are_gone()


def test_isolate_is_a_bool() -> None:
    with pytest.raises(TypeError, match="isolate must be a bool, not 1"):
        isolate: Any = 1
        autotune(configs=[{"N": 1}], isolate=isolate)


def test_child_that_does_not_start_is_told(
    cache: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "jax.py").write_text("raise SystemExit(7)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NotTunable, match=r"isolate=True ended: exit status \d+; see its messages"):
        isolated(double)(X)


PROGRAM = """
import sys, threading
import jax, jax.numpy as jnp
from tonno import autotune
from tonno.children import Child

ask = Child.ask

def told(child, request, seconds):
    answer = ask(child, request, seconds) if request["do"] != "run" else None
    if answer is None:
        print(pid[-1], flush=True)
        return ask(child, request, seconds)
    pid.append(answer.get("pid", pid[-1]))
    return answer

pid = [0]
Child.ask = told

@autotune(configs=[{"N": 1}], num_timing=1, isolate=True)
@jax.jit(static_argnames=["N"])
def tuned(x, N: int = 1):
    if LOOPS:
        return jax.lax.while_loop(lambda v: (v != 7).any(), lambda v: jnp.cos(v), x)
    return x
"""
IN_A_THREAD = f"""{PROGRAM.replace("LOOPS", "False")}
thread = threading.Thread(target=lambda: tuned(jnp.ones(3)))
thread.start()
thread.join()
print(tuned.decisions[0].config)
"""
ENDLESS = f"""{PROGRAM.replace("LOOPS", "True")}
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests
try:
    tuned(jnp.ones(3))
except KeyboardInterrupt:
    print("interrupted", *(pid[-1:]), flush=True)
    sys.stdin.read()
"""


def test_a_thread_of_a_program_without_a_file_may_tune(cache: Any) -> None:
    done = run(IN_A_THREAD)
    assert done.stdout.splitlines()[-1] == "{'N': 1}", done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_child_ends_with_its_parent_and_with_the_call(cache: Any, number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.send_signal(number)
        if number == signal.SIGINT:
            assert parent.stdout.readline().split() == ["interrupted", str(child)]
            assert pathlib.Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text() == ""
        assert is_gone_soon(child)
        parent.kill()


def test_descendants_end_with_their_child(tmp_path: pathlib.Path) -> None:
    (tmp_path / "starting.py").write_text(
        "import subprocess\n"
        "def answers():\n"
        "    sleeping = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "    return lambda request: {'pid': sleeping.pid}\n"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(tmp_path)
        child = Child("starting")
        pid = child.ask({}, 60)["pid"]
    assert is_alive(pid)
    child.stop()
    assert is_gone_soon(pid)
