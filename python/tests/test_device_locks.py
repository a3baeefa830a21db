# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nobody times beside another one on the same device."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from device_locks import (
    Device,
    Sleeper,
    Span,
    held_by_another,
    is_locked,
    lock_path,
    tune,
)

import tonno
from tonno import _core, autotune, frontends

@pytest.fixture
def device(tmp_path: pathlib.Path) -> Iterator[Device]:
    """A folder of this test alone."""
    made = ("test", f"{os.getpid()}-{tmp_path.name}")
    yield made
    path = lock_path(made)
    path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)


def do_overlap(some: list[Span], others: list[Span]) -> bool:
    return any(a < d and c < b for (a, b), (c, d) in itertools.product(some, others))


MINIMIZED = """
import json, pathlib, sys, time
import tonno
from tonno import frontends
uuid, lock, mine, until = sys.argv[1:]
frontends.host = lambda: ("test", uuid)
spans = []

def sample():
    begin = time.monotonic()
    time.sleep(0.001)
    spans.append((begin, time.monotonic()))

end = time.monotonic() + 60
while not pathlib.Path(until).exists() and time.monotonic() < end:
    tonno.minimize(lambda config: sample, tonno.SearchSpace({"N": [1, 2]}),
                   budget_trials=1, lock=None if lock == "None" else lock)
    pathlib.Path(mine).touch()
print(json.dumps(spans))
"""


