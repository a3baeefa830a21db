# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winners in the original decorator's file, and tonno's records beside them.

`<directory>/<name>.json` is {device: {key: {config, time_ms, key_values}}}. The original
decorator reads and writes this file, people edit it, and its content always holds.
`<directory>/jax/<name>.json` is {device: {key: {module: [record, ...]}}}, the latest record
first. Records state whether an entry is still valid, and for which function of the name. Both
files are replaced as a whole, by one process at a time, the winners first: so each record belongs
to an entry.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import gc
import hashlib
import json
import math
import os
import pathlib
import sys
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

from tonno import protocol
from tonno.files import read_regular
from tonno.jax import fingerprints, messages
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.fingerprints import without_addresses
from tonno.jax.locks import file_lock, patience
from tonno.jax.messages import log
from tonno.jax.plans import Plan
from tonno.jax.problems import Problem
from tonno.journals import read_journal
from tonno.progress import Progress
from tonno.records import cache_directory
from tonno.trials import Configuration

Table = dict[str, Any]

_MOST_RECORDS = 16
"""Maximum number of records of a module for one key: of functions of one name, and of their
former versions."""


class CacheWarning(UserWarning):
    """Something in the cache can't be read, used or written."""


class WinnerFile:
    """The entries of one function."""

    def __init__(self, directory: pathlib.Path, name: str) -> None:
        self._name = _file_name(name)
        self.folder = directory / "jax"
        """Folder of the records, locks and attempts."""
        self.path = directory / f"{self._name}.json"
        self.records_path = self.folder / f"{self._name}.json"

    def entry(self, device: str, keys: list[str]) -> tuple[str, Table] | None:
        """Returns the first of the keys that has an entry, and the entry."""
        table = _read(self.path)
        found = _of(table, device)
        if not isinstance(table.get(device, {}), dict):
            _warn(f"'{self.path}' has no configs for {device}, which are tuned again")
        for key in keys:
            if key in found:
                if isinstance(found[key], dict) and isinstance(found[key].get("config"), dict):
                    return key, found[key]
                _warn(f"'{self.path}' has no config for {key}, which is tuned again")
        return None

    def records(self, device: str, key: str) -> dict[str, list[Table]]:
        """Returns the records by module that has functions of the name, the latest first."""
        by_module = _of(_of(_read(self.records_path), device), key)
        return {module: _listed(stored) for module, stored in by_module.items()}

    def write(
        self,
        device: str,
        key: str,
        entry: Table,
        module: str,
        record: Table,
        is_replaced: Callable[[Table], bool] = lambda _: True,
    ) -> None:
        """Adds or replaces an entry, and its record in place of others of the module.

        If the entry was deleted, removes all its records. Warns if nothing can be written. Keeps
        a file that is no JSON beside the records.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with file_lock(self.folder / f"{self._name}.lock"):
                # Under the lock, so one name is enough: the next process overwrites the file that
                # a killed process leaves.
                new = self.folder / f"{self._name}.new"
                winners = self._kept(self.path)
                is_new = key not in _of(winners, device)
                _put(winners, device)[key] = entry
                replace_table(self.path, new, winners)
                records = self._kept(self.records_path)
                by_module = _put(_put(records, device), key)
                if is_new:
                    by_module.clear()
                others = [r for r in _listed(by_module.get(module)) if not is_replaced(r)]
                by_module[module] = [record, *others][:_MOST_RECORDS]
                replace_table(self.records_path, new, records)
        except OSError as error:
            _warn(f"the winner is not stored, and known to this process only: {error}")

    def is_writable(self) -> bool:
        """Returns True if the file can be replaced."""
        return os.access(self.path.parent, os.W_OK) and os.access(self.folder, os.W_OK)

    def state(self) -> object:
        """Returns a value that differs after each change of the entries."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @contextlib.contextmanager
    def sweeping(
        self, device: str, key: str, waits: bool = True
    ) -> Iterator[pathlib.Path | None]:
        """Holds the lock of the one process that tunes the problem.

        Yields None if locks are not available, or if another process holds the lock and this one
        must not wait, or no longer.
        """
        path = self._lock_path(device, key)
        with contextlib.ExitStack() as stack:
            held = None
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                seconds = patience(path) if waits else 0.0
                stack.enter_context(file_lock(path, self._report_waiting, seconds))
                held = path
            except BlockingIOError:
                pass
            except OSError as error:
                _warn(f"other processes may tune at the same time: {error}")
            yield held

    def count_kept_trials(self, device: str, key: str) -> int:
        """Returns the number of trials that an interrupted sweep has left in its journal."""
        path = journal_path(self._lock_path(device, key))
        try:
            sessions = read_journal(path)
        except OSError:  # there is none
            return 0
        return sum(len(session.trials) for session in sessions)

    def _lock_path(self, device: str, key: str) -> pathlib.Path:
        number = hashlib.sha256(f"{device}\n{key}".encode()).hexdigest()[:16]
        return self.folder / f"{self._name}.{number}.lock"

    def _report_waiting(self, holder: str) -> None:
        Progress(self._name).say(f"waiting for {holder}, which tunes the same call; if it hangs, end it")

    def _kept(self, path: pathlib.Path) -> Table:
        # A file that can't be read is not damaged, and stays: OSError.
        try:
            return _parsed(path)
        except ValueError:
            found = read_regular(path)
            if len(found.strip()) > 2:
                aside = self.folder / f"{path.stem}.{path.parent.name}.damaged"
                aside.write_bytes(found)
                _warn(f"'{path}' is damaged, and its text was moved to '{aside}'")
            return {}


