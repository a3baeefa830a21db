# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups source files so that clang-tidy parses what they include once."""

from __future__ import annotations

import dataclasses
import pathlib
import re

from compile_units import Tree, Unit

# The most files in a group.
MOST = 30
# Namespaces that every file may use.
ANYWHERE = {"mlir", "tonno", "testing", "std"}
USED_NAMESPACE = re.compile(r"^using namespace (\S+);", re.M)
# A line that begins with a function, a type, an alias or a variable.
DEFINED = re.compile(
    r"^(?=[a-z]|[A-Z]\w*[a-z])(?!return|namespace|using \S+;|using namespace)"
    r"(?:(?:[\w:<>,&* ]*[ &*])?(\w+)\(|"
    r"(?:struct|class|enum class|enum|union) (\w+)|using (\w+) =|"
    r"[\w:<>,&* ]*[ &*](\w+)(?:\[\w*\])* ?[={])",
    re.M,
)


def defined_names(text: str) -> set[str]:
    """Returns what a file declares or defines, as far as the start of its lines shows."""
    return {name for found in DEFINED.finditer(text) for name in found.groups() if name}


def _split(settings: tuple[str, ...]) -> tuple[dict[str, str], list[str], tuple[str, ...]]:
    """Returns the macros, the include folders and the remaining settings."""
    macros = {s[2:].partition("=")[0]: s for s in settings if s.startswith("-D")}
    folders = [s for s in settings if s.startswith("-I")]
    return macros, folders, tuple(s for s in settings if not s.startswith(("-D", "-I")))


def share_settings(tree: Tree, units: list[Unit]) -> list[Unit]:
    """Lets units whose settings differ in macros and include folders share the union.

    A unit keeps its own settings if it names a macro of the others that it lacks,
    if one of its macros has another value elsewhere, or if it would include other
    files.
    """
    macros: dict[tuple[str, ...], dict[str, str]] = {}
    folders: dict[tuple[str, ...], dict[str, None]] = {}
    for unit in units:
        own_macros, own_folders, alike = _split(unit.settings)
        for name, macro in own_macros.items():
            macros.setdefault(alike, {}).setdefault(name, macro)
        folders.setdefault(alike, {}).update(dict.fromkeys(own_folders))
    found = []
    for unit in units:
        own_macros, _, alike = _split(unit.settings)
        compiler, *others = alike
        all_macros = macros.get(alike, {})
        shared = (compiler, *all_macros.values(), *folders[alike], *others)
        suits = (
            own_macros.items() <= all_macros.items()
            and tree.words(unit).isdisjoint(all_macros.keys() - own_macros.keys())
            and tree.included(unit, shared) == tree.included(unit)
        )
        settings = shared if suits else unit.settings
        found.append(dataclasses.replace(unit, shared_settings=settings))
    return found


class Names:
    """The names that files define, read once."""

    def __init__(self, tree: Tree) -> None:
        self._public = (tree.root / "include", tree.build / "include")
        self._defined: dict[pathlib.Path, set[str]] = {}

    def defined(self, file: pathlib.Path) -> set[str]:
        if file not in self._defined:
            self._defined[file] = defined_names(file.read_text(errors="replace"))
        return self._defined[file]

    def is_public(self, file: pathlib.Path) -> bool:
        """Returns whether any file may include this one beside others like it."""
        return any(file.is_relative_to(folder) for folder in self._public)


class Group:
    """Units that compile as one file, as far as their text shows."""

    def __init__(self, names: Names) -> None:
        self.units: list[Unit] = []
        self._names = names
        self._files: set[pathlib.Path] = set()
        self._definers: dict[str, set[pathlib.Path]] = {}
        self._namespaces: set[tuple[pathlib.Path | None, frozenset[str]]] = set()
        self._of_unity: dict[pathlib.Path, set[pathlib.Path]] = {}

    def _clashes(self, unit: Unit, included: set[pathlib.Path]) -> bool:
        """Returns whether the unit adds a name that files it does not include define."""
        beside = included | self._of_unity.get(unit.unity or unit.file, set())
        for file in included - self._files:
            for name in self._names.defined(file):
                others = self._definers.get(name, set()) - beside
                if self._names.is_public(file):
                    others = {other for other in others if not self._names.is_public(other)}
                if others:
                    return True
        return False

    def takes(self, unit: Unit, included: set[pathlib.Path]) -> bool:
        """Adds the unit unless the group is full or the unit may not compile beside it.

        Sources of one unity file compile together, whatever they define.
        """
        text = unit.file.read_text()
        namespaces = frozenset(USED_NAMESPACE.findall(text)) - ANYWHERE
        others = {used for unity, used in self._namespaces if not unity or unity != unit.unity}
        if len(self.units) == MOST or others - {namespaces} or self._clashes(unit, included):
            return False
        self.units.append(unit)
        self._namespaces.add((unit.unity, namespaces))
        for file in included - self._files:
            for name in self._names.defined(file):
                self._definers.setdefault(name, set()).add(file)
        self._files |= included
        if unit.unity:
            self._of_unity.setdefault(unit.unity, set()).update(included)
        return True


def together(tree: Tree, units: list[Unit]) -> list[list[Unit]]:
    """Returns groups of units that are compiled alike, the largest first."""
    names = Names(tree)
    alike: dict[tuple[object, ...], list[Group]] = {}
    for unit in share_settings(tree, units):
        groups = alike.setdefault((unit.directory, unit.shared_settings), [])
        included = tree.included(unit)
        if not any(group.takes(unit, included) for group in groups):
            groups.append(Group(names))
            groups[-1].takes(unit, included)
    found = [group.units for groups in alike.values() for group in groups]
    return sorted(found, key=len, reverse=True)
