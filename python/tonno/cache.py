# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the original decorator's `tonno.cache`, for programs that use them.

They read and write `<directory>/<name>.json`, where `tonno.autotune` keeps winners, without
access to its records: an entry that they save counts as made by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tonno.files import read_regular
from tonno.jax.cache import replace_table
from tonno.jax.locks import file_lock
from tonno.jax.problems import serialize_key
from tonno.records import cache_directory

MISSING: Any = object()
"""Returned by `load_best` if there is no entry; the config of an entry may be None."""


def load_best(fn_name: str, device_name: str, key_values: dict[str, Any]) -> Any:
    """Returns the config of an entry, or MISSING.

    A file that contains no JSON object has no entries. Raises OSError for files that can't be
    read, and ValueError for names with "..".
    """
    path = _cache_path(fn_name)
    if not path.exists():
        return MISSING
    found = _parsed(path)
    for key in (device_name, _make_key(key_values)):
        found = found.get(key) if isinstance(found, dict) else None
    return found["config"] if isinstance(found, dict) and "config" in found else MISSING


def save_best(
    fn_name: str,
    device_name: str,
    key_values: dict[str, Any],
    config_data: Any,
    time_ms: float,
) -> None:
    """Adds or replaces an entry, under a lock that threads and processes share.

    A file that contains no JSON is replaced. Raises TypeError for a file with JSON of another
    form, and for a config or key that JSON can't represent; OSError for a file that can't be
    written; ValueError for names with "..".
    """
    path = _cache_path(fn_name).absolute()
    entry = {
        "config": config_data,
        "time_ms": round(time_ms, 4),
        "key_values": _native(key_values),
    }
    folder = path.parent / "jax"
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / f"{path.stem}.lock"):
        table = _parsed(path) if path.exists() else {}
        if not isinstance(table, dict) or not isinstance(table.get(device_name, {}), dict):
            raise TypeError(
                f"'{path}' has no JSON object for {device_name!r}, and is left unchanged"
            )
        table.setdefault(device_name, {})[_make_key(key_values)] = entry
        replace_table(path, folder / f"{path.stem}.new", table)


def _parsed(path: Path) -> Any:
    """Returns the decoded content of a file, or no entries if the file contains no JSON."""
    try:
        return json.loads(read_regular(path))
    except json.JSONDecodeError:
        return {}


def _cache_dir() -> Path:
    return Path(cache_directory())


def _cache_path(fn_name: str) -> Path:
    """Returns the file of a function. Raises ValueError for path traversal."""
    if ".." in Path(fn_name).parts:
        raise ValueError(f"fn_name {fn_name!r} contains '..': path traversal is not allowed")
    return _cache_dir() / f"{fn_name}.json"


def _make_key(key_values: dict[str, Any]) -> str:
    """Returns the text of a key, with NumPy scalars converted to Python's."""
    return serialize_key(_native(key_values))


def _native(key_values: dict[str, Any]) -> dict[str, Any]:
    return {k: v.item() if hasattr(v, "item") else v for k, v in key_values.items()}
