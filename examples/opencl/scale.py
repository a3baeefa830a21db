# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the local size of a kernel."""

import numpy as np
import pyopencl as cl

import tonno.opencl as nc
from tonno.opencl import WorkGroupTuner

queue = cl.CommandQueue(
    cl.create_some_context(interactive=False),
    properties=cl.command_queue_properties.PROFILING_ENABLE,
)
spec = nc.KernelSpec(
    name="scale",
    src="""__kernel void scale(__global float* x) {
               int gid = get_global_id(0);
               x[gid] = x[gid] * 2.0f;
           }""",
)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
x = cl.Buffer(queue.context, flags, hostbuf=np.ones(1 << 20, np.float32))
tuner = WorkGroupTuner(spec.build(queue).scale, global_size=(1 << 20,))
result = tuner.tune(queue, candidates=[32, 64, 128, 256], args=[x])
print(f"best local size: {result.best_local_size}")
print(f"runtime: {result.runtime_us:.1f} us")
for each in result.measured:
    print(f"  {each.local_size:4} {each.runtime_us:8.1f} us")
