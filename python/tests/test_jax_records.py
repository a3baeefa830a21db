# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When a record of an earlier process holds, and for which function of a name."""

from __future__ import annotations

import json
import pathlib
import sys
import types
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import VirtualTime

from tonno import autotune
from tonno.jax import CacheWarning
from tonno.jax import cache as cache_module

X = jnp.linspace(-1, 1, 16)


def make_differing(virtual_time: VirtualTime, **options: Any) -> Any:
    """N=2 is the faster one, and up to 1.7 % of the root mean square off."""

    def wait(x: Any) -> Any:
        virtual_time.add(0.005)
        return x

    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def differing(x: Any, N: int = 1) -> Any:
        if N == 2:
            return x * 1.01
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    return differing


def decided(tuned: Any) -> tuple[str, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned(X)
    (decision,) = tuned.decisions
    return decision.source, decision.config["N"]


@pytest.mark.parametrize("before", ["warn", "ignore"])
def test_winner_that_would_be_refused_is_tuned_again(
    before: str, cache: Any, caplog: pytest.LogCaptureFixture, virtual_time: VirtualTime
) -> None:
    assert decided(make_differing(virtual_time, outputs=before)) == ("sweep", 2)
    # What was never compared is no more known to agree.
    source = "cache" if before == "warn" else "sweep"
    assert decided(make_differing(virtual_time, outputs="warn")) == (source, 2)
    with caplog.at_level("INFO", "tonno.tune"):
        assert decided(make_differing(virtual_time, outputs="refuse")) == ("sweep", 1)
    assert "tuned again, since what is asked of its outputs changed" in caplog.text
    for outputs in ("refuse", "warn", "ignore"):
        assert decided(make_differing(virtual_time, outputs=outputs)) == ("cache", 1)


def test_tighter_tolerance_is_asked_of_the_record(
    cache: Any, virtual_time: VirtualTime
) -> None:
    def refusing(tolerance: float | None) -> tuple[str, int]:
        return decided(make_differing(virtual_time, outputs="refuse", tolerance=tolerance))

    assert refusing(0.1) == ("sweep", 2)
    assert [refusing(known) for known in (0.1, 0.05, 0.2)] == [("cache", 2)] * 3
    assert refusing(0.001) == ("sweep", 1)
    # What the others were compared with is as good for any.
    assert [refusing(known) for known in (0.001, 0.1, 0.0, None)] == [("cache", 1)] * 4


def test_types_own_tolerance_is_no_number(cache: Any, virtual_time: VirtualTime) -> None:
    assert decided(make_differing(virtual_time, outputs="refuse", tolerance=0.1)) == ("sweep", 2)
    assert decided(make_differing(virtual_time, outputs="refuse")) == ("sweep", 1)


def test_stricter_protocol_is_a_change(cache: Any, virtual_time: VirtualTime) -> None:
    def of(protocol: str) -> tuple[str, int]:
        return decided(make_differing(virtual_time, protocol=protocol, tolerance=0.1))

    assert [of("median"), of("paired")] == [("sweep", 2)] * 2
    assert [of("paired"), of("median")] == [("cache", 2)] * 2


def make(added: float, module: str = __name__) -> Any:
    def function(x: Any, N: int = 1) -> Any:
        return x * N + added

    function.__module__ = module
    tuned = autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, outputs="ignore", name="made")
    return tuned(jax.jit(function, static_argnames=["N"]))


def sources(*made: Any) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        for tuned in made:
            tuned(X)
    return [tuned.decisions[0].source for tuned in made]


def records(cache: pathlib.Path) -> Any:
    (by_module,) = json.loads((cache / "jax" / "made.json").read_text())["cpu"].values()
    return by_module


