# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods of objects that nothing but an address tells apart."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import autotune
from tonno.jax import CacheWarning, NotTunable, locks

X = jnp.ones(2)


def make_class() -> Any:
    class Layer:
        def __init__(self, scale: int) -> None:
            self.scale = scale

        @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
        @jax.jit(static_argnames=["self", "N"])
        def apply(self, x: Any, N: int = 1) -> Any:
            return x * self.scale

    return Layer


def test_objects_that_are_alike_share_a_sweep(cache: Any) -> None:
    layer = make_class()
    first, second, other = layer(2), layer(2), layer(3)
    with pytest.warns(CacheWarning, match="is not stored: .* a __repr__ by value in its class"):
        first.apply(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert second.apply(X).tolist() == [2, 2]
    with pytest.warns(CacheWarning, match="is not stored"):
        assert other.apply(X).tolist() == [3, 3]
    swept, taken, third = layer.apply.decisions
    assert taken.trials is swept.trials and third.trials is not swept.trials
    assert taken.key != swept.key and "taken over from another object" in taken.notes[-1]
    # Settings are part of it, as of everything.
    with jax.default_matmul_precision("float32"), pytest.warns(CacheWarning):
        second.apply(X)


def test_objects_are_not_kept_alive(cache: Any) -> None:
    layer = make_class()
    objects = [layer(scale) for scale in (2, 2, 3)]
    alive = [weakref.ref(held) for held in objects]
    with pytest.warns(CacheWarning):
        for held in objects:
            held.apply(X)
    del held, objects
    jax.clear_caches()  # JAX holds static arguments too.
    gc.collect()
    assert [ref() for ref in alive] == [None] * 3
    last = layer(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        last.apply(X)
    assert len(layer.apply.decisions) == 1 and not locks._owners


def test_object_that_can_not_be_held_weakly_is_tuned(cache: Any) -> None:
    class Slotted:
        __slots__ = ()

        @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
        @jax.jit(static_argnames=["self", "N"])
        def apply(self, x: Any, N: int = 1) -> Any:
            return x * 2

    slotted = Slotted()
    with pytest.warns(CacheWarning):
        slotted.apply(X)
    slotted.apply(X)
    assert len(Slotted.apply.decisions) == 1


def test_objects_are_refused_in_a_trace_of_several_processes(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    one = make_class()(2)
    with pytest.warns(CacheWarning):
        one.apply(X)  # Of its own.
    with pytest.raises(NotTunable, match="the winner; pass the tunable parameters"):
        jax.jit(one.apply)(X)
