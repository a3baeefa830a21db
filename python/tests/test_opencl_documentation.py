# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the documentation of WorkGroupTuner's users states, line by line.

It is that of another system, whose module is `netcl`; only imports differ.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pathlib
from collections.abc import Iterator

import pyopencl as cl
import pytest
from opencl_device import SCALE, EventTimes, Launches, queue_of, tune_when_idle

import tonno.opencl as nc
from tonno.opencl.profiling import AutotuneResult, Autotuner, WorkGroupTuner

pytestmark = pytest.mark.filterwarnings(
    "ignore:the device looks busy", "ignore:the buffers that", "ignore:no arguments were"
)
N = 1 << 20


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


@pytest.fixture
def launches(queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch) -> Iterator[Launches]:
    yield Launches().watch(monkeypatch)


def scale(queue: cl.CommandQueue) -> nc.Kernel:
    return nc.KernelSpec(name="scale", src=SCALE).build(queue).scale


def test_where_it_lives() -> None:
    module = importlib.import_module("tonno.opencl.profiling.autotuner")
    assert module.WorkGroupTuner is WorkGroupTuner is nc.WorkGroupTuner
    assert module.__file__ and module.__file__.endswith("profiling/autotuner.py")
    # Its siblings.
    assert module.Autotuner is Autotuner
    assert module.AutotuneResult is AutotuneResult


def test_it_is_a_small_dataclass() -> None:
    assert dataclasses.is_dataclass(WorkGroupTuner)
    names = [field.name for field in dataclasses.fields(WorkGroupTuner)]
    assert names[:3] == ["kernel", "global_size", "candidates"]
    assert len(inspect.getsource(WorkGroupTuner).splitlines()) < 100


def test_result_is_a_dataclass_with_the_best_size_and_its_runtime(
    queue: cl.CommandQueue,
) -> None:
    result = WorkGroupTuner(scale(queue), (N,)).tune(queue)
    assert dataclasses.is_dataclass(result)
    assert isinstance(result, AutotuneResult)
    assert isinstance(result.best_local_size, int)
    assert isinstance(result.runtime_us, float)


def test_first_example(queue: cl.CommandQueue, capsys: pytest.CaptureFixture[str]) -> None:
    prg = nc.KernelSpec(name="scale_by_two", src=SCALE.replace("scale", "scale_by_two")).build(
        queue
    )
    tuner = WorkGroupTuner(prg.scale_by_two,
                           global_size=(N,))
    result = tuner.tune(queue, candidates=[32, 64, 128, 256])
    print(result.best_local_size, result.runtime_us)
    size, runtime = capsys.readouterr().out.split()
    assert int(size) in [32, 64, 128, 256]
    assert float(runtime) > 0


def test_example_of_a_custom_kernel(
    queue: cl.CommandQueue, capsys: pytest.CaptureFixture[str]
) -> None:
    prg = nc.KernelSpec(
        name="my_kernel",
        src="""__kernel void my_kernel(__global float* x) {
                int gid = get_global_id(0);
                x[gid] = x[gid] * 2.0f;
            }""",
    ).build(queue)

    tuner = WorkGroupTuner(prg.my_kernel, global_size=(1_000_000,))
    result = tuner.tune(queue)
    print(f"best local size: {result.best_local_size}")
    print(f"runtime: {result.runtime_us:.1f} us")

    best, runtime = capsys.readouterr().out.splitlines()
    assert best == f"best local size: {result.best_local_size}"
    assert runtime.startswith("runtime: ") and runtime.endswith(" us")

    spec = nc.KernelSpec(
        name="my_kernel",
        src="...",
        workgroup_size=result.best_local_size,  # cached
    )
    assert spec.workgroup_size == result.best_local_size


def test_result_is_the_shortest_runtime_of_the_candidates(queue: cl.CommandQueue) -> None:
    result = WorkGroupTuner(scale(queue), (N,), [1, 32, 64]).tune(queue)
    assert not result.overhead_bound
    means = {each.local_size: each.runtime_us for each in result.measured}
    assert means.keys() == {1, 32, 64}
    assert result.best_local_size == min(means, key=lambda size: means[size])
    assert result.runtime_us == min(means.values())


def test_candidates_keep_to_the_devices_maximum(queue: cl.CommandQueue) -> None:
    most = queue.device.max_work_group_size
    result = WorkGroupTuner(scale(queue), (4 * most,), [most, 2 * most]).tune(queue)
    assert most in [each.local_size for each in result.measured]
    (left_out,) = result.left_out
    assert left_out.local_size == 2 * most
    assert left_out.reason == f"the device allows {most} work-items a group"


def test_default_candidates(queue: cl.CommandQueue) -> None:
    result = WorkGroupTuner(scale(queue), (N,)).tune(queue)
    tried = {each.local_size for each in result.measured}
    assert tried == {1, 2, 4, 8, 16, 32, 64, 128, 256}
    assert tried >= {64, 128, 256}  # the natural ones


@pytest.mark.parametrize("where", ["constructor", "tune"])
def test_candidates_override_the_default(queue: cl.CommandQueue, where: str) -> None:
    if where == "tune":
        result = WorkGroupTuner(scale(queue), (N,)).tune(queue, candidates=[16, 32])
    else:
        result = WorkGroupTuner(scale(queue), (N,), candidates=[16, 32]).tune(queue)
    assert [each.local_size for each in result.measured] == [16, 32]