@contextlib.contextmanager
def minimizing(uuid: str, lock: str | None, folder: pathlib.Path) -> Iterator[list[Span]]:
    """A process that times within; its samples are known at exit."""
    began, ends = folder / "began", folder / "ends"
    command = [sys.executable, "-c", MINIMIZED, uuid, str(lock), str(began), str(ends)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    found: list[Span] = []
    try:
        while not began.exists() and process.poll() is None:
            time.sleep(0.001)
        yield found
    finally:
        ends.touch()
        found += json.loads(process.communicate(timeout=60)[0])


@pytest.mark.parametrize("lock", ["host", None])
def test_samples_of_two_processes_do_not_overlap(
    lock: str | None,
    device: Device,
    tmp_path: pathlib.Path,
    cache: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frontends, "host", lambda: device)
    spans: list[Span] = []

    def sleep(x: Any) -> Any:
        begin = time.monotonic()
        time.sleep(0.002)
        spans.append((begin, time.monotonic()))
        return x

    @autotune(configs=[{"N": n} for n in range(8)], num_timing=3)
    @jax.jit(static_argnames=["N"])
    def sleeping(x: Any, N: int = 0) -> Any:
        return jax.pure_callback(sleep, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    with minimizing(device[1], lock, tmp_path) as others:
        sleeping.tune([(jnp.ones(4),)])
    # Both have timed at the same time, in turns.
    between = [span for span in others if spans[0][0] < span[0] < spans[-1][1]]
    assert between
    assert do_overlap(spans, others) == (lock is None)


def test_host_is_the_tools_host() -> None:
    machine = pathlib.Path("/etc/machine-id")
    uuid = machine.read_text().splitlines()[0] if machine.exists() else "unknown"
    assert frontends.Lock(_core.host_identity(), print).device == ("host", uuid)


def test_device_is_locked_while_it_samples_and_not_while_it_builds(device: Device) -> None:
    seen: list[tuple[str, bool]] = []

    class Noted(Sleeper):
        def build(self, configs: list[tonno.Configuration]) -> list[None]:
            seen.append(("builds", is_locked(device)))
            return super().build(configs)

    noted = Noted(lambda: seen.append(("samples", is_locked(device))))
    tune(noted, frontends.Lock(device, print))
    assert set(seen) == {("builds", False), ("samples", True)}


@pytest.mark.parametrize("lock", ["host", None])
def test_function_that_times_itself_is_called_under_the_lock(
    lock: str | None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontends, "host", lambda: device)
    seen = []

    def seconds(config: tonno.Configuration) -> float:
        seen.append(is_locked(device))
        return float(config["N"])

    tonno.minimize(seconds, tonno.SearchSpace({"N": [1, 2, 3]}), lock=lock)
    assert len(seen) >= 3 and set(seen) == {lock is not None}


def test_lock_of_minimize_is_the_host_or_none() -> None:
    with pytest.raises(tonno.Error, match="lock must be 'host' or None, not 'gpu'"):
        tonno.minimize(lambda _: 1.0, tonno.SearchSpace({"N": [1]}), lock="gpu")


def test_long_wait_is_told_with_the_holder(device: Device) -> None:
    told: list[str] = []
    with contextlib.ExitStack() as stack:
        holder = stack.enter_context(held_by_another(device))

        def tell(who: str) -> None:
            told.append(who)
            stack.close()  # Ends the holder.

        found = tune(Sleeper(), frontends.Lock(device, tell, told_seconds=0.05))
    assert found.chosen is not None and found.warnings == []
    assert len(told) == 1 and told[0].startswith(f"process {holder} of user ")


def test_long_wait_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    frontends.report_waiting("scale: ", "process 4711 of user ann")
    assert capsys.readouterr().err == (
        "tonno: scale: waiting for process 4711 of user ann, which times on the device; if it "
        "hangs, end it\n"
    )


def test_budget_ends_the_wait(device: Device) -> None:
    sleeper = Sleeper()
    with held_by_another(device) as holder:
        found = tune(sleeper, frontends.Lock(device, print), budget_seconds=0.1)
    assert found.chosen is None and sleeper.spans == []
    assert "the budget's seconds ended the wait for the device" in found.error
    assert f"process {holder} of user " in found.error
    assert [trial.status for trial in found.trials] == ["contended"]


INTERRUPTED = """
import sys
from tonno import frontends
sys.path.insert(0, sys.argv[2])
from device_locks import Sleeper, tune

def tell(holder):
    print("waits", flush=True)

try:
    tune(Sleeper(), frontends.Lock(("test", sys.argv[1]), tell, told_seconds=0))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_wait_ends_at_ctrl_c(device: Device) -> None:
    folder = str(pathlib.Path(__file__).parent)
    with held_by_another(device):
        command = [sys.executable, "-c", INTERRUPTED, device[1], folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"


def test_device_that_cannot_be_locked_is_warned_of_once(device: Device) -> None:
    lock_path(device).mkdir()
    sleeper = Sleeper()
    found = tune(sleeper, frontends.Lock(device, print))
    assert found.chosen is not None and len(found.trials) == 8
    (warning,) = found.warnings
    refused = f"cannot lock the device for this process alone by '{lock_path(device)}'"
    assert warning.startswith(refused)
    assert warning.endswith("; other tuners may disturb the times")


def test_threads_of_a_process_take_turns(device: Device) -> None:
    sleepers = [Sleeper(), Sleeper()]
    lock = frontends.Lock(device, print)
    threads = [threading.Thread(target=tune, args=(each, lock)) for each in sleepers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sleepers[0].spans) == len(sleepers[1].spans) == 8 * 4
    assert not do_overlap(sleepers[0].spans, sleepers[1].spans)


def test_thread_that_is_waited_for_is_not_waited_for_without_end(device: Device) -> None:
    inner: list[frontends.Outcome] = []
    lock = frontends.Lock(device, print, thread_seconds=0.02)

    def time_another() -> None:
        if not inner:
            thread = threading.Thread(target=lambda: inner.append(tune(Sleeper(), lock)))
            thread.start()
            thread.join()

    assert tune(Sleeper(time_another), lock).warnings == []
    assert inner[0].chosen is not None
    assert inner[0].warnings == ["another process timed on the device meanwhile"]


def test_what_is_timed_may_time_in_its_own_thread(device: Device) -> None:
    inner: list[frontends.Outcome] = []
    lock = frontends.Lock(device, print)

    def time_another() -> None:
        if not inner:
            inner.append(tune(Sleeper(), lock))

    tune(Sleeper(time_another), lock)
    assert inner[0].chosen is not None and inner[0].warnings == []
