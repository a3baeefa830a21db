# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes kernels on the devices of a Ray cluster: `pip install 'tonno-mlir[ray]'`."""

from __future__ import annotations

from tonno.distributed.jobs import Job, JobResult
from tonno.distributed.tuning import tune

__all__ = ["Job", "JobResult", "tune"]
