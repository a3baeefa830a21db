# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Search spaces: knobs, constraints, and the points that satisfy them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tonno import _core
from tonno.errors import Error, check_natural
from tonno.trials import Configuration


class LegalCount(NamedTuple):
    """Number of legal points of a space."""

    points: float
    """Number of legal points; rounded above 2^53, infinite above 1.8e308."""
    share: float
    """Legal points divided by all points of the space, 0 to 1."""
    exactness: str
    """`exact`: counted; draws are uniform. `estimated`: draws are uniform, and the share was
    estimated by drawing. `approximate`: draws are from the points that were found."""
    low: float
    """Lower end of the 95 % interval of `points`."""
    high: float
    effective_samples: float
    """Number of points found, if approximate."""
    is_least: bool
    """True if `points` counts only the points found, and the total is unknown."""


class SearchSpace:
    """Knobs of a tuning problem, and the constraints on its configurations.

    Immutable, comparable and picklable; threads may share it.
    """

    __slots__ = ("_native",)
    _native: _core.Space

    def __init__(
        self,
        knobs: Mapping[str, Iterable[Any]],
        constraints: Iterable[str] = (),
        defaults: Mapping[str, Any] | None = None,
        dimensions: Mapping[str, int] | None = None,
    ) -> None:
        """Creates a space of knobs and constraints.

            knobs: distinct options of each knob by name, at least one: a list, a tuple, a
                `range`,
                `pow2(...)`, `permutations(...)`
            constraints: conditions that all hold, such as "BM * BN <= 4096" or
                "tail == 'mask' or BK mod 8 == 0"; operators are + - * floordiv ceildiv mod,
                == != < <= > >=, and or not, if then else, and order[i]
            defaults: options used without a selection; other knobs have their first option, or
                another one if the first violates a constraint
            dimensions: sizes of the problem, such as {"M": 1024}: constants that constraints may
                name, as in "M mod BM == 0"

        Models treat numbers as ordered, True and False as booleans, permutations of 0, 1, ... as
        permutations, and all other options as categories.

        Raises `ConstraintError`, which has the column, for an invalid constraint: one that does
        not parse, names no knob, compares incomparable values, divides by zero or overflows.
        Raises `Error` for invalid options or defaults, and if no point satisfies the constraints.
        """
        if isinstance(constraints, str):
            raise TypeError("constraints must be a list of text, not one text")
        self._native = _core.Space.constrained(
            [(name, _options(name, options)) for name, options in knobs.items()],
            list(constraints),
            dict(defaults or {}),
            list((dimensions or {}).items()),
        )

    @classmethod
    def of(cls, configs: Iterable[Mapping[str, Any]]) -> SearchSpace:
        """Returns the space of exactly these configurations; the first is the default.

        All configurations have the same knobs. The options of a knob are those that occur, sorted
        if all are numbers. Raises `Error` if there is no configuration or a knob is missing.
        """
        points = [dict(config) for config in configs]
        if not points:
            raise Error("a space needs at least one configuration")
        knobs = {name: _occurring(name, points) for name in points[0]}
        return cls._wrap(_core.Space.listed(list(knobs.items()), points))

    def with_default(self, config: Mapping[str, Any]) -> SearchSpace:
        """Returns the same space with another default. Raises `Error` unless the default is
        legal."""
        if not self.is_legal(config):
            raise Error(f"{dict(config)} breaks '{self.broken_constraint(config)}'")
        knobs, constraints, _, points, dimensions = self.__getstate__()
        space = SearchSpace.__new__(SearchSpace)
        space.__setstate__((knobs, constraints, dict(config), points, dimensions))
        return space

    def fix(self, values: Mapping[str, Any]) -> SearchSpace:
        """Returns the space with fewer options.

            space.fix({"BM": 64, "STAGES": [2, 3], "BN": range(32, 129)})

            values: an option for each of some knobs; or a list or set of options; or a `range`,
                of which at least one number is an option

        The default stays if the values allow it. Otherwise its other knobs stay, and the given
        ones take their first option; if that breaks a constraint, another legal configuration is
        the default. Raises `Error` for an unknown knob, for a value that is not an option, and if
        no configuration is legal.
        """
        knobs, constraints, default, points, dimensions = self.__getstate__()
        rest = dict(knobs)
        for name, value in values.items():
            if name not in rest:
                raise Error(f"there is no knob {name!r}; the knobs are: {', '.join(rest)}")
            rest[name] = _remaining(name, rest[name], value)
        near = {
            name: default[name] if _is_in(default[name], options) else options[0]
            for name, options in rest.items()
        }
        if points is None:
            space = SearchSpace(rest, constraints, dimensions=dict(dimensions))
            return space.with_default(near) if space.is_legal(near) else space
        left = [p for p in points if all(_is_in(p[k], o) for k, o in rest.items())]
        if not left:
            raise Error(f"none of the {len(points)} configurations has {dict(values)}")
        return SearchSpace.of(sorted(left, key=lambda point: point != near))

    @classmethod
    def _wrap(cls, native: _core.Space) -> SearchSpace:
        space = cls.__new__(cls)
        space._native = native
        return space

    @property
    def knobs(self) -> dict[str, tuple[Any, ...]]:
        """Options of each knob by name."""
        return dict(self._native.knobs())

    @property
    def constraints(self) -> list[str]:
        """Constraints as given; empty for a space that is a list of points."""
        return self._native.constraints()

    @property
    def dimensions(self) -> dict[str, int]:
        """Sizes that constraints may name."""
        return dict(self._native.dimensions())

    @property
    def default(self) -> Configuration:
        """Legal configuration used without a selection."""
        return self._native.default()

    @property
    def size(self) -> int:
        """Number of points, legal or not."""
        return math.prod(len(options) for options in self.knobs.values())

    @property
    def legal(self) -> LegalCount:
        """Number of legal points. The first call may take a second."""
        return LegalCount(*self._native.count())

    def is_legal(self, config: Mapping[str, Any]) -> bool:
        """Returns True if the configuration satisfies the constraints.

        Raises `Error` if the configuration is not a point of the space: it has an unknown knob or
        option, or lacks a knob.
        """
        return self._native.is_legal(config)

    def broken_constraint(self, config: Mapping[str, Any]) -> str | None:
        """Returns the first constraint that does not hold. Raises as `is_legal` does."""
        return self._native.broken_constraint(config)

    def draw(self, n: int, seed: int) -> list[Configuration]:
        """Returns n legal configurations, each drawn uniformly from all.

        `legal.exactness` states how uniform the draws are. The same seed draws the same
        configurations on every machine. Raises `Error` if none is found.
        """
        check_natural("n", n)
        check_natural("seed", seed)
        return self._native.draw(n, seed)

    def points(self, most: int = 1 << 20) -> list[Configuration] | None:
        """Returns all legal configurations; the last knob varies fastest.

        Returns None if there are more than `most`, or if finding them takes long.
        """
        check_natural("most", most)
        return self._native.points(most)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SearchSpace):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> tuple[Any, ...]:
        points = self._native.points(1 << 62) if self._native.is_listed() else None
        dimensions = self._native.dimensions()
        return self._native.knobs(), self.constraints, self.default, points, dimensions

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        knobs, constraints, default, points, dimensions = state
        if points is None:
            self._native = _core.Space.constrained(knobs, constraints, default, dimensions)
        else:
            rest = [point for point in points if point != default]
            self._native = _core.Space.listed(knobs, [default, *rest])

    def __repr__(self) -> str:
        knobs = ", ".join(f"{name}: {_shown(o)}" for name, o in self.knobs.items())
        shown = f"SearchSpace({{{knobs}}}"
        if self._native.is_listed():
            return f"{shown}, {self.legal.points:.0f} points)"
        for name in ("constraints", "dimensions"):
            if given := getattr(self, name):
                shown += f", {name}={given}"
        return f"{shown})"


