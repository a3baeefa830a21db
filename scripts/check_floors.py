#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every #include stays in its folder or goes to a floor below.

    check_floors.py [<root of the source tree>]

Prints each include that doesn't, and exits with 1. docs/design/architecture.md draws
the same floors; test/house compares the two.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class Folder:
    floor: int
    uses: frozenset[int]
    """The floors whose folders it may include."""
    llvm: bool = True


def _below(floor: int, *, llvm: bool = True) -> Folder:
    return Folder(floor, frozenset(range(floor)), llvm)


FOLDERS = {
    "Core": _below(0, llvm=False),
    "Process": _below(1, llvm=False),
    "Space": _below(1, llvm=False),
    "Search": _below(2, llvm=False),
    "Cache": _below(2, llvm=False),
    "Timing": _below(2, llvm=False),
    "Prior": _below(3, llvm=False),
    "Strategies": _below(3, llvm=False),
    "Engine": _below(3, llvm=False),
    "Runtime": _below(4, llvm=False),
    "WorkGroups": _below(4, llvm=False),
    "Dialect": Folder(4, frozenset({0, 1})),
    "Session": _below(5, llvm=False),
    "OpenCL": _below(5, llvm=False),
    "Transforms": Folder(5, frozenset({0, 1, 4})),
    "OpenClC/Worker": _below(6, llvm=False),
    "Backend": Folder(6, frozenset({0, 1, 4, 5})),
    "python": _below(6, llvm=False),
    "Tuner": _below(7),
    "OpenClC": _below(8),
    "tools": _below(9),
}
# The process that runs candidates starts in milliseconds, since no LLVM is in it.
RUNNER = Folder(9, frozenset(range(7)), llvm=False)

_PLACES = ("include/tonno/{}", "lib/{}", "test/unit/{}", "{}/src")
_SUFFIXES = {".h", ".cpp", ".td", ".inc"}
_INCLUDE = re.compile(r'^\s*#?\s*include\s*["<]([^">]+)[">]')
_LLVM = ("llvm/", "llvm-c/", "mlir/", "mlir-c/", "lld/")


def _sources(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    return (p for p in sorted(folder.rglob("*")) if p.suffix in _SUFFIXES)


def folder_of(path: str) -> str:
    """The folder that has rules of its own: the innermost one, else the first."""
    first, *inner = path.split("/")
    nested = f"{first}/{inner[0]}" if inner else first
    return nested if nested in FOLDERS else first


def _places(root: pathlib.Path) -> Iterator[tuple[str, Folder, pathlib.Path]]:
    """Every source file with the name and the rules of its folder."""
    for name, rules in FOLDERS.items():
        if name == "tools":
            continue
        for place in _PLACES:
            folder = root / place.format(name)
            for path in _sources(folder):
                if folder_of(f"{name}/{path.relative_to(folder)}") == name:
                    yield name, rules, path
    for path in _sources(root / "tools"):
        is_runner = path.relative_to(root / "tools").parts[0] == "tonno-runner"
        yield "tools", RUNNER if is_runner else FOLDERS["tools"], path


def _objection(name: str, rules: Folder, header: str) -> str | None:
    if header.startswith(_LLVM) and not rules.llvm:
        return "LLVM may not be included here"
    if ".." in header.split("/"):
        return "the path leaves its folder"
    if not header.startswith("tonno/"):
        return None
    folder = folder_of(header.removeprefix("tonno/"))
    if folder == name:
        return None
    target = FOLDERS.get(folder)
    if target is None:
        return f"{folder} is not on any floor"
    if target.floor not in rules.uses:
        return f"{name} (floor {rules.floor}) may not use {folder} (floor {target.floor})"
    if target.llvm and not rules.llvm:
        return f"{folder} brings LLVM"
    return None


def _unknown_folders(root: pathlib.Path) -> Iterator[str]:
    for parent in ("include/tonno", "lib"):
        for folder in sorted((root / parent).glob("*/")):
            if folder.is_dir() and folder.name not in FOLDERS:
                yield f"{parent}/{folder.name}: not on any floor"


def violations(root: pathlib.Path) -> list[str]:
    found = list(_unknown_folders(root))
    for name, rules, path in _places(root):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = _INCLUDE.match(line)
            objection = match and _objection(name, rules, match.group(1))
            if objection:
                where = path.relative_to(root)
                found.append(f"{where}:{number}: {match.group(1)}: {objection}")
    return found


def main() -> int:
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    found = violations(root)
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