def journal_path(lock: pathlib.Path) -> pathlib.Path:
    """Returns the path of the journal of a sweep, which is beside the sweep's lock."""
    return lock.with_suffix(".jsonl")


def replace_table(path: pathlib.Path, new: pathlib.Path, table: Table) -> None:
    """Replaces a file as a whole, through the file `new`."""
    text = json.dumps(table, indent=2) + "\n"
    if path.is_symlink():
        # A symbolic link stays a link; its target may be on another disk.
        path = path.resolve()
        new = path.with_name(f"{path.name}.new")
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def _file_name(name: str) -> str:
    safe = name.replace("/", "_").replace("\0", "_")
    try:
        encoded = os.fsencode(safe)
    except UnicodeEncodeError:  # Python was started with ASCII file names
        encoded = safe.encode("ascii", "backslashreplace")
        safe = encoded.decode()
    if len(encoded) <= 200:
        return safe
    short = encoded[:180].decode(errors="ignore")
    return f"{short}-{hashlib.sha256(encoded).hexdigest()[:16]}"


def _read(path: pathlib.Path) -> Table:
    try:
        return _parsed(path)
    except (OSError, ValueError) as error:
        _warn(f"'{path}' cannot be read, and is treated as empty: {error}")
        return {}


def _parsed(path: pathlib.Path) -> Table:
    """Returns the decoded content of a file. Raises ValueError unless it is a JSON object,
    OSError if it can't be read."""
    try:
        table = json.loads(read_regular(path))
    except FileNotFoundError:
        return {}
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if not isinstance(table, dict):
        raise ValueError("the file has no JSON object")
    return table


def _listed(stored: Any) -> list[Table]:
    # Older files have one record for each module instead of a list.
    many = stored if isinstance(stored, list) else [stored]
    return [r for r in many if isinstance(r, dict) and isinstance(r.get("config"), dict)]


def _of(table: Table, key: str) -> Table:
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _put(table: Table, key: str) -> Table:
    if not isinstance(table.get(key), dict):
        table[key] = {}
    inner: Table = table[key]
    return inner


def _warn(message: str) -> None:
    messages.warn(message, CacheWarning)


def _get_protocol(plan: Plan) -> str | dict[str, Any]:
    """Returns the protocol, with the constants that paired decisions depend on."""
    return protocol.OPTIONS if plan.protocol == "paired" else plan.protocol


