# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decisions for problems, and their evidence."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tonno.jax import dimensions
from tonno.jax.dimensions import Sizes
from tonno.trials import Configuration


DEFAULT = "default"
"""Source of decisions for the defaults of a signature."""


@dataclasses.dataclass
class ConfigTrial:
    """A configuration in a sweep."""

    config: Configuration
    status: str = "ok"
    """One of `tonno.statuses()`: `compile_error` if tracing, lowering or compiling failed,
    `fault` if running failed, `wrong` if the outputs differ and are refused, `different_bits` if
    only their bits do and bits="same" refuses them, `pruned` if it was clearly slower."""
    reason: str = ""
    """Reason why the configuration has no time or was pruned, or how its outputs differ."""
    samples_ms: list[float] = dataclasses.field(default_factory=list)
    time_ms: float | None = None
    """Median of the samples, or the estimate of the protocol."""
    finals_ms: list[float] = dataclasses.field(default_factory=list)
    """Samples of the finals among overlapping medians, if it played them."""
    compile_begin_s: float | None = None
    """Seconds from the start of the sweep."""
    compile_end_s: float | None = None
    first_ms: float | None = None
    """Time of the first run of a configuration with status `different_bits`."""
    difference: float | None = None
    """Largest error of its outputs against the baseline's, in tolerances."""
    nonfinite: float = 0.0
    """Share of its outputs that are NaN or infinite, if any of the baseline's are."""
    finite_instead: int = 0
    """Number of elements of its outputs that are finite where the baseline's are NaN or infinite.
    """
    failures: int = 0
    """Number of processes in which it failed in a way that may be temporary."""
    left_out_by: str = ""
    """Name of the file which states that a process died of it."""
    equals: Configuration | None = None
    """Configuration with the same program, which was compiled, run and timed for both; None if
    this is the first one."""
    is_resumed: bool = False
    """True if it was timed before the sweep was interrupted, and not since."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def differs(self) -> bool:
        """True if its outputs differ from the baseline's beyond the tolerance."""
        return self.difference is not None and self.difference > 1

    @property
    def json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Decision:
    """The configuration that a problem runs with."""

    device: str
    """Kind of the device, such as "NVIDIA H100 80GB HBM3" or "cpu"."""
    key: str
    config: Configuration
    time_ms: float | None
    source: str
    """`sweep`: of this process; `cache`: of an earlier process; `file`: an entry without a record
    of tonno's, by the original decorator or by hand; `default`: the signature's defaults, for
    a reason that a note states."""
    notes: tuple[str, ...] = ()
    trials: tuple[ConfigTrial, ...] = ()
    """Trials in the order in which they were timed."""
    dimensions: Sizes = dataclasses.field(default_factory=dict)
    """Sizes of the dimensions that dims= names."""
    inputs: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Arguments that were timed on the values of inputs=, with a fingerprint of these; all others
    were made up."""

    def __str__(self) -> str:
        time = "" if self.time_ms is None else f", {self.time_ms:.4g} ms"
        source = "by the signature" if self.source == DEFAULT else f"from the {self.source}"
        lines = [f"{shown(self.config)}{time}, {source}"]
        lines.append(f"  for {named_key(self.dimensions, self.key)} on {self.device}")
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  {_line(trial)}" for trial in self.trials]
        return "\n".join(lines)


def describe_arguments(inputs: Mapping[str, str]) -> str:
    """Returns a name for arguments of which `inputs` are not made up, for messages."""
    return "arguments of inputs=" if inputs else "made-up arguments"


def named_key(sizes: Sizes, key: str) -> str:
    """Returns the key of a problem, after its dimensions if it has any."""
    return f"{dimensions.shown(sizes)}, {key}" if sizes else key


def shown(config: Configuration) -> str:
    """Formats the configuration as in a call."""
    return ", ".join(f"{name}={value!r}" for name, value in config.items())


def _line(trial: ConfigTrial) -> str:
    compiled = ""
    if trial.compile_begin_s is not None and trial.compile_end_s is not None:
        compiled = f"  compiled in {trial.compile_end_s - trial.compile_begin_s:.3g} s"
    if trial.time_ms is None:
        return f"{shown(trial.config)}  {trial.status}: {trial.reason}{compiled}"
    other = "" if trial.ok else f" ({trial.status}: {trial.reason})"
    if trial.differs:
        why = trial.reason if trial.ok and trial.reason else "its outputs differ"
        other += f", and {why}"
    if trial.finals_ms:
        other += f", {len(trial.finals_ms)} more runs in the finals"
    if trial.equals is not None:
        other += f"  the same program as {shown(trial.equals)}"
    resumed = "  timed before the sweep was interrupted" if trial.is_resumed else ""
    return f"{shown(trial.config)}  {trial.time_ms:.4g} ms{other}{compiled}{resumed}"
