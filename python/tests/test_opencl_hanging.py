# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that do not end."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from opencl_device import SCALE, Launches, device_copy, queue_of, raw

import tonno
from tonno.opencl import Autotuner, KernelSpec, WorkGroupTuner

N = 1 << 12


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


def never_end(monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    """Commands that one of pyopencl's functions enqueues seem to run for ever."""
    enqueue: Any = getattr(cl, function)
    endless: list[cl.Event] = []

    def enqueued(*args: Any, **more: Any) -> cl.Event:
        endless.append(enqueue(*args, **more))
        return endless[-1]

    def status(event: cl.Event) -> int:
        status = cl.command_execution_status
        return int(status.RUNNING if event in endless else status.COMPLETE)

    monkeypatch.setattr(cl, function, enqueued)
    monkeypatch.setattr(cl.Event, "command_execution_status", property(status))


def test_candidate_that_does_not_end_is_named_and_ends_the_tuning(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    launches = Launches().watch(monkeypatch)
    never_end(monkeypatch, "enqueue_nd_range_kernel")
    x = device_copy(queue, np.ones(N, np.float32))
    message = r"'scale' with the local size 32 has not ended in 0.1 s.* raise timeout_s="
    with pytest.raises(tonno.Error, match=message):
        WorkGroupTuner(raw(queue, SCALE, "scale"), N, [32, 64], [x], timeout_s=0.1).tune(queue)
    assert launches.local_sizes == [(32,)]
    assert launches.calls[-1] == "launch"  # and nothing that waits for it
    with pytest.raises(tonno.Error, match="has not ended in 0.2 s"):
        Autotuner(queue, timeout_s=0.2).tune(KernelSpec("scale", SCALE), N)


def test_timed_runs_have_no_limit(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[cl.Event] = []

    def ended(event: cl.Event) -> int:
        asked.append(event)
        return int(cl.command_execution_status.COMPLETE)

    monkeypatch.setattr(cl.Event, "command_execution_status", property(ended))
    x = device_copy(queue, np.ones(N, np.float32))
    tuner = WorkGroupTuner(raw(queue, SCALE, "scale"), N, [32, 64], [x], restore=False)
    tuner.tune(queue)
    assert len(asked) == 1 + 2  # what was on the queue, and the first run of each


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("enqueue_marker", "what was on the queue before has not ended in 0.1 s: the queue is busy"),
        ("enqueue_copy", "so that it can be restored, has not ended in 0.1 s"),
        ("enqueue_fill_buffer", "argument 0 of 'scale' has not ended in 0.1 s.* raise timeout_s="),
    ],
)
def test_other_commands_that_do_not_end_are_errors(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch, function: str, message: str
) -> None:
    never_end(monkeypatch, function)
    args = [device_copy(queue, np.ones(N, np.float32))] if function == "enqueue_copy" else None
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    with pytest.raises(tonno.Error, match=message):
        WorkGroupTuner(kernel, N, [32], args, timeout_s=0.1).tune(queue)


LONG = """__kernel void long_enough(__global float* x) {
              float s = x[get_global_id(0)];
              for (int i = 0; i < 50; ++i) s = s * 0.5f + 1;
              x[get_global_id(0)] = s; }"""


@pytest.mark.filterwarnings("ignore:the device looks busy")
def test_queue_that_another_thread_feeds(queue: cl.CommandQueue) -> None:
    """queue.finish() would wait for as long as it is fed."""
    x, y = (device_copy(queue, np.ones(1 << 18, np.float32)) for _ in range(2))
    is_over = threading.Event()
    begin = time.monotonic()

    def feed() -> None:
        work = raw(queue, LONG, "long_enough")
        work.set_args(y)
        behind: list[cl.Event] = []
        while not is_over.is_set() and time.monotonic() < begin + 60:
            behind.append(cl.enqueue_nd_range_kernel(queue, work, (1 << 18,), (64,)))
            if len(behind) > 4:
                behind.pop(0).wait()

    feeding = threading.Thread(target=feed)
    feeding.start()
    try:
        tuner = WorkGroupTuner(raw(queue, SCALE, "scale"), N, [32, 64], [x], cache=False)
        tuner.tune(queue)
        assert feeding.is_alive()
    finally:
        is_over.set()
        feeding.join()


HANGING = """
import os, signal
import numpy, pyopencl as cl
from opencl_device import device_copy, queue_of, raw
from tonno.opencl import WorkGroupTuner
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests
queue = queue_of("Portable Computing Language")
source = "__kernel void spin(__global volatile float* x) { while (x[0] < 100) x[1] += 1; }"
x = device_copy(queue, numpy.ones(64, numpy.float32))
kernel = raw(queue, source, "spin")
enqueue = cl.enqueue_nd_range_kernel
def launch(*arguments):
    event = enqueue(*arguments)
    print("launched", flush=True)
    return event
cl.enqueue_nd_range_kernel = launch
try:
    WorkGroupTuner(kernel, 64, [32], [x], cache=False).tune(queue)
except KeyboardInterrupt:
    print("interrupted", flush=True)
os._exit(0)  # the driver's threads never end
"""


def test_interrupt_ends_a_tuning_that_hangs(queue: cl.CommandQueue) -> None:
    paths = os.pathsep.join([str(pathlib.Path(__file__).parent), *sys.path])
    child = subprocess.Popen(
        [sys.executable, "-c", HANGING],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "launched\n"
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=60)
        assert said == "interrupted\n"
    finally:
        child.kill()
