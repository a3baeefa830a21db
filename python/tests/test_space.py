# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spaces: what they accept, count, draw and refuse."""

from __future__ import annotations

import fractions
import itertools
import pickle
from typing import Any

import pytest

import tonno


def brute_force(space: tonno.SearchSpace) -> list[tonno.Configuration]:
    names, options = list(space.knobs), space.knobs.values()
    points = (dict(zip(names, values, strict=True)) for values in itertools.product(*options))
    return [point for point in points if space.is_legal(point)]


def test_values_keep_their_types(space: tonno.SearchSpace) -> None:
    assert space.default == {
        "BM": 16,
        "BN": 32,
        "unroll": False,
        "tail": "mask",
        "order": (0, 1, 2),
    }
    assert space.default["unroll"] is False
    assert list(space.default) == ["BM", "BN", "unroll", "tail", "order"]
    assert space.knobs["BM"] == (16, 32, 64, 128, 256)


def test_legal_points_are_those_of_brute_force(space: tonno.SearchSpace) -> None:
    expected = brute_force(space)
    assert space.size == 5 * 3 * 2 * 2 * 6
    assert 0 < len(expected) < space.size
    assert space.points() == expected
    assert space.points(most=len(expected) - 1) is None
    assert space.legal.points == len(expected)
    assert space.legal.exactness == "exact"
    assert not space.legal.is_least
    assert space.legal.share == pytest.approx(len(expected) / space.size)


def test_draws_are_legal_uniform_and_of_the_seed(space: tonno.SearchSpace) -> None:
    drawn = space.draw(6000, seed=3)
    assert drawn == space.draw(6000, seed=3) != space.draw(6000, seed=4)
    counts = {repr(point): 0 for point in brute_force(space)}
    for point in drawn:
        counts[repr(point)] += 1
    mean = 6000 / len(counts)
    # Chi-square of that many classes: its mean is their number less one.
    chi = sum((count - mean) ** 2 / mean for count in counts.values())
    assert chi < len(counts) + 5 * (2 * len(counts)) ** 0.5
    assert space.draw(0, seed=3) == []


def test_huge_space_is_counted_without_listing() -> None:
    knobs = {f"K{i}": range(16) for i in range(30)}
    space = tonno.SearchSpace(knobs, [f"K{i} <= K{i + 1}" for i in range(29)])
    assert space.size == 16**30
    # Ascending sequences: 30 of 16 values, with repetition.
    assert space.legal.points == 344867425584
    (point,) = space.draw(1, seed=0)
    assert list(point.values()) == sorted(point.values())


def test_constraint_error_has_its_column() -> None:
    with pytest.raises(tonno.ConstraintError, match="column 9") as caught:
        tonno.SearchSpace({"BM": [1, 2]}, ["BM > 0", "BM * 2 ++ 1"])
    error = caught.value
    assert (error.constraint, error.column, error.index) == ("BM * 2 ++ 1", 9, 1)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.column) == (str(error), error.column)
    assert isinstance(error, tonno.Error) and isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("constraint", "says"),
    [
        ("BK > 1", "BK"),
        ("BM mod 0 == 1", "zero"),
        ("BM == 'x'", "they never agree"),
        ("", "column 1"),
    ],
)
def test_bad_constraint_is_refused(constraint: str, says: str) -> None:
    with pytest.raises(tonno.ConstraintError, match=says):
        tonno.SearchSpace({"BM": [1, 2]}, [constraint])


@pytest.mark.parametrize(
    ("knobs", "says"),
    [
        ({}, "at least one knob"),
        ({"X": []}, 'knob "X" has no options'),
        ({"X": [1, 2, 1]}, "has the option 1 twice"),
        ({"X": [2**63]}, "64 bits"),
        ({"X": [float("nan")]}, "finite"),
    ],
)
def test_bad_options_are_refused(knobs: dict[str, Any], says: str) -> None:
    with pytest.raises(tonno.Error, match=says):
        tonno.SearchSpace(knobs)


@pytest.mark.parametrize("options", ["abc", [None], [{1, 2}], [1j], [{1: 2}], 5, {1, 2}])
def test_options_of_wrong_type(options: Any) -> None:
    with pytest.raises(TypeError):
        tonno.SearchSpace({"X": options})


def test_constraints_are_a_list() -> None:
    with pytest.raises(TypeError, match="list of text"):
        tonno.SearchSpace({"X": [1]}, "X == 1")


def test_constraints_that_exclude_each_other_are_named() -> None:
    constraints = ["X < 3", "X > Y", "Y > X"]
    with pytest.raises(tonno.Error, match='constraints "X > Y" and "Y > X" together'):
        tonno.SearchSpace({"X": [1, 2, 3], "Y": [1, 2, 3]}, constraints)


def test_values_of_other_packages_are_named_with_them() -> None:
    with pytest.raises(TypeError, match=r"a tuple of these, not fractions\.Fraction"):
        tonno.SearchSpace({"X": [fractions.Fraction(1, 2)]})


def test_counts_and_seeds_are_natural(space: tonno.SearchSpace) -> None:
    with pytest.raises(tonno.Error, match="n must be from 0 to 2\^64 - 1, not -1"):
        space.draw(-1, seed=0)
    with pytest.raises(tonno.Error, match="seed must be from 0 to .*, not -1"):
        space.draw(1, seed=-1)
    with pytest.raises(tonno.Error, match="most must be from 0 to .*, not -1"):
        space.points(-1)


