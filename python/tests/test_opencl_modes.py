# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Local sizes where nothing is to be measured, on PoCL."""

from __future__ import annotations

import math
import pathlib
import warnings

import numpy as np
import pyopencl as cl
import pytest
from opencl_device import SCALE, EventTimes, Launches, device_copy, queue_of, raw

import tonno
from tonno.opencl import Autotuner, KernelSpec, WorkGroupTuner

N = 1 << 16


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> cl.CommandQueue:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path / "cache"))
    return queue_of("Portable Computing Language")


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Launches:
    return Launches().watch(monkeypatch)


def test_cached_takes_the_default_and_warns_once(
    queue: cl.CommandQueue, launches: Launches, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TONNO_MODE", "cached")
    tuner = WorkGroupTuner(raw(queue, SCALE, "scale"), N)
    with pytest.warns(tonno.UntunedWarning, match="'scale' runs with the default local size 64") as told:
        results = [tuner.tune(queue) for _ in range(2)]
    assert len(told) == 1 and told[0].filename == __file__
    for result in results:
        assert result.best_local_size == 64 and result.default and not result.cached
        assert math.isnan(result.runtime_us) and result.measured == ()
        assert result.notes == ("the local size is the default: mode cached by TONNO_MODE",)
    assert launches.local_sizes == [] and not (tmp_path / "cache").exists()


def test_default_is_a_candidate(queue: cl.CommandQueue) -> None:
    tuner = WorkGroupTuner(raw(queue, SCALE, "scale"), N, mode="off")
    assert tuner.tune(queue, [16, 32, 128]).best_local_size == 32
    assert tuner.tune(queue, [256, 128]).best_local_size == 256
    with pytest.raises(tonno.Error, match="48 does not divide"):
        tuner.tune(queue, [48])


def test_cached_takes_what_was_tuned(
    queue: cl.CommandQueue, launches: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    EventTimes(monkeypatch)
    spec = KernelSpec("scale", SCALE)
    args = [device_copy(queue, np.ones(N, np.float32))]
    record = Autotuner(queue).tune(spec, N, args=args, candidates=[32, 128])
    begun = len(launches.local_sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = Autotuner(queue, mode="cached").tune(
            KernelSpec("scale", SCALE), N, args=args, candidates=[32, 128]
        )
    assert again.cached and again.best_local_size == record.best_local_size
    assert "mode cached" in again.notes and len(launches.local_sizes) == begun


def test_off_takes_what_launches_use(queue: cl.CommandQueue, launches: Launches) -> None:
    spec = KernelSpec("scale", SCALE, workgroup_size=16)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = Autotuner(queue, mode="off").tune(spec, N)
        assert Autotuner(queue, mode="off").tune(KernelSpec("scale", SCALE), N).best_local_size == 64
    assert result.default and result.best_local_size == 16
    assert spec.workgroup_size == 16 and launches.local_sizes == []


def test_invalid_mode_is_refused(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = raw(queue, SCALE, "scale")
    with pytest.raises(tonno.Error, match="mode: unknown mode 'no'; the modes are: tune, cached, off"):
        WorkGroupTuner(kernel, N, mode="no").tune(queue)
    monkeypatch.setenv("TONNO_MODE", "no")
    with pytest.raises(tonno.Error, match="TONNO_MODE: unknown mode 'no'"):
        WorkGroupTuner(kernel, N).tune(queue)
