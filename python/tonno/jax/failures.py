# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations that failed: what is told of them, and which are tried again.

A failure that may pass is no fact to keep, as nowhere in tonno. But a function
with a configuration that never fits would be tuned in each process. So the next
process tries those again, beside the winner; what fails in two stays out. What a
process died of is no such failure: it is out until its file is deleted (`attempts`).
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

from tonno.jax import verification
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.plans import Plan
from tonno.trials import Configuration

_PROCESSES = 2

# Candidates share a process, and what one did to the device others may suffer: so
# a fault may pass too.
_PASSING = ("compile_timeout", "out_of_memory", "fault", "hang", "contended", "lost")
_PASSING_REASONS = (
    "RESOURCE_EXHAUSTED",
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
    "ABORTED",
    "CANCELLED",
    "MemoryError",
)


class FailureWarning(UserWarning):
    """Some configurations of a function failed; one of the others was chosen."""


def may_pass(trial: ConfigTrial) -> bool:
    """Whether the same might succeed another time, and may be tried."""
    if trial.left_out_by:
        return False
    if trial.status == "compile_error":
        return any(reason in trial.reason for reason in _PASSING_REASONS)
    return trial.status in _PASSING


def to_retry(decision: Decision, folder: pathlib.Path) -> list[Configuration]:
    """Those that failed in one process only, in a way that may pass, and those that
    were left out by a file which is no more in the folder."""
    return [t.config for t in decision.trials if _is_to_retry(t, folder)]


def _is_to_retry(trial: ConfigTrial, folder: pathlib.Path) -> bool:
    if trial.left_out_by:
        return not (folder / trial.left_out_by).exists()
    return may_pass(trial) and trial.failures < _PROCESSES


def plan_of_retry(plan: Plan, stored: Decision, again: Sequence[Configuration]) -> Plan:
    """What to try again, beside what the others were compared with and the winner."""
    first = [trial.config for trial in stored.trials if trial.ok][:1]
    configs: list[Configuration] = []
    for config in (*first, stored.config, *again):
        own = plan.own(config)
        if own is not None and own not in configs:
            configs.append(own)
    return dataclasses.replace(plan, configs=configs, space=None)


def noted(
    name: str, decision: Decision, earlier: Sequence[ConfigTrial] = ()
) -> tuple[Decision, list[Warning]]:
    """The decision with a note of what failed, and what to warn of once it is kept.

    `earlier`: of a process before, those of which were tried again now.
    """
    now = [trial.config for trial in decision.trials]
    for trial in decision.trials:
        if may_pass(trial):
            before = (t.failures for t in earlier if t.config == trial.config)
            trial.failures = next(before, 0) + 1
    trials = (*decision.trials, *(t for t in earlier if t.config not in now))
    failed = [trial for trial in trials if trial.status not in ("ok", "pruned")]
    notes, to_tell = decision.notes, list[Warning]()
    if failed:
        first = failed[0]
        note = (
            f"{len(failed)} of {len(trials)} configurations failed, the first: "
            f"{shown(first.config)}: {first.status}: {first.reason}"
        )
        text = f"{name}: {note.rstrip('.')}; explain() has all"
        if any(trial.status == "wrong" for trial in failed):
            text = f"{text}. {verification.ADVICE}"
        to_tell.append(FailureWarning(text))
        notes = (*notes, note)
    return dataclasses.replace(decision, notes=notes, trials=trials), to_tell
