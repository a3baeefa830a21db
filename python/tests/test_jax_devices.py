# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several devices, and arrays that are spread over them."""

from __future__ import annotations

import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, Sharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from tonno import AllFailed, UntunedWarning, autotune, frontends
from tonno.jax import NotTunable
from tonno.jax.runs import Bench

KINDS = pytest.mark.parametrize("kind", [AxisType.Explicit, AxisType.Auto], ids=str)
SPREAD = {"mesh": {"x": 4}, "spec": ["x"]}


def make_double() -> Any:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def double(x: Any, y: Any = 0.0, N: int = 1) -> Any:
        return x * 2 + jnp.sum(y)

    return double


def spread(kind: AxisType) -> tuple[Any, Any]:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(kind,))
    return mesh, jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("x")))


def first_argument(tuned: Any) -> Any:
    return json.loads(tuned.decisions[-1].key)["__arg0"]


def test_sweep_runs_where_the_arrays_are(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    from tonno.jax import arguments

    made = arguments.made_up_array

    def observed(leaf: Any, place: Any, seed: int) -> Any:
        array = made(leaf, place, seed)
        places.append(array.devices())
        return array

    monkeypatch.setattr(arguments, "made_up_array", observed)
    third = jax.devices()[2]
    double = make_double()
    # What was put nowhere goes along.
    assert double(jax.device_put(jnp.ones(4), third), jnp.ones(2)).devices() == {third}
    assert places == [{third}, {third}]
    assert all(trial.ok for trial in double.decisions[0].trials)
    with jax.default_device(jax.devices()[3]):
        assert make_double()(jnp.ones(5)).devices() == {jax.devices()[3]}
    assert places[-1] == {jax.devices()[3]}


def test_devices_of_a_kind_share_winners(cache: Any) -> None:
    double = make_double()
    for place in (None, *jax.devices()):
        x = jnp.ones(4) if place is None else jax.device_put(jnp.ones(4), place)
        double(x)
    assert [decision.source for decision in double.decisions] == ["sweep"] + ["cache"] * 4
    assert len({decision.key for decision in double.decisions}) == 1


def test_arrays_on_two_devices_are_refused_as_jax_does(cache: Any) -> None:
    x, y = (jax.device_put(jnp.ones(4), device) for device in jax.devices()[:2])
    with pytest.raises((AllFailed, ValueError), match="incompatible devices"):
        make_double()(x, y)


@KINDS
def test_sharding_is_in_the_key(kind: AxisType, cache: Any) -> None:
    _, x = spread(kind)
    double = make_double()
    assert double(x, jnp.ones(3)).sharding.is_equivalent_to(x.sharding, 2)
    assert all(trial.ok for trial in double.decisions[0].trials)
    assert first_argument(double) == {"dtype": "float32", "shape": [8, 4], "sharding": SPREAD}
    double(jnp.ones((8, 4)), jnp.ones(3))
    assert "sharding" not in first_argument(double)


def addresses(bench: Bench) -> set[int]:
    leaves = [leaf for leaf in jax.tree.leaves(bench._args) if isinstance(leaf, jax.Array)]
    shards = [shard for leaf in leaves for shard in leaf.addressable_shards]
    return {shard.data.unsafe_buffer_pointer() for shard in shards}


@KINDS
def test_arguments_are_redrawn_where_they_are(
    kind: AxisType, cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    redraw = Bench.redraw
    kept: list[set[int]] = []

    def observed(bench: Bench) -> None:
        before = addresses(bench)
        redraw(bench)
        kept.append(before & addresses(bench))

    monkeypatch.setattr(Bench, "redraw", observed)
    soon = frontends.paired(finals_seconds=0.5, test_seconds=0.5)
    monkeypatch.setattr("tonno.jax.sweeps._PAIRED", soon)
    _, x = spread(kind)

    @autotune(configs=[{"N": 1}, {"N": 2}], protocol="paired")
    @jax.jit(static_argnames=["N"])
    def total(x: Any, y: Any, N: int = 1) -> Any:
        return x + y.sum() * N / N

    total(x, jnp.ones((64, 64)))
    notes = total.decisions[0].notes
    assert all(trial.ok for trial in total.decisions[0].trials) and len(notes) == 1, notes
    # An array may be given the memory of another one that was dropped just now.
    assert kept and all(len(same) <= 1 for same in kept)


def test_what_goes_along_stays_there_when_copied(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = jax.devices()[2]
    places: list[Any] = []
    fresh = Bench._fresh

    def observed(bench: Bench, candidate: Any) -> Any:
        bench.redraw()
        args = fresh(bench, candidate)
        places.extend(leaf.devices() for leaf in jax.tree.leaves((bench._args, args)))
        return args

    monkeypatch.setattr(Bench, "_fresh", observed)

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
    @jax.jit(static_argnames=["N"], donate_argnames=["y"])
    def add(x: Any, y: Any, N: int = 1) -> Any:
        return x + y * N / N

    assert add(jax.device_put(jnp.ones(4), third), jnp.ones(4)).devices() == {third}
    assert places and all(place == {third} for place in places)


@KINDS
def test_shapes_with_a_sharding_are_tuned_ahead(kind: AxisType, cache: Any) -> None:
    _, x = spread(kind)
    double = make_double()
    double.tune([(jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding),)])
    double(x)
    assert len(double.decisions) == 1 and first_argument(double)["sharding"] == SPREAD


def test_explicit_sharding_in_a_trace_takes_what_was_tuned_before(cache: Any) -> None:
    _, x = spread(AxisType.Explicit)
    double = make_double()
    with pytest.warns(UntunedWarning, match="call it with arrays, or tune"):
        assert jax.jit(double)(x).shape == (8, 4)
    double(x)
    assert jax.jit(lambda x: double(x))(x).shape == (8, 4)
    assert [decision.source for decision in double.decisions] == ["sweep", "cache"]


def test_sharding_left_to_the_compiler_is_not_seen_in_a_trace(cache: Any) -> None:
    mesh, x = spread(AxisType.Auto)
    double = make_double()
    with jax.set_mesh(mesh):
        assert jax.jit(double)(x).shape == (8, 4)
    assert first_argument(double) == {"dtype": "float32", "shape": [8, 4]}


@pytest.mark.parametrize("around", [jax.jit, lambda mapped: mapped], ids=["jit", "eager"])
@KINDS
def test_inside_a_shard_map_the_part_is_tuned(
    kind: AxisType, around: Any, cache: Any
) -> None:
    mesh, x = spread(kind)
    double = make_double()
    mapped = jax.shard_map(double, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    with jax.default_matmul_precision("float32"):
        assert (around(mapped)(x) == 2).all()
    assert first_argument(double) == {"dtype": "float32", "shape": [2, 4]}
    assert double.decisions[0].source == "sweep"
    # Settings of the thread hold there too.
    assert "float32" in json.loads(double.decisions[0].key)["__context"].values()


@KINDS
@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_what_was_put_nowhere_is_spread_as_the_program_has_it(
    kind: AxisType, protocol: str, cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = frontends.paired(finals_seconds=0.2, test_seconds=0.2)
    monkeypatch.setattr("tonno.jax.sweeps._PAIRED", soon)
    _, x = spread(kind)

    def add(x: Any, y: Any, N: int = 1) -> Any:
        return x + y * N / N

    def tuned(**options: Any) -> Any:
        jitted = jax.jit(add, static_argnames=["N"], **options)
        return autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, protocol=protocol)(jitted)

    plain, donated = tuned(), tuned(donate_argnames=["x"])
    plain(x, jnp.ones((8, 4)))
    plain(np.ones((8, 4)), x)
    shapes = [jax.ShapeDtypeStruct((8, 4), "int32", sharding=s) for s in (x.sharding, None)]
    plain.tune([tuple(shapes)])
    donated(x + 0, jnp.ones((8, 4), "int16"))
    decisions = plain.decisions + donated.decisions
    assert [decision.source for decision in decisions] == ["sweep"] * 4
    assert all(trial.ok for decision in decisions for trial in decision.trials), decisions


def test_program_that_spreads_its_arguments_is_no_fault(cache: Any) -> None:
    mesh, weights = spread(AxisType.Auto)
    whole = NamedSharding(mesh, P())

    @autotune(configs=[{"how": "whole"}, {"how": "parts"}], num_timing=1)
    @jax.jit(static_argnames=["how"])
    def product(weights: Any, x: Any, how: str = "whole") -> Any:
        def part(weights: Any, x: Any) -> Any:
            return jax.lax.psum(x @ weights, "x")

        if how == "whole":
            return jax.lax.with_sharding_constraint(x, whole) @ weights
        of_parts = (P("x", None), P(None, "x"))
        return jax.shard_map(part, mesh=mesh, in_specs=of_parts, out_specs=P())(weights, x)

    product(weights, jnp.ones((2, 8)))
    # On a busy machine one of them may seem to take ten times as long.
    assert {trial.status for trial in product.decisions[0].trials} <= {"ok", "pruned"}


def test_memory_of_the_host_is_in_the_key(cache: Any) -> None:
    device = jax.devices()[1]
    double = make_double()
    for kind in ("pinned_host", device.default_memory().kind):
        place = SingleDeviceSharding(device, memory_kind=kind)
        double.tune([(jax.ShapeDtypeStruct((4,), "float32", sharding=place),)])
        double(jax.device_put(jnp.ones(4), place))
    keys = [json.loads(decision.key)["__arg0"] for decision in double.decisions]
    assert [key.get("memory") for key in keys] == ["pinned_host", None]


class Unnamed(SingleDeviceSharding):  # type: ignore[misc]
    """A sharding over all devices that says nothing else of itself."""

    device_set = property(lambda self: set(jax.devices()))


def test_shardings_without_a_name_leave_the_default(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, x = spread(AxisType.Auto)
    unnamed: Sharding = Unnamed(jax.devices()[0])
    monkeypatch.setattr("tonno.jax.problems._sharding", lambda value, aval: unnamed)
    double, spec = make_double(), jax.ShapeDtypeStruct((8, 4), "float32")
    with pytest.raises(NotTunable, match="use a jax.sharding.NamedSharding"):
        double.tune([(spec,)])
    with pytest.warns(UntunedWarning, match="use a jax.sharding.NamedSharding") as told:
        double(x)
        double(x)
    assert len(told) == 1


def test_arrays_of_several_processes_are_refused(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, x = spread(AxisType.Auto)
    monkeypatch.setattr(NamedSharding, "is_fully_addressable", property(lambda self: False))
    double = make_double()
    with pytest.raises(NotTunable, match="pass the tunable parameters explicitly"):
        double.tune([(jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding),)])


def test_shapes_that_differ_in_their_place_are_told_apart(cache: Any) -> None:
    double = make_double()
    host = SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
    for sharding in (None, host):
        double.lower(jax.ShapeDtypeStruct((4,), "float32", sharding=sharding))
    assert len(double.decisions) == 2 and first_argument(double)["memory"] == "pinned_host"


def test_trace_of_several_processes_takes_what_was_tuned_before(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    double = make_double()
    with pytest.raises(NotTunable, match=r"one of 2 processes.* tune\(\.\.\.\) it in one process"):
        jax.jit(double)(jnp.ones(4))
    with pytest.raises(NotTunable, match="one of 2 processes"):
        jax.jit(lambda: double(np.ones(4, "float32")))()
    double(jnp.ones(4))  # Of one process, its own.
    again = make_double()
    jax.jit(again)(jnp.ones(4))
    assert again.decisions[0].source == "cache"
