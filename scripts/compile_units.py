# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads which source files a build tree compiles, and how.

In a unity build the compilation database names generated files that include the
sources. Each source is then listed with the settings of the file that includes it.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import hashlib
import json
import pathlib
import re
import shlex

import includes


@dataclasses.dataclass(frozen=True)
class Unit:
    """A source file and how it is compiled."""

    file: pathlib.Path
    settings: tuple[str, ...]
    """The command without its input and its output."""
    directory: str
    unity: pathlib.Path | None = None
    """The generated file that includes this source beside others."""
    shared_settings: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    """Settings that suit other units as well; set by tidy_groups.py."""


def _settings(command: str) -> tuple[str, ...]:
    arguments = shlex.split(command)
    for option in ("-o", "-c"):
        if option in arguments:
            at = arguments.index(option)
            del arguments[at : at + 2]
    return tuple(arguments)


def sources(file: pathlib.Path) -> collections.abc.Iterator[pathlib.Path]:
    """Lists what CMake's unity file includes."""
    for include in includes.stated(file):
        yield file.parent / include.name


def is_unity(file: pathlib.Path) -> bool:
    return file.parent.name == "Unity" and file.name.startswith("unity_")


def compiled_units(
    build: pathlib.Path, root: pathlib.Path, folders: tuple[str, ...]
) -> list[Unit]:
    """Returns the C++ sources in the folders of `root` that the tree compiles."""
    own = [root / folder for folder in folders]
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        compiled = pathlib.Path(entry["file"])
        unity = compiled if is_unity(compiled) else None
        settings = _settings(entry["command"])
        for file in sources(compiled) if unity else [compiled]:
            if file.suffix == ".cpp" and any(file.is_relative_to(folder) for folder in own):
                units[file] = Unit(file, settings, entry["directory"], unity)
    return [units[file] for file in sorted(units)]


class Tree:
    """The source files of a build tree, and what they include."""

    def __init__(self, build: pathlib.Path, root: pathlib.Path, folders: tuple[str, ...]) -> None:
        self.units = compiled_units(build, root, folders)
        self.root = root
        self.build = build
        self._graphs: dict[tuple[pathlib.Path, ...], includes.Graph] = {}
        self._digests: dict[pathlib.Path, bytes] = {}
        self._words: dict[pathlib.Path, set[str]] = {}

    def included(
        self, unit: Unit, settings: tuple[str, ...] | None = None
    ) -> set[pathlib.Path]:
        """Returns the unit's file and our own files that it includes."""
        stated = (pathlib.Path(s[2:]) for s in settings or unit.settings if s.startswith("-I"))
        folders = tuple(p for p in stated if any(map(p.is_relative_to, (self.root, self.build))))
        graph = self._graphs.setdefault(folders, includes.Graph(folders))
        return graph.closure(unit.file)

    def _digest(self, path: pathlib.Path) -> bytes:
        if path not in self._digests:
            self._digests[path] = hashlib.sha256(path.read_bytes()).digest()
        return self._digests[path]

    def words(self, unit: Unit) -> set[str]:
        """Returns the identifiers in the unit's file and in what it includes."""
        found: set[str] = set()
        for path in self.included(unit):
            if path not in self._words:
                self._words[path] = set(re.findall(r"\w+", path.read_text(errors="replace")))
            found |= self._words[path]
        return found

    def fingerprint(self, unit: Unit, versions: str) -> str:
        """Returns a hash of all that decides what clang-tidy finds in the unit."""
        digest = hashlib.sha256(f"{versions}\n{unit.settings}\n".encode())
        for path in sorted(self.included(unit)):
            digest.update(bytes(path) + b"\0" + self._digest(path))
        return digest.hexdigest()
