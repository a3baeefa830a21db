# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winners in the original decorator's file, and our records beside them.

`<directory>/<name>.json` is {device: {key: {config, time_ms, key_values}}}, what
the original reads and writes and people edit: what it says holds.
`<directory>/jax/<name>.json` is {device: {key: {module: [record, ...]}}}, the
latest first, what tells whether an entry is still good, and for which of the
functions of the name. Both are replaced as a whole, one process at a time, the
winners first: so a record that is there belongs to an entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

from tonno.files import read_regular
from tonno.jax import callers
from tonno.jax.locks import file_lock, patience
from tonno.jax.progress import Progress
from tonno.records import cache_directory

Table = dict[str, Any]

_MOST_RECORDS = 16
"""Of a module for one key: of functions of one name, and of what they once were."""


class CacheWarning(UserWarning):
    """Something in the cache can't be read, used or written."""


class WinnerFile:
    """The entries of one function."""

    def __init__(self, directory: pathlib.Path, name: str) -> None:
        self._name = _file_name(name)
        self.folder = directory / "jax"
        """With the records, locks and attempts."""
        self.path = directory / f"{self._name}.json"
        self.records_path = self.folder / f"{self._name}.json"

    def entry(self, device: str, keys: list[str]) -> tuple[str, Table] | None:
        """The first of the keys that has one, with it."""
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
        """What each module that has functions of the name recorded, the latest first."""
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

        Where the entry was deleted, all its records go. Warns where nothing can be
        written. What was no JSON is kept beside the records.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with file_lock(self.folder / f"{self._name}.lock"):
                winners = self._kept(self.path)
                is_new = key not in _of(winners, device)
                _put(winners, device)[key] = entry
                self._replace(self.path, winners)
                records = self._kept(self.records_path)
                by_module = _put(_put(records, device), key)
                if is_new:
                    by_module.clear()
                others = [r for r in _listed(by_module.get(module)) if not is_replaced(r)]
                by_module[module] = [record, *others][:_MOST_RECORDS]
                self._replace(self.records_path, records)
        except OSError as error:
            _warn(f"the winner is not stored, and known to this process only: {error}")

    def is_writable(self) -> bool:
        """Whether what is there could be replaced."""
        return os.access(self.path.parent, os.W_OK) and os.access(self.folder, os.W_OK)

    def state(self) -> object:
        """Differs after a change of the entries."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @contextlib.contextmanager
    def sweeping(
        self, device: str, key: str, waits: bool = True
    ) -> Iterator[pathlib.Path | None]:
        """Held by the one process that tunes the problem.

        None if there can't be locks, or another one has it and this is not to wait,
        or no longer.
        """
        number = hashlib.sha256(f"{device}\n{key}".encode()).hexdigest()[:16]
        path = self.folder / f"{self._name}.{number}.lock"
        with contextlib.ExitStack() as stack:
            held = None
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                seconds = patience(path) if waits else 0.0
                stack.enter_context(file_lock(path, self._tell_of_waiting, seconds))
                held = path
            except BlockingIOError:
                pass
            except OSError as error:
                _warn(f"other processes may tune at the same time: {error}")
            yield held

    def _tell_of_waiting(self, holder: str) -> None:
        Progress(self._name).say(f"waiting for {holder}, which tunes it; if that hangs, end it")

    def _kept(self, path: pathlib.Path) -> Table:
        # One that can't be read is no damaged one, and stays: OSError.
        try:
            return _parsed(path)
        except ValueError:
            found = read_regular(path)
            if len(found.strip()) > 2:
                aside = self.folder / f"{path.stem}.{path.parent.name}.damaged"
                aside.write_bytes(found)
                _warn(f"what '{path}' was is now '{aside}'")
            return {}

    def _replace(self, path: pathlib.Path, table: Table) -> None:
        # Under the lock, so one name is enough, and a process that was killed
        # leaves one file that the next one writes over.
        new = self.folder / f"{self._name}.new"
        if path.is_symlink():
            # It stays one, and the file that it leads to may be of another disk.
            path = path.resolve()
            new = path.with_name(f"{path.name}.new")
        with open(new, "w", encoding="utf-8") as file:
            file.write(json.dumps(table, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)


def directory_name() -> str:
    """$TONNO_CACHE_DIR, or else .tonno-cache."""
    return cache_directory()


def _file_name(name: str) -> str:
    safe = name.replace("/", "_").replace("\0", "_")
    try:
        encoded = os.fsencode(safe)
    except UnicodeEncodeError:  # Python was told that files have names in ASCII.
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
        _warn(f"'{path}' can't be read, and counts as empty: {error}")
        return {}


def _parsed(path: pathlib.Path) -> Table:
    """Raises ValueError for what is no JSON object, OSError for what can't be read."""
    try:
        table = json.loads(read_regular(path))
    except FileNotFoundError:
        return {}
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if not isinstance(table, dict):
        raise ValueError("it holds no JSON object")
    return table


def _listed(stored: Any) -> list[Table]:
    # Once a module had one record, which was no list.
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
    callers.warn(message, CacheWarning)
