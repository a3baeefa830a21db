# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tonno keeps of trials and winners, as it is in the cache and in journals."""

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
    """What timing a candidate beside the baseline gave.

    Candidates are ranked by `ratio`, never by seconds, which belong to
    different moments.
    """

    seconds: Distribution
    """Of one launch of the candidate."""
    baseline_seconds: Distribution
    """Of the baseline's launches between them."""
    ratio: float
    """Median of candidate / baseline, by pairs."""
    ratio_interval: Interval
    """Of that median, order statistics at z = 3."""
    overhead_bound: bool = False
    """A launch takes no longer than launching does."""
    contended: bool = False
    """Other processes used the device meanwhile."""

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
    """The chosen candidate beside the baseline, on fresh data."""

    verdict: str
    """`faster`, `tie` (the default stays), `no-baseline` (the default failed),
    `interrupted` (no test was made)."""
    seconds: Distribution
    baseline_seconds: Distribution
    """n = 0 with verdict `no-baseline`."""
    speedup: float
    """Baseline / candidate."""
    speedup_interval: Interval
    """95 %."""
    rounds: int
    overhead_bound: bool = False
    shown_speedup: float | None = None
    """What the test is sure of at its own level, 99.9 %; none in older
    records."""
    contended: bool = False
    """Other processes used the device meanwhile."""
    cache_state: str = "cold"
    """`cold` or `warm`."""
    other_speedup: float | None = None
    """With the other cache state; tested after `faster` if launches are short."""
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
    """Of a trial that is ok or pruned."""
    usage: dict[str, Any]
    """Use of resources, by name, as far as it is known."""
    artifact: str
    """The hash of the binary; empty if it did not compile."""

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
class DecisionRecord:
    """A stored winner; with verdict `tie`, the default."""

    kernel: str
    config: Configuration
    artifact: str
    comparison: Comparison
    trials: int
    """That the session ran, the baseline's among them."""
    seed: int
    strategy: str
    versions: str
    """Of tonno and LLVM."""
    environment: dict[str, str]
    """What made the times less certain."""

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> DecisionRecord:
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
        )


def cache_directory(given: str = "") -> str:
    """The directory of a cache: $TONNO_CACHE_DIR if none is given, or else
    `.tonno-cache`; `~/` in front, which shells leave to programs, is the user's."""
    directory = given or os.environ.get("TONNO_CACHE_DIR") or ".tonno-cache"
    return os.path.expanduser(directory) if directory.startswith("~/") else directory


def read_cache(
    directory: str | os.PathLike[str] | None = None,
) -> dict[str, TrialRecord | DecisionRecord | dict[str, Any]]:
    """The records of a cache by their keys; nothing is changed.

    `directory`: $TONNO_CACHE_DIR, or else `.tonno-cache`, if none is given; `~` is
    the user's own. A
    record that is neither of a trial nor of a decision is a dict. One that is
    damaged, or can't be read, is left out with a warning. Raises FileNotFoundError where there is
    no such directory.
    """
    root = pathlib.Path(cache_directory("" if directory is None else os.fspath(directory)))
    if not root.is_dir():
        raise FileNotFoundError(f"there is no cache at '{root}'")
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
