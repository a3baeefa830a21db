# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the programs of kernels were built, and for which device."""

from __future__ import annotations

import copy
import dataclasses
import os
import pathlib
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from opencl_device import (
    SCALE,
    EventTimes,
    contents,
    device_copy,
    queue_of,
    raw,
    tune_when_idle,
)

import tonno
from tonno.opencl import Autotuner, AutotuneResult, KernelSpec, WorkGroupTuner

pytestmark = pytest.mark.filterwarnings("ignore:the device looks busy", "ignore:no arguments were")
N = 1 << 18


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


def run(code: str, **environment: str) -> str:
    """What a process with the tests' modules prints."""
    paths = os.pathsep.join([str(pathlib.Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


CACHING = """
import pyopencl as cl, pyopencl.characterize
pyopencl.characterize.has_src_build_cache = lambda device: None
from opencl_device import SCALE, queue_of, tune_when_idle
from tonno.opencl import WorkGroupTuner
queue = queue_of("Portable Computing Language")
program = cl.Program(queue.context, SCALE).build()
kernel = program.scale
result = tune_when_idle(WorkGroupTuner(kernel, 1 << 20), queue, candidates=[32, 64])
source = kernel.program.get_info(cl.program_info.SOURCE)
print(result.cached, "defeat_cache" in source, any("of a binary" in x for x in result.notes))
"""


def test_what_pyopencl_caches_is_known_by_its_source(
    queue: cl.CommandQueue, tmp_path: pathlib.Path
) -> None:
    """Its first process appends a line to the source, its second has a binary."""
    caches = {"XDG_CACHE_HOME": str(tmp_path / "pyopencl")}
    assert run(CACHING, **caches) == "False True False\n"
    assert run(CACHING, **caches) == "True False False\n"
    # The same, built without that cache.
    assert tune_when_idle(
        WorkGroupTuner(raw(queue, SCALE, "scale"), 1 << 20), queue, candidates=[32, 64]
    ).cached


def test_program_of_a_binary_is_said_to_be_known_by_it(queue: cl.CommandQueue) -> None:
    built = cl.Program(queue.context, SCALE).build(["-cl-kernel-arg-info"])
    binaries: Any = built.get_info(cl.program_info.BINARIES)
    kernel = cl.Program(queue.context, [queue.device], binaries).build().scale
    args = [device_copy(queue, np.ones(N, np.float32))]
    result = tune_when_idle(WorkGroupTuner(kernel, N, args=args), queue)
    assert any("a KernelSpec is known by its source" in note for note in result.notes)
    uncached = WorkGroupTuner(kernel, N, args=args, cache=False).tune(queue)
    assert not any("KernelSpec" in note for note in uncached.notes)


ANOTHER_DEVICE = """
import numpy, pyopencl as cl
from opencl_device import PROFILING, SCALE, device_copy
import tonno
from tonno.opencl import WorkGroupTuner
(platform,) = [x for x in cl.get_platforms() if x.name == "Portable Computing Language"]
one, other = platform.get_devices()
context = cl.Context([one, other])
built = cl.Program(cl.Context([one]), SCALE).build()
program = cl.Program(context, [one], built.get_info(cl.program_info.BINARIES)).build()
for device in one, other:
    queue = cl.CommandQueue(context, device, properties=PROFILING)
    x = device_copy(queue, numpy.ones(1 << 14, numpy.float32))
    tuner = WorkGroupTuner(program.scale, 1 << 14, [64], [x], cache=False)
    try:
        print(tuner.tune(queue).best_local_size)
    except tonno.Error as error:
        print(error)
"""


def test_program_for_another_device_is_refused_with_the_remedy(queue: cl.CommandQueue) -> None:
    best, refusal = run(ANOTHER_DEVICE, POCL_DEVICES="pthread pthread").splitlines()
    assert best == "64"
    assert refusal.startswith("'scale' was not built for the queue's device, ")
    assert "build the program with devices=[queue.device]" in refusal


def test_program_that_was_not_built_for_the_device_is_refused(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PoCL says of each device what it says of one."""
    kernel = raw(queue, SCALE, "scale")
    ask: Any = cl.Program.get_build_info
    status = cl.program_build_info.STATUS

    def asked(program: cl.Program, device: cl.Device, what: int) -> object:
        return -1 if what == status else ask(program, device, what)  # CL_BUILD_NONE

    monkeypatch.setattr(cl.Program, "get_build_info", asked)
    with pytest.raises(tonno.Error, match="'scale' was not built for the queue's device"):
        WorkGroupTuner(kernel, N).tune(queue)


def test_build_options_may_be_a_text(queue: cl.CommandQueue) -> None:
    source = "__kernel void scale(__global float* x) { x[get_global_id(0)] *= FACTOR; }"
    spec = KernelSpec("scale", source, build_options="-cl-fast-relaxed-math -D 'FACTOR=3'")
    x = device_copy(queue, np.ones(64, np.float32))
    spec.build(queue).scale(queue, (64,), None, x)
    assert (contents(queue, x) == 3).all()


def test_kernel_is_known_by_what_was_built(queue: cl.CommandQueue) -> None:
    """And not by what its spec says now."""
    spec = KernelSpec("scale", SCALE)
    before = spec.build(queue)
    spec.src = SCALE.replace("2.0f", "3.0f")
    tune_when_idle(WorkGroupTuner(before.scale, 1 << 20), queue, candidates=[32, 64])
    changed = KernelSpec("scale", spec.src).build(queue)
    assert not WorkGroupTuner(changed.scale, 1 << 20).tune(queue, [32, 64]).cached
    same = KernelSpec("scale", SCALE).build(queue)
    assert WorkGroupTuner(same.scale, 1 << 20).tune(queue, [32, 64]).cached


def test_tuned_spec_can_be_copied(queue: cl.CommandQueue) -> None:
    spec = KernelSpec("scale", SCALE)
    program = spec.build(queue)
    result = tune_when_idle(WorkGroupTuner(program.scale, 1 << 20), queue)
    for other in copy.copy(spec), copy.deepcopy(spec), pickle.loads(pickle.dumps(spec)):
        assert other == spec
        assert other.local_size(queue.device, (1 << 20,)) == result.best_local_size
        known = WorkGroupTuner(other.build(queue).scale, 1 << 20, cache=False).tune(queue)
        assert known.cached
    assert dataclasses.asdict(spec)["workgroup_size"] == result.best_local_size
    assert copy.copy(program).scale is program.scale


def test_threads_that_ask_the_same_sweep_once(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    EventTimes(monkeypatch)
    program = cl.Program(queue.context, SCALE).build(["-cl-kernel-arg-info"])
    together = threading.Barrier(4)
    results: list[AutotuneResult] = []

    def tune() -> None:
        kernel = cl.Kernel(program, "scale")
        together.wait()
        results.append(WorkGroupTuner(kernel, N).tune(queue))

    threads = [threading.Thread(target=tune) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(result.cached for result in results) == [False, True, True, True]


def test_autotuner_need_not_restore(queue: cl.CommandQueue) -> None:
    x = device_copy(queue, np.ones(64, np.float32))
    spec = KernelSpec("scale", SCALE)
    tuner = Autotuner(queue, cache=False)
    tuner.tune(spec, 64, candidates=[32], args=[x])
    assert (contents(queue, x) == 1).all()
    tuner.tune(spec, 64, candidates=[16], args=[x], restore=False)
    assert (contents(queue, x) > 1).all()


def test_answer_that_a_spec_has_is_what_it_launches_with(queue: cl.CommandQueue) -> None:
    spec = KernelSpec("scale", SCALE)
    tuner = Autotuner(queue, cache=False)
    x = device_copy(queue, np.ones(N, np.float32))
    for size, local in [(N, 64), (N // 2, 32)]:
        kernel = WorkGroupTuner(spec.build(queue).scale, size, [local], [x], cache=False)
        tune_when_idle(kernel, queue)
        assert spec.workgroup_size == local
    assert tuner.tune(spec, N, candidates=[64], args=[x]).cached
    assert spec.workgroup_size == 64


TWO = """__kernel void first(__global int* x) { x[get_global_id(0)] = get_local_size(0); }
         __kernel __attribute__((reqd_work_group_size(16, 1, 1)))
         void second(__global int* x) { x[get_global_id(0)] = get_local_size(0); }
         __kernel void third(__global int* x) { x[get_global_id(0)] = get_local_size(0); }"""


def test_kernels_of_one_text_have_sizes_of_their_own(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    EventTimes(monkeypatch)
    spec = KernelSpec("first", TWO)
    program = spec.build(queue)
    x = device_copy(queue, np.zeros(N, np.int32))

    def launched(kernel: cl.Kernel) -> int:
        kernel(queue, (N,), None, x)
        return int(contents(queue, x).view(np.int32)[0])

    for kernel, size in (program.first, 64), (program.third, 32):
        WorkGroupTuner(kernel, N, [size], [x], cache=False).tune(queue)
    assert spec.workgroup_size == 64
    assert spec.local_size(queue.device, (N,)) == 64
    assert (launched(program.first), launched(program.third)) == (64, 32)
    spec.workgroup_size = 8
    assert launched(program.second) == 16


def test_size_that_the_kernel_requires_is_what_it_is_launched_with(
    queue: cl.CommandQueue,
) -> None:
    x = device_copy(queue, np.zeros(N, np.int32))
    for stated in 64, 16, None:
        second = KernelSpec("second", TWO, workgroup_size=stated).build(queue).second
        second(queue, (N,), None, x)
        assert (contents(queue, x).view(np.int32) == 16).all()
    none = KernelSpec("first", TWO, workgroup_size=0).build(queue).first
    with pytest.raises(tonno.Error, match="the workgroup_size 0 of 'first' is not valid"):
        none(queue, (N,), None, x)


def test_size_above_the_kernels_maximum_is_left_to_the_driver(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = KernelSpec("first", TWO, workgroup_size=64).build(queue).first
    ask: Any = cl.Kernel.get_work_group_info
    most = cl.kernel_work_group_info.WORK_GROUP_SIZE

    def asked(which: cl.Kernel, what: int, device: cl.Device) -> object:
        return 32 if what == most else ask(which, what, device)

    x = device_copy(queue, np.zeros(N, np.int32))
    kernel(queue, (N,), None, x)
    assert (contents(queue, x).view(np.int32) == 64).all()
    monkeypatch.setattr(cl.Kernel, "get_work_group_info", asked)
    sizes: list[Any] = []
    launch: Any = cl.Kernel.__call__

    def launched(*args: Any, **more: Any) -> object:
        sizes.append(args[3])
        return launch(*args, **more)

    monkeypatch.setattr(cl.Kernel, "__call__", launched)
    kernel(queue, (N,), None, x)
    assert sizes == [None]


def test_autotuner_warns_of_its_callers_line(queue: cl.CommandQueue) -> None:
    with pytest.warns(UserWarning, match="no arguments were set") as warned:
        Autotuner(queue, cache=False).tune(KernelSpec("scale", SCALE), N, candidates=[64])
        kernel = KernelSpec("scale", SCALE).build(queue).scale
        WorkGroupTuner(kernel, N, [64], cache=False).tune(queue)
    assert {warning.filename for warning in warned} == {__file__}
