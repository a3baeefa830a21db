# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in the cache of configurations with wrong outputs, and what is warned of it."""

from __future__ import annotations

import json
import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import jax
import pytest
from jax_events import VirtualTime
from jax_kinds import X, clocks, decided, double, inexact, make, nan, partly_nan, slow

from tonno.jax import FailureWarning, OutputError, OutputWarning

NAME = "make.<locals>.varying"


@pytest.fixture(autouse=True)
def clock(virtual_time: VirtualTime) -> None:
    clocks.append(virtual_time)


def edit_record(cache: pathlib.Path, edit: Callable[[Any], Any]) -> None:
    path = cache / "jax" / f"{NAME}.json"
    stored = json.loads(path.read_text())
    for by_module in stored["cpu"].values():
        for records in by_module.values():
            for record in records:
                edit(record)
    path.write_text(json.dumps(stored))


def make_older(record: Any) -> None:
    """As of the version that warned by default."""
    for trial in record["trials"]:
        del trial["finite_instead"], trial["nonfinite"]
        trial["reason"] = ""
    record["outputs"] = "warn"


def choose(cache: pathlib.Path, number: int) -> None:
    """Puts a configuration into the file by hand."""
    path = cache / f"{NAME}.json"
    stored = json.loads(path.read_text())
    for entry in stored["cpu"].values():
        entry["config"] = {"N": number}
    path.write_text(json.dumps(stored))


def test_winner_that_differs_is_warned_of_in_each_process(cache: Any) -> None:
    assert decided(make(slow, inexact, outputs="warn"))[:2] == ("sweep", 2)
    for _ in range(2):
        tuned = make(slow, inexact, outputs="warn")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert "from the cache" in tuned.explain(X)  # Which says it, and warns of nothing.
        source, winner, (told,) = decided(tuned)
        assert (source, winner) == ("cache", 2)
        assert told.startswith(f"{NAME}: N=2 is used from the cache; its outputs differ from th")
        assert told.endswith('outputs="refuse" tunes it again, outputs="ignore" compares nothing')
        assert "N=2: its outputs differ" in tuned.explain(X)
        assert decided(tuned)[2] == []
    source, winner, _ = decided(make(slow, inexact))
    assert (source, winner) == ("sweep", 1)


def test_cached_winner_is_warned_of_in_a_trace(cache: Any) -> None:
    decided(make(slow, inexact, outputs="warn"))
    with pytest.warns(OutputWarning, match="N=2 is used from the cache") as told:
        jax.jit(make(slow, inexact, outputs="warn"))(X)
    assert told[0].filename == __file__


