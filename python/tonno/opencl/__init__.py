# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the local sizes of OpenCL kernels by running them.

    from tonno.opencl import WorkGroupTuner

    tuner = WorkGroupTuner(program.scale, global_size=(n,))
    result = tuner.tune(queue, candidates=[32, 64, 128, 256])
    result.best_local_size, result.runtime_us

Everything runs in this process, on pyopencl's queues, because a candidate takes a few hundred
microseconds. A kernel that crashes the driver crashes the process. Needs pyopencl (`pip install
tonno-mlir[opencl]`), which `import tonno` does not load.
"""

try:
    import pyopencl as _pyopencl  # noqa: F401
except ImportError as error:
    raise ImportError("tonno.opencl needs pyopencl; run pip install pyopencl") from error

from tonno.opencl.kernels import Kernel, KernelSpec, Program
from tonno.opencl.profiling.autotuner import Autotuner, WorkGroupTuner
from tonno.opencl.results import AutotuneResult, LocalSize, MeasuredSize, SkippedSize

__all__ = [
    "AutotuneResult",
    "Autotuner",
    "Kernel",
    "KernelSpec",
    "LocalSize",
    "MeasuredSize",
    "Program",
    "SkippedSize",
    "WorkGroupTuner",
]
