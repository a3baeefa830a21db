# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What objects print is the same in each process, where they are."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from tonno.jax.fingerprints import with_sorted_sets

WITH_SETS = """
import dataclasses, functools, jax, jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name
from tonno import autotune

NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]

@dataclasses.dataclass(frozen=True)
class Options:
    names: frozenset = frozenset(NAMES)

@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["names"])
@dataclasses.dataclass(frozen=True)
class Named:
    x: object
    names: frozenset = frozenset(NAMES)

@autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
@jax.jit(static_argnames=["options", "N"])
def total(named, options, N=1):
    policy = jax.checkpoint_policies.save_only_these_names(*NAMES)
    return jax.checkpoint(lambda x: checkpoint_name(jnp.sin(x), "beta") * N / N, policy=policy)(
        named.x if isinstance(named, Named) else named)

x = jnp.ones(3)
total.tune([(x, None), (x, frozenset(NAMES)), (x, Options()), (Named(x), None)])
print([decision.source for decision in total.decisions])
"""


def test_sets_are_sorted_for_other_processes(cache: Any) -> None:
    expected = ["sweep", "cache", "cache"]
    found = []
    for seed in "123":
        found.append(
            subprocess.run(
                [sys.executable, "-c", WITH_SETS],
                stdout=subprocess.PIPE,
                text=True,
                env=dict(os.environ, PYTHONHASHSEED=seed),
                timeout=100,
            ).stdout.strip()
        )
    assert found == [str([source] * 4) for source in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("frozenset({'b', 'a'})", "frozenset({'a', 'b'})"),
        ("f(frozenset({3, 20, 1}), b, a)", "f(frozenset({1, 20, 3}), b, a)"),
        ("frozenset({(2, 1), 'x, {'})", "frozenset({'x, {', (2, 1)})"),
        ("frozenset({2, frozenset({4, 3})})", "frozenset({2, frozenset({3, 4})})"),
        (
            "frozenset({<f at 0x2>, <e at 0x3>}), frozenset({'d', \"c'\"})",
            "frozenset({<e at 0x3>, <f at 0x2>}), frozenset({\"c'\", 'd'})",
        ),
        # An order may mean something, and what is not closed is no set.
        ("Cycle{2, 0, 1} {'b': 1, 'a': 2}", "Cycle{2, 0, 1} {'b': 1, 'a': 2}"),
        ("frozenset({2, 1, ...", "frozenset({2, 1, ..."),
        ("frozenset()", "frozenset()"),
    ],
)
def test_sets_print_sorted(text: str, expected: str) -> None:
    assert with_sorted_sets(text) == expected
