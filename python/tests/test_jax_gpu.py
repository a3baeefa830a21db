# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On a GPU, where JAX has one: in processes of their own, as the other tests are the
processor's."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/jax/matmul.py"

TUNED = """
import sys
import jax, jax.numpy as jnp
from tonno import autotune

@autotune(configs=[{"ROWS": n} for n in (32, 128, 512)], protocol=sys.argv[1], outputs="refuse")
@jax.jit(static_argnames=["ROWS"])
def product(a, b, ROWS: int = 128):
    return jnp.concatenate([a[i : i + ROWS] @ b for i in range(0, a.shape[0], ROWS)])

x = jnp.ones((512, 512))
with jax.transfer_guard("disallow"):
    found = product(x, x)
assert (found == 512).all()
(decision,) = product.decisions
assert decision.device == jax.devices("gpu")[0].device_kind
print(decision.source, *[trial.status for trial in decision.trials])
"""

ENDLESS = """
import jax, jax.numpy as jnp
from tonno import autotune

@autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, limit_seconds=2)
@jax.jit(static_argnames=["N"])
def endless(x, N: int = 1):
    if N == 1:
        return x
    return jax.lax.while_loop(lambda v: (v != 7).any(), lambda v: jnp.cos(v), x)

endless(jnp.ones(4))
print([trial.status for trial in endless.decisions[0].trials])
"""


def run(*args: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false")
    environment.pop("JAX_PLATFORMS", None)
    command = [sys.executable, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


@pytest.fixture(scope="module", autouse=True)
def gpu() -> None:
    """Skips where there is none."""
    if not importlib.metadata.entry_points(group="jax_plugins"):
        pytest.skip("JAX has no plugin for a GPU")
    found = run("-c", "import jax; print(jax.default_backend())").stdout.strip()
    if found != "gpu":
        pytest.skip(f"JAX finds no GPU: its default backend is {found or 'none'}")


@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_products_are_tuned(protocol: str, cache: pathlib.Path) -> None:
    for source in ("sweep", "cache"):
        shown = run("-c", TUNED, protocol)
        assert shown.returncode == 0, shown.stderr
        first, *statuses = shown.stdout.split()
        assert first == source and set(statuses) <= {"ok", "pruned"}


def test_example_runs(cache: pathlib.Path) -> None:
    shown = run(str(EXAMPLE), "256")
    assert shown.returncode == 0, shown.stderr
    assert "ms, from the sweep\n" in shown.stdout and "256 x 256: " in shown.stdout


def test_what_runs_without_end_is_left_out(cache: pathlib.Path) -> None:
    hung = run("-c", ENDLESS)
    assert hung.returncode == 1 and "N=2 has been running for over 2 s" in hung.stderr
    assert run("-c", ENDLESS).stdout.strip() == "['ok', 'hang']"
