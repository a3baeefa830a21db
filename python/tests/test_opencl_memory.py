# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tuning leaves in memory that is no plain buffer."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.tools
import pytest
from opencl_device import PROFILING, SCALE, contents, device_copy, queue_of, raw

from tonno.opencl import KernelSpec, WorkGroupTuner

pytestmark = pytest.mark.filterwarnings("ignore:the device looks busy")
N = 1 << 14
BOTH = """__kernel void both(__global float* x, __global float* y) {
              int i = get_global_id(0);
              x[i] += 1; y[i] += 1; }"""


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


def scale(queue: cl.CommandQueue) -> cl.Kernel:
    return raw(queue, SCALE, "scale", "-cl-kernel-arg-info")


def fine_grained(queue: cl.CommandQueue) -> Any:
    try:
        array: Any = cl.fsvm_empty(queue.context, N, np.dtype(np.float32))
    except cl.Error as error:
        pytest.skip(f"no shared virtual memory: {error}")
    array[:] = 1
    return array


def test_shared_virtual_memory_is_restored(queue: cl.CommandQueue) -> None:
    array = fine_grained(queue)
    arguments: list[Any] = [cl.SVM(array)]
    result = WorkGroupTuner(scale(queue), N, args=arguments).tune(queue, [32, 64])
    assert not result.failed
    assert (array == 1).all()
    again = WorkGroupTuner(scale(queue), N, args=arguments, restore=False, cache=False)
    again.tune(queue, [32])
    assert (array > 1).all()


def test_shared_virtual_memory_of_a_spec_is_restored(queue: cl.CommandQueue) -> None:
    allocation = cl.SVMAllocation(queue.context, 4 * N, 0, cl.svm_mem_flags.READ_WRITE)
    cl.enqueue_copy(queue, allocation, np.ones(N, np.float32))
    kernel = KernelSpec("scale", SCALE).build(queue).scale
    kernel.set_args(allocation)
    WorkGroupTuner(kernel, N).tune(queue, [32, 64])
    after = np.empty(N, np.float32)
    cl.enqueue_copy(queue, after, allocation)
    assert (after == 1).all()


def test_memory_of_unknown_size_is_said_to_be_left_as_it_is(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: list[Any] = [cl.SVM(fine_grained(queue))]
    monkeypatch.setattr(cl.SVM, "size", None)
    with pytest.warns(UserWarning, match="argument 0 of 'scale' is shared virtual memory of unk"):
        WorkGroupTuner(scale(queue), N, args=arguments).tune(queue, [32])


def test_buffers_of_a_pool_are_restored(queue: cl.CommandQueue) -> None:
    pool = pyopencl.tools.MemoryPool(pyopencl.tools.ImmediateAllocator(queue))
    x: Any = pool.allocate(4 * N)
    cl.enqueue_copy(queue, x, np.ones(N, np.float32))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*is not a buffer")
        WorkGroupTuner(scale(queue), N, args=[x]).tune(queue, [32, 64])
    after = np.empty(N, np.float32)
    cl.enqueue_copy(queue, after, x)
    assert (after == 1).all()


@pytest.mark.parametrize("parent_too", [False, True])
def test_parts_of_buffers_are_restored(queue: cl.CommandQueue, parent_too: bool) -> None:
    first = np.arange(2 * N, dtype=np.float32)
    parent: Any = device_copy(queue, first)
    lower, upper = parent[: 4 * N], parent[4 * N :]
    kernel = raw(queue, BOTH, "both", "-cl-kernel-arg-info")
    args = [upper, parent if parent_too else lower]
    WorkGroupTuner(kernel, N, args=args).tune(queue, [32, 64])
    assert np.array_equal(contents(queue, parent), first)


def test_queue_without_order_is_kept_in_order(queue: cl.CommandQueue) -> None:
    both: Any = PROFILING | cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    loose = cl.CommandQueue(queue.context, properties=both)
    first = np.arange(N, dtype=np.float32)
    x, y = device_copy(queue, first), device_copy(queue, first)
    kernel = raw(queue, BOTH, "both", "-cl-kernel-arg-info")
    result = WorkGroupTuner(kernel, N, args=[x, y]).tune(loose, [16, 32, 64])
    assert len(result.measured) == 3
    assert np.array_equal(contents(queue, x), first)
    assert np.array_equal(contents(queue, y), first)


def test_images_are_launched_with_and_said_not_to_be_restored(queue: cl.CommandQueue) -> None:
    if not queue.device.image_support:
        pytest.skip("the device has no images")
    source = """__kernel void paint(read_only image2d_t from, write_only image2d_t to) {
                    int2 at = (int2)(get_global_id(0), get_global_id(1));
                    write_imagef(to, at, 2 * read_imagef(from, at)); }"""
    kernel = raw(queue, source, "paint", "-cl-kernel-arg-info")
    layout = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    flags = cl.mem_flags
    size = (64, 64)
    ones = np.ones((64, 64, 4), np.float32)
    copied = flags.READ_ONLY | flags.COPY_HOST_PTR
    read = cl.create_image(queue.context, copied, layout, size, hostbuf=ones)
    written = cl.create_image(queue.context, flags.WRITE_ONLY, layout, size)
    with pytest.warns(UserWarning, match="argument 1 of 'paint' is not a buffer"):
        result = WorkGroupTuner(kernel, size, args=[read, written]).tune(queue, [(8, 8), (32, 2)])
    assert not result.failed
    assert not any("argument 0" in note for note in result.notes)  # it is read-only
    after = np.empty_like(ones)
    cl.enqueue_copy(queue, after, written, origin=(0, 0), region=size)
    assert (after == 2).all()
