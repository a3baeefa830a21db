# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that calls are timed on in place of made-up ones."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable
from typing import Any

import jax
import jax.extend.random
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax_events import VirtualTime

from tonno import UntunedWarning, autotune
from tonno.jax import Decision, NotTunable
from tonno.jax.arguments import MADE_UP, get_timed_arguments
from tonno.jax.problems import make_problem

X = jnp.linspace(-1, 1, 8)
LONG = np.array([4096, 64, 1], np.int32)
SHORT = np.array([3, 2, 1], np.int32)
Returned = Callable[..., Any]


class Machine:
    """A function over tiles of T elements: each tile of the longest row costs 1 ms, and a
    hundredth for each of its elements, by a clock that the test sets.

    Made-up lengths are 7 at most, for which tiles of 8 are ten times as fast as those of
    1024. They are ten times as slow for a row of 4096.
    """

    def __init__(self, virtual_time: VirtualTime) -> None:
        self.lengths: list[np.ndarray[Any, Any]] = []
        """The lengths of each run."""
        self.sums: list[float] = []
        """The sum of the other array in each run."""
        self.is_interrupted = False
        """True to interrupt the next run with tiles of 64."""
        self._time = virtual_time

    def function(self, inputs: Any = None, **options: Any) -> Any:
        """A function of the same name and code, as each process makes it."""

        def run(x: Any, lengths: Any, tile: Any) -> Any:
            if self.is_interrupted and tile == 64:
                self.is_interrupted = False
                raise KeyboardInterrupt
            self.lengths.append(np.array(lengths))
            self.sums.append(float(np.sum(x)))
            tiles = -(-int(lengths.max()) // int(tile))
            self._time.add(1e-3 * tiles * (1 + 0.01 * int(tile)))
            return x * 2

        def ragged(x: Any, lengths: Any, scale: float = 1.0, T: int = 8) -> Any:
            result = jax.ShapeDtypeStruct(x.shape, x.dtype)
            return jax.pure_callback(run, result, x, lengths, T, vmap_method="sequential") * scale

        options.setdefault("configs", [{"T": 8}, {"T": 1024}])
        options.setdefault("num_timing", 1)
        jitted = jax.jit(ragged, static_argnames=["T", "scale"], **options.pop("jit", {}))
        return autotune(inputs=inputs, **options)(jitted)


@pytest.fixture
def machine(virtual_time: VirtualTime, cache: pathlib.Path) -> Machine:
    return Machine(virtual_time)


def tile(tuned: Any) -> int:
    winner: int = tuned.decisions[-1].config["T"]
    return winner


def note(tuned: Any) -> str:
    (found,) = [n for n in tuned.decisions[-1].notes if n.startswith("timed on ")]
    return str(found)


def long_lengths(x: Any, lengths: Any, scale: float = 1.0) -> Any:
    return {"lengths": np.full(lengths.shape, 4096, lengths.dtype)}


def long_lengths_by_place(x: Any, lengths: Any, scale: float = 1.0) -> Any:
    return x, jnp.full(lengths.shape, 4096, lengths.dtype)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"lengths": LONG}, "timed on arrays of inputs= for lengths and made-up arrays for x"),
        ((X, LONG), "timed on arrays of inputs="),
        ([X, jnp.array(LONG), 1.0], "timed on arrays of inputs="),
        ((X,), "timed on arrays of inputs= for x and made-up arrays for lengths"),
        (long_lengths, "timed on arrays of inputs= for lengths and made-up arrays for x"),
        (long_lengths_by_place, "timed on arrays of inputs= for lengths and made-up arrays for x"),
        ("call", "timed on the call's arrays"),
    ],
    ids=["dict", "tuple", "list", "part", "function", "places", "call"],
)
def test_choice_follows_the_values(machine: Machine, inputs: Any, said: str) -> None:
    made_up = machine.function()
    made_up(X, LONG)
    assert tile(made_up) == 8 and not any("timed on" in n for n in made_up.decisions[0].notes)
    machine.lengths.clear()
    tuned = machine.function(inputs)
    assert (tuned(X, LONG) == X * 2).all()
    is_long = "lengths" not in said or "for lengths and" in said
    assert (tile(tuned), note(tuned)) == (1024 if is_long else 8, said)
    if is_long:
        assert all(lengths.max() == 4096 for lengths in machine.lengths)
    assert said in tuned.explain(X, LONG)


