# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All kinds of arguments and results that jax.jit takes."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import json
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tonno import autotune
from tonno.jax import Arguments, CacheWarning
from tonno.jax.problems import static_form

tuning = functools.partial(autotune, configs=[{"N": 1}, {"N": 2}], num_timing=1)


def key_of(tuned: Any) -> dict[str, Any]:
    key: dict[str, Any] = json.loads(tuned.decisions[-1].key)
    return key


@tuning()
@jax.jit(static_argnames=["N"])
def same(x: Any, N: int = 1) -> Any:
    return jax.tree.map(lambda leaf: leaf, x)


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (jnp.zeros((0, 4)), {"dtype": "float32", "shape": [0, 4]}),
        (jnp.array([1 + 2j]), {"dtype": "complex64", "shape": [1]}),
        (jnp.float32(3), {"dtype": "float32", "shape": []}),
        (np.ones(4, np.float32), {"dtype": "float32", "shape": [4]}),
        (np.ones(4, np.float64), {"dtype": "float32", "shape": [4]}),
        (np.float32(2), {"dtype": "float32", "shape": []}),
        (3.0, {"dtype": "float32", "shape": [], "weak_type": True}),
        (3, {"dtype": "int32", "shape": [], "weak_type": True}),
        (True, {"dtype": "bool", "shape": []}),
        (jnp.asarray(3.0) * jnp.ones(2, jnp.bfloat16), {"dtype": "bfloat16", "shape": [2]}),
        (jnp.zeros(3, jnp.int4), {"dtype": "int4", "shape": [3]}),
        (jnp.zeros(3, jnp.float8_e4m3fn), {"dtype": "float8_e4m3fn", "shape": [3]}),
        (jnp.zeros(3, bool), {"dtype": "bool", "shape": [3]}),
        (jax.random.split(jax.random.key(0), 3), {"dtype": "key<fry>", "shape": [3]}),
        (jax.random.PRNGKey(0), {"dtype": "uint32", "shape": [2]}),
        (None, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_argument_gives_its_key_and_comes_back(value: Any, key: Any, cache: Any) -> None:
    result = same(value)
    assert key_of(same) == {"__arg0": key}
    assert same.decisions[-1].trials == () or all(t.ok for t in same.decisions[-1].trials)
    if value is None:
        assert result is None
    elif jax.dtypes.issubdtype(result.dtype, jax.dtypes.prng_key):
        assert (jax.random.key_data(result) == jax.random.key_data(value)).all()
    else:
        assert np.array_equal(np.asarray(result), np.asarray(value).astype(result.dtype))


def test_weak_types_are_told_apart(cache: Any) -> None:
    weak = jax.jit(lambda: jax.lax.full_like(2.0, 1.0))()
    strong = jnp.float32(1)
    assert weak.weak_type and not strong.weak_type
    assert same(weak).weak_type and not same(strong).weak_type


def test_pytrees_go_in_and_out(cache: Any) -> None:
    tree = {"w": jnp.ones((2, 3)), "rest": [jnp.zeros(2), (None, 1.5)]}
    result = same(tree)
    assert jax.tree.structure(result) == jax.tree.structure(tree)
    form = key_of(same)["__arg0"]
    assert [leaf["shape"] for leaf in form["leaves"]] == [[2], [], [2, 3]]
    assert "'rest': [*, (None, *)]" in form["tree"]


def test_values_of_numbers_do_not_matter(cache: Any) -> None:
    before = len(same.decisions)
    assert float(same(11.0)) == 11 and float(same(12.0)) == 12
    assert len(same.decisions) == before + 1


def test_no_arguments(cache: Any) -> None:
    @tuning(outputs="ignore")
    @jax.jit(static_argnames=["N"])
    def constant(N: int = 1) -> Any:
        return jnp.float32(N)

    assert float(constant()) in (1.0, 2.0)
    assert key_of(constant) == {}


def test_a_call_has_one_key_however_it_is_passed(cache: Any) -> None:
    @tuning()
    @jax.jit(static_argnames=["N", "mode"])
    def scaled(a: Any, b: Any = 2.0, *rest: Any, mode: str = "up", N: int = 1, **more: Any) -> Any:
        return a * b + sum(rest) + sum(more.values())

    x = jnp.ones(3)
    calls = [scaled(x, x), scaled(x, b=x), scaled(b=x, a=x), scaled(x, x, mode="up")]
    assert len(scaled.decisions) == 1
    assert all(call.tolist() == [1, 1, 1] for call in calls)
    scaled(x)  # What is not passed is a constant to jax.jit.
    assert list(key_of(scaled)) == ["__arg0"]
    assert scaled(x, x, x, c=x, mode="down").tolist() == [3, 3, 3]
    key = key_of(scaled)
    assert sorted(key) == ["__arg0", "__arg1", "__arg2", "c", "mode"]
    assert key["mode"] == "down"


def test_any_number_of_arrays_is_no_static_argument(cache: Any) -> None:
    @tuning()
    @jax.jit(static_argnames=["N"])
    def added(*terms: Any, N: int = 1, **more: Any) -> Any:
        return sum(terms) + sum(more.values())

    assert added(jnp.ones(2), jnp.ones(2), c=1.0).tolist() == [3, 3]
    assert sorted(key_of(added)) == ["__arg0", "__arg1", "c"]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Opaque:
    pass


class Step(NamedTuple):
    n: int
    of: Any


@dataclasses.dataclass(frozen=True)
class Settings:
    act: Any
    step: Any
    seen: Any = dataclasses.field(default_factory=Opaque, compare=False)


@dataclasses.dataclass(eq=False)
class Layer:
    act: Any
    inner: Any = None


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (True, True),
        (7, 7),
        (1.5, 1.5),
        (float("inf"), {"repr": "inf"}),
        ("text", "text"),
        (None, None),
        ((1, ("a", 2)), [1, ["a", 2]]),
        (np.int64(4), 4),
        (Colour.RED, {"repr": "Colour.RED"}),
        (jnp.bfloat16, {"repr": "jax.numpy.bfloat16"}),
        (np.dtype("int8"), {"repr": "dtype('int8')"}),
        (int, {"repr": "builtins.int"}),
        (json.dumps, {"repr": "json.dumps"}),
        (jnp.sin, {"repr": "jax.numpy.sin"}),
        (np.add, {"repr": "numpy.add"}),
        (
            functools.partial(jnp.sum, axis=0),
            {"type": "partial", "parts": {"0": {"repr": "jax.numpy.sum"}, "axis": 0}},
        ),
        (
            Settings(jnp.sin, Step(2, json.dumps)),
            {
                "type": "Settings",
                "parts": {
                    "act": {"repr": "jax.numpy.sin"},
                    "step": {"type": "Step", "parts": {"n": 2, "of": {"repr": "json.dumps"}}},
                },
            },
        ),
        (Step(2, 3), {"repr": "Step(n=2, of=3)"}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_static_argument_is_in_the_key(value: Any, form: Any, cache: Any) -> None:
    @tuning()
    @jax.jit(static_argnames=["N", "option"])
    def optional(x: Any, option: Any = "none of them", N: int = 1) -> Any:
        return x

    optional(jnp.ones(2), value)
    assert key_of(optional)["option"] == form
    assert len(list(cache.glob("*.json"))) == 1


def test_what_is_made_of_passing_things_is_passing() -> None:
    circular = Layer(jnp.sin)
    circular.inner = circular
    for value in (functools.partial(lambda x: x, 1), Settings(jnp.sin, Opaque()), circular):
        form = static_form(value)
        assert not form.is_stable and form.json == {"repr": repr(value)}


def test_static_argument_without_a_lasting_repr_is_kept_in_memory(cache: Any) -> None:
    @tuning()
    @jax.jit(static_argnames=["N", "option"])
    def optional(x: Any, option: Any, N: int = 1) -> Any:
        return x

    first, second = Opaque(), Opaque()
    with pytest.warns(CacheWarning, match="is not stored: the repr of a static argument differs"):
        optional(jnp.ones(2), first)
    optional(jnp.ones(2), first)
    assert len(optional.decisions) == 1
    optional(jnp.ones(2), second)
    assert len(optional.decisions) == 2
    assert list(cache.glob("*.json")) == []


def test_bool_text_and_tuple_values_are_tuned(cache: Any) -> None:
    configs = [
        {"fast": fast, "mode": mode, "order": order, "rate": 0.5, "stages": None}
        for fast in (True, False)
        for mode in ("a", "b")
        for order in ((0, 1), (1, 0))
    ]

    def make() -> Any:
        @autotune(configs=configs, num_timing=1)
        @jax.jit(static_argnames=["fast", "mode", "order", "rate", "stages"])
        def permuted(
            x: Any,
            fast: bool = True,
            mode: str = "a",
            order: tuple[int, ...] = (0, 1),
            rate: float = 1.0,
            stages: int | None = 2,
        ) -> Any:
            assert type(fast) is bool and type(mode) is str and type(order) is tuple
            assert type(rate) is float and stages is None
            return x.transpose(order).transpose(order)

        return permuted

    x = jnp.ones((2, 3))
    tuned, again = make(), make()
    assert tuned(x).shape == again(x).shape == (2, 3)
    assert len(tuned.decisions[0].trials) == 8
    assert again.decisions[0].source == "cache"
    assert again.decisions[0].config == tuned.decisions[0].config


def test_donated_arrays_are_the_callers_own_only(cache: Any) -> None:
    @tuning(num_warmup=2)
    @jax.jit(static_argnames=["N"], donate_argnums=(0,), donate_argnames=["c"])
    def update(x: Any, y: Any, c: Any = None, N: int = 1) -> Any:
        return x + y, None if c is None else c * 2

    x, y, c = jnp.ones(64), jnp.ones(64), jnp.ones(8)
    result, doubled = update(x, y, c=c)
    assert all(trial.ok for trial in update.decisions[0].trials)
    assert float(result[0]) == 2 and float(doubled[0]) == 2
    assert x.is_deleted() and c.is_deleted() and not y.is_deleted()


class Model:
    def __init__(self, scale: int) -> None:
        self.scale = scale

    def __repr__(self) -> str:
        return f"Model({self.scale})"

    @tuning()
    @jax.jit(static_argnames=["self", "N"])
    def apply(self, x: Any, N: int = 1) -> Any:
        """Scales."""
        return x * self.scale


def test_methods_are_tuned_for_each_object(cache: Any) -> None:
    assert Model(3).apply(jnp.ones(2)).tolist() == [3, 3]
    assert Model(5).apply(jnp.ones(2)).tolist() == [5, 5]
    assert Model.apply.__doc__ == "Scales."
    assert [p.name for p in cache.glob("*.json")] == ["Model.apply.json"]
    assert Model.apply(self=Model(5), x=jnp.ones(2)).tolist() == [5, 5]
    assert key_of(Model.apply) == {
        "__arg1": {"dtype": "float32", "shape": [2]},
        "self": {"repr": "Model(5)"},
    }


def test_methods_are_explained_and_tuned_ahead(cache: Any) -> None:
    model = Model(7)
    (decision,) = model.apply.tune([(jax.ShapeDtypeStruct((3,), "float32"),)])
    (other,) = model.apply.tune([Arguments((), {"x": jnp.ones(4)})])
    assert decision.source == other.source == "sweep"
    assert model.apply.explain(jnp.ones(3)) == f"apply: {decision}"
    assert str(other) in model.apply.explain() and model.apply.decisions[-1] == other
    assert model.apply.lower(jnp.ones(3)).compile()(jnp.ones(3)).tolist() == [7] * 3
    assert model.apply.trace(jnp.ones(3)).out_info.shape == (3,)
    assert model.apply.eval_shape(jnp.ones(3)).shape == (3,)
    with pytest.raises(TypeError, match="missing .* argument: 'x'"):
        model.apply.tune([()])
    with pytest.raises(TypeError, match="list of calls"):
        model.apply.tune([jnp.ones(3)])


def test_methods_are_like_pythons(cache: Any) -> None:
    model = Model(7)
    assert model.apply == model.apply and hash(model.apply) == hash(model.apply)
    assert model.apply != Model(7).apply and model.apply != 7
    assert model.apply.__name__ == "apply" and model.apply.__doc__ == "Scales."
    assert list(inspect.signature(model.apply).parameters) == ["x", "N"]
    assert jax.jit(model.apply)(jnp.ones(2)).tolist() == [7, 7]
    assert "apply" in repr(model.apply) and "Model(7)" in repr(model.apply)


def test_explaining_what_is_no_call_is_refused(cache: Any) -> None:
    with pytest.raises(TypeError, match="missing .* argument: 'x'"):
        Model.apply.explain(Model(7))
    with pytest.raises(TypeError, match="as an abstract array"):
        same.explain("text")


def test_wrong_calls_are_refused_as_jax_does(cache: Any) -> None:
    for args, message in [
        (("text",), "as an abstract array"),
        ((), "missing .* argument: 'x'"),
    ]:
        with pytest.raises(TypeError, match=message):
            same(*args)


def test_long_lists_are_tried_in_batches(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tonno.jax.sweeps._BATCH", 3)

    @autotune(configs=[{"N": n} for n in range(1, 8)], num_timing=1, outputs="ignore")
    @jax.jit(static_argnames=["N"])
    def times(x: Any, N: int = 4) -> Any:
        return x * N

    times(jnp.ones(2))
    trials = times.decisions[0].trials
    assert [trial.config["N"] for trial in trials] == [4, 1, 2, 3, 5, 6, 7]
    ends = [trial.compile_end_s or 0.0 for trial in trials]
    assert (trials[3].compile_begin_s or 0.0) > max(ends[:3]) > 0


def test_keyword_only_arguments_go_by_name(cache: Any) -> None:
    @tuning()
    @jax.jit(static_argnames=["N"])
    def reversed_(a: Any, *, b: Any, N: int = 1) -> Any:
        return a, b

    reversed_(jnp.ones(2), b=jnp.ones(3))
    assert key_of(reversed_) == {
        "__arg0": {"dtype": "float32", "shape": [2]},
        "b": {"dtype": "float32", "shape": [3]},
    }
