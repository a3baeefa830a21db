# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of tuning a module."""

from __future__ import annotations

import dataclasses
import html
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from tonno.journals import JournaledTrial, parse_space, parse_trial
from tonno.mlir.tools import Message
from tonno.printable import printable
from tonno.records import Comparison, DecisionRecord
from tonno.space import SearchSpace
from tonno.statistics import Interval
from tonno.trials import Configuration, make_dataframe


@dataclasses.dataclass(frozen=True)
class TunedKernel:
    """The decision about a kernel."""

    kernel: str
    device: str
    chip: str
    verdict: str | None
    """`faster`, `tie` (the default stays), `no-baseline` (the default failed), `interrupted` or `less`;
    None if there is no decision: the kernel has its defaults, or what a prior expects."""
    config: Configuration
    """Chosen configuration."""
    default_config: Configuration
    seconds: float | None
    """Seconds of one launch with `config`."""
    decision: DecisionRecord | None
    """Record in the cache, with the times."""
    trials: tuple[JournaledTrial, ...]
    """Trials of this session; the first is the default's."""
    space: SearchSpace | None = dataclasses.field(repr=False)
    """None for a kernel without knobs."""
    prior: Mapping[str, Any] | None
    """The prior that knows something of the kernel: its `name`, how many `trials` it proposed, and
    the `expected_speedup` of what it chose without trials; None if there is none."""
    source: str | None
    """Source of a decision that this session did not make: `the cache`."""
    mode: str
    """`tune`, `cached` or `off`."""
    search_end: str | None
    """Reason why the search ended: `budget`, `converged`, `done`, `cut_short` or `interrupted`."""
    session_seconds: float
    """Seconds that tuning the kernel took."""
    model: Mapping[str, Any] | None = dataclasses.field(repr=False)
    """Kernels that a function of many ops was split into, as `model` of a report; None if it was
    tuned as one."""
    range: Mapping[str, Any] | None = dataclasses.field(repr=False)
    """Shapes, variants and regret of a kernel that was tuned for a range of shapes, as `range` of
    a report, whose `config` is the default; None if it was tuned for one."""

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> TunedKernel:
        """Decodes an entry of a report, whose arrays are tuples."""
        decision = json.get("decision")
        return cls(
            json["kernel"],
            json["device"],
            json["chip"],
            json.get("verdict"),
            json["values"],
            json["default_values"],
            json.get("chosen_seconds"),
            None if decision is None else DecisionRecord._of(decision),
            tuple(parse_trial(trial, trial) for trial in json["trials"]),
            parse_space(json["space"]) if json["space"]["knobs"] else None,
            json.get("prior"),
            json.get("source"),
            json["mode"],
            json.get("search_end"),
            json["seconds"],
            json.get("model"),
            json.get("range"),
        )

    @property
    def speedup(self) -> float | None:
        """Default / chosen, from the final test; for a tie, of the best candidate. None if there
        was no test."""
        compared = self._tested
        return None if compared is None else compared.speedup

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the speedup."""
        compared = self._tested
        return None if compared is None else compared.speedup_interval

    @property
    def _tested(self) -> Comparison | None:
        if self.decision is None or self.decision.comparison.rounds == 0:
            return None
        return self.decision.comparison

    @property
    def default_seconds(self) -> float | None:
        """Seconds of one launch with the default, measured beside the winner; None if it failed.
        """
        if self.decision is None or self.decision.comparison.baseline_seconds.n == 0:
            return None
        return self.decision.comparison.baseline_seconds.median

    def __repr__(self) -> str:
        text = f"@{self.kernel}: {self.verdict or 'default'}"
        if self.speedup is not None and self.interval is not None:
            text += f", {self.speedup:.3g}x [{self.interval.low:.4g}, {self.interval.high:.4g}]"
        if self.seconds is not None:
            text += f", {format_seconds(self.seconds)}"
        source = f" from {self.source}" if self.source else f"; {len(self.trials)} trials"
        return printable(f"TunedKernel({text} with {self.config}{source})")


@dataclasses.dataclass(frozen=True)
class Tuned:
    """A tuned module."""

    text: str = dataclasses.field(repr=False)
    """Module with the selected options, to be compiled; for OpenCL C, the source."""
    kernels: tuple[TunedKernel, ...]
    """Kernels with a decision, in the order of the module."""
    skipped: tuple[str, ...]
    """Names of kernels whose knobs were all selected before."""
    undecided: tuple[str, ...]
    """Names of kernels that failed, or were skipped by an interrupt."""
    messages: tuple[Message, ...]
    """Warnings, remarks and errors."""
    target: str
    """Target given to `tune`, as is `chip`; `opencl` for OpenCL C."""
    chip: str

    def __getitem__(self, kernel: str) -> TunedKernel:
        """Returns the kernel of that name. Raises KeyError if it has no decision."""
        for tuned in self.kernels:
            if tuned.kernel == kernel:
                return tuned
        raise KeyError(kernel)

    @property
    def verdict(self) -> str | None:
        """Verdict of the only kernel. Raises ValueError if there are several, or none."""
        (kernel,) = self.kernels
        return kernel.verdict

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the tuned text to a file."""
        pathlib.Path(path).write_text(self.text)

    def records(self) -> list[dict[str, Any]]:
        """Returns the trials of all kernels as flat records: `kernel`, each knob, `status`,
        `seconds`, `ratio`, `ratio_low`, `ratio_high`, `compile_seconds`, `run_seconds`,
        `session_seconds`, `message`. A knob of one of these names is `knob:<name>`."""
        return [
            _make_row(tuned.kernel, trial) for tuned in self.kernels for trial in tuned.trials
        ]

    def to_dataframe(self) -> Any:
        """Returns the `records` as a pandas.DataFrame. Raises ImportError without pandas."""
        return make_dataframe(self.records(), "records()")

    def __repr__(self) -> str:
        parts = [repr(kernel) for kernel in self.kernels]
        parts += [f"skipped: {', '.join(self.skipped)}"] if self.skipped else []
        parts += [f"undecided: {', '.join(self.undecided)}"] if self.undecided else []
        return printable(f"Tuned({'; '.join(parts)})")

    def _repr_html_(self) -> str:
        """Returns a table for notebooks."""
        head = ("kernel", "verdict", "speedup", "time", "default", "configuration")
        rows = [
            (
                kernel.kernel,
                kernel.verdict or "default",
                ""
                if kernel.speedup is None or kernel.interval is None
                else f"{kernel.speedup:.3g}x [{kernel.interval.low:.4g}, "
                f"{kernel.interval.high:.4g}]",
                "" if kernel.seconds is None else format_seconds(kernel.seconds),
                "" if kernel.default_seconds is None else format_seconds(kernel.default_seconds),
                format_config(kernel.config),
            )
            for kernel in self.kernels
        ]
        rows += [(name, "skipped", "", "", "", "") for name in self.skipped]
        rows += [(name, "undecided", "", "", "", "") for name in self.undecided]

        def line(cells: tuple[str, ...], tag: str) -> str:
            inside = "".join(f"<{tag}>{html.escape(printable(x))}</{tag}>" for x in cells)
            return f"<tr>{inside}</tr>"

        body = "".join(line(row, "td") for row in rows)
        return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


def format_seconds(seconds: float) -> str:
    """Formats a time with three significant digits and a unit: "1.83 ms"."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= size:
            return f"{seconds / size:#.3g} {unit}".replace(". ", " ")
    return f"{seconds / 1e-9:.3g} ns"


def format_config(config: Configuration) -> str:
    """ "BM=64 BN=32" """
    return " ".join(f"{name}={value}" for name, value in config.items())


def _make_row(kernel: str, trial: JournaledTrial) -> dict[str, Any]:
    record, measured = trial.record, trial.record.measurement
    interval = measured.ratio_interval if measured else None
    told = {
        "status": record.status,
        "seconds": measured.seconds.median if measured else None,
        "ratio": measured.ratio if measured else None,
        "ratio_low": interval.low if interval else None,
        "ratio_high": interval.high if interval else None,
        "compile_seconds": trial.compile_seconds,
        "run_seconds": trial.run_seconds,
        "session_seconds": trial.session_seconds,
        "message": record.message,
    }
    taken = {"kernel", *told}
    knobs = {f"knob:{k}" if k in taken else k: v for k, v in record.config.items()}
    return {"kernel": kernel, **knobs, **told}