def _options(name: str, options: Iterable[Any]) -> list[Any]:
    # A set has another order in each process, which would change the course of the search.
    refused = (str, bytes, Mapping, set, frozenset)
    if isinstance(options, refused) or not isinstance(options, Iterable):
        kind = type(options).__name__
        raise TypeError(f"the options of knob {name!r} must be a list, not {kind}")
    return list(options)


def _is_in(value: object, options: Iterable[object]) -> bool:
    # True == 1 in Python.
    return any(value == option and type(value) is type(option) for option in options)


def _remaining(name: str, options: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    """Returns the options of a knob that `SearchSpace.fix` leaves."""
    given = given.tolist() if hasattr(given, "tolist") else given  # of NumPy
    value = tuple(given) if isinstance(given, list) else given
    if _is_in(value, options):
        return (value,)
    if isinstance(given, range):
        rest = tuple(
            o for o in options if isinstance(o, int) and o in given and not isinstance(o, bool)
        )
    elif isinstance(given, (list, tuple, set, frozenset)):
        for each in given:
            if not _is_in(each, options):
                raise Error(f"knob {name!r} has no option {each!r}; {_listed(options)}")
        rest = tuple(o for o in options if _is_in(o, given))
    else:
        raise Error(f"knob {name!r} has no option {given!r}; {_listed(options)}")
    if not rest:
        raise Error(f"knob {name!r} has no option in {given!r}; {_listed(options)}")
    return rest


def _listed(options: tuple[Any, ...]) -> str:
    return f"the options are {_shown(options)}"


def _occurring(name: str, points: list[Configuration]) -> list[Any]:
    options: list[Any] = []
    for point in points:
        if name not in point:
            raise Error(f"no value for knob {name!r} in {point}")
        value = point[name]
        if not _is_in(value, options):
            options.append(value)
    if all(isinstance(o, (int, float)) and not isinstance(o, bool) for o in options):
        options.sort()
    return options


def _shown(options: tuple[Any, ...]) -> str:
    if len(options) <= 8:
        return str(list(options))
    return f"[{options[0]!r}, {options[1]!r}, ..., {options[-1]!r}]"