def made_by(plan: Plan, code: str, problem: Problem) -> Table:
    """Returns the fields of a record that state how it was made, without its outcome."""
    return {
        "function": code,
        "choices": plan.fingerprint,
        "versions": fingerprints.versions(problem.device),
        "protocol": _get_protocol(plan),
        "outputs": plan.outputs,
        "tolerance": plan.tolerance,
        "bits": plan.bits,
    }


def changed(plan: Plan, code: str, problem: Problem, record: Table) -> list[str]:
    """Returns what has changed since the record was made; empty if the record holds."""
    found = []
    if plan.protocol == "paired" and record.get("protocol") != _get_protocol(plan):
        found.append("the protocol")
    if not _is_verified(plan, record) or record.get("bits", "free") != plan.bits:
        found.append("what is asked of its outputs")
    return found or changed_since(plan, code, problem, record)


def changed_since(plan: Plan, code: str, problem: Problem, record: Table) -> list[str]:
    """Returns the changes of the function, its compiler and its runtime, independent of the
    options."""
    config = plan.own(stored_config(record))
    if config is None:
        return ["its configurations"]
    now = made_by(plan, code, problem)
    names = {"choices": "its configurations", "function": "the function"}
    names["versions"] = "JAX or the processor"
    found = [name for part, name in names.items() if record.get(part) != now[part]]
    if not found and record.get("trace") != problem.trace_fingerprint(config):
        found.append("what it calls")
    return found


def is_of_one_machine(one: Table, other: Table) -> bool:
    """Returns True if two records are of processors of the same name, with equally many for the
    process."""
    first, second = (
        found if isinstance(found, dict) else {}
        for found in (one.get("versions"), other.get("versions"))
    )
    return all(first.get(part) == second.get(part) for part in ("processor", "processors"))


def stored_config(stored: Table, part: str = "config") -> Configuration:
    """Returns a configuration of an entry, a record or a trial; empty if it has none."""
    config = stored.get(part)
    items = config.items() if isinstance(config, dict) else ()
    return {name: _value(value) for name, value in items}


def _value(stored: Any) -> Any:
    return tuple(map(_value, stored)) if isinstance(stored, list) else stored


def _trial_tables(record: Table) -> list[Table]:
    stored = record.get("trials")
    return [t for t in stored if isinstance(t, dict)] if isinstance(stored, list) else []


def stored_trials(plan: Plan, record: Table) -> list[ConfigTrial]:
    """Returns the trials of a record, with differences in the plan's tolerances."""
    known = {field.name for field in dataclasses.fields(ConfigTrial)}
    found = []
    for table in _trial_tables(record):
        parts = {part: value for part, value in table.items() if part in known}
        config = stored_config(table)
        difference = _difference(plan, record, table)
        parts |= {"config": dict(plan.own(config) or config), "difference": difference}
        counts = {part: table.get(part) for part in ("finite_instead", "failures")}
        parts |= {part: n if type(n) is int else 0 for part, n in counts.items()}
        equals = stored_config(table, "equals")
        parts["equals"] = plan.own(equals) or equals or None
        parts["nonfinite"] = stored_number(table.get("nonfinite")) or 0.0
        found.append(ConfigTrial(**parts))
    return found


def _is_verified(plan: Plan, record: Table) -> bool:
    """Returns True if a record states about the outputs what the plan requires."""
    if plan.outputs == "ignore":
        return True
    tables = _trial_tables(record)
    winner = next((t for t in tables if t.get("config") == record.get("config")), {})
    difference = _difference(plan, record, winner)
    if difference is None:
        return False
    # Older records don't state whether the baseline was the one without finite values.
    if any(t.get("difference") == math.inf and "finite_instead" not in t for t in tables):
        return False
    is_suspect = any(table.get("finite_instead") for table in tables)
    return plan.outputs == "warn" or (difference <= 1 and not is_suspect)


def _difference(plan: Plan, record: Table, trial: Table) -> float | None:
    """Returns the difference of a trial's outputs in the plan's tolerances, if known."""
    found = stored_number(trial.get("difference"))
    if found in (None, 0, math.inf):
        return found
    if "tolerance" in record and record["tolerance"] == plan.tolerance:
        return found
    before = stored_number(record.get("tolerance"))
    now = plan.tolerance
    if found is None or before is None or not isinstance(now, float):
        return None  # one of them is the default of each type, or has other units
    return found * before / now if now else math.inf


