# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several processes share a cache: waiting, writing, dying and forking."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import pytest

from tonno.jax import locks
from tonno.jax.cache import WinnerFile
from tonno.progress import Progress

TUNED = """
import jax, jax.numpy as jnp, sys
import jax.experimental.pallas as pl
from tonno import autotune

def helper(x):
    return jax.nn.relu(x) + jax.nn.softmax(x)

@autotune(configs=[{"BM": 2}, {"BM": 4}], num_timing=1)
@jax.jit(static_argnames=["BM", "mode"])
def scaled(x, mode=("a", 1), BM: int = 2):
    def kernel(x_ref, o_ref):
        o_ref[...] = helper(x_ref[...])
    block = pl.BlockSpec((BM, 4), lambda i: (i, 0))
    return pl.pallas_call(kernel, out_shape=x, grid=(8 // BM,), in_specs=[block],
                          out_specs=block, interpret=True)(x)

scaled(jnp.ones((8, 4)))
print(scaled.decisions[0].source, scaled.decisions[0].config["BM"])
"""


def write(directory: pathlib.Path, number: int, times: int) -> None:
    file = WinnerFile(directory, "shared")
    for i in range(times):
        entry = {"config": {"N": i}, "time_ms": 1.0, "key_values": {"text": "x" * 2000}}
        file.write("cpu", f"{number}-{i % 20}", entry, "module", dict(entry))


def fork(work: Callable[[], None]) -> int:
    """A process that does some work; it may not touch JAX, which has threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX tells of forks.
        child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return child


def wait_until(condition: Callable[[], bool]) -> None:
    """For a minute at most, which ends what would hang."""
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def start(code: str, *args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONHASHSEED="random")
    )


def finish(process: subprocess.Popen[str]) -> str:
    shown, _ = process.communicate(timeout=100)
    assert process.returncode == 0
    return shown


def test_processes_share_a_sweep(cache: pathlib.Path) -> None:
    # At once: one tunes, and the other waits for it. Fingerprints are the same,
    # whatever hashes and addresses there are.
    both = [start(TUNED), start(TUNED)]
    shown = sorted(finish(process).split() for process in both)
    assert [source for source, _ in shown] == ["cache", "sweep"]
    assert shown[0][1] == shown[1][1]
    assert list(cache.rglob("*.lock")) == []


def test_waiting_for_another_process_is_told(
    cache: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "TOLD_SECONDS", 0.05)
    (cache / "jax").mkdir(parents=True)
    file = WinnerFile(cache, "shared")

    def hold() -> None:
        with file.sweeping("cpu", "key"):
            (cache / "held").touch()
            wait_until((cache / "told").exists)
            (cache / "let go").touch()

    say = Progress.say

    def said(progress: Progress, text: str) -> None:
        say(progress, text)
        (cache / "told").touch()

    monkeypatch.setattr(Progress, "say", said)
    other = fork(hold)
    wait_until((cache / "held").exists)
    with file.sweeping("cpu", "key"):
        assert (cache / "let go").exists()
    told = capsys.readouterr().err
    assert f"tonno: shared: waiting for process {other} on " in told and "end it\n" in told
    assert exit_code(other) == 0 and list((cache / "jax").iterdir()) == []


def test_writers_lose_nothing(cache: pathlib.Path) -> None:
    writers = [fork(lambda n=n: write(cache, n, 20)) for n in range(3)]  # type: ignore[misc]
    assert [exit_code(writer) for writer in writers] == [0, 0, 0]
    stored = json.loads((cache / "shared.json").read_text())["cpu"]
    assert sorted(stored) == sorted(f"{n}-{i}" for n in range(3) for i in range(20))


def test_killed_writer_leaves_a_whole_file(cache: pathlib.Path) -> None:
    write(cache, 0, 1)
    records = cache / "jax" / "shared.json"
    for i in range(20):
        before = records.stat().st_ino
        writer = fork(lambda: write(cache, 0, 1_000_000))
        wait_until(lambda: records.stat().st_ino != before)  # It has begun to write.
        time.sleep(i / 1000)
        os.kill(writer, signal.SIGKILL)
        assert exit_code(writer) == -signal.SIGKILL
        for path in (cache / "shared.json", cache / "jax" / "shared.json"):
            assert json.loads(path.read_text())["cpu"]
    # Its lock died with it.
    write(cache, 1, 1)
    found = WinnerFile(cache, "shared").entry("cpu", ["1-0"])
    assert found is not None and found[1]["config"] == {"N": 0}
    assert sorted(path.name for path in (cache / "jax").iterdir()) == ["shared.json"]


def test_locks_are_free_in_a_forked_child() -> None:
    def check() -> None:
        assert locks.held() == () and not locks._owners

    with locks.problem_lock("held"):
        assert exit_code(fork(check)) == 0
