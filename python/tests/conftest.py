# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests share."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from device_locks import lock_path

import tonno
from tonno import _core, frontends

if TYPE_CHECKING:
    from jax_events import VirtualTime

    from tonno.jax import Decision

# A user's mode is not for tests.
os.environ.pop("TONNO_MODE", None)
os.environ.pop("TONNO_STORE", None)

# Told at the end; users could do nothing about them.
_core.set_leak_warnings(True)

# Read when JAX is imported, which tests do: a processor as four devices.
_FLAGS = os.environ.get("XLA_FLAGS", "")
os.environ["XLA_FLAGS"] = f"{_FLAGS} --xla_force_host_platform_device_count=4".strip()
# Keys and numbers of devices are the processor's; test_jax_gpu.py is for others.
os.environ["JAX_PLATFORMS"] = "cpu"

DATA = pathlib.Path(__file__).parent / "data"


@pytest.fixture(scope="session", autouse=True)
def own_host() -> Iterator[None]:
    """The tests' own lock in place of the host's: what is not timed here does not hold up
    what is timed beside it."""
    device = ("host", f"test-{os.getpid()}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontends, "host", lambda: device)
        yield
    lock_path(device).unlink(missing_ok=True)


@pytest.fixture
def space() -> tonno.SearchSpace:
    return tonno.SearchSpace(
        {
            "BM": tonno.pow2(16, 256),
            "BN": [32, 64, 128],
            "unroll": [False, True],
            "tail": ["mask", "split"],
            "order": tonno.permutations(3),
        },
        constraints=["BM * BN <= 8192", "tail == 'mask' or BM mod 32 == 0"],
    )


@pytest.fixture
def transpose() -> tonno.Recording:
    """A host kernel's space, tuned exhaustively."""
    (recording,) = tonno.read_recordings(DATA / "transpose.csv")
    return recording


@pytest.fixture
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where autotuned functions keep their winners."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("TONNO_CACHE_DIR", str(directory))
    return directory


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Records the sweeps that autotuned functions start."""
    from tonno.jax import autotuning, sweeps

    begun: list[object] = []

    class Counted(sweeps.Sweep):
        def run(self) -> Decision:
            begun.append(self)
            return super().run()

    monkeypatch.setattr(autotuning, "Sweep", Counted)
    return begun


@pytest.fixture
def virtual_time(monkeypatch: pytest.MonkeyPatch) -> VirtualTime:
    """Times candidates by a clock that the test sets."""
    from jax_events import VirtualTime

    return VirtualTime(monkeypatch)


@pytest.fixture(scope="session")
def built_tools() -> pathlib.Path:
    """The folder of the build tree's tools."""
    folder = pathlib.Path(sys.prefix).parent / "bin"
    if not (folder / "tonno-tune").exists():
        pytest.skip("the tools were not built")
    return folder


@pytest.fixture
def tools(built_tools: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The folder of the tools, which `tonno.mlir` runs."""
    monkeypatch.setenv("TONNO_TOOLS_DIR", str(built_tools))
    return built_tools
