# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning kernels of pyopencl, on PoCL."""

from __future__ import annotations

import itertools
import os
import pathlib
import subprocess
import sys
import threading
import time
import types
import warnings
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from device_locks import is_locked, lock_path
from opencl_device import PROFILING, SCALE, Launches, device_copy, queue_of, raw, tune_when_idle

import tonno
from tonno import frontends
from tonno.opencl import Autotuner, KernelSpec, WorkGroupTuner
from tonno.opencl.launching import Launcher

pytestmark = pytest.mark.filterwarnings("ignore:the device looks busy", "ignore:no arguments were")
N = 1 << 20


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


def test_import_of_the_package_loads_no_opencl() -> None:
    code = "import sys, tonno; print('pyopencl' in sys.modules, 'tonno.opencl' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert said.stdout == "False False\n"


def test_missing_pyopencl_is_named() -> None:
    code = "import sys; sys.modules['pyopencl'] = None\nimport tonno.opencl"
    said = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert "ImportError: tonno.opencl needs pyopencl; run pip install pyopencl" in said.stderr


def test_kernels_of_pyopencl_are_tuned(queue: cl.CommandQueue) -> None:
    program = cl.Program(queue.context, SCALE).build(["-cl-kernel-arg-info"])
    tuner = WorkGroupTuner(program.scale, global_size=(N,))
    result = tuner.tune(queue, candidates=[32, 64, 128, 256])
    assert result.best_local_size in [32, 64, 128, 256]
    assert result.runtime_us > 0


