# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winners in the original decorator's file, and our records beside them.

`<directory>/<name>.json` is {device: {key: {config, time_ms, key_values}}}, what
the original reads and writes and people edit: what it says holds.
`<directory>/jax/<name>.json` is {device: {key: {module: record}}}, what tells
whether an entry is still good. Both are replaced as a whole, one process at a
time, the winners first: so a record that is there belongs to an entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import warnings
from collections.abc import Iterator
from typing import Any

from tonno.jax.locks import file_lock
from tonno.jax.progress import Progress

Table = dict[str, Any]


class CacheWarning(UserWarning):
    """Something in the cache can't be read, used or written."""


class WinnerFile:
    """The entries of one function."""

    def __init__(self, directory: pathlib.Path, name: str) -> None:
        self._name = _file_name(name)
        self._records = directory / "jax"
        self.path = directory / f"{self._name}.json"
        self.records_path = self._records / f"{self._name}.json"

    def entry(self, device: str, keys: list[str]) -> tuple[str, Table] | None:
        """The first of the keys that has one, with it."""
        found = _of(_read(self.path), device)
        for key in keys:
            if key in found:
                if isinstance(found[key], dict) and isinstance(found[key].get("config"), dict):
                    return key, found[key]
                _warn(f"'{self.path}' has no config for {key}, which is tuned again")
        return None

    def records(self, device: str, key: str) -> Table:
        """What each module that has a function of the name recorded."""
        return _of(_of(_read(self.records_path), device), key)

    def write(self, device: str, key: str, entry: Table, module: str, record: Table) -> None:
        """Adds or replaces an entry and its record.

        Warns where that can't be done. What was no JSON is kept beside the records.
        """
        try:
            self._records.mkdir(parents=True, exist_ok=True)
            with file_lock(self._records / f"{self._name}.lock"):
                winners = self._kept(self.path)
                _put(winners, device)[key] = entry
                self._replace(self.path, winners)
                records = self._kept(self.records_path)
                _put(_put(records, device), key)[module] = record
                self._replace(self.records_path, records)
        except OSError as error:
            _warn(f"the winner is not stored, and known to this process only: {error}")

    def state(self) -> object:
        """Differs after a change of the entries."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @contextlib.contextmanager
    def sweeping(self, device: str, key: str) -> Iterator[pathlib.Path | None]:
        """Held by the one process that tunes the problem; None if there can't be locks."""
        number = hashlib.sha256(f"{device}\n{key}".encode()).hexdigest()[:16]
        path = self._records / f"{self._name}.{number}.lock"
        with contextlib.ExitStack() as stack:
            held = None
            try:
                self._records.mkdir(parents=True, exist_ok=True)
                stack.enter_context(file_lock(path, self._tell_of_waiting))
                held = path
            except OSError as error:
                _warn(f"other processes may tune at the same time: {error}")
            yield held

    def _tell_of_waiting(self, holder: str) -> None:
        Progress(self._name).say(f"waiting for {holder}, which tunes it; if that hangs, end it")

    def _kept(self, path: pathlib.Path) -> Table:
        table = _read(path, is_told=False)
        if not table and path.exists() and path.stat().st_size > 2:
            aside = self._records / f"{path.stem}.{path.parent.name}.damaged"
            os.replace(path, aside)
            _warn(f"what '{path}' was is now '{aside}'")
        return table

    def _replace(self, path: pathlib.Path, table: Table) -> None:
        # Under the lock, so one name is enough, and a process that was killed
        # leaves one file that the next one writes over.
        new = self._records / f"{self._name}.new"
        with open(new, "w", encoding="utf-8") as file:
            file.write(json.dumps(table, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)


def directory_name() -> str:
    """$TONNO_CACHE_DIR, or else .tonno-cache."""
    return os.environ.get("TONNO_CACHE_DIR") or ".tonno-cache"


def _file_name(name: str) -> str:
    safe = name.replace("/", "_").replace("\0", "_")
    encoded = safe.encode()
    if len(encoded) <= 200:
        return safe
    short = encoded[:180].decode(errors="ignore")
    return f"{short}-{hashlib.sha256(encoded).hexdigest()[:16]}"


def _read(path: pathlib.Path, is_told: bool = True) -> Table:
    try:
        table = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        if is_told:
            _warn(f"'{path}' can't be read, and counts as empty: {error}")
        return {}
    if not isinstance(table, dict):
        if is_told:
            _warn(f"'{path}' holds no JSON object, and counts as empty")
        return {}
    return table


def _of(table: Table, key: str) -> Table:
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _put(table: Table, key: str) -> Table:
    if not isinstance(table.get(key), dict):
        table[key] = {}
    inner: Table = table[key]
    return inner


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=3)