def test_queue_is_finished_first(queue: cl.CommandQueue, launches: Launches) -> None:
    WorkGroupTuner(scale(queue), (N,)).tune(queue)
    assert launches.calls[0] == "drain"


def test_first_run_is_excluded_and_three_are_averaged(
    queue: cl.CommandQueue, launches: Launches
) -> None:
    tuner = WorkGroupTuner(scale(queue), (N,), [32, 64])
    result = tune_when_idle(tuner, queue)
    for each in result.measured:
        assert len(each.samples_us) == 3
        assert each.runtime_us == pytest.approx(sum(each.samples_us) / 3)
        runs = launches.local_sizes.count((each.local_size,))  # type: ignore[arg-type]
        assert runs % 3 in (1, 2)  # one more than a multiple of three, and one without arguments


def test_timer_is_of_events(queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    EventTimes(monkeypatch, start=10_000, end=57_300)
    result = WorkGroupTuner(scale(queue), (N,), [64]).tune(queue)
    assert result.measured[0].samples_us == (47.3, 47.3, 47.3)
    assert result.runtime_us == pytest.approx(47.3)


def test_tuned_at_most_once_for_kernel_and_global_size(
    queue: cl.CommandQueue, launches: Launches
) -> None:
    kernel = scale(queue)
    tuner = WorkGroupTuner(kernel, (N,))
    first = tune_when_idle(tuner, queue)
    assert not first.cached
    launches.calls.clear()
    second = WorkGroupTuner(kernel, (N,)).tune(queue)
    assert second.cached
    assert launches.calls == []
    assert dataclasses.replace(second, cached=False) == first
    assert not WorkGroupTuner(kernel, (N // 2,)).tune(queue).cached


def test_result_is_cached_in_the_spec_and_used(queue: cl.CommandQueue) -> None:
    spec = nc.KernelSpec(name="scale", src=SCALE)
    kernel = spec.build(queue).scale
    result = tune_when_idle(WorkGroupTuner(kernel, (N,), cache=False), queue)
    assert spec.workgroup_size == result.best_local_size
    assert spec.local_size(queue.device, (N,)) == result.best_local_size
    assert WorkGroupTuner(kernel, (N,), cache=False).tune(queue).cached  # not on disk


def test_launch_without_a_size_uses_the_cached_one(queue: cl.CommandQueue) -> None:
    source = "__kernel void which(__global int* x) { x[get_global_id(0)] = get_local_size(0); }"
    spec = nc.KernelSpec(name="which", src=source, workgroup_size=32)
    import numpy

    seen = numpy.zeros(96, numpy.int32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, seen.nbytes)
    kernel = spec.build(queue).which
    kernel(queue, (96,), None, buffer)
    cl.enqueue_copy(queue, seen, buffer)
    assert set(seen) == {32}
    kernel(queue, (96,), (48,), buffer)
    cl.enqueue_copy(queue, seen, buffer)
    assert set(seen) == {48}
    assert spec.local_size(queue.device, (100,)) is None  # 32 does not divide it
    assert spec.local_size(queue.device, (96, 96)) is None
    # Nor is one that the device does not allow.
    spec.workgroup_size = 2 * queue.device.max_work_group_size
    size = (spec.workgroup_size,)
    larger = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * spec.workgroup_size)
    kernel(queue, size, None, larger).wait()
    assert spec.local_size(queue.device, size) is None


def test_small_kernels_get_a_fixed_64(queue: cl.CommandQueue) -> None:
    result = WorkGroupTuner(scale(queue), (64,)).tune(queue)
    assert result.overhead_bound
    assert result.best_local_size == 64
    assert "it is the fixed 64" in " ".join(result.notes)


def test_answer_of_launching_alone_is_not_kept(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other arguments the same kernel may take longer."""
    times = EventTimes(monkeypatch, start=20_000, end=24_000)
    spec = nc.KernelSpec("scale", SCALE)
    short = WorkGroupTuner(spec.build(queue).scale, (N,)).tune(queue)
    assert short.overhead_bound
    assert spec.workgroup_size == short.best_local_size
    times.end = 90_000
    other = nc.KernelSpec("scale", SCALE)
    for asked, cache in (spec, False), (other, True):
        kernel = asked.build(queue).scale
        long = WorkGroupTuner(kernel, (N,), cache=cache).tune(queue)
        assert not (long.cached or long.overhead_bound)
        assert not any("launching takes longer" in note for note in long.notes)


def test_autotuner_goes_kernel_by_kernel(queue: cl.CommandQueue) -> None:
    tuner = Autotuner(queue)
    specs = [
        nc.KernelSpec(name="scale", src=SCALE),
        nc.KernelSpec(name="twice", src=SCALE.replace("scale", "twice")),
    ]
    for spec in specs:
        result = tuner.tune(spec, (N,), candidates=[32, 64])
        assert tuner.results[spec.name] is result
        assert result.busy or spec.workgroup_size == result.best_local_size
    assert tuner.results.keys() == {"scale", "twice"}