@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_all_runs_have_the_values_of_the_call(machine: Machine, protocol: str) -> None:
    tuned = machine.function("call", protocol=protocol)
    tuned(lengths=LONG, x=X + 3)
    assert all((lengths == LONG).all() for lengths in machine.lengths)
    assert machine.sums == pytest.approx([24.0] * len(machine.sums))
    # The second call of these shapes is not tuned.
    machine.lengths.clear()
    tuned(lengths=SHORT, x=X)
    tuned(np.asarray(X), SHORT)
    assert len(machine.lengths) == 2 and len(tuned.decisions) == 1


def test_part_of_a_pytree_is_given(cache: pathlib.Path) -> None:
    spec = jax.ShapeDtypeStruct((8,), "float32")
    tuned: Any = autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, inputs={"xs": (X, spec)})(
        jax.jit(lambda xs, N=1: xs[0] + xs[1], static_argnames=["N"])
    )
    tuned((X, X))
    assert note(tuned) == "timed on arrays of inputs= for xs and made-up arrays for part of xs"


def test_tune_takes_inputs(machine: Machine) -> None:
    tuned = machine.function()
    (decision,) = tuned.tune([(X, LONG)], inputs="call")
    assert decision.config == {"T": 1024} and decision.inputs == {"x": "call", "lengths": "call"}
    # Calls that ask for less take it.
    tuned(X, SHORT)
    assert tile(tuned) == 1024 and tuned.tune([(X, LONG)]) == [decision]
    (decision,) = tuned.tune([(X, LONG)], inputs={"lengths": SHORT})
    assert decision.config == {"T": 8}
    spec = jax.ShapeDtypeStruct((5,), "int32")
    (decision,) = machine.function("call").tune([(X, spec)])
    assert "and made-up arrays for lengths: a jax.ShapeDtypeStruct has no" in decision.notes[-1]
    with pytest.raises(TypeError, match="inputs gives 'lenghts', which is not a parameter"):
        tuned.tune([(X, LONG)], inputs={"lenghts": LONG})


def test_methods_have_inputs(machine: Machine) -> None:
    class Layer:
        def __repr__(self) -> str:
            return "Layer"

        @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, inputs="call")
        @functools.partial(jax.jit, static_argnames=["self", "N"])
        def apply(self, x: Any, N: int = 1) -> Any:
            return x * 2

    layer = Layer()
    (decision,) = layer.apply.tune([(X,)], inputs={"x": X})
    assert decision.notes == ("timed on arrays of inputs=",)
    layer.apply(X)
    assert Layer.apply.decisions[-1].notes == ("timed on the call's arrays",)


def test_trace_has_no_arrays(machine: Machine) -> None:
    tuned = machine.function("call")
    program = jax.jit(lambda x, lengths: tuned(x, lengths))
    program(X, LONG)
    assert tile(tuned) == 8
    assert note(tuned) == (
        "timed on made-up arrays: a trace has no arrays; call or tune it with arrays before "
        "the trace"
    )
    said = tuned.explain(X, LONG)
    assert "note: timed on made-up arrays: a trace" in said
    assert said.endswith("  a call with these arguments is tuned again, on what inputs= gives")
    # NumPy's arrays look as a trace's values do.
    tuned(np.asarray(X), LONG)
    assert tile(tuned) == 1024 and "tuned again" not in tuned.explain(X, LONG)
    decisions = tuned.decisions
    jax.jit(lambda x, lengths: tuned(x, lengths))(X, LONG)
    assert tuned.decisions == decisions and decisions[-1].source == "sweep"


def test_constants_in_a_trace_are_used(machine: Machine) -> None:
    tuned = machine.function("call")
    jax.jit(lambda x: tuned(x, LONG))(X)
    assert tile(tuned) == 1024
    assert note(tuned).startswith("timed on the call's arrays for lengths and made-up arrays for x")


