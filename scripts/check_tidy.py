#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the files that a build tree compiles.

    check_tidy.py [--changed] [<build tree> [<folder>...]]

The tree is build/ if none is given, the folders are lib, tools and test. Prints
what clang-tidy finds, and exits with 1.

--changed checks the files that changed (changed_files.py names the base) and, for
each changed header that none of them includes, one file that does. A changed
.clang-tidy checks every file. A changed .td or CMake file checks none: clang-tidy
does not look at what TableGen generates.

Parsing the headers of MLIR takes most of the time. Files with the same compiler
settings and no name in common are therefore checked together, as one file that
includes them. Files that do not compile together after all, or that have a
mistake, are checked alone.

A file without a mistake is skipped until it, a header of ours that it includes,
its settings or the configuration changes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

import changed_files
from changed_files import Changes
from compile_units import Tree, Unit
from tidy_groups import together

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-22"
FOLDERS = ("lib", "tools", "test")
# A using-declaration or a namespace alias.
NAMED_AGAIN = re.compile(r"^ *(?:using \S+::(\w+);|namespace (\w+) =)", re.M)


class Report(typing.NamedTuple):
    files: int
    """How many files were to be checked."""
    found: str
    """What is wrong with them."""


def run_tidy(config: pathlib.Path, database: pathlib.Path, file: pathlib.Path) -> str:
    """Returns what clang-tidy complains about."""
    command = [TIDY, "--quiet", f"--config-file={config}"]
    done = subprocess.run(
        [*command, "-p", str(database), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    if done.returncode and not done.stdout:
        return f"{file}: {TIDY} ended with {done.returncode}\n"
    return done.stdout if done.returncode else ""


def check_as(
    config: pathlib.Path, file: pathlib.Path, directory: str, settings: tuple[str, ...]
) -> str:
    """Checks a file with these compiler settings."""
    arguments = [*settings, "-o", f"{file.stem}.o", "-c", str(file)]
    entry = {"directory": directory, "file": str(file), "arguments": arguments}
    with tempfile.TemporaryDirectory() as database:
        entries = pathlib.Path(database) / "compile_commands.json"
        entries.write_text(json.dumps([entry]))
        return run_tidy(config, entries.parent, file)


def complaints(config: pathlib.Path, unit: Unit) -> str:
    return check_as(config, unit.file, unit.directory, unit.settings)


def complaints_together(config: pathlib.Path, units: list[Unit]) -> str:
    """Checks units with the same shared settings as one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "together.cpp"
        lines = (f'#include "{unit.file}" // NOLINT(bugprone-suspicious-include)' for unit in units)
        file.write_text("\n".join([*lines, ""]))
        return check_as(config, file, units[0].directory, units[0].shared_settings)


def unused_names(file: pathlib.Path) -> str:
    """Returns unused declarations, as misc-unused-{alias,using}-decls do for a file alone."""
    text = re.sub(r"^#include.*", "", file.read_text(), flags=re.M)
    found = ""
    for declared in NAMED_AGAIN.finditer(text):
        name = declared[1] or declared[2]
        if len(re.findall(rf"\b{name}\b", text)) == len(re.findall(rf"\b{name}\b", declared[0])):
            line = text.count("\n", 0, declared.end()) + 1
            found += f"{file}:{line}: error: '{name}' is not used [unused-name]\n"
    return found


def clashing(found: str, units: list[Unit]) -> list[Unit]:
    """Returns the units that do not compile beside the others."""
    named = re.findall(r"^(.+?):\d+:\d+: error: .*\[clang-diagnostic-error", found, re.M)
    return [unit for unit in units if str(unit.file) in named]


def check_units(config: pathlib.Path, units: list[Unit]) -> dict[Unit, str]:
    """Returns what is wrong with each of some files that are compiled alike."""
    if len(units) == 1:
        return {unit: complaints(config, unit) for unit in units}
    found = complaints_together(config, units)
    if not found:
        return {unit: unused_names(unit.file) for unit in units}
    apart = clashing(found, units)
    if len(apart) in (0, len(units)):
        apart = units[: len(units) // 2]
    others = [unit for unit in units if unit not in apart]
    return check_units(config, others) | check_units(config, apart)


def each_once(found: str) -> str:
    """Leaves out what was said before: a header's mistake is found in each file."""
    complaints = re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", found, flags=re.M)
    return "".join(dict.fromkeys(complaints))


def affected(tree: Tree, changes: Changes) -> list[Unit]:
    """Returns the units that changed, and one for each other header that changed.

    A header's mistakes are found in whatever includes it; the file of its name is
    preferred.
    """
    some = [unit for unit in tree.units if changes.touch([unit.file])]
    seen = set().union(*map(tree.included, some))
    for header in sorted((changes.files or set()) - seen):
        if header not in seen:
            includers = [unit for unit in tree.units if header in tree.included(unit)]
            includers.sort(key=lambda unit: unit.file.stem != header.stem)
            some += includers[:1]
            seen = seen.union(*map(tree.included, includers[:1]))
    return sorted(some, key=lambda unit: unit.file)


def check(
    build: pathlib.Path,
    root: pathlib.Path = ROOT,
    folders: tuple[str, ...] = FOLDERS,
    changes: Changes | None = None,
) -> Report:
    """Checks the files of the folders; if changes are given, those that `affected` returns."""
    config = root / ".clang-tidy"
    version = subprocess.run([TIDY, "--version"], stdout=subprocess.PIPE, text=True)
    versions = version.stdout + config.read_text()
    tree = Tree(build, root, folders)
    units = tree.units
    if changes and not changes.touch([config]):
        units = affected(tree, changes)
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    stamp = {unit: stamps / str(unit.file.relative_to(root)).replace("/", ".") for unit in units}
    tidy = {unit: tree.fingerprint(unit, versions) for unit in units}

    def is_tidy(unit: Unit) -> bool:
        return stamp[unit].exists() and stamp[unit].read_text() == tidy[unit]

    def check_some(some: list[Unit]) -> dict[Unit, str]:
        found = check_units(config, some)
        for unit in some:
            if not found[unit]:
                stamp[unit].write_text(tidy[unit])
        return found

    groups = together(tree, [unit for unit in units if not is_tidy(unit)])
    found: dict[Unit, str] = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for some in pool.map(check_some, groups):
            found |= some
    said = each_once("".join(found[unit] for unit in units if unit in found))
    return Report(len(units), said)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].strip())
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    wanted = parser.parse_args()
    changes = changed_files.find() if wanted.changed else None
    files, found = check(wanted.build.resolve(), ROOT, tuple(wanted.folders), changes)
    print(found, end="")
    why = f"; {changes}" if changes else ""
    print(f"tidy: checked {files} files in {', '.join(wanted.folders)}{why}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
