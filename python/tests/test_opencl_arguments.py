# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of kernels of pyopencl: set, given, or made; and what becomes of them."""

from __future__ import annotations

import pathlib
import weakref
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from opencl_device import SCALE, Launches, contents, device_copy, queue_of, raw, tune_when_idle

import tonno
from tonno.opencl import KernelSpec, WorkGroupTuner

pytestmark = pytest.mark.filterwarnings("ignore:the device looks busy", "ignore:no arguments were")
N = 1 << 18
ADD = """__kernel void add(__global float* x, __global const float* y, float a,
                           __local float* t) {
             int i = get_global_id(0);
             t[get_local_id(0)] = x[i];
             x[i] = t[get_local_id(0)] + a + y[0];
         }"""


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


def test_arguments_that_pyopencl_set_are_used(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, ADD, "add", "-cl-kernel-arg-info")
    x = device_copy(queue, np.ones(N, np.float32))
    y = device_copy(queue, np.zeros(1, np.float32))
    local: Any = cl.LocalMemory(4 * 256)
    kernel.set_args(x, y, np.float32(1), local)
    with pytest.warns(UserWarning, match="give them as args to restore them"):
        result = WorkGroupTuner(kernel, N).tune(queue, [64])
    assert any("OpenCL does not report which buffers these are" in note for note in result.notes)
    assert contents(queue, x)[5] >= 5


@pytest.mark.parametrize("scalar", [np.float32(3), 3.0, 3])
def test_given_arguments_are_restored(queue: cl.CommandQueue, scalar: Any) -> None:
    kernel = raw(queue, ADD, "add", "-cl-kernel-arg-info")
    first = np.arange(N, dtype=np.float32)
    x, y = device_copy(queue, first), device_copy(queue, np.ones(1, np.float32))
    args = [x, y, scalar, cl.LocalMemory(4 * 256)]
    result = WorkGroupTuner(kernel, N, args=args).tune(queue, [32, 64])
    assert not result.failed
    assert np.array_equal(contents(queue, x), first)
    again = WorkGroupTuner(kernel, N, restore=False, cache=False)
    again.tune(queue, [32, 64], args=args)
    assert contents(queue, x)[0] >= 8 * 4


@pytest.mark.parametrize("how", ["set_args", "set_arg", "call"])
def test_arguments_of_a_spec_are_restored(queue: cl.CommandQueue, how: str) -> None:
    kernel = KernelSpec("scale", SCALE).build(queue).scale
    x = device_copy(queue, np.ones(N, np.float32))
    if how == "set_args":
        kernel.set_args(x)
    elif how == "set_arg":
        kernel.set_arg(0, x)
    else:
        kernel(queue, (N,), None, x)
    before = contents(queue, x)
    result = WorkGroupTuner(kernel, N).tune(queue, [32, 64])
    assert np.array_equal(contents(queue, x), before)
    assert not any("give them as args" in note for note in result.notes)


def test_each_launch_finds_the_same_contents(queue: cl.CommandQueue) -> None:
    # The second buffer is not restored, since the signature hides the write.
    source = """__kernel void once(__global float* x, __global const float* seen) {
                    int i = get_global_id(0);
                    if (x[i] != 1) *(__global float*)seen = 1;
                    x[i] = 2; }"""
    kernel = raw(queue, source, "once", "-cl-kernel-arg-info")
    x = device_copy(queue, np.ones(N, np.float32))
    seen = device_copy(queue, np.zeros(1, np.float32))
    WorkGroupTuner(kernel, N, args=[x, seen]).tune(queue, [32, 64])
    assert contents(queue, seen)[0] == 0


