# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decisions of earlier processes: which of them still hold."""

from __future__ import annotations

import datetime
import gc
import logging
import pathlib
import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from tonno.jax import callers, fingerprints, validity
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.plans import Plan
from tonno.jax.problems import Problem
from tonno.jax.winners import CacheWarning, Table, WinnerFile, directory_name
from tonno.trials import Configuration

log = logging.getLogger("tonno.autotune")


class _Decider(NamedTuple):
    """A function of this process that decided what one place of a file is for."""

    store: weakref.ref[Store]
    code: str
    config: Configuration
    trace: str


_deciders: dict[object, _Decider] = {}
"""The first of each place."""
_told_of: set[str] = set()


class Store:
    """The decisions of one function on disk."""

    def __init__(self, plan: Plan, name: str, function: Callable[..., Any]) -> None:
        self._plan = plan
        self._name = name
        self._module = module_name(getattr(function, "__module__", None) or "")
        self._code = fingerprints.of_code(function)
        self._is_made_often = "<locals>" in getattr(function, "__qualname__", "")
        self._directories: dict[str, pathlib.Path] = {}

    def file(self) -> WinnerFile:
        """In a directory that stays, wherever the process goes."""
        name = directory_name()
        if name not in self._directories:
            self._directories[name] = _absolute(pathlib.Path(name))
        return WinnerFile(self._directories[name], self._name)

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
        ours = by_module.get(self._module, [])
        if not any(_is_of(entry, r) for records in by_module.values() for r in records):
            return self._made_by_hand(problem, entry, ours, file)
        # Another function of the name may have written it; ours has its record still.
        reasons = []
        for record in ours:
            reasons.append(validity.changed(self._plan, self._code, problem, record))
            if not reasons[-1]:
                return self._recorded(problem, record)
        if reasons:
            self._log_changed(reasons[0])
        return None

    def _made_by_hand(
        self, problem: Problem, entry: Table, ours: list[Table], file: WinnerFile
    ) -> Decision | None:
        stored = validity.configuration(entry)
        config = self._plan.own(stored)
        if config is None:
            callers.warn(
                f"'{file.path}' has {shown(stored)}, which is none of the configurations of "
                f"{self._name}, and is tuned again; to keep it, add it to them",
                CacheWarning,
            )
            return None
        note = (
            "edited by hand since it was tuned"
            if ours
            else "without a fingerprint: of the original decorator, or made by hand"
        )
        log.info("%s: %s is %s", self._name, shown(config), note)
        trials = self._trials_before_edit(problem, ours)
        return self._decision(problem, entry, config, "file", (note,), tuple(trials))

    def _trials_before_edit(self, problem: Problem, ours: list[Table]) -> list[ConfigTrial]:
        """Returns what is known of the configurations, one of which was put in by hand."""
        for record in ours:
            if not validity.changed_since(self._plan, self._code, problem, record):
                return validity.trials(self._plan, record)
        return []

    def _recorded(self, problem: Problem, record: Table) -> Decision:
        config = self._plan.own(validity.configuration(record))
        assert config is not None
        self._tell_of_namesakes(problem, config, str(record.get("trace")))
        notes, trials = tuple(_notes(record)), tuple(validity.trials(self._plan, record))
        return self._decision(problem, record, config, "cache", notes, trials)

    def keep(self, problem: Problem, decision: Decision) -> None:
        """Stores a sweep's decision, unless no other process could find it."""
        if not problem.is_stable:
            callers.warn(
                f"{self._name}: the winner is not stored, since a static argument has no repr "
                "that another process would find it by, such as a __repr__ of its class that "
                f"tells what it computes: {problem.key}",
                CacheWarning,
            )
            return
        time_ms = None if decision.time_ms is None else float(f"{decision.time_ms:.4g}")
        config = dict(decision.config)
        trace = problem.trace_fingerprint(config)
        entry = {"config": config, "time_ms": time_ms, "key_values": problem.key_values}
        record = {
            "config": config,
            "time_ms": time_ms,
            **validity.made_by(self._plan, self._code, problem),
            "trace": trace,
            "tuned": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "notes": list(decision.notes),
            "trials": [trial.json for trial in decision.trials],
        }
        file = self.file()
        # Traced here, as no lock of a file is held by who traces.
        known = file.records(decision.device, problem.key).get(self._module, [])
        configs = [validity.configuration(other) for other in known]
        own = [(config, trace), *((c, problem.trace_fingerprint(c)) for c in configs)]

        def is_replaced(other: Table) -> bool:
            traced = (validity.configuration(other), other.get("trace"))
            return traced in own and validity.is_of_one_machine(other, record)

        file.write(decision.device, problem.key, entry, self._module, record, is_replaced)
        self._tell_of_namesakes(problem, config, trace)

    def _tell_of_namesakes(self, problem: Problem, config: Configuration, trace: str) -> None:
        """Warns, once, of functions that a factory made and the file has one place for."""
        path = self.file().path
        place = (path, self._module, problem.identity)
        mine = _Decider(weakref.ref(self), self._code, config, trace)
        first = _deciders.setdefault(place, mine)
        if first.store() is None and first[1:] == mine[1:]:
            _deciders[place] = mine  # Which is there.
        called = f"{self._module}.{self._name}"
        if first[1:] == mine[1:] or first.code != self._code or called in _told_of:
            return
        if first.trace == problem.trace_fingerprint(first.config):
            return
        if self._is_instead_of(first):
            _deciders[place] = mine
            return
        _told_of.add(called)
        callers.warn(
            f"several functions are called {called} and compute different things: each has "
            f"its winner, but '{path}' shows the latest only, and holds for all of them once "
            "edited; give each a name of its own, autotune(..., name=...)",
            CacheWarning,
        )

    def _is_instead_of(self, other: _Decider) -> bool:
        """Whether the other one was replaced, as by a notebook's cell that ran again."""
        if self._is_made_often:
            return False  # There may be several at a time, whatever became of that one.
        if other.store() is not None:
            gc.collect()  # A class goes with all that refers to it.
        return other.store() is None

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
        return Decision(
            device=problem.device.device_kind,
            key=problem.key,
            config=dict(config),
            time_ms=validity.number(entry.get("time_ms")),
            source=source,
            notes=notes,
            trials=trials,
        )


def _absolute(path: pathlib.Path) -> pathlib.Path:
    try:
        return path.absolute()
    except OSError:
        return path  # Where the process is was deleted: writing says so.


def module_name(module: str) -> str:
    """What a program is called that is run, and so is `__main__` as all of them are."""
    if module not in ("__main__", "__mp_main__"):
        return module
    main = sys.modules.get("__main__")
    name = getattr(getattr(main, "__spec__", None), "name", None)
    if isinstance(name, str):
        return name
    path = getattr(main, "__file__", None)
    return pathlib.Path(path).stem if isinstance(path, str) else module


def _is_of(entry: Table, record: Table) -> bool:
    """Whether the entry is as it was when the record was made."""
    return all(entry.get(part) == record.get(part) for part in ("config", "time_ms"))


def _notes(record: Table) -> list[str]:
    notes = record.get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []
