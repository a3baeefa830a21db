# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions as plain data, whichever file they come from."""

from __future__ import annotations

import dataclasses
from typing import Any

from tonno.statistics import Interval
from tonno.trials import Configuration

NOT_RUN = ("bounded", "over_limit", "compile_error", "compile_timeout", "compile_crash")
"""Statuses of candidates that were not launched."""


@dataclasses.dataclass(frozen=True, slots=True)
class Knob:
    name: str
    options: tuple[Any, ...]
    default: Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound of the time of one binary."""

    seconds: float
    limit: str
    share: float
    """Time by the chip's data sheet as a share of the bound; 0 if it is unknown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Roofline:
    """The work of a kernel and the peaks of its machine."""

    operations: float
    """Operations of a launch: two for each multiply-add; 0 if there are none."""
    bytes: float
    """Bytes that every launch moves."""
    peak: float
    """Operations a second; 0 if it is unknown."""
    instruction: str
    threads: int
    levels: tuple[tuple[str, float], ...]
    """Levels of the memory with their bytes a second, the fastest first."""
    share: float
    """Time at the limit as a share of the winner's; 0 if it is unknown."""
    limit: str
    """Instruction or level of the memory that is the limit."""
    limit_rate: float
    """Operations or bytes a second."""
    is_memory: bool
    data_sheet: str
    """GPU whose data sheet states the peaks; empty if they were measured."""

    @property
    def intensity(self) -> float:
        """Operations for each byte."""
        return self.operations / self.bytes

    def describe(self) -> dict[str, Any]:
        """Returns the object for `--json`."""
        found = dataclasses.asdict(self)
        found["levels"] = [{"name": n, "bytes_per_second": rate} for n, rate in self.levels]
        return found


@dataclasses.dataclass(slots=True)
class SessionTrial:
    """A configuration with what is known of it. Members that a file lacks are None."""

    values: Configuration
    status: str
    message: str = ""
    reason: str = ""
    """Reason why the strategy proposed it."""
    seconds: float | None = None
    """Median of one launch; with status `pruned`, a lower bound."""
    ratio: float | None = None
    """Time / time of the default, by pairs if the protocol has pairs."""
    interval: Interval | None = None
    """Interval of the ratio."""
    usage: dict[str, float] = dataclasses.field(default_factory=dict)
    bound: Bound | None = None
    artifact: str = ""
    """Hash of the binary, or another name that equal programs share; empty if unknown."""
    compile_seconds: float | None = None
    run_seconds: float | None = None
    session_seconds: float | None = None
    """Seconds from the start of the session to the end of the trial."""
    is_recalled: bool = False

    @property
    def is_run(self) -> bool:
        """True if the trial counts for a budget of trials: the candidate was tried here."""
        return self.status != "bounded" and not self.is_recalled


@dataclasses.dataclass(slots=True)
class Decision:
    """The configuration that was chosen, and its evidence."""

    values: Configuration
    verdict: str | None = None
    """None if the tuner does not test its choice."""
    seconds: float | None = None
    baseline_seconds: float | None = None
    speedup: float | None = None
    interval: Interval | None = None
    """95 % interval of the speedup."""
    shown_speedup: float | None = None
    """Lower bound that the final test shows at 99.9 %."""
    rounds: int | None = None
    cache_state: str | None = None
    other_speedup: float | None = None
    other_interval: Interval | None = None
    notes: tuple[str, ...] = ()
    """Conditions that make the times less certain."""
    tied: Configuration | None = None
    """Candidate that was tested, if the test left the default."""


@dataclasses.dataclass(slots=True)
class Session:
    file: str
    source: str
    """Kind of the file, such as `journal`."""
    kernel: str
    knobs: tuple[Knob, ...]
    trials: list[SessionTrial]
    device: str = ""
    chip: str = ""
    strategy: str = ""
    seed: int | None = None
    versions: str = ""
    key: str = ""
    """Key of the session or of the problem, to tell sessions of a file apart."""
    sizes: dict[str, int] = dataclasses.field(default_factory=dict)
    constraints: tuple[str, ...] = ()
    budget_trials: int | None = None
    budget_seconds: float | None = None
    search_end: str | None = None
    """Reason why the search ended."""
    total_seconds: float | None = None
    proposing_seconds: float | None = None
    decision: Decision | None = None
    """None if the session has not ended."""
    baseline: str = "the default"
    """Denominator of the ratios."""
    interval: str = ""
    """Kind of the intervals of ratios; empty if there are none."""
    notes: list[str] = dataclasses.field(default_factory=list)
    work: Any = None
    """Work of the kernel, as the file states it."""
    roofline: Roofline | None = None
    no_limit: str = ""
    """Reason why the machine's limit is unknown, as `tonno-tune` names it."""
    most_left: float | None = None
    """Factor by which untried configurations are faster at most, at 95 %."""
    phase_seconds: dict[str, float] = dataclasses.field(default_factory=dict)
    is_survey: bool = False
    """True if candidates were compiled, and perhaps verified, but not timed."""

    @property
    def defaults(self) -> Configuration:
        return {knob.name: knob.default for knob in self.knobs}