def test_buffers_are_made_and_the_callers_kernel_is_left_alone(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    assert not WorkGroupTuner(kernel, N).tune(queue).failed
    with pytest.raises(cl.LogicError, match="INVALID_KERNEL_ARGS"):
        cl.enqueue_nd_range_kernel(queue, kernel, (N,), None)


def test_buffers_that_were_made_are_said_to_be(queue: cl.CommandQueue) -> None:
    """So that arguments of another kernel object are not believed to be used."""
    program = cl.Program(queue.context, SCALE).build(["-cl-kernel-arg-info"])
    x = device_copy(queue, np.ones(N, np.float32))
    program.scale.set_args(x)
    kernel = cl.Kernel(program, "scale")
    message = "no arguments were set for 'scale', so it was timed on buffers of 262144 elements"
    with pytest.warns(UserWarning, match=message):
        result = tune_when_idle(WorkGroupTuner(kernel, (512, 512)), queue, candidates=[(64, 1)])
    assert any(message in note for note in result.notes)
    known = WorkGroupTuner(kernel, (512, 512)).tune(queue, [(64, 1)])
    assert known.cached
    assert known.notes == result.notes
    given = WorkGroupTuner(kernel, N, args=[x]).tune(queue, [64])
    assert not any("no arguments" in note for note in given.notes)


def test_argument_that_cannot_be_made_is_named(queue: cl.CommandQueue) -> None:
    kernel = raw(queue, ADD, "add", "-cl-kernel-arg-info")
    with pytest.raises(tonno.Error, match="argument 2 of 'add', 'a' of type 'float', was not set"):
        WorkGroupTuner(kernel, N).tune(queue)


def test_unknown_arguments_are_said_to_be(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tonno.opencl.information.KernelInfo._arguments", None)
    with pytest.raises(tonno.Error, match="build the program with -cl-kernel-arg-info"):
        WorkGroupTuner(raw(queue, SCALE, "scale"), N).tune(queue)


@pytest.mark.filterwarnings("error::pyopencl.CompilerWarning")
def test_arguments_are_told_by_another_build(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    # PoCL tells them of some programs unasked.
    monkeypatch.setattr(cl.Kernel, "get_arg_info", untold(cl.Kernel.get_arg_info))
    define = f"-DSCALE={SCALE.split('(')[0].split()[-1]}"
    kernel = raw(queue, SCALE.replace("void scale", "void SCALE"), "scale", define)
    assert WorkGroupTuner(kernel, N).tune(queue, [64]).best_local_size == 64
    x, y = (device_copy(queue, np.ones(N, np.float32)) for _ in "xy")
    args = [x, y, 3, cl.LocalMemory(4 * 64)]
    WorkGroupTuner(raw(queue, ADD, "add"), N, args=args).tune(queue, [64])
    assert (contents(queue, x) == 1).all()


def untold(get_arg_info: Any) -> Any:
    """As of a driver that tells only what it was built for."""

    def asked(kernel: cl.Kernel, *what: Any) -> Any:
        device = kernel.context.devices[0]
        options = kernel.program.get_build_info(device, cl.program_build_info.OPTIONS)
        if "-cl-kernel-arg-info" not in str(options):
            raise cl.Error("CL_KERNEL_ARG_INFO_NOT_AVAILABLE")
        return get_arg_info(kernel, *what)

    return asked


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
def test_arguments_are_told_whatever_the_build_options_quote(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = raw(queue, SCALE, "scale", "-DMESSAGE=don't")
    monkeypatch.setattr(cl.Kernel, "get_arg_info", untold(cl.Kernel.get_arg_info))
    assert WorkGroupTuner(kernel, N).tune(queue, [64]).best_local_size == 64


LOOK = """__kernel void look(__global const float* x) {
              if (x[get_global_id(0)] > 1e30f) ((__global float*)x)[0] = 0; }"""


def test_made_buffers_live_while_they_are_launched_with(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Watched(cl.Buffer):
        pass

    made: list[weakref.ref[Any]] = []
    monkeypatch.setattr(cl, "Buffer", Watched)
    fill, launch = cl.enqueue_fill_buffer, cl.enqueue_nd_range_kernel

    def filled(queue: Any, buffer: Any, *args: Any) -> cl.Event:
        made.append(weakref.ref(buffer))
        return fill(queue, buffer, *args)

    def launched(*args: Any) -> cl.Event:
        assert all(buffer() is not None for buffer in made)
        return launch(*args)

    monkeypatch.setattr(cl, "enqueue_fill_buffer", filled)
    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", launched)
    WorkGroupTuner(raw(queue, LOOK, "look", "-cl-kernel-arg-info"), N).tune(queue, [64])
    assert len(made) == 1


def test_made_buffers_are_filled_before_the_first_launch(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a queue that keeps no order, too.
    launches = Launches().watch(monkeypatch)
    fill = cl.enqueue_fill_buffer

    def filled(*args: Any, **more: Any) -> cl.Event:
        launches.calls.append("fill")
        return fill(*args, **more)

    monkeypatch.setattr(cl, "enqueue_fill_buffer", filled)
    WorkGroupTuner(raw(queue, LOOK, "look", "-cl-kernel-arg-info"), N).tune(queue, [64])
    at = launches.calls.index("fill")
    assert launches.calls[at : at + 3] == ["fill", "wait", "launch"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "has 1 arguments, not the 0"),
        (["text"], "argument 0 of 'scale'"),
        ([np.ones(4)], "argument 0 of 'scale'.*copy it into a pyopencl.Buffer"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    queue: cl.CommandQueue, args: list[Any], message: str
) -> None:
    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    with pytest.raises(tonno.Error, match=message):
        WorkGroupTuner(kernel, N, args=args).tune(queue)


MANY = """__kernel void many(__global int* x, int n, uchar small, float f) {
              x[get_global_id(0)] = n + small + f;
          }"""


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((1.5, 0, 0), "argument 1 of 'many', 'n' of type 'int': 1.5 is not an integer"),
        ((float("nan"), 0, 0), "'n' of type 'int': nan is not an integer"),
        ((1 << 40, 0, 0), "'n' of type 'int': Python integer 1099511627776 out of bounds"),
        ((0, -1, 0), "argument 2 of 'many', 'small' of type 'uchar': .* out of bounds"),
        ((np.int64(1), 0, 0), "'n' of type 'int': .*INVALID_ARG_SIZE"),
    ],
)
def test_numbers_that_their_type_has_not_are_refused(
    queue: cl.CommandQueue, numbers: tuple[Any, ...], message: str
) -> None:
    kernel = raw(queue, MANY, "many", "-cl-kernel-arg-info")
    x = device_copy(queue, np.zeros(N, np.int32))
    with pytest.raises(tonno.Error, match=message):
        WorkGroupTuner(kernel, N, [64], [x, *numbers]).tune(queue)
    whole = WorkGroupTuner(kernel, N, [64], [x, 1e6, True, 2], restore=False)
    whole.tune(queue)
    assert (contents(queue, x).view(np.int32) == 1_000_003).all()


def test_arguments_are_a_list(queue: cl.CommandQueue) -> None:
    x = device_copy(queue, np.ones(N, np.float32))
    wrong: list[Any] = [x, "x", {0: x}]
    for args in wrong:
        with pytest.raises(TypeError, match="args must be a list of the kernel's arguments, not "):
            WorkGroupTuner(raw(queue, SCALE, "scale"), N, args=args).tune(queue)


@pytest.mark.parametrize("how", ["given", "set"])
def test_more_local_memory_than_there_is_is_refused(queue: cl.CommandQueue, how: str) -> None:
    """PoCL would abort this process."""
    kernel = raw(queue, ADD, "add", "-cl-kernel-arg-info")
    x = device_copy(queue, np.ones(N, np.float32))
    most = queue.device.local_mem_size
    args: list[Any] = [x, x, np.float32(1), cl.LocalMemory(4 * most)]
    if how == "set":
        kernel.set_args(*args)
    message = rf"'add' asks for {4 * most} bytes of local memory, but at most {most} are possible"
    with pytest.raises(tonno.Error, match=message):
        WorkGroupTuner(kernel, N, [64], args if how == "given" else None).tune(queue)


def test_failing_restoration_ends_the_tuning(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise cl.MemoryError("clEnqueueCopyBuffer failed: OUT_OF_RESOURCES")

    kernel = raw(queue, SCALE, "scale", "-cl-kernel-arg-info")
    x = device_copy(queue, np.ones(N, np.float32))
    monkeypatch.setattr(cl, "enqueue_copy", fail)
    with pytest.raises(tonno.Error, match="so that it can be restored: .*give restore=False"):
        WorkGroupTuner(kernel, N, args=[x]).tune(queue)