def stored_number(stored: Any) -> float | None:
    """Returns a number of a file; None for anything else, since people edit files."""
    try:
        found = float(stored) if isinstance(stored, (int, float)) else math.nan
    except OverflowError:
        return None
    return None if math.isnan(found) else found


class _Decider(NamedTuple):
    """A function of this process that decided for one place of a file."""

    store: weakref.ref[Store]
    code: str
    config: Configuration
    trace: str


_deciders: dict[object, _Decider] = {}
"""The first function of each place."""
_reported_names: set[str] = set()


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
        """File of the entries; its directory stays when the process changes its working
        directory."""
        name = cache_directory()
        if name not in self._directories:
            self._directories[name] = _absolute(pathlib.Path(name))
        return WinnerFile(self._directories[name], self._name)

    def find(self, problem: Problem) -> Decision | None:
        """Returns the decision for the problem; None if the problem is to be tuned."""
        if not problem.is_stable:
            return None
        plan = self._plan.at(problem.sizes)
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
            return None  # of another problem of tonno's, which the original does not distinguish
        ours = by_module.get(self._module, [])
        if not any(_matches_record(entry, r) for records in by_module.values() for r in records):
            return self._made_by_hand(problem, entry, ours, file)
        # Another function of the name may have written the entry; this function's record remains.
        reasons = []
        for record in ours:
            reasons.append(changed(plan, self._code, problem, record))
            if not reasons[-1]:
                return self._recorded(problem, record)
        if reasons:
            log.info("%s: tuned again, since %s changed", self._name, " and ".join(reasons[0]))
        return None

    def _made_by_hand(
        self, problem: Problem, entry: Table, ours: list[Table], file: WinnerFile
    ) -> Decision | None:
        plan = self._plan.at(problem.sizes)
        stored = stored_config(entry)
        config = plan.own(stored)
        if config is None:
            messages.warn(
                f"'{file.path}' has {shown(stored)}, which is not a configuration of {self._name}; "
                "the call is tuned again; add it to the configurations to keep it",
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
        """Returns the known trials of the configurations, one of which was entered by hand."""
        plan = self._plan.at(problem.sizes)
        for record in ours:
            if not changed_since(plan, self._code, problem, record):
                return stored_trials(plan, record)
        return []

    def _recorded(self, problem: Problem, record: Table) -> Decision:
        plan = self._plan.at(problem.sizes)
        config = plan.own(stored_config(record))
        assert config is not None
        self._warn_of_namesakes(problem, config, str(record.get("trace")))
        notes, trials = tuple(_notes(record)), tuple(stored_trials(plan, record))
        return self._decision(problem, record, config, "cache", notes, trials)

    def keep(self, problem: Problem, decision: Decision) -> None:
        """Stores a sweep's decision, unless no other process could find it."""
        if not problem.is_stable:
            messages.warn(
                f"{self._name}: the winner is not stored: the repr of a static argument differs "
                f"between processes; define a __repr__ by value in its class: {problem.key}",
                CacheWarning,
            )
            return
        plan = self._plan.at(problem.sizes)
        time_ms = None if decision.time_ms is None else float(f"{decision.time_ms:.4g}")
        config = dict(decision.config)
        trace = problem.trace_fingerprint(config)
        entry = {"config": config, "time_ms": time_ms, "key_values": problem.key_values}
        record = {
            "config": config,
            "time_ms": time_ms,
            **made_by(plan, self._code, problem),
            "trace": trace,
            "tuned": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "notes": list(decision.notes),
            "inputs": dict(decision.inputs),
            "trials": [trial.json for trial in decision.trials],
        }
        file = self.file()
        # Traced here, since a tracing thread must not hold the lock of a file.
        known = file.records(decision.device, problem.key).get(self._module, [])
        configs = [stored_config(other) for other in known]
        own = [(config, trace), *((c, problem.trace_fingerprint(c)) for c in configs)]

        def is_replaced(other: Table) -> bool:
            traced = (stored_config(other), other.get("trace"))
            return traced in own and is_of_one_machine(other, record)

        file.write(decision.device, problem.key, entry, self._module, record, is_replaced)
        self._warn_of_namesakes(problem, config, trace)

    def _warn_of_namesakes(self, problem: Problem, config: Configuration, trace: str) -> None:
        """Warns, once, of functions that a factory made and that share one place in the file."""
        path = self.file().path
        place = (path, self._module, problem.identity)
        mine = _Decider(weakref.ref(self), self._code, config, trace)
        first = _deciders.setdefault(place, mine)
        if first.store() is None and first[1:] == mine[1:]:
            _deciders[place] = mine  # present already
        called = f"{self._module}.{self._name}"
        if first[1:] == mine[1:] or first.code != self._code or called in _reported_names:
            return
        if first.trace == problem.trace_fingerprint(first.config):
            return
        if self._replaces(first):
            _deciders[place] = mine
            return
        _reported_names.add(called)
        messages.warn(
            f"several functions are called {called} and compute different things; each has its "
            f"winner, but '{path}' shows only the latest, and applies to all of them once edited; "
            "name each by autotune(..., name=...)",
            CacheWarning,
        )

    def _replaces(self, other: _Decider) -> bool:
        """Returns True if this function replaced the other one, for example when a notebook's
        cell ran again."""
        if self._is_made_often:
            return False  # several may exist at a time, whether or not that one still does
        if other.store() is not None:
            gc.collect()  # a class is freed with all that refers to it
        return other.store() is None

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
            time_ms=stored_number(entry.get("time_ms")),
            source=source,
            notes=notes,
            trials=trials,
            dimensions=dict(problem.sizes),
            inputs=_inputs(entry),
        )


