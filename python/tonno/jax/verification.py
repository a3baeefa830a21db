# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of configurations against the baseline's outputs.

The baseline is the first configuration that runs. A configuration whose outputs
differ is refused, or only warned of. A baseline that gives NaN or infinities where
another configuration gives finite values may be the wrong one: then none is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tonno.jax import outputs
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.plans import Plan
from tonno.jax.problems import NotTunable
from tonno.trials import Trial

_SILENT = 'outputs="ignore" compares nothing'
ADVICE = f"tolerance= states how far outputs may differ from the baseline's; {_SILENT}"


class OutputWarning(UserWarning):
    """Configurations of a function compute different things."""


class OutputError(NotTunable):
    """The baseline has NaN or infinities where other configurations have finite values."""

    trials: list[Trial]
    """What was tried, in order."""

    def __init__(self, message: str, trials: list[Trial]) -> None:
        super().__init__(message)
        self.trials = trials

    def __reduce__(self) -> tuple[type[OutputError], tuple[str, list[Trial]]]:
        return type(self), (str(self), self.trials)


class WrongOutputs(Exception):
    """The outputs of a configuration are refused."""


class Verification:
    """Compares the outputs of the configurations of one sweep."""

    def __init__(self, plan: Plan) -> None:
        self._mode = plan.outputs
        self._tolerance = plan.tolerance
        self._baseline: ConfigTrial | None = None
        self._reference: outputs.HostOutputs | None = None
        self.is_undecidable = False
        """Whether another configuration's outputs are finite where the baseline's are
        not, and outputs that differ are refused."""

    def check(self, trial: ConfigTrial, found: Any) -> None:
        """Compares the outputs of a run, the first or a later one of a configuration.

        Raises WrongOutputs if they are refused.
        """
        if self._mode == "ignore":
            return
        host = outputs.to_host(found)
        if self._reference is None or self._baseline is None:
            self._baseline, self._reference = trial, host
            trial.difference, trial.nonfinite = 0.0, outputs.nonfinite_share(host)
            return
        is_first = trial.difference is None
        if is_first and self._baseline.nonfinite:
            trial.nonfinite = outputs.nonfinite_share(host)
        is_baseline = trial is self._baseline
        name = "its first run" if is_baseline else shown(self._baseline.config)
        found_now = outputs.compare(host, self._reference, self._tolerance, name)
        if found_now.difference > 1 and not trial.differs:
            trial.reason = found_now.reason if is_first else f"in a later run, {found_now.reason}"
        trial.difference = max(trial.difference or 0.0, found_now.difference)
        if not is_baseline:
            trial.finite_instead = max(trial.finite_instead, found_now.finite_instead)
        if self._mode != "refuse":
            return
        self.is_undecidable |= trial.finite_instead > 0
        if self.is_undecidable or found_now.difference > 1:
            raise WrongOutputs(trial.reason or "its outputs are the baseline's")

    def error(self, name: str, trials: Sequence[ConfigTrial]) -> OutputError:
        """Returns the error of a sweep that is undecidable."""
        assert self._baseline is not None
        compared = [trial for trial in trials if trial.difference is not None]
        lines = [
            f"{name}: no configuration is chosen, since the baseline "
            f"{shown(self._baseline.config)} gives NaN or infinities where others give finite "
            "values. On the same made-up arguments, outputs are NaN or infinite:",
            *(f"  {shown(trial.config)}: {100 * trial.nonfinite:.3g} %" for trial in compared),
            "Remove the configurations that are wrong for arguments of these shapes, such as "
            "blocks larger than an array, or pass the tunable parameters explicitly. The "
            "baseline is the signature's defaults if they are among the configurations, else "
            f'the first. outputs="warn" chooses the fastest and warns, {_SILENT}.',
        ]
        tried = [Trial(t.config, t.status, None, t.reason) for t in trials]
        return OutputError("\n".join(lines), tried)


def of_sweep(
    name: str, winner: ConfigTrial, trials: Sequence[ConfigTrial]
) -> tuple[list[str], list[Warning]]:
    """Returns the notes and warnings of what a sweep found, unless it raised."""
    notes = _findings([trial for trial in trials if trial.ok], trials)
    advice = f'outputs="refuse" chooses no such configuration, {_SILENT}'
    if not notes:
        notes, advice = _doubts([winner], trials)
    if not notes:
        return [], []
    return notes, [OutputWarning(f"{name}: {'; '.join(notes)}. {advice}")]


def of_earlier(name: str, decision: Decision) -> list[Warning]:
    """Returns the warning of a winner that is in the cache although outputs differ."""
    winners = [trial for trial in decision.trials if trial.config == decision.config]
    notes = _findings(winners, decision.trials)
    advice = f'outputs="refuse" tunes it again, {_SILENT}'
    if decision.source == "file":
        advice = f"Delete the entry to tune it again; {_SILENT}"
    if not notes:
        notes, advice = _doubts(winners, decision.trials)
    if not notes:
        return []
    config = shown(decision.config)
    found = "; ".join(note.removeprefix(f"{config}: ") for note in notes)
    return [OutputWarning(f"{name}: {config} is used from the cache; {found}. {advice}")]


def _findings(chosen: Sequence[ConfigTrial], trials: Sequence[ConfigTrial]) -> list[str]:
    """Returns what is wrong with the baseline, and with the outputs of `chosen`."""
    notes = []
    finite = [trial for trial in trials if trial.finite_instead]
    if finite:
        baseline = next(trial for trial in trials if trial.difference is not None)
        first = shown(finite[0].config)
        many = f"{len(finite)} configurations, such as {first}, give"
        notes.append(
            f"{many if len(finite) > 1 else f'{first} gives'} finite values where the baseline "
            f"{shown(baseline.config)} gives NaN or infinities"
        )
    wrong = [t for t in chosen if t.differs and not t.finite_instead]
    if wrong:
        reason = wrong[0].reason or "its outputs differ from the baseline's"
        more = f"; {len(wrong) - 1} more differ as well" if len(wrong) > 1 else ""
        notes.append(f"{shown(wrong[0].config)}: {reason}{more}")
    return notes


def _doubts(
    winners: Sequence[ConfigTrial], trials: Sequence[ConfigTrial]
) -> tuple[list[str], str]:
    """Returns why a winner with the baseline's outputs may be wrong, and what to do."""
    for winner in winners:
        if winner.nonfinite >= 1:
            config = shown(winner.config)
            note = f"every output of {config} is NaN or infinite on made-up arguments"
            return [note], f"A block larger than an array gives NaN; {_SILENT}"
    compared = [trial for trial in trials if trial.difference is not None]
    others = len(compared) - 1
    if others > 1 and sum(trial.differs for trial in compared[1:]) == others:
        baseline = shown(compared[0].config)
        note = f"the outputs of all {others} others differ from those of the baseline {baseline}"
        return [note], f"The baseline may be the wrong one; {_SILENT}"
    return [], ""
