# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decisions of earlier processes: which of them still hold."""

from __future__ import annotations

import datetime
import logging
import pathlib
import warnings
from typing import Any

from tonno.jax import validity
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.problems import Problem
from tonno.jax.sweeps import Plan
from tonno.jax.winners import CacheWarning, Table, WinnerFile, directory_name
from tonno.trials import Configuration

log = logging.getLogger("tonno.autotune")


class Store:
    """The decisions of one function on disk."""

    def __init__(self, plan: Plan, name: str, module: str, code: str) -> None:
        self._plan = plan
        self._name = name
        self._module = module
        self._code = code

    def file(self) -> WinnerFile:
        return WinnerFile(pathlib.Path(directory_name()), self._name)

    def find(self, problem: Problem) -> Decision | None:
        """What holds for the problem; None if it is to be tuned."""
        if not problem.is_stable:
            return None
        device = problem.device.device_kind
        original = problem.original_key()
        keys = [problem.key] + ([original] if original not in (None, problem.key) else [])
        file = self.file()
        found = file.entry(device, [key for key in keys if key is not None])
        if found is None:
            return None
        key, entry = found
        by_module = file.records(device, key)
        if by_module and key != problem.key:
            return None  # Of another problem of ours, which the original tells not apart.
        record = by_module.get(self._module)
        others = [r for module, r in by_module.items() if module != self._module]
        if any(_is_of(entry, other) for other in others) and not _is_of(entry, record):
            # Another function of this name wrote it; ours may have a record still.
            if not isinstance(record, dict) or "config" not in record:
                return None
            entry = record
        is_ours = _is_of(entry, record)
        config = self._usable(entry, file, is_ours)
        if config is None:
            return None
        if not is_ours:
            note = (
                "without a fingerprint: of the original decorator, or made by hand"
                if record is None
                else "edited by hand since it was tuned"
            )
            log.info("%s: %s is %s", self._name, shown(config), note)
            return self._decision(problem, entry, config, "file", (note,), ())
        assert record is not None
        changed = validity.changed(self._plan, self._code, problem, record)
        if changed:
            self._log_changed(changed)
            return None
        trials = tuple(_trials(record))
        return self._decision(problem, entry, config, "cache", tuple(_notes(record)), trials)

    def keep(self, problem: Problem, decision: Decision) -> None:
        """Stores a sweep's decision, unless no other process could find it."""
        if not problem.is_stable:
            warnings.warn(
                f"{self._name}: the winner is not stored, since a static argument has no repr "
                f"that another process would find it by: {problem.key}",
                CacheWarning,
                stacklevel=2,
            )
            return
        time_ms = None if decision.time_ms is None else float(f"{decision.time_ms:.4g}")
        config = dict(decision.config)
        entry = {"config": config, "time_ms": time_ms, "key_values": problem.key_values}
        record = {
            "config": config,
            "time_ms": time_ms,
            **validity.made_by(self._plan, self._code, problem),
            "trace": problem.trace_fingerprint(config),
            "tuned": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "notes": list(decision.notes),
            "trials": [trial.json for trial in decision.trials],
        }
        self.file().write(decision.device, problem.key, entry, self._module, record)

    def _usable(self, entry: Table, file: WinnerFile, is_ours: bool) -> Configuration | None:
        config = validity.configuration(entry)
        own = self._plan.own(config)
        if own is not None:
            return own
        if is_ours:  # It was one of them when it was tuned.
            self._log_changed(["its configurations"])
            return None
        warnings.warn(
            f"'{file.path}' has {shown(config)}, which is none of the configurations of "
            f"{self._name}, and is tuned again; to keep it, add it to them",
            CacheWarning,
            stacklevel=2,
        )
        return None

    def _log_changed(self, what: list[str]) -> None:
        log.info("%s: tuned again, since %s changed", self._name, " and ".join(what))

    def _decision(
        self,
        problem: Problem,
        entry: Table,
        config: Configuration,
        source: str,
        notes: tuple[str, ...],
        trials: tuple[ConfigTrial, ...],
    ) -> Decision:
        time = entry.get("time_ms")
        return Decision(
            device=problem.device.device_kind,
            key=problem.key,
            config=dict(config),
            time_ms=float(time) if isinstance(time, (int, float)) else None,
            source=source,
            notes=notes,
            trials=trials,
        )


def _is_of(entry: Table, record: Any) -> bool:
    """Whether the entry is as it was when the record was made."""
    return isinstance(record, dict) and all(
        entry.get(part) == record.get(part) for part in ("config", "time_ms")
    )


def _notes(record: Table) -> list[str]:
    notes = record.get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []


def _trials(record: Table) -> list[ConfigTrial]:
    trials = record.get("trials")
    try:
        return [ConfigTrial(**trial) for trial in trials] if isinstance(trials, list) else []
    except TypeError:
        return []  # Of another version; they only explain.