def test_given_arrays_are_used_in_a_trace(machine: Machine) -> None:
    for inputs in ({"lengths": jnp.array(LONG)}, long_lengths_by_place):
        tuned = machine.function(inputs)
        jax.jit(lambda x, lengths, tuned=tuned: tuned(x, lengths))(X, SHORT)
        assert tile(tuned) == 1024

    rows = machine.function({"lengths": LONG}, name="rows")
    jax.vmap(rows)(jnp.stack([X, X]), np.stack([SHORT, SHORT]))
    assert tile(rows) == 1024  # For the shapes that are seen inside.


def test_later_processes_ask_for_the_same_inputs(machine: Machine, swept: list[object]) -> None:
    def sources(inputs: Any, **options: Any) -> tuple[str, int]:
        tuned = machine.function(inputs, **options)
        tuned(X, LONG)
        return tuned.decisions[-1].source, tile(tuned)

    assert sources(None) == ("sweep", 8)
    # Nothing is measured in this mode, and the winner is better than the default.
    assert sources("call", mode="cached") == ("cache", 8)
    assert sources("call") == ("sweep", 1024) and sources("call") == ("cache", 1024)
    assert sources(None) == ("cache", 1024)
    assert sources({"lengths": SHORT}) == ("sweep", 8)
    assert sources({"lengths": SHORT.copy()}) == ("cache", 8)
    assert sources({"lengths": LONG}) == ("sweep", 1024)
    assert sources(long_lengths) == ("sweep", 1024)
    assert sources(functools.partial(long_lengths)) == ("cache", 1024)
    assert sources(long_lengths_by_place) == ("sweep", 1024)
    traced = machine.function("call")
    jax.jit(lambda x, lengths: traced(x, lengths))(X, LONG)
    assert traced.decisions[-1].source == "cache" and len(swept) == 6
    with pytest.warns(UntunedWarning):
        machine.function("call", mode="cached")(X[:2], LONG)


def test_winner_by_hand_holds(machine: Machine, cache: pathlib.Path) -> None:
    machine.function()(X, LONG)
    (file,) = cache.glob("*.json")
    file.write_text(file.read_text().replace('"T": 8', '"T": 1024'))
    tuned = machine.function({"lengths": SHORT})
    tuned(X, LONG)
    assert tuned.decisions[-1].source == "file" and tile(tuned) == 1024


def test_what_failed_is_tried_again_on_the_same_arrays(
    cache: pathlib.Path, swept: list[object]
) -> None:
    def made() -> Any:
        def run(x: Any, n: Any) -> Any:
            if n == 2:
                raise RuntimeError("not now")
            return x

        def passing(x: Any, N: int = 1) -> Any:
            return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

        configs = [{"N": 1}, {"N": 2}]
        jitted = jax.jit(passing, static_argnames=["N"])
        return autotune(configs=configs, num_timing=1, inputs="call")(jitted)

    with pytest.warns(UserWarning, match="1 of 2 configurations failed"):
        made()(X)
    jax.jit(lambda x, tuned=made(): tuned(x))(X)  # There only made-up ones could be timed.
    assert len(swept) == 1
    with pytest.warns(UserWarning, match="1 of 2 configurations failed"):
        made()(X)
    assert len(swept) == 2


@pytest.mark.parametrize(
    ("before", "after", "is_resumed"),
    [
        ({"lengths": LONG}, {"lengths": LONG + 1}, False),
        ({"lengths": LONG}, None, False),
        ({"lengths": LONG}, {"lengths": LONG}, True),
        ("call", "call", True),
        (long_lengths, {"lengths": np.full(3, 4096, np.int32)}, True),
    ],
    ids=["values", "made up", "same", "call", "other kind"],
)
def test_interrupted_sweeps_go_on_with_the_same_values(
    machine: Machine, before: Any, after: Any, is_resumed: bool
) -> None:
    configs = [{"T": 8}, {"T": 1024}, {"T": 32}, {"T": 64}]
    machine.is_interrupted = True
    with pytest.raises(KeyboardInterrupt):
        machine.function(before, configs=configs)(X, LONG)
    tuned = machine.function(after, configs=configs)
    tuned(X, LONG)
    assert any(trial.is_resumed for trial in tuned.decisions[0].trials) == is_resumed