def test_device_is_locked_while_sizes_are_timed(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = ("test", f"opencl-{os.getpid()}")
    monkeypatch.setattr(frontends, "host", lambda: device)
    are_locked: list[bool] = []
    launch = Launcher.launch

    def checked(launcher: Launcher, local_size: tuple[int, ...]) -> Any:
        are_locked.append(is_locked(device))
        return launch(launcher, local_size)

    monkeypatch.setattr(Launcher, "launch", checked)
    program = cl.Program(queue.context, SCALE).build(["-cl-kernel-arg-info"])
    tuner = WorkGroupTuner(program.scale, global_size=(N,), runs=1)
    tuner.tune(queue, candidates=[32, 64])
    assert len(are_locked) >= 4 and all(are_locked)
    lock_path(device).unlink()


def test_global_size_may_be_a_number(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    sizes: list[Any] = [N, np.int64(N), (np.int32(N),), np.array([N])]
    for size in sizes:
        result = WorkGroupTuner(kernel, size).tune(queue, [np.int64(64)])
        assert result.best_local_size == 64


def test_example_runs(queue: cl.CommandQueue) -> None:
    example = pathlib.Path(__file__).resolve().parents[2] / "examples/opencl/scale.py"
    said = subprocess.run(
        [sys.executable, "-W", "ignore", example], stdout=subprocess.PIPE, text=True, check=True
    )
    best, runtime, *measured = said.stdout.splitlines()
    assert best.startswith("best local size: ")
    assert runtime.startswith("runtime: ")
    assert len(measured) == 4


def test_two_and_three_dimensions(queue: cl.CommandQueue) -> None:
    source = """__kernel void fill(__global float* x) {
                    x[get_global_id(0) + get_global_size(0) * (get_global_id(1) +
                      get_global_size(1) * get_global_id(2))] = 1.0f; }"""
    kernel = raw(queue, source, "fill", "-cl-kernel-arg-info")
    # Of so many items that it takes longer than its launch, on any version of PoCL.
    plane = WorkGroupTuner(kernel, (2048, 2048)).tune(queue, [(32, 8), (16, 16), 8])
    assert [each.local_size for each in plane.measured] == [(32, 8), (16, 16), (8, 1)]
    cube = WorkGroupTuner(kernel, (256, 128, 128)).tune(queue, [(8, 4, 2)])
    assert cube.best_local_size == (8, 4, 2)
    every = WorkGroupTuner(kernel, (64, 64)).tune(queue)
    assert len(every.measured) + len(every.left_out) == 45


def test_sizes_that_do_not_divide_are_left_out_and_said(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    result = WorkGroupTuner(kernel, (1_000_000,)).tune(queue)
    assert [each.local_size for each in result.left_out] == [128, 256]
    assert "128 does not divide the 1000000 in dimension 0" in result.left_out[0].reason


def test_queue_without_profiling_is_refused_with_the_remedy(queue: cl.CommandQueue) -> None:
    plain = cl.CommandQueue(queue.context)
    with pytest.raises(tonno.Error, match="properties=pyopencl.command_queue_properties.PROF"):
        WorkGroupTuner(raw(queue, SCALE, "scale"), N).tune(plain)


def test_required_size_is_the_candidate(queue: cl.CommandQueue) -> None:
    source = SCALE.replace("void", "__attribute__((reqd_work_group_size(48, 1, 1))) void")
    kernel = raw(queue, source, "scale", "-cl-kernel-arg-info")
    tuner = WorkGroupTuner(kernel, 48 * 4096)
    assert tuner.tune(queue).best_local_size == 48
    with pytest.raises(tonno.AllFailed, match=r"32: the kernel requires \(48, 1, 1\)") as failed:
        tuner.tune(queue, [32])
    assert failed.value.trials[0].status == "unlaunchable"
    assert failed.value.trials[0].config == {"local_size": 32}


def test_failing_launch_is_skipped_with_its_error(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are made to lie, so that the device refuses."""
    limits = (10**6, [10**6] * 3, 10**6, list[int](), False)
    monkeypatch.setattr("tonno.opencl.information.KernelInfo.limits", lambda place: limits)
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    too_many = 2 * queue.device.max_work_group_size
    result = WorkGroupTuner(kernel, N).tune(queue, [64, too_many])
    assert result.best_local_size == 64
    (failed,) = result.failed
    assert failed.local_size == too_many
    assert "INVALID_WORK_GROUP_SIZE" in failed.reason


@pytest.mark.parametrize(
    ("global_size", "candidates", "message"),
    [
        ((0,), None, "the global size 0 has no work-item"),
        ((64,), [(8, 8)], "more dimensions than the global size"),
        ((8,) * 4, None, "one to three dimensions, not 4"),
        ((64,), [0], "the local size 0 has no work-item"),
    ],
)
def test_wrong_sizes_are_refused(
    queue: cl.CommandQueue, global_size: tuple[int, ...], candidates: Any, message: str
) -> None:
    with pytest.raises(tonno.Error, match=message):
        WorkGroupTuner(raw(queue, SCALE, "scale"), global_size, candidates).tune(queue)


def test_what_is_no_size_kernel_or_queue_is_refused(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, SCALE, "scale")
    wrong: list[tuple[Any, Any, Any, Any, str]] = [
        (kernel, 1.5, None, queue, "an int, or a sequence of one to three"),
        (kernel, N, 64, queue, "candidates must be a list"),
        (kernel.program, N, None, queue, "such as program.scale"),
        (kernel, N, None, queue.context, "must be a pyopencl.CommandQueue"),
    ]
    for given, size, candidates, asked, message in wrong:
        with pytest.raises(TypeError, match=message):
            WorkGroupTuner(given, size, candidates).tune(asked)
    other = cl.CommandQueue(cl.Context([queue.device]), properties=PROFILING)
    for tuner, asked, message in [
        (WorkGroupTuner(kernel, (-3,)), queue, r"\(-3,\) is not valid: extents are from 1"),
        (WorkGroupTuner(kernel, N, [-4]), queue, "-4 is not valid"),
        (WorkGroupTuner(kernel, N), other, "another context.*CommandQueue.kernel.context"),
    ]:
        with pytest.raises(tonno.Error, match=message):
            tuner.tune(asked)


def test_no_candidate_is_an_error(queue: cl.CommandQueue) -> None:
    with pytest.raises(tonno.AllFailed, match="could be measured; candidates is empty"):
        WorkGroupTuner(raw(queue, SCALE, "scale"), N, []).tune(queue)


def test_number_of_runs_can_be_chosen(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    result = WorkGroupTuner(kernel, N, runs=7).tune(queue, [64])
    assert len(result.measured[0].samples_us) == 7
    with pytest.raises(tonno.Error, match="at least one timed run"):
        WorkGroupTuner(kernel, N, runs=0).tune(queue, [64])


def test_sizes_are_compared_in_pairs(queue: cl.CommandQueue, cache: Any) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    tuner = WorkGroupTuner(kernel, N, [1, 64], protocol="paired")
    result = tuner.tune(queue)
    # Groups of one work-item take far longer than of 64.
    assert result.best_local_size == 64 and result.verdict == "tie"
    assert result.speedup is not None and result.interval is not None
    again = tuner.tune(queue)
    assert again.cached and again.interval == result.interval
    mean = WorkGroupTuner(kernel, N, [1, 64]).tune(queue)
    assert not mean.cached and mean.verdict is None


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"protocol": "median"}, tonno.Error, "protocol must be 'mean' or 'paired', not 'median'"),
        ({"runs": -1}, tonno.Error, "at least one timed run, not -1"),
        ({"runs": 1 << 70}, tonno.Error, "the number of runs must be finite"),
        ({"runs": 1.5}, TypeError, "runs must be an int, not 1.5"),
        ({"timeout_s": float("nan")}, tonno.Error, "timeout_s must be more than 0 s, not nan"),
        ({"timeout_s": -1}, tonno.Error, "timeout_s must be more than 0 s, not -1"),
        ({"timeout_s": 0.0}, tonno.Error, "timeout_s must be more than 0 s, not 0"),
        ({"timeout_s": np.int64(-1)}, tonno.Error, "timeout_s must be more than 0 s, not -1"),
        ({"timeout_s": "1"}, TypeError, "timeout_s must be a number of seconds, not '1'"),
    ],
)
def test_what_is_no_number_of_runs_or_limit_is_refused(
    queue: cl.CommandQueue, given: dict[str, Any], error: type[Exception], message: str
) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    with pytest.raises(error, match=message):
        WorkGroupTuner(kernel, N, [64], **given).tune(queue)
    forever = WorkGroupTuner(kernel, N, [64], timeout_s=float("inf"))
    assert forever.tune(queue).best_local_size == 64


def test_cache_is_shared_by_processes_and_belongs_to_the_question(
    queue: cl.CommandQueue, tmp_path: pathlib.Path
) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    first = tune_when_idle(WorkGroupTuner(kernel, N), queue)
    assert not first.cached
    # Other objects of the same text.
    other = queue_of("Portable Computing Language")
    again = raw(other, SCALE, "scale", "-cl-kernel-arg-info")
    second = WorkGroupTuner(again, N).tune(other)
    assert second.cached and second.best_local_size == first.best_local_size
    assert not WorkGroupTuner(again, N // 2).tune(other).cached
    changed = raw(other, SCALE + "\n", "scale", "-cl-kernel-arg-info")
    assert not WorkGroupTuner(changed, N).tune(other).cached
    fast = raw(other, SCALE, "scale", "-cl-kernel-arg-info", "-cl-fast-relaxed-math")
    assert not WorkGroupTuner(fast, N).tune(other).cached
    assert not WorkGroupTuner(again, N, cache=tmp_path / "other").tune(other).cached
    assert not WorkGroupTuner(again, N, cache=False).tune(other).cached
    assert any((tmp_path / "cache/v1").glob("[0-9a-f][0-9a-f]/*.json"))


def test_another_driver_asks_again(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    tune_when_idle(WorkGroupTuner(kernel, N), queue)
    assert WorkGroupTuner(kernel, N).tune(queue).cached
    monkeypatch.setattr(cl.Device, "driver_version", "another")
    assert not WorkGroupTuner(kernel, N).tune(queue).cached


def test_cache_in_the_way_costs_a_warning(queue: cl.CommandQueue, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("in the way")
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    with pytest.warns(UserWarning, match="decisions are not stored") as warned:
        result = WorkGroupTuner(kernel, N, cache=tmp_path / "file").tune(queue)
    assert sum("decisions are not stored" in str(each.message) for each in warned) == 1
    assert result.best_local_size


def test_busy_device_is_noticed_and_nothing_is_kept(
    queue: cl.CommandQueue, tmp_path: pathlib.Path
) -> None:
    source = """__kernel void work(__global float* x) {
                    float s = x[get_global_id(0)];
                    for (int i = 0; i < 300; ++i) s = s * 1.01f + 1;
                    x[get_global_id(0)] = s; }"""
    over = threading.Event()

    def train() -> None:
        other = cl.CommandQueue(queue.context)
        work = raw(queue, source, "work")
        x = device_copy(queue, np.ones(N, np.float32))
        work.set_args(x)
        number = 0
        while not over.is_set():
            for _ in range(number):
                cl.enqueue_nd_range_kernel(other, work, (N // 4,), (64,))
            other.finish()
            number = (number + 3) % 8  # Else each launch of the tuner would wait for as long.

    another = threading.Thread(target=train)
    another.start()
    try:
        end = time.monotonic() + 60  # Nothing makes the other's work meet this one's each time.
        for attempt in itertools.count():
            spec = KernelSpec("scale", SCALE)
            cache = tmp_path / f"cache{attempt}"
            kernel = spec.build(queue).scale
            tuner = WorkGroupTuner(kernel, N, [64, 128, 256], runs=15, cache=cache)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                result = tuner.tune(queue)
            if result.busy or time.monotonic() > end:
                break
    finally:
        over.set()
        another.join()
    assert result.busy
    busy, made = result.notes[-2:]
    assert "the device looks busy" in busy
    assert [str(each.message) for each in warned] == [busy, made]
    assert spec.workgroup_size is None
    assert not any(cache.glob("v1/*/*.json"))


def test_spec_without_the_kernel(queue: cl.CommandQueue) -> None:
    program = KernelSpec("scale", SCALE).build(queue)
    assert program.scale is program.scale
    with pytest.raises(AttributeError, match="the program has no kernel 'other'"):
        _ = program.other
    with pytest.raises(tonno.Error, match="the program has no kernel 'other'"):
        Autotuner(queue).tune(KernelSpec("other", SCALE), N)
    with pytest.raises(tonno.Error, match="'scale' does not compile"):
        Autotuner(queue).tune(KernelSpec("scale", "__kernel void scale() { gone(); }"), N)


def test_build_options_of_a_spec(queue: cl.CommandQueue) -> None:
    source = "__kernel void scale(__global float* x) { x[get_global_id(0)] *= FACTOR; }"
    KernelSpec("scale", source, build_options=["-DFACTOR=3"]).build(queue)
    with pytest.raises(tonno.Error, match="options .* of 'scale': No closing quotation"):
        KernelSpec("scale", source, build_options="-DFACTOR='3").build(queue)


def test_kernel_of_any_name_is_tuned(queue: cl.CommandQueue) -> None:
    """Of one, too, that is a program's own."""
    spec = KernelSpec("program", SCALE.replace("scale", "program"))
    assert Autotuner(queue).tune(spec, N, candidates=[64]).best_local_size == 64


def test_a_candidate_costs_little(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    tuner = WorkGroupTuner(kernel, 1 << 14, cache=False)
    launches = Launches().watch(monkeypatch)
    calls = 0

    def count(frame: types.FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_globals.get("__name__", "").startswith("tonno.")

    sys.setprofile(count)
    try:
        result = tuner.tune(queue)
    finally:
        sys.setprofile(None)
    number = len(launches.local_sizes)
    # Each is run once untimed, and three times timed, which is done again twice at most.
    assert number <= len(result.measured) * (1 + 3 * (1 + 2))
    # What it writes is undone; else nothing is waited for but once for all.
    assert launches.calls.count("drain") == 1 and launches.calls.count("wait") <= number + 3
    assert calls < 20 * number  # of functions: 11
