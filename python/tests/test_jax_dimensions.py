# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of arguments' axes in constraints, reports and buckets."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import tonno
from tonno import SearchSpace, autotune
from tonno.jax import Decision

CONFIGS = [{"BM": 32}, {"BM": 16}, {"BM": 8}]
MATRICES = {"a": ("M", "K"), "b": ("K", "N")}


def matrix(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, "float32")


def product(name: str = "product", **options: Any) -> Any:
    """Fastest with the largest BM, if only for noise: which one wins is not asserted."""
    if "space" not in options:
        options.setdefault("configs", CONFIGS)

    def multiply(a: jax.Array, b: jax.Array, c: Any = None, BM: int = 8) -> jax.Array:
        return (a @ b) * (BM / BM)

    jitted = jax.jit(multiply, static_argnames=["BM"])
    return autotune(num_timing=1, num_warmup=0, name=name, dims=MATRICES, **options)(jitted)


def tried(decision: Decision) -> list[int]:
    return sorted(trial.config["BM"] for trial in decision.trials)


def stored_keys(cache: pathlib.Path, name: str = "product") -> list[Any]:
    table = json.loads((cache / f"{name}.json").read_text())
    return [json.loads(key) for key in table["cpu"]]


@pytest.mark.parametrize(
    "choices", [{"configs": CONFIGS}, {"space": {"BM": [32, 16, 8]}}], ids=["configs", "space"]
)
def test_constraints_use_the_sizes_of_the_call(
    cache: pathlib.Path, choices: dict[str, Any]
) -> None:
    tuned = product(constraints=["M mod BM == 0", "BM <= 32"], **choices)
    all_of_64, two, one = tuned.tune(
        [(matrix(m, 8), matrix(8, 4)) for m in (64, 48, 8)]
    )
    assert (tried(all_of_64), tried(two), tried(one)) == ([8, 16, 32], [8, 16], [8])
    assert one.dimensions == {"M": 8, "K": 8, "N": 4}
    assert "for M=8 K=8 N=4, {" in tuned.explain(matrix(8, 8), matrix(8, 4))
    assert "not tuned yet for M=16 K=8 N=4" in tuned.explain(matrix(16, 8), matrix(8, 4))
    with pytest.raises(tonno.Error, match=r'"?M mod BM == 0"? where M=7'):
        tuned(jnp.ones((7, 8)), jnp.ones((8, 4)))


def test_decisions_of_other_sizes_are_found_again(cache: pathlib.Path) -> None:
    options: dict[str, Any] = {"constraints": ["M mod BM == 0"]}
    call = matrix(48, 8), matrix(8, 4)
    product(**options).tune([call])
    (again,) = product(**options).tune([call])
    assert again.source == "cache"
    # Names that no constraint uses change nothing, constraints that allow less do.
    (other,) = product(constraints=["M mod BM == 0", "BM < N * 4"]).tune([call])
    assert other.source == "sweep" and tried(other) == [8]


def test_constraints_filter_a_list() -> None:
    kept = autotune(configs=CONFIGS, constraints=["BM < 32"])(
        jax.jit(lambda x, BM=8: x, static_argnames=["BM"])
    )
    assert kept._plan.configs == [{"BM": 8}, {"BM": 16}]