def test_interrupted_sweep_of_another_call_begins_anew(machine: Machine) -> None:
    configs = [{"T": 8}, {"T": 1024}, {"T": 32}, {"T": 64}]
    machine.is_interrupted = True
    with pytest.raises(KeyboardInterrupt):
        machine.function("call", configs=configs)(X, LONG)
    tuned = machine.function("call", configs=configs)
    tuned(X, SHORT)
    assert not any(trial.is_resumed for trial in tuned.decisions[0].trials)


def test_donated_arrays_are_left_to_the_call(machine: Machine) -> None:
    tuned = machine.function("call", jit={"donate_argnames": ["x"]}, num_timing=3)
    x, lengths = jnp.arange(8.0), jnp.array(LONG)
    tuned.tune([(x, lengths)])
    assert not x.is_deleted() and tile(tuned) == 1024
    assert (tuned(x, lengths) == jnp.arange(8.0) * 2).all() and not lengths.is_deleted()


def test_outputs_are_compared_on_the_inputs(cache: pathlib.Path) -> None:
    def make(inputs: Any) -> Any:
        def clipped(x: Any, lengths: Any, N: int = 1) -> Any:
            return x * (lengths if N == 1 else jnp.minimum(lengths, 100)).sum()

        jitted = jax.jit(clipped, static_argnames=["N"])
        return autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, inputs=inputs)(jitted)

    made_up = make(None)
    made_up(X, LONG)
    assert [trial.status for trial in made_up.decisions[0].trials] == ["ok", "ok"]
    tuned = make("call")
    with pytest.warns(UserWarning, match="N=2: wrong"):
        tuned(X, LONG)
    logarithm = make({"x": jnp.full(8, jnp.nan)})
    with pytest.warns(UserWarning, match=r"NaN or infinite on arguments of inputs=\. A block"):
        logarithm(X, LONG)


def test_child_gets_the_inputs(cache: pathlib.Path) -> None:
    def looped(
        x: Any, lengths: Any, key: Any, half: Any, steps: Any, N: int = 1
    ) -> Any:
        count = jnp.where(N == 1, lengths.max(), 100)
        grown = jax.lax.fori_loop(0, count, lambda _, v: jnp.cos(v), x)
        # These differ unless each configuration gets the keys and halves that were given.
        is_given = (jax.random.key_data(key) == jnp.array([0, 9], "uint32")).all()
        is_given &= (half == 2.5).all() & (steps == 5)
        return jnp.isfinite(grown), jnp.where(is_given, 1, N)

    def tuned_on(inputs: Any) -> Any:
        jitted = jax.jit(looped, static_argnames=["N"])
        configs = [{"N": 1}, {"N": 2}]
        return autotune(configs=configs, num_timing=1, isolate=True, inputs=inputs)(jitted)

    # One of which is committed.
    lengths = jax.device_put(np.array([500000], np.int32), jax.devices()[0])
    arguments = X, lengths, jax.random.key(9), jnp.full(4, 2.5, jnp.bfloat16), 5
    tuned = tuned_on("call")
    tuned(*arguments)
    (decision,) = tuned.decisions
    assert decision.config == {"N": 2} and decision.trials[1].ok
    assert decision.notes == ("timed on the call's arrays",)


def test_keys_of_other_generators_are_not_sent(cache: pathlib.Path) -> None:
    impl = jax.extend.random.define_prng_impl(
        key_shape=(2,),
        seed=lambda seed: jnp.zeros(2, jnp.uint32),
        split=lambda key, shape: jnp.zeros((*shape, 2), jnp.uint32),
        random_bits=lambda key, width, shape: jnp.zeros(shape, jnp.uint32),
        fold_in=lambda key, data: key,
        name="mine",
    )
    key = jax.random.key(0, impl=impl)
    for inputs in ("call", None):
        tuned: Any = autotune(configs=[{"N": 1}, {"N": 2}], isolate=True, inputs=inputs)(
            jax.jit(lambda key, N=1: jax.random.key_data(key), static_argnames=["N"])
        )
        with pytest.raises(NotTunable, match=r"cannot be sent to a child .* of the generator"):
            tuned(key)


