# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failed configurations: which are reported, and which are tried again.

A failure that may be temporary is not stored as a fact, as everywhere in tonno. But a function
with a configuration that never fits would then be tuned in each process. Therefore the next
process tries such configurations again, beside the winner; a configuration that fails in two
processes stays out. A configuration that a process died of is not such a failure: it is skipped
until its file is deleted.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import secrets
import socket
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from tonno.files import read_regular
from tonno.jax import messages, verification
from tonno.jax.cache import CacheWarning
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.plans import Plan
from tonno.jax.verification import OtherBits
from tonno.trials import Configuration

COMPILING = "compiling"
RUNNING = "running"
_SUFFIX = ".trying"
_STATUSES = {
    (COMPILING, False): "compile_crash",
    (COMPILING, True): "compile_timeout",
    (RUNNING, False): "fault",
    (RUNNING, True): "hang",
}


class Left(NamedTuple):
    """Outcome of a configuration in a process that died."""

    status: str
    reason: str
    file: str
    """Name of the file."""


class Attempts:
    """Attempts at one problem, for the holder of its lock; empty if `lock` is None.

        versions: of the compiler and runtime
        program: fingerprint of a program
    """

    def __init__(self, lock: pathlib.Path | None, versions: dict[str, str]) -> None:
        self._lock = lock
        self._versions = versions
        self._sweep = secrets.token_hex(8)  # process numbers are 1 in every container
        self._guard = threading.Lock()
        self._begun: dict[str, tuple[pathlib.Path, dict[str, Any]]] = {}
        """Files of begun attempts, by configuration."""
        self._left = self._found()
        self._suspects = self._mark_suspects()

    @property
    def are_remembered(self) -> bool:
        """True if another process finds the attempts."""
        return self._lock is not None

    def left(self, program: str) -> Left | None:
        """Returns why a program is skipped; None if it is to be tried."""
        path = self._path(program)
        before = self._left.get(path)
        if before is None or path in self._suspects:
            return None
        if before.get("config") is None:
            path.unlink(missing_ok=True)  # The process died while writing: nothing was begun.
            return None
        stage, seconds = before.get("stage"), before.get("seconds")
        time = f", in more than {seconds:g} s" if seconds else ""
        return Left(
            _STATUSES.get((str(stage), bool(seconds)), "fault"),
            f"process {before.get('pid')} on {before.get('host')} got no further than {stage} "
            f"it{time}; delete '{path}' to try it again",
            path.name,
        )

    def is_suspect(self, program: str) -> bool:
        """Returns True if it was one of several programs that a process may have died of; such a
        program is tried alone."""
        return self._path(program) in self._suspects

    def begin(self, config: Configuration, program: str, stage: str) -> None:
        """Records the start of an attempt: if the process dies from here on, the configuration is
        at fault."""
        if self._lock is None:
            return
        path = self._path(program)
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        table = {
            "config": config,
            "stage": stage,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "begun": now,
            "sweep": self._sweep,
            "program": program,
            "versions": self._versions,
        }
        with self._guard:
            self._begun[_text(config)] = path, table
            self._suspects.discard(path)
            _write(path, table)

    def slow(self, config: Configuration, seconds: float) -> None:
        """Records that the attempt takes unusually long: someone may end the process because of
        it."""
        with self._guard:
            if _text(config) in self._begun:
                path, table = self._begun[_text(config)]
                table["seconds"] = seconds
                _write(path, table)

    def end(self, config: Configuration) -> None:
        """Records that the process has survived the attempt."""
        with self._guard:
            begun = self._begun.pop(_text(config), None)
            if begun is not None:
                begun[0].unlink(missing_ok=True)

    def keep(self, config: Configuration) -> None:
        """Keeps the record of an attempt that does not end, so that the next process skips it."""
        with self._guard:
            self._begun.pop(_text(config), None)

    def _path(self, program: str) -> pathlib.Path:
        text = json.dumps([program, self._versions], sort_keys=True)
        number = hashlib.sha256(text.encode()).hexdigest()[:16]
        lock = self._lock or pathlib.Path("none.lock")
        return lock.with_name(f"{lock.stem}.{number}{_SUFFIX}")

    def _found(self) -> dict[pathlib.Path, dict[str, Any]]:
        if self._lock is None:
            return {}
        start = f"{self._lock.stem}."
        names = [name for name in os.listdir(self._lock.parent) if name.startswith(start)]
        paths = [self._lock.with_name(name) for name in names if name.endswith(_SUFFIX)]
        return {path: _read(path) for path in paths}

    def _mark_suspects(self) -> set[pathlib.Path]:
        """If several programs were being compiled, marks all of them: one is at fault."""
        number = collections.Counter(table.get("sweep") for table in self._left.values())
        suspects = set()
        for path, table in self._left.items():
            if table and number[table.get("sweep")] > 1 or table.get("is_suspect"):
                suspects.add(path)
                if not table.get("is_suspect"):
                    _write(path, {**table, "is_suspect": True})
        return suspects