def test_missing_arguments_have_no_sizes(cache: pathlib.Path) -> None:
    def plus(x: Any, y: Any = None, N: int = 1) -> Any:
        return x if y is None else x + y

    dims = {"x": ("L",), "y": ("L",)}
    add = autotune(configs=[{"N": 1}], dims=dims, constraints=["L > 0"])(
        jax.jit(plus, static_argnames=["N"])
    )
    assert add(jnp.ones(3)).tolist() == [1, 1, 1]
    assert add(jnp.ones(3), y=jnp.ones(3)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="dimension 'L' is 3, and 'y' gives it 1"):
        add(jnp.ones(3), jnp.ones(1))
    with pytest.raises(ValueError, match=r"has 1 names, \('L',\), and .* shape \(2, 2\)"):
        add(jnp.ones((2, 2)))
    with pytest.raises(ValueError, match="names the axes of one array, but .* pytree of 2"):
        add((jnp.ones(2), jnp.ones(2)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dims": ["M"]}, TypeError, "dims must be a dict"),
        ({"dims": {"a": "MK"}}, TypeError, "a tuple of names, one for each axis"),
        ({"dims": {"a": ("M", 3)}}, TypeError, "a tuple of names"),
        ({"dims": {"a": ("2d",)}}, ValueError, "'2d'; use an identifier"),
        ({"dims": {"a": ("mod",)}}, ValueError, "not a keyword of constraints"),
        ({"dims": {"a": ("BM",)}}, ValueError, "a tunable's name; rename"),
        ({"dims": {"z": ("M",)}}, TypeError, "not a parameter; the parameters are: a, rest, BM"),
        ({"dims": {"BM": ()}}, TypeError, "static and has no axes"),
        ({"dims": {"rest": ("M",)}}, TypeError, "takes any number of arguments"),
        ({"bucket": {"M": "pow2"}}, ValueError, "'M', which is not a dimension"),
        ({"dims": {"a": ("M",)}, "bucket": "pow2"}, TypeError, "a dict by dimension"),
        ({"dims": {"a": ("M",)}, "bucket": {"M": []}}, TypeError, "list of upper bounds"),
        ({"dims": {"a": ("M",)}, "bucket": {"M": "pow3"}}, TypeError, "not 'pow3'"),
        ({"constraints": "BM > 1"}, TypeError, "not one text"),
        ({"constraints": ["L > 1"]}, ValueError, "no knob L"),
        (
            {"dims": {"a": ("M",)}, "constraints": ["L mod BM == 0"]},
            ValueError,
            "'L', which is neither a tunable nor a dimension; the tunables are: BM; .* are: M",
        ),
        ({"dims": {"a": ("M",)}, "constraints": ["M mod == 0"]}, ValueError, "column 7"),
        ({"constraints": ["BM > 32"]}, ValueError, 'configs= satisfies "BM > 32"; add'),
    ],
)
def test_options_are_checked(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    def function(a: Any, *rest: Any, BM: int = 8) -> Any:
        return a

    with pytest.raises(error, match=message):
        autotune(configs=CONFIGS, **options)(jax.jit(function, static_argnames=["BM"]))


@pytest.mark.parametrize(
    ("rule", "ends"),
    [
        ("pow2", {5: 8, 8: 8, 9: 16, 1: 1}),
        ([16, 64], {5: 16, 16: 16, 17: 64}),
        (lambda size: -(-size // 10) * 10, {5: 10, 10: 10, 11: 20}),
    ],
    ids=["pow2", "bounds", "function"],
)
def test_calls_of_a_bucket_share_a_decision(
    cache: pathlib.Path, rule: Any, ends: dict[int, int]
) -> None:
    tuned = product(bucket={"M": rule})
    for size, end in ends.items():
        assert tuned(jnp.ones((size, 8)), jnp.ones((8, 4))).shape == (size, 4)
        assert f"for M={end} K=8 N=4, " in tuned.explain(matrix(size, 8), matrix(8, 4))
    distinct = sorted(set(ends.values()))
    assert sorted(d.dimensions["M"] for d in tuned.decisions) == distinct
    # The file's key has the bucket and the arrays that it was tuned on.
    keys = stored_keys(cache)
    assert sorted(key["__bucket"]["M"] for key in keys) == distinct
    assert all(key["__arg0"]["shape"] == [key["__bucket"]["M"], 8] for key in keys)
    # Another process finds it for a size that was never called.
    later = product(bucket={"M": rule})
    assert later.tune([(matrix(7, 8), matrix(8, 4))])[0].source == "cache"


def test_arrays_without_names_are_warned_of(cache: pathlib.Path) -> None:
    tuned = product(bucket={"M": "pow2"})
    bias = jnp.zeros(48)
    call = (jnp.ones((48, 8)), jnp.ones((8, 4)))
    with pytest.warns(UserWarning) as caught:
        tuned.tune([(*call, bias), (*call, bias)])
    (text,) = [str(one.message) for one in caught if "leaves out" in str(one.message)]
    assert text == (
        "product: dims= leaves out 'c', which has an axis of 48 like dimension 'M'; calls of the "
        "bucket are tuned at M=64, with 'c' as it is; name its axes in dims="
    )


def test_arrays_of_other_sizes_are_not_warned_of(cache: pathlib.Path) -> None:
    tuned = product(bucket={"M": "pow2"})
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*leaves out")
        tuned.tune([(jnp.ones((48, 8)), jnp.ones((8, 4)), jnp.zeros(8))])  # like K, no bucket
        tuned.tune([(jnp.ones((64, 8)), jnp.ones((8, 4)), jnp.zeros(64))])  # not changed


def test_sizes_over_the_last_bound_are_in_no_bucket(cache: pathlib.Path) -> None:
    tuned = product(bucket={"M": [16]})
    tuned.tune([(matrix(m, 8), matrix(8, 4)) for m in (17, 18)])
    assert [d.dimensions["M"] for d in tuned.decisions] == [17, 18]
    assert all("__bucket" not in key for key in stored_keys(cache))


def test_functions_that_return_no_size_are_refused(cache: pathlib.Path) -> None:
    call = jnp.ones((3, 8)), jnp.ones((8, 4))
    with pytest.raises(ValueError, match=r"bucket\['M'\] returned 1.5; return the size"):
        product(bucket={"M": lambda size: size / 2})(*call)
    none = product(bucket={"M": lambda size: None})
    none(*call)
    assert none.decisions[0].dimensions["M"] == 3


def test_winner_that_is_illegal_at_the_call_is_not_shared(cache: pathlib.Path) -> None:
    options: dict[str, Any] = {
        "configs": [{"BM": 16}, {"BM": 8}, {"BM": 4}],
        "constraints": ["M mod BM == 0", "BM >= 16 or M != 64"],  # at 64: 16
        "bucket": {"M": "pow2"},
    }
    tuned = product(**options)
    legal, own = tuned.tune([(matrix(m, 8), matrix(8, 4)) for m in (48, 40)])
    assert legal.config == {"BM": 16} and legal.dimensions["M"] == 64
    assert tried(own) == [4, 8] and own.dimensions["M"] == 40
    note = "decided on its own, as a constraint refuses BM=16, the winner for M=64 K=8 N=4"
    assert note in own.notes and note in tuned.explain(matrix(40, 8), matrix(8, 4))
    assert tuned(jnp.ones((40, 8)), jnp.ones((8, 4))).shape == (40, 4)
    (again,) = product(**options).tune([(matrix(40, 8), matrix(8, 4))])
    assert again.source == "cache" and again.notes.count(note) == 1
    with pytest.raises(tonno.Error, match="where M=41"):
        tuned(jnp.ones((41, 8)), jnp.ones((8, 4)))


def test_bucket_where_nothing_is_legal_is_not_used(cache: pathlib.Path) -> None:
    tuned = product(constraints=["M mod BM == 0"], bucket={"M": [30]})
    (own,) = tuned.tune([(matrix(16, 8), matrix(8, 4))])
    assert own.dimensions["M"] == 16
    assert any("no decision was possible for M=30 K=8 N=4: no config" in note for note in own.notes)


def test_call_whose_bucket_has_no_arrays_is_decided_on_its_own(cache: pathlib.Path) -> None:
    """`c` has the axis M too, which nobody named, so it does not grow with it."""

    def plus(x: Any, c: Any, N: int = 1) -> Any:
        return x + c

    options: dict[str, Any] = {"dims": {"x": ("M",)}, "bucket": {"M": "pow2"}}
    add = autotune(configs=[{"N": 1}], **options)(jax.jit(plus, static_argnames=["N"]))
    (own,) = add.tune([(matrix(3), matrix(3))])
    assert own.dimensions == {"M": 3}
    assert any("no decision was possible for M=4: TypeError" in note for note in own.notes)


def test_sharded_call_whose_bucket_does_not_divide(cache: pathlib.Path) -> None:
    mesh = Mesh(jax.devices()[:3], ("x",))
    place = NamedSharding(mesh, PartitionSpec("x"))
    tuned = product(bucket={"M": "pow2"})
    a = jax.device_put(jnp.ones((6, 8)), place)
    assert tuned(a, jnp.ones((8, 4))).shape == (6, 4)
    (own,) = tuned.decisions
    assert own.dimensions["M"] == 6
    assert any("no decision was possible for M=8 K=8 N=4: " in note for note in own.notes)


def test_buckets_under_a_trace(cache: pathlib.Path) -> None:
    tuned = product(bucket={"M": "pow2"})
    assert jax.jit(lambda a, b: tuned(a, b))(jnp.ones((5, 8)), jnp.ones((8, 4))).shape == (5, 4)
    assert tuned.decisions[0].dimensions["M"] == 8


def test_search_spaces_have_dimensions() -> None:
    space = SearchSpace({"BM": [16, 32]}, ["M mod BM == 0"], dimensions={"M": 48, "K": 3})
    assert space.dimensions == {"M": 48, "K": 3} and space.points() == [{"BM": 16}]
    assert space != SearchSpace({"BM": [16, 32]}, ["48 mod BM == 0"])
    assert "dimensions={'M': 48, 'K': 3}" in repr(space)
    with pytest.raises(tonno.Error, match='"M mod BM == 0" where M=7'):
        SearchSpace({"BM": [16, 32]}, ["M mod BM == 0"], dimensions={"M": 7})
    with pytest.raises(tonno.Error, match="M names a knob and a dimension"):
        SearchSpace({"M": [16, 32]}, dimensions={"M": 7})
