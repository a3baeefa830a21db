# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of trials and winners, as in the cache and in journals."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import warnings
from collections.abc import Mapping
from typing import Any

from tonno import _core
from tonno.errors import Error
from tonno.files import read_regular
from tonno.printable import printable
from tonno.statistics import Distribution, Interval
from tonno.trials import Configuration


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Times of a candidate beside the baseline.

    Candidates are ranked by `ratio`, not by seconds, which were measured at different moments.
    """

    seconds: Distribution
    """Seconds of one launch of the candidate."""
    baseline_seconds: Distribution
    """Seconds of the baseline's launches between them."""
    ratio: float
    """Median of candidate / baseline, by pairs."""
    ratio_interval: Interval
    """Interval of the median by order statistics, at z = 3."""
    overhead_bound: bool = False
    """True if a launch takes no longer than the overhead of launching."""
    contended: bool = False
    """True if other processes used the device at the same time."""

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> Measurement:
        return cls(
            Distribution(**json["seconds"]),
            Distribution(**json["baseline_seconds"]),
            json["ratio"],
            Interval(*json["ratio_interval"]),
            json.get("overhead_bound", False),
            json.get("contended", False),
        )


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Comparison of the chosen candidate with the baseline, on new samples."""

    verdict: str
    """`faster`, `tie` (the default stays), `no-baseline` (the default failed), `interrupted` (no
    test was made), `less` (uses less of the objective)."""
    seconds: Distribution
    baseline_seconds: Distribution
    """n is 0 with verdict `no-baseline`."""
    speedup: float
    """Baseline / candidate."""
    speedup_interval: Interval
    """95 % interval of the speedup."""
    rounds: int
    overhead_bound: bool = False
    shown_speedup: float | None = None
    """Lower bound of the speedup that the test shows at its own level, 99.9 %; None in older
    records."""
    contended: bool = False
    """True if other processes used the device at the same time."""
    cache_state: str = "cold"
    """`cold` or `warm`."""
    other_speedup: float | None = None
    """Speedup with the other cache state; measured after `faster` if launches are short."""
    other_speedup_interval: Interval | None = None

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> Comparison:
        other = json.get("other_cache_state")
        return cls(
            json["verdict"],
            Distribution(**json["seconds"]),
            Distribution(**json["baseline_seconds"]),
            json["speedup"],
            Interval(*json["speedup_interval"]),
            json["rounds"],
            json.get("overhead_bound", False),
            json.get("shown_speedup"),
            json.get("contended", False),
            json.get("cache_state", "cold"),
            other and other["speedup"],
            other and Interval(*other["speedup_interval"]),
        )


@dataclasses.dataclass(frozen=True)
class TrialRecord:
    """A stored trial."""

    config: Configuration
    status: str
    message: str
    measurement: Measurement | None
    """Measurement of a trial that is ok or pruned."""
    usage: dict[str, Any]
    """Resource usage by name, as far as known."""
    artifact: str
    """Hash of the binary; empty if the candidate did not compile."""

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> TrialRecord:
        measured = json.get("measurement")
        return cls(
            json["values"],
            json["status"],
            json["message"],
            None if measured is None else Measurement._of(measured),
            json["usage"],
            json["artifact"],
        )


@dataclasses.dataclass(frozen=True)
class ObjectiveRecord:
    """The use of the resource that the winner has the least of."""

    resource: str
    """Such as `code-size`."""
    used: int
    """By the winner: bytes, a number of registers, or microjoules."""
    baseline_used: int
    """By the default."""
    gain: dict[str, Any] | None = None
    """`speedup`, the default's use over the winner's, and `speedup_interval`, if use is measured."""


@dataclasses.dataclass(frozen=True)
class FrontPoint:
    """A configuration that no other one beats in time and in the resources of `--pareto`."""

    config: Configuration
    artifact: str
    comparison: Comparison
    """Comparison with the default, by a test."""
    usage: dict[str, Any]
    """Numbers by name, such as `code_bytes`, as far as they are known."""
    energy: Comparison | None = None
    """The same in joules of a launch, if energy was measured."""

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> FrontPoint:
        energy = json.get("energy")
        return cls(
            json["values"],
            json["artifact"],
            Comparison._of(json["comparison"]),
            json["usage"],
            None if energy is None else Comparison._of(energy),
        )


@dataclasses.dataclass(frozen=True)
class DecisionRecord:
    """A stored winner; with verdict `tie`, the default."""

    kernel: str
    config: Configuration
    artifact: str
    comparison: Comparison
    trials: int
    """Number of trials of the session, the baseline's included."""
    seed: int
    strategy: str
    versions: str
    """Versions of tonno and LLVM."""
    environment: dict[str, str]
    """Conditions that made the times less certain."""
    objective: ObjectiveRecord | None = None
    """None if the objective is time."""
    front: tuple[FrontPoint, ...] | None = None
    """The fastest first; None without `--pareto`."""

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> DecisionRecord:
        objective, front = json.get("objective"), json.get("front")
        return cls(
            json["kernel"],
            json["values"],
            json["artifact"],
            Comparison._of(json["comparison"]),
            json["trials"],
            json["seed"],
            json["strategy"],
            json["versions"],
            json.get("environment", {}),
            None if objective is None else ObjectiveRecord(**objective),
            None if front is None else tuple(map(FrontPoint._of, front)),
        )


def cache_directory(given: str = "") -> str:
    """Returns the directory of a cache: `given`, else $TONNO_CACHE_DIR, else `.tonno-cache`.
    Expands a leading `~/`, which shells leave to programs."""
    directory = given or os.environ.get("TONNO_CACHE_DIR") or ".tonno-cache"
    return os.path.expanduser(directory) if directory.startswith("~/") else directory


def read_cache(
    directory: str | os.PathLike[str] | None = None,
) -> dict[str, TrialRecord | DecisionRecord | dict[str, Any]]:
    """Returns the records of a cache by their keys, without changing the cache.

    `directory` is by default $TONNO_CACHE_DIR, else `.tonno-cache`; `~` is expanded. A record
    that is neither of a trial nor of a decision is a dict. Skips a damaged or unreadable record
    with a warning. Raises FileNotFoundError if there is no such directory.
    """
    root = pathlib.Path(cache_directory("" if directory is None else os.fspath(directory)))
    if not root.is_dir():
        raise FileNotFoundError(f"no cache directory at '{root}'; name it by directory=")
    records = {}
    for path in sorted((root / "v1").glob("[0-9a-f][0-9a-f]/*.json")):
        try:
            records[path.stem] = _decoded(path)
        except (Error, OSError) as error:
            warnings.warn(printable(f"the record '{path}' is left out: {error}"), stacklevel=2)
    return records


def _decoded(path: pathlib.Path) -> TrialRecord | DecisionRecord | dict[str, Any]:
    text = read_regular(path).decode(errors="replace")
    decoded = _core.decode_record(path.stem, text)
    if "trial" in decoded:
        return TrialRecord._of(decoded["trial"])
    if "decision" in decoded:
        return DecisionRecord._of(decoded["decision"])
    other: dict[str, Any] = decoded["other"]
    return other