@pytest.mark.parametrize(
    ("inputs", "kind", "said"),
    [
        ("cal", ValueError, "inputs must be 'call', arrays or a function that returns arrays, not"),
        (3, TypeError, r"inputs gives 3, and not by parameter: give a dict, such as {.x"),
        (X, TypeError, "inputs gives an array, and not by .*, or a tuple of the pos"),
        ({"lenghts": LONG}, TypeError, "gives 'lenghts', which is not a parameter; .* x, lengths"),
        ({"T": 8}, TypeError, "gives 'T', which is tunable; leave it out"),
        ((X, LONG, 1.0, 8, 9), TypeError, "gives 5 positional arguments, and .* takes 4"),
        ({"x": "text"}, TypeError, "inputs gives 'x' with a str, which is not an array"),
    ],
)
def test_wrong_inputs_are_refused(
    machine: Machine, inputs: Any, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        machine.function(inputs)


def test_traced_inputs_are_refused(machine: Machine) -> None:
    def program(x: Any) -> Any:
        return machine.function({"x": x})(x, LONG)

    with pytest.raises(TypeError, match="inputs gives 'x' as a traced value, which has no"):
        jax.jit(program)(X)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (
            {"lengths": LONG[:2]},
            r"inputs= has int32\[2\] for lengths, and the call int32\[3\]; give",
        ),
        ({"lengths": LONG * 1.0}, r"inputs= has float32\[3\] for lengths, and the call int32\[3\]"),
        ({"lengths": [1, 2, 3]}, r"has .*\[\*, \*, \*\]\) for lengths, and the call one array"),
        ((X, None), r"inputs= has PyTreeDef\(None\) for lengths, and the call one array"),
        ((X, LONG, 2.0), r"inputs= has scale=2\.0, and the call scale=1\.0; leave static"),
    ],
)
def test_inputs_of_another_call_are_refused(machine: Machine, inputs: Any, said: str) -> None:
    tuned = machine.function(inputs)
    with pytest.raises(NotTunable, match=said):
        tuned(X, LONG)
    assert tuned.decisions == [] and machine.lengths == []


@pytest.mark.parametrize(
    ("returned", "kind", "said"),
    [
        (lambda x, lengths: None, TypeError, "the function inputs= of .* gives None, and"),
        (lambda x, lengths: {"y": x}, TypeError, "gives 'y', which is not a parameter"),
        (lambda x, lengths: {"x": X[:2]}, NotTunable, r"inputs= has float32\[2\] for x"),
        (lambda x: {}, TypeError, "takes 1 positional argument but 2 were given"),
    ],
    ids=["nothing", "name", "shape", "signature"],
)
def test_wrong_results_of_a_function_are_refused(
    machine: Machine, returned: Returned, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as caught:
        machine.function(returned)(X, LONG)
    if "takes 1" in said:
        assert "with a jax.ShapeDtypeStruct for each array" in caught.value.__notes__[0]


def test_function_describes_the_call(machine: Machine) -> None:
    calls: list[tuple[Any, ...]] = []

    def inputs(x: Any, lengths: Any, scale: float = 1.0) -> Any:
        calls.append((x, lengths, scale))
        return {"lengths": jnp.full(lengths.shape, 4096)}  # A trace around it is left.

    tuned = machine.function(inputs)
    jax.jit(lambda x, lengths: tuned(x, lengths=lengths, scale=2.0))(X, SHORT)
    spec = jax.ShapeDtypeStruct((8,), "float32")
    assert calls == [(spec, jax.ShapeDtypeStruct((3,), "int32"), 2.0)] and tile(tuned) == 1024


def test_arrays_are_those_of_the_decorator(machine: Machine) -> None:
    lengths = LONG.copy()
    tuned = machine.function({"lengths": lengths})
    lengths[:] = 1
    tuned(X, SHORT)
    assert tile(tuned) == 1024


def test_keys_are_given_in_a_trace(cache: pathlib.Path) -> None:
    key = jax.device_put(jax.random.key(5), jax.devices()[0])
    seen: list[Any] = []

    def drawn(key: Any, N: int = 1) -> Any:
        jax.debug.callback(lambda data: seen.append(data.tolist()), jax.random.key_data(key))
        return jax.random.normal(key, 4)

    tuned: Any = autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, inputs={"key": key})(
        jax.jit(drawn, static_argnames=["N"])
    )
    jax.make_jaxpr(lambda key: tuned(key))(jax.random.key(0))
    jax.effects_barrier()
    assert seen and seen == [[0, 5]] * len(seen)


