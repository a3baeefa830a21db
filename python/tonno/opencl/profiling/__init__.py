# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuners and their results."""

from tonno.opencl.profiling.autotuner import Autotuner, WorkGroupTuner
from tonno.opencl.results import AutotuneResult

__all__ = ["AutotuneResult", "Autotuner", "WorkGroupTuner"]