def test_cached_winner_is_used_after_a_warning_that_is_an_error(cache: Any) -> None:
    decided(make(slow, inexact, outputs="warn"))
    tuned = make(slow, inexact, outputs="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OutputWarning):
            tuned(X)
        assert (tuned(X) == X * 2.1).all()


def test_loser_that_differs_is_no_concern_of_the_next_process(cache: Any) -> None:
    assert len(decided(make(double, lambda x: slow(x) * 1.1, outputs="warn"))[2]) == 1
    for outputs in ("warn", "refuse"):
        found = decided(make(double, lambda x: slow(x) * 1.1, outputs=outputs))
        assert found == ("cache", 1, [])


@pytest.mark.parametrize("outputs", ["warn", "refuse"])
def test_what_was_never_compared_is_tuned_again(outputs: str, cache: Any) -> None:
    assert decided(make(slow, inexact, outputs="ignore")) == ("sweep", 2, [])
    source, winner, told = decided(make(slow, inexact, outputs=outputs))
    assert (source, winner, len(told)) == ("sweep", 2 if outputs == "warn" else 1, 1)


@pytest.mark.parametrize(
    ("now", "expected"), [(0.2, ("cache", 0)), (0.02, ("cache", 1)), (None, ("sweep", 1))]
)
def test_cached_winner_is_judged_by_the_tolerance_now(
    now: float | None, expected: tuple[str, int], cache: Any
) -> None:
    assert len(decided(make(slow, inexact, outputs="warn", tolerance=0.01))[2]) == 1
    source, _, told = decided(make(slow, inexact, outputs="warn", tolerance=now))
    assert (source, len(told)) == expected


@pytest.mark.parametrize(("outputs", "warned"), [("warn", 1), ("ignore", 0)])
def test_older_record_of_a_baseline_without_numbers(
    outputs: str, warned: int, cache: pathlib.Path
) -> None:
    # What the older version stored: the difference of what is right is infinite.
    decided(make(nan, slow, outputs="warn"))
    edit_record(cache, make_older)
    with pytest.raises(OutputError):
        make(nan, slow)(X)
    source, winner, told = decided(make(nan, slow, outputs=outputs))
    assert (source, winner) == ("sweep" if warned else "cache", 1) and len(told) == warned


def test_older_record_of_equal_outputs_holds(cache: pathlib.Path) -> None:
    decided(make(slow, double, lambda x: slow(x) * 1.1, outputs="warn"))
    edit_record(cache, make_older)
    for _ in range(2):
        found = decided(make(slow, double, lambda x: slow(x) * 1.1))
        assert found == ("cache", 2, [])


def test_record_of_a_later_version_is_explained(cache: pathlib.Path) -> None:
    decided(make(slow, inexact, outputs="warn"))
    edit_record(cache, lambda record: [trial.update(new=1) for trial in record["trials"]])
    tuned = make(slow, inexact, outputs="warn")
    assert len(decided(tuned)[2]) == 1 and "N=2  " in tuned.explain()


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("outputs", ["refuse", "warn", "ignore"])
def test_entry_that_was_edited_is_warned_of(
    outputs: str, number: int, cache: pathlib.Path
) -> None:
    def slower(x: Any) -> Any:
        return slow(slow(x)) / 2

    decided(make(slow, nan, slower))
    choose(cache, number)
    source, winner, told = decided(make(slow, nan, slower, outputs=outputs))
    assert (source, winner) == ("file", number)
    assert len(told) == (number == 2 and outputs != "ignore")
    if told:
        assert "N=2 is used from the cache; its outputs are NaN or infinite in 16" in told[0]
        assert told[0].endswith(
            'Delete the entry to tune it again; outputs="ignore" compares nothing'
        )


def test_entry_that_was_edited_for_another_function_is_not_warned_of(
    cache: pathlib.Path,
) -> None:
    decided(make(slow, nan))
    choose(cache, 2)
    # The record's winner computes something else now.
    assert decided(make(lambda x: slow(x) + 1, double)) == ("file", 2, [])


def test_entry_that_was_edited_is_not_tried_again(cache: pathlib.Path) -> None:
    decided(make(slow, no_memory([True]), double))
    choose(cache, 1)
    assert decided(make(slow, double, double)) == ("file", 1, [])


@pytest.mark.parametrize("value", ["text", 10**400, float("nan")], ids=["text", "int", "nan"])
@pytest.mark.parametrize("part", ["difference", "finite_instead", "nonfinite", "failures"])
@pytest.mark.parametrize("outputs", ["refuse", "warn"])
def test_record_may_hold_anything(
    outputs: str, part: str, value: Any, cache: pathlib.Path
) -> None:
    decided(make(slow, double))
    edit_record(cache, lambda record: [trial.update({part: value}) for trial in record["trials"]])
    tuned = make(slow, double, outputs=outputs)
    assert decided(tuned)[1] == 2 and "N=2" in tuned.explain()


def no_memory(failing: list[bool], kind: Any = double) -> Any:
    """A kind that fails, in a way that may pass, while the list is not empty."""

    def found(x: Any) -> Any:
        if failing:
            raise MemoryError("now")
        return kind(x)

    return found


def test_default_that_was_out_of_memory_is_no_baseline_later(cache: Any) -> None:
    failing = [True]
    with pytest.warns(FailureWarning, match="N=1: compile_error: MemoryError"):
        make(no_memory(failing, nan), slow)(X)
    failing.clear()
    tuned = make(no_memory(failing, nan), slow)
    source, winner, _ = decided(tuned)
    assert (source, winner) == ("sweep", 2)
    found = {trial.config["N"]: trial.status for trial in tuned.decisions[0].trials}
    assert found == {1: "wrong", 2: "ok"}
    assert decided(make(no_memory(failing, nan), slow)) == ("cache", 2, [])


def test_what_is_tried_again_may_show_that_the_baseline_is_wrong(cache: Any) -> None:
    failing = [True]
    decided(make(partly_nan, no_memory(failing)))
    failing.clear()
    for _ in range(2):
        with pytest.raises(OutputError, match="the baseline N=1 gives"):
            make(partly_nan, no_memory(failing))(X)