def _absolute(path: pathlib.Path) -> pathlib.Path:
    try:
        return path.absolute()
    except OSError:
        return path  # the working directory was deleted; writing reports it


def module_name(module: str) -> str:
    """Returns the name of a program that runs as `__main__`."""
    if module not in ("__main__", "__mp_main__"):
        return module
    main = sys.modules.get("__main__")
    name = getattr(getattr(main, "__spec__", None), "name", None)
    if isinstance(name, str):
        return name
    path = getattr(main, "__file__", None)
    return pathlib.Path(path).stem if isinstance(path, str) else module


def _matches_record(entry: Table, record: Table) -> bool:
    """Returns True if the entry is as it was when the record was made."""
    return all(entry.get(part) == record.get(part) for part in ("config", "time_ms"))


def _notes(record: Table) -> list[str]:
    notes = record.get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []


def _inputs(record: Table) -> dict[str, str]:
    inputs = record.get("inputs")
    stated = inputs if isinstance(inputs, dict) else {}
    return {name: str(source) for name, source in stated.items()}


_NOTE = "taken over from another object, with which the function computes the same"


class Instances:
    """Decisions of one function, in one process, for keys that contain objects.

    Two objects are equivalent if only their addresses distinguish their keys, and the winner's
    trace is the same. No object is kept alive.
    """

    def __init__(self) -> None:
        self._decisions: dict[Hashable, dict[str, Decision]] = {}
        """Decisions by trace, of the problems that share the key."""

    def find(self, problem: Problem) -> Decision | None:
        for trace, decision in list(self._decisions.get(_common(problem), {}).items()):
            if problem.trace_fingerprint(decision.config) == trace:
                return dataclasses.replace(
                    decision, key=problem.key, notes=(*decision.notes, _NOTE)
                )
        return None

    def keep(self, problem: Problem, decision: Decision) -> None:
        alike = self._decisions.setdefault(_common(problem), {})
        for trace, other in list(alike.items()):
            if problem.trace_fingerprint(other.config) == trace:
                alike.pop(trace, None)
        alike[problem.trace_fingerprint(decision.config)] = decision


def _common(problem: Problem) -> Hashable:
    _, surroundings = problem.identity
    return without_addresses(problem.key), problem.device.device_kind, surroundings