def test_functions_of_a_factory_keep_their_winners(cache: pathlib.Path) -> None:
    assert sources(make(0.0), make(1.0)) == ["sweep"] * 2
    first, second = make(0.0), make(1.0)
    assert sources(second, first) == ["cache"] * 2
    # The file is the original's still.
    ((entry,),) = [d.values() for d in json.loads((cache / "made.json").read_text()).values()]
    assert entry.keys() == {"config", "time_ms", "key_values"}
    kept = records(cache)[__name__]
    assert entry["config"] == kept[0]["config"] and len(kept) == 2
    # One that is tuned again has one record.
    first.tune([(X,)], again=True)
    assert len(records(cache)[__name__]) == 2
    assert sources(make(0.0), make(1.0)) == ["cache"] * 2


def test_functions_of_a_factory_are_warned_of_once(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_reported_names", set())
    same = [make(0.0), make(0.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        for tuned in same:
            tuned(X)
    with pytest.warns(CacheWarning, match=r"different things; .* autotune\(\.\.\., name=\.\.\.\)"):
        make(1.0)(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        make(2.0)(X)


CELL = """
def helper(x):
    return x * {factor}

{scope}
    @autotune(configs=[{{"N": 1}}, {{"N": 2}}], num_timing=1, outputs="ignore")
    @jax.jit(static_argnames=["N"])
    def function(x, N=1):
        return helper(x) + N

found = {function}
found(X)
"""


@pytest.mark.parametrize(
    ("scope", "function"), [("if True:", "function"), ("class Model:", "Model.function")]
)
def test_cell_that_runs_again_makes_no_other_function(
    scope: str, function: str, cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_reported_names", set())
    names: dict[str, Any] = {"__name__": "notebook", "autotune": autotune, "jax": jax, "X": X}

    def run(factor: int) -> Any:
        exec(CELL.format(factor=factor, scope=scope, function=function), names)
        return names["found"].decisions[0].source

    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        assert [run(factor) for factor in (1, 1, 2, 1)] == ["sweep", "cache", "sweep", "cache"]
    earlier = names["found"]
    with pytest.warns(CacheWarning, match="different things"):
        run(3)
    assert earlier.decisions  # It is there still.


def test_deleted_entry_is_deleted_for_all_of_the_name(cache: pathlib.Path) -> None:
    sources(make(0.0), make(1.0))
    (cache / "made.json").write_text("{}")
    assert sources(make(0.0), make(1.0)) == ["sweep"] * 2


def test_records_of_a_name_are_not_without_end(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tonno.jax.cache._MOST_RECORDS", 2)
    made = [make(float(number)) for number in range(3)]
    sources(*made)
    assert len(records(cache)[__name__]) == 2
    assert sources(make(2.0), make(1.0), make(0.0)) == ["cache", "cache", "sweep"]


def test_machines_of_one_kind_of_device_keep_their_winners(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for expected in ("sweep", "cache"):
        for name in ("one processor", "another"):
            monkeypatch.setattr("tonno.jax.fingerprints.processor", lambda name=name: name)
            assert sources(make(0.0)) == [expected]
    make(0.0).tune([(X,)], again=True)
    assert len(records(cache)[__name__]) == 2


def test_record_that_is_no_list_is_one(cache: pathlib.Path) -> None:
    sources(make(0.0))
    path = cache / "jax" / "made.json"
    kept = json.loads(path.read_text())
    ((key, by_module),) = kept["cpu"].items()
    kept["cpu"][key] = {module: known[0] for module, known in by_module.items()}
    path.write_text(json.dumps(kept))
    assert sources(make(0.0)) == ["cache"]


@pytest.mark.parametrize(
    ("file", "spec", "name"),
    [("/some/train.py", None, "train"), ("x.py", "package.tool", "package.tool")],
)
def test_program_goes_by_its_own_name(
    file: str, spec: str | None, name: str, cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = types.ModuleType("__main__")
    main.__file__ = file
    if spec is not None:
        monkeypatch.setattr(main, "__spec__", types.SimpleNamespace(name=spec))
    monkeypatch.setitem(sys.modules, "__main__", main)
    sources(make(0.0, "__main__"))
    assert list(records(cache)) == [name]


def test_what_is_typed_in_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    assert cache_module.module_name("__main__") == "__main__"