def test_numbers_are_given(machine: Machine) -> None:
    counts: list[int] = []

    def make(inputs: Any) -> Any:
        def counted(x: Any, n: Any, N: int = 1) -> Any:
            jax.debug.callback(lambda n: counts.append(int(n)), n)
            return x * n

        jitted = jax.jit(counted, static_argnames=["N"])
        return autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, inputs=inputs)(jitted)

    def last_counts(inputs: Any, call: Callable[[Any], Any]) -> set[int]:
        counts.clear()
        call(make(inputs))
        jax.effects_barrier()
        return set(counts[:-1])

    in_trace = lambda tuned: jax.jit(lambda x, n: tuned(x, n))(X, 5)  # noqa: E731
    assert last_counts({"n": 7}, in_trace) == {7}
    assert last_counts({"n": np.int32(8)}, lambda tuned: tuned(X, 5)) == {8}
    assert last_counts(lambda x, n: {"n": n + 1}, lambda tuned: tuned(X, 5)) == {6}
    assert last_counts("call", lambda tuned: tuned(X, 5)) == {5}


def test_arguments_of_all_kinds_are_given(cache: pathlib.Path) -> None:
    def sums(tree: Any, *xs: Any, mask: Any = None, N: int = 1, **named: Any) -> Any:
        return sum(leaf.sum() for leaf in jax.tree.leaves((tree, xs, mask, named)))

    def leaves(inputs: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Returns the sum of each array that is not made up."""
        tuned: Any = autotune(configs=[{"N": 1}, {"N": 2}], inputs=inputs)(
            jax.jit(sums, static_argnames=["N"])
        )
        problem = make_problem(tuned._contract, args, kwargs, tuned._inputs)
        assert problem is not None
        timed = get_timed_arguments(problem, 0)
        flat = jax.tree.leaves(timed.get_arrays())
        assert [leaf.shape for leaf in flat] == [leaf.shape for leaf in problem.leaves()]
        return [None if leaf is MADE_UP else float(leaf.sum()) for leaf in timed.leaves]

    one, two, three = jnp.ones(1), jnp.ones(2), jnp.ones(3)
    tree = {"a": one, "b": (two, None)}
    spec = jax.ShapeDtypeStruct((1,), "float32")
    assert leaves("call", tree, three, z=one) == [1, 2, 3, 1]
    assert leaves({"tree": {"a": spec, "b": (two, None)}}, tree, three) == [None, 2, None]
    assert leaves({"xs": (one, two)}, tree, one, two) == [None, None, 1, 2]
    assert leaves((tree, one), tree, one, two, z=one) == [1, 2, 1, None, None]
    assert leaves({"z": one * 5, "mask": two}, tree, y=two, z=one) == [None, None, None, 5]
    assert leaves({"mask": two}, tree, mask=None) == [None, None]
    assert leaves({"mask": two}, mask=two, tree=tree) == [2, None, None]
    with pytest.raises(NotTunable, match=r"float32\[2\] for tree\['b'\]\[0\], and the call"):
        leaves({"tree": tree}, {"a": one, "b": (three, None)})
    with pytest.raises(TypeError, match=r"gives 'xs', which is \*xs; give a tuple"):
        leaves({"xs": one}, tree)


def test_inputs_are_placed_as_the_arrays_of_the_call(cache: pathlib.Path) -> None:
    first, second = jax.devices()[:2]
    spread = NamedSharding(Mesh(np.array([first, second]), ("x",)), PartitionSpec("x"))
    keys = jax.random.split(jax.random.key(7), 8)
    for given in (np.arange(8.0), jax.device_put(jnp.arange(8.0), second)):
        for call in (X, jax.device_put(X, second), jax.device_put(X, spread)):
            tuned: Any = autotune(
                configs=[{"N": 1}, {"N": 2}],
                num_timing=1,
                inputs={"x": given, "keys": jax.device_put(keys, second)},
            )(jax.jit(lambda x, keys, N=1: x, static_argnames=["N"]))
            own = jax.random.split(jax.random.key(0), 8)
            problem = make_problem(tuned._contract, (call, own), {}, tuned._inputs)
            assert problem is not None
            (x, drawn), _ = get_timed_arguments(problem, 0).get_arrays()
            assert x.sharding == call.sharding and x.committed == call.committed
            assert (x == np.arange(8)).all() and (drawn == keys).all() and not drawn.committed
            tuned(call, own)
            assert all(trial.ok for trial in tuned.decisions[-1].trials)


def test_arrays_of_the_call_are_where_it_runs(cache: pathlib.Path) -> None:
    second = jax.devices()[1]
    for y in (jnp.ones(4), np.ones(4, np.float32), jax.random.key(1)):
        tuned: Any = autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, inputs="call")(
            jax.jit(lambda x, y, N=1: (x * 2, y), static_argnames=["N"])
        )
        call = jax.device_put(X, second), y
        problem = make_problem(tuned._contract, call, {}, tuned._inputs)
        assert problem is not None
        (x, same), _ = get_timed_arguments(problem, 0).get_arrays()
        assert x.devices() == same.devices() == {second} and not same.committed
        tuned(*call)
        assert all(trial.ok for trial in tuned.decisions[-1].trials)


class TestBuckets:
    """Buckets are timed at sizes that the call may not have."""

    DIMS = {"x": ("M",), "lengths": ("B",)}  # noqa: RUF012

    def decided(self, machine: Machine, inputs: Any, call: Any, **bucket: Any) -> Decision:
        tuned = machine.function(inputs, dims=self.DIMS, bucket=bucket)
        tuned(*call)
        assert "timed on" in tuned.explain(*call) and "tuned again" not in tuned.explain(*call)
        decision: Decision = tuned.decisions[-1]
        return decision

    def test_arrays_of_other_dimensions_are_the_call_s(self, machine: Machine) -> None:
        decision = self.decided(machine, "call", (X[:5], LONG), M="pow2")
        assert decision.config == {"T": 1024} and decision.dimensions["M"] == 8
        assert decision.notes[-1] == (
            "timed on the call's arrays for lengths and made-up arrays for x: a bucket has sizes "
            "of its own"
        )
        whole = self.decided(machine, "call", (X, LONG), M="pow2")
        assert whole.notes[-1] == "timed on the call's arrays"

    def test_no_array_of_the_call_fits_smaller_ones(self, machine: Machine) -> None:
        decision = self.decided(machine, "call", (X, LONG), M=lambda size: size // 2)
        assert decision.config == {"T": 8} and decision.dimensions["M"] == 4
        assert decision.notes[-1].startswith("timed on made-up arrays: a bucket has sizes of its")

    def test_functions_make_arrays_of_the_bucket(self, machine: Machine) -> None:
        decision = self.decided(machine, long_lengths, (X, LONG), B="pow2")
        assert decision.config == {"T": 1024} and decision.dimensions["B"] == 4
        assert all(lengths.shape == (4,) for lengths in machine.lengths[:-1])

    def test_call_with_the_only_inputs_is_decided_on_its_own(self, machine: Machine) -> None:
        decision = self.decided(machine, {"lengths": LONG}, (X, LONG), B="pow2")
        assert decision.config == {"T": 1024} and decision.dimensions["B"] == 3
        assert "call int32[4] at the size of its bucket" in decision.notes[-1]