def _text(config: Configuration) -> str:
    return json.dumps(config, sort_keys=True)


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        table = json.loads(read_regular(path))
    except (OSError, ValueError):
        table = None  # deleted just now, or not readable
    return table if isinstance(table, dict) else {}


def _write(path: pathlib.Path, table: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        messages.warn(
            f"a crash of this process will not be remembered: {error}",
            CacheWarning,
        )


_PROCESSES = 2

# Candidates share a process, and one may suffer from what another did to the device: so a fault
# may be temporary, too.
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
    """Returns True if the failure may be temporary, so that the configuration is tried again."""
    if trial.left_out_by:
        return False
    if trial.status == "compile_error":
        return any(reason in trial.reason for reason in _PASSING_REASONS)
    return trial.status in _PASSING


def to_retry(decision: Decision, folder: pathlib.Path) -> list[Configuration]:
    """Returns the configurations that failed in one process only, in a way that may be temporary,
    and those that a file no longer in the folder skipped."""
    return [t.config for t in decision.trials if _is_to_retry(t, folder)]


def _is_to_retry(trial: ConfigTrial, folder: pathlib.Path) -> bool:
    if trial.left_out_by:
        return not (folder / trial.left_out_by).exists()
    return may_pass(trial) and trial.failures < _PROCESSES


def make_retry_plan(plan: Plan, stored: Decision, again: Sequence[Configuration]) -> Plan:
    """Returns the plan of trying configurations again, beside the baseline and the winner."""
    first = [trial.config for trial in stored.trials if trial.ok][:1]
    configs: list[Configuration] = []
    for config in (*first, stored.config, *again):
        own = plan.own(config)
        if own is not None and own not in configs:
            configs.append(own)
    return dataclasses.replace(plan, configs=configs, space=None)


def _describe_freedom(decision: Decision, others: Sequence[ConfigTrial]) -> str:
    """Returns what the fastest configuration with other bits took, beside the winner."""
    timed = [trial for trial in others if trial.first_ms is not None]
    winner = next((t for t in decision.trials if t.config == decision.config), None)
    if not timed or winner is None or winner.time_ms is None:
        return ""
    best = min(timed, key=lambda trial: trial.first_ms or 0.0)
    return (
        f"; the fastest of them, {shown(best.config)}, took {best.first_ms:.4g} ms in its first "
        f"run, the winner {winner.time_ms:.4g} ms"
    )


def noted(
    name: str, decision: Decision, earlier: Sequence[ConfigTrial] = ()
) -> tuple[Decision, list[Warning]]:
    """Returns the decision with a note of its failures, and the warnings to issue once it is
    stored.

    `earlier`: the trials of an earlier process, some of which were tried again.
    """
    now = [trial.config for trial in decision.trials]
    for trial in decision.trials:
        if may_pass(trial):
            before = (t.failures for t in earlier if t.config == trial.config)
            trial.failures = next(before, 0) + 1
    trials = (*decision.trials, *(t for t in earlier if t.config not in now))
    failed = [t for t in trials if t.status not in ("ok", "pruned", OtherBits.status)]
    notes, to_tell = decision.notes, list[Warning]()
    others = [trial for trial in trials if trial.status == OtherBits.status]
    if others:
        note = (
            f"{len(others)} of {len(trials)} configurations give other bits, the first: "
            f"{shown(others[0].config)}: {others[0].reason}"
        )
        note += _describe_freedom(decision, others)
        notes = (*notes, note)
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
