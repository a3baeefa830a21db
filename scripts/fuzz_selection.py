# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the fuzzers whose reader changed."""

from __future__ import annotations

import collections.abc
import pathlib
import re

import includes
from changed_files import Changes

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPTH = 2


def fuzzers(root: pathlib.Path = ROOT) -> list[str]:
    """Returns the names that test/fuzz/CMakeLists.txt lists."""
    text = (root / "test/fuzz/CMakeLists.txt").read_text()
    return re.findall(r"^tonno_fuzzer\((\w+)", text, re.M)


class Readers:
    """Which files a fuzzer tries.

    A header counts with its implementation: the source file of that name in its
    library, and those of its library that include it and have no header of their
    own. Both count with the headers in lib/ that they include, which are parts of
    the same implementation.

    From a fuzzer, headers in include/ are followed twice: the fuzzer includes the
    reader, and the reader includes what it is made of (JSON, files, hashes).
    Further steps lead from the readers to the rest of the library. Over 300
    commits, 20 at a time, two steps selected 3.9 of 13 fuzzers on average, three
    5.0 and all 6.2.
    """

    def __init__(self, root: pathlib.Path = ROOT) -> None:
        self._root = root
        self._graphs: dict[str | None, includes.Graph] = {}
        self._implementations = self._find_implementations()

    def _library(self, file: pathlib.Path) -> str | None:
        for folder in (self._root / "include/tonno", self._root / "lib"):
            if file.is_relative_to(folder):
                return file.relative_to(folder).parts[0]
        return None

    def _direct(self, file: pathlib.Path) -> tuple[pathlib.Path, ...]:
        library = self._library(file)
        if library not in self._graphs:
            own = (self._root / "lib" / library,) if library else ()
            self._graphs[library] = includes.Graph((self._root / "include", *own))
        return self._graphs[library].direct(file)

    def _find_implementations(self) -> dict[pathlib.Path, list[pathlib.Path]]:
        headers: dict[tuple[str | None, str], list[pathlib.Path]] = {}
        for folder in ("include", "lib"):
            for header in (self._root / folder).rglob("*.h"):
                headers.setdefault((self._library(header), header.stem), []).append(header)
        found: dict[pathlib.Path, list[pathlib.Path]] = {}
        for source in (self._root / "lib").rglob("*.cpp"):
            library = self._library(source)
            included = (h for h in self._direct(source) if self._library(h) == library)
            for header in headers.get((library, source.stem)) or included:
                found.setdefault(header, []).append(source)
        return found

    def _with_parts(self, files: collections.abc.Iterable[pathlib.Path]) -> set[pathlib.Path]:
        """Adds implementations, and the headers outside of include/."""
        found: set[pathlib.Path] = set()
        pending = [*files]
        while pending:
            file = pending.pop()
            if file not in found:
                found.add(file)
                pending += self._implementations.get(file, [])
                public = self._root / "include"
                pending += (h for h in self._direct(file) if not h.is_relative_to(public))
        return found

    def files(self, name: str) -> set[pathlib.Path]:
        """Returns the files of a fuzzer's reader, and the fuzzer's own."""
        found = self._with_parts([self._root / f"test/fuzz/{name}.cpp"])
        for _ in range(DEPTH):
            found |= self._with_parts({h for file in found for h in self._direct(file)})
        return found


def changed(changes: Changes, root: pathlib.Path = ROOT) -> list[str]:
    """Returns the fuzzers whose reader or inputs changed."""
    readers = Readers(root)
    corpora = root / "test/fuzz/corpus"
    return [
        name
        for name in fuzzers(root)
        if changes.touch(readers.files(name)) or changes.touch_below(corpora / name)
    ]