def test_true_is_not_one() -> None:
    space = tonno.SearchSpace({"X": [1, True]})
    assert space.draw(30, seed=0).count({"X": 1}) == 30  # to Python they are equal
    assert {type(point["X"]) for point in space.draw(30, seed=0)} == {int, bool}
    with pytest.raises(tonno.Error, match="false is not an option"):
        space.is_legal({"X": False})


def test_defaults_that_nobody_stated_give_way() -> None:
    knobs = {"X": [1, 2, 3], "Y": [1, 2, 3]}
    space = tonno.SearchSpace(knobs, ["X + Y >= 5"], {"X": 2})
    assert space.default == {"X": 2, "Y": 3}
    with pytest.raises(tonno.Error, match='a legal configuration is {"X":2,"Y":3}'):
        tonno.SearchSpace(knobs, ["X + Y >= 5"], {"X": 1})
    with pytest.raises(tonno.Error, match=r'satisfies the constraint "X \+ Y >= 7"; the defaul'):
        tonno.SearchSpace(knobs, ["X + Y >= 7"])
    with pytest.raises(tonno.Error, match="its options are"):
        tonno.SearchSpace(knobs, (), {"X": 4})
    with pytest.raises(tonno.Error, match="names an unknown knob"):
        tonno.SearchSpace(knobs, (), {"Z": 4})


def test_broken_constraint_is_named(space: tonno.SearchSpace) -> None:
    config = {**space.default, "BM": 256, "BN": 128}
    assert not space.is_legal(config)
    assert space.broken_constraint(config) == "BM * BN <= 8192"
    assert space.broken_constraint(space.default) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"BM": 17}, "17 is not an option of knob"),
        ({"BX": 1}, "unknown knob"),
    ],
)
def test_what_is_no_point_is_refused(
    space: tonno.SearchSpace, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(tonno.Error, match=says):
        space.is_legal({**space.default, **change})


def test_configuration_lacks_a_knob(space: tonno.SearchSpace) -> None:
    with pytest.raises(tonno.Error, match="no value for knob"):
        space.is_legal({"BM": 16})
    with pytest.raises(TypeError, match="not list"):
        space.is_legal([("BM", 16)])  # type: ignore[arg-type]


def test_lists_are_taken_for_tuples(space: tonno.SearchSpace) -> None:
    assert space.is_legal({**space.default, "order": [2, 1, 0]})


def test_space_of_configurations() -> None:
    configs = [{"BM": 64, "BN": 32}, {"BM": 16, "BN": 128}, {"BM": 64, "BN": 128}]
    space = tonno.SearchSpace.of(configs)
    assert space.knobs == {"BM": (16, 64), "BN": (32, 128)}
    assert space.default == configs[0]
    assert space.legal.points == 3
    assert space.size == 4
    assert not space.is_legal({"BM": 16, "BN": 32})
    assert {p["BM"] for p in space.draw(50, seed=1) if p["BN"] == 32} == {64}
    with pytest.raises(tonno.Error, match="at least one configuration"):
        tonno.SearchSpace.of([])
    with pytest.raises(tonno.Error, match="no value for knob"):
        tonno.SearchSpace.of([{"X": 1}, {"Y": 1}])


def test_spaces_are_compared_and_pickled(space: tonno.SearchSpace) -> None:
    listed = tonno.SearchSpace.of([{"X": 3}, {"X": 1}, {"X": 2}])
    for each in (space, listed):
        again = pickle.loads(pickle.dumps(each))
        assert again == each
        assert again.default == each.default
        assert again.draw(5, seed=9) == each.draw(5, seed=9)
    assert space != listed
    assert space != tonno.SearchSpace(space.knobs)
    assert repr(listed) == "SearchSpace({X: [1, 2, 3]}, 3 points)"
    assert "constraints=['BM * BN <= 8192'" in repr(space)


def test_alternatives_count_once() -> None:
    knobs, constraints = tonno.alternatives(
        "method", {"direct": {}, "winograd": {"TILE": [2, 4, 6], "it's": [True, False]}}
    )
    space = tonno.SearchSpace({**knobs, "BM": [16, 32]}, constraints)
    assert space.legal.points == 2 * (1 + 3 * 2)
    assert {"method": "direct", "TILE": 2, "it's": True, "BM": 32} in (space.points() or [])
    with pytest.raises(tonno.Error, match="in two alternatives"):
        tonno.alternatives("m", {"a": {"X": [1]}, "b": {"X": [1]}})
    with pytest.raises(tonno.Error, match="a constraint cannot contain"):
        tonno.alternatives("m", {"a": {"X": [(0, 1), (1, 0)]}})


def test_domains() -> None:
    assert tonno.pow2(16, 64) == [16, 32, 64]
    assert tonno.pow2(1, 1) == [1]
    assert len(tonno.permutations(4)) == 24
    for low, high in ((3, 8), (8, 4), (0, 4)):
        with pytest.raises(tonno.Error):
            tonno.pow2(low, high)
    with pytest.raises(tonno.Error):
        tonno.permutations(9)
