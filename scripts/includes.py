# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the files of this project that a source file includes.

The text of the files is scanned, so the result covers every branch of an #if,
and needs neither a finished build nor an object file for each source file.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)


@dataclasses.dataclass(frozen=True)
class Include:
    name: str
    quoted: bool


@functools.cache
def _stated(path: pathlib.Path, _version: tuple[int, int]) -> tuple[Include, ...]:
    found = INCLUDE.findall(path.read_text(errors="replace"))
    return tuple(Include(quoted or angled, bool(quoted)) for quoted, angled in found)


def stated(path: pathlib.Path) -> tuple[Include, ...]:
    """Returns the #include lines of a file, in order."""
    status = path.stat()
    return _stated(path, (status.st_mtime_ns, status.st_size))


class Graph:
    """Resolves #include lines in the given folders; others' headers are left out.

    The folders are searched in order, after the includer's own where the name is
    quoted. Results are kept, so a graph describes the files as they were first
    seen.
    """

    def __init__(self, folders: tuple[pathlib.Path, ...]) -> None:
        self.folders = folders
        self._exists: dict[pathlib.Path, bool] = {}
        self._direct: dict[pathlib.Path, tuple[pathlib.Path, ...]] = {}

    def _is_file(self, path: pathlib.Path) -> bool:
        if path not in self._exists:
            self._exists[path] = path.is_file()
        return self._exists[path]

    def _find(self, include: Include, includer: pathlib.Path) -> pathlib.Path | None:
        own = (includer.parent,) if include.quoted else ()
        for folder in (*own, *self.folders):
            path: pathlib.Path = folder / include.name
            if self._is_file(path):
                return path
        return None

    def direct(self, path: pathlib.Path) -> tuple[pathlib.Path, ...]:
        """Returns what a file includes."""
        if path not in self._direct:
            found = (self._find(include, path) for include in stated(path))
            self._direct[path] = tuple(one for one in found if one)
        return self._direct[path]

    def closure(self, *paths: pathlib.Path) -> set[pathlib.Path]:
        """Returns the files and what they include, directly or not."""
        seen: set[pathlib.Path] = set()
        pending = [*paths]
        while pending:
            path = pending.pop()
            if path not in seen:
                seen.add(path)
                pending += self.direct(path)
        return seen
