# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations that failed: what is told of them, and which are tried again.

A failure that may pass is no fact to keep, as nowhere in tonno. But a function
with a configuration that never fits would be tuned in each process. So the next
process tries those again, beside the winner; what fails in two stays out. What a
process died of is no such failure: it is out until its file is deleted.
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
    """What became of a configuration in a process that died."""

    status: str
    reason: str
    file: str
    """Its name."""


class Attempts:
    """Those of one problem, for who holds its lock; of nothing if `lock` is None.

    `versions`: of what compiles and runs; a `program` is the fingerprint of one.
    """

    def __init__(self, lock: pathlib.Path | None, versions: dict[str, str]) -> None:
        self._lock = lock
        self._versions = versions
        self._sweep = secrets.token_hex(8)  # Process numbers are 1 in every container.
        self._guard = threading.Lock()
        self._begun: dict[str, tuple[pathlib.Path, dict[str, Any]]] = {}
        """By configuration."""
        self._left = self._found()
        self._suspects = self._mark_suspects()

    @property
    def are_remembered(self) -> bool:
        """Whether another process finds them."""
        return self._lock is not None

    def left(self, program: str) -> Left | None:
        """Why a program is left out; None if it is to be tried."""
        path = self._path(program)
        before = self._left.get(path)
        if before is None or path in self._suspects:
            return None
        if before.get("config") is None:
            path.unlink(missing_ok=True)  # It died while writing: nothing was begun.
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
        """Whether it was one of several that a process died of: to be tried alone."""
        return self._path(program) in self._suspects

    def begin(self, config: Configuration, program: str, stage: str) -> None:
        """From here on the configuration is to blame if the process dies."""
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
        """It takes unusually long: somebody may end the process because of that."""
        with self._guard:
            if _text(config) in self._begun:
                path, table = self._begun[_text(config)]
                table["seconds"] = seconds
                _write(path, table)

    def end(self, config: Configuration) -> None:
        """The process has survived it."""
        with self._guard:
            begun = self._begun.pop(_text(config), None)
            if begun is not None:
                begun[0].unlink(missing_ok=True)

    def keep(self, config: Configuration) -> None:
        """It won't end: the next process is to leave it out."""
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
        """Where several were being compiled, one of them is to blame."""
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
        table = None  # Deleted just now, or not for us to read.
    return table if isinstance(table, dict) else {}


def _write(path: pathlib.Path, table: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        messages.warn(
            f"should this process die, the next one does not know of what: {error}",
            CacheWarning,
        )


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
