#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the files that a build tree compiles.

    check_tidy.py [<build tree> [<folder>...]]

The tree is build/ if none is given, the folders are lib, tools and test. Prints what clang-tidy finds, and exits with 1. Most of the time goes to what a
file includes of MLIR. So files that are compiled alike and give no name twice are
checked together, as one that includes them, which costs that once. What does
not go together after all, or has something wrong, is checked alone.

A file that was found tidy is skipped until it, a header of ours that it
includes, its command or the configuration changes.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-22"
FOLDERS = ("lib", "tools", "test")
# Files that are checked together.
MOST = 30
USED_NAMESPACE = re.compile(r"^using namespace (\S+);", re.M)
# What begins a line: a function, a type, an alias, a variable.
DEFINED = re.compile(
    r"^(?=[a-z]|[A-Z]\w*[a-z])(?!return|namespace|using \S+;|using namespace)"
    r"(?:(?:[\w:<>,&* ]*[ &*])?(\w+)\(|"
    r"(?:struct|class|enum class|enum|union) (\w+)|using (\w+) =|"
    r"[\w:<>,&* ]*[ &*](\w+)(?:\[\w*\])* ?[={])",
    re.M,
)
# A name that a file gives to what has one elsewhere.
NAMED_AGAIN = re.compile(r"^ *(?:using \S+::(\w+);|namespace (\w+) =)", re.M)


@dataclasses.dataclass(frozen=True)
class Unit:
    """A file that the tree compiles, as its database has it."""

    file: pathlib.Path
    command: str
    directory: str

    @property
    def settings(self) -> str:
        """How it is compiled, whatever it is called."""
        return self.command.removesuffix(f" -o {self.output} -c {self.file}")

    @property
    def output(self) -> str:
        match = re.search(r" -o (\S+)", self.command)
        return match.group(1) if match else ""


def compiled_units(
    build: pathlib.Path, root: pathlib.Path, folders: tuple[str, ...]
) -> list[Unit]:
    entries = json.loads((build / "compile_commands.json").read_text())
    own = [root / folder for folder in folders]
    units = {}
    for entry in entries:
        file = pathlib.Path(entry["file"])
        if file.suffix == ".cpp" and any(file.is_relative_to(folder) for folder in own):
            units[file] = Unit(file, entry["command"], entry["directory"])
    return [units[file] for file in sorted(units)]


def own_headers(build: pathlib.Path, root: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """Object file -> what of our own it was compiled from, as Ninja knows it."""
    listing = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout
    headers: dict[str, list[pathlib.Path]] = {}
    for line in listing.splitlines():
        if line and not line.startswith((" ", "ninja:")):
            current = headers.setdefault(line.split(": #deps")[0], [])
        elif line.startswith("    "):
            path = build / line.strip()
            if path.is_relative_to(root) or path.is_relative_to(build):
                current.append(path)
    return headers


def fingerprint(unit: Unit, headers: list[pathlib.Path], versions: str) -> str:
    digest = hashlib.sha256(f"{versions}\n{unit.command}\n".encode())
    for path in sorted({unit.file, *headers}):
        digest.update(path.read_bytes() if path.exists() else b"gone")
    return digest.hexdigest()


def run_tidy(config: pathlib.Path, database: pathlib.Path, file: pathlib.Path) -> str:
    """What it complains about."""
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


def complaints(build: pathlib.Path, config: pathlib.Path, unit: Unit) -> str:
    return run_tidy(config, build, unit.file)


def complaints_together(config: pathlib.Path, units: list[Unit]) -> str:
    """Of files that are compiled alike."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "together.cpp"
        lines = (f'#include "{unit.file}" // NOLINT(bugprone-suspicious-include)\n' for unit in units)
        file.write_text("".join(lines))
        entry = {"directory": units[0].directory, "file": str(file)}
        entry["command"] = f"{units[0].settings} -o together.o -c {file}"
        (file.parent / "compile_commands.json").write_text(json.dumps([entry]))
        return run_tidy(config, file.parent, file)


def unused_names(file: pathlib.Path) -> str:
    """In place of misc-unused-{alias,using}-decls, which look at one file only."""
    text = re.sub(r"^#include.*", "", file.read_text(), flags=re.M)
    found = ""
    for declared in NAMED_AGAIN.finditer(text):
        name = declared[1] or declared[2]
        if len(re.findall(rf"\b{name}\b", text)) == len(re.findall(rf"\b{name}\b", declared[0])):
            line = text.count("\n", 0, declared.end()) + 1
            found += f"{file}:{line}: error: '{name}' is not used [unused-name]\n"
    return found


def clashing(found: str, units: list[Unit]) -> list[Unit]:
    """Those that don't compile beside the others."""
    named = re.findall(r"^(.+?):\d+:\d+: error: .*\[clang-diagnostic-error", found, re.M)
    return [unit for unit in units if str(unit.file) in named]


def check_units(build: pathlib.Path, config: pathlib.Path, units: list[Unit]) -> dict[Unit, str]:
    """What is wrong with each of some files that are compiled alike."""
    if len(units) > 1:
        found = complaints_together(config, units)
        if not found:
            return {unit: unused_names(unit.file) for unit in units}
        apart = clashing(found, units)
        if apart and len(apart) < len(units):
            rest = [unit for unit in units if unit not in apart]
            return check_units(build, config, rest) | check_units(build, config, apart)
    return {unit: complaints(build, config, unit) for unit in units}


def defined_names(text: str) -> set[str]:
    """What a file defines outside of namespaces of its own, as far as its lines tell."""
    return {name for found in DEFINED.finditer(text) for name in found.groups() if name}


def together(units: list[Unit]) -> list[list[Unit]]:
    """Those that are compiled alike and go together, a few at a time."""
    alike: dict[tuple[str, ...], list[tuple[list[Unit], set[str]]]] = {}
    for unit in units:
        text = unit.file.read_text()
        namespaces = sorted(set(USED_NAMESPACE.findall(text)) - {"mlir", "tonno", "testing", "std"})
        groups = alike.setdefault((unit.directory, unit.settings, *namespaces), [])
        names = defined_names(text)
        for group, taken in groups:
            if len(group) < MOST and not taken & names:
                group.append(unit)
                taken |= names
                break
        else:
            groups.append(([unit], names))
    return [group for groups in alike.values() for group, _ in groups]


def check(
    build: pathlib.Path, root: pathlib.Path = ROOT, folders: tuple[str, ...] = FOLDERS
) -> tuple[int, str]:
    """How many files of the folders the tree compiles, and what is wrong with them."""
    config = root / ".clang-tidy"
    version = subprocess.run([TIDY, "--version"], stdout=subprocess.PIPE, text=True)
    versions = version.stdout + config.read_text()
    units = compiled_units(build, root, folders)
    headers = own_headers(build, root)
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    stamp = {unit: stamps / str(unit.file.relative_to(root)).replace("/", ".") for unit in units}
    tidy = {unit: fingerprint(unit, headers.get(unit.output, []), versions) for unit in units}

    def is_tidy(unit: Unit) -> bool:
        # Without Ninja's knowledge of the headers nothing can be skipped.
        known = headers.get(unit.output)
        return bool(known and stamp[unit].exists() and stamp[unit].read_text() == tidy[unit])

    def check_some(some: list[Unit]) -> dict[Unit, str]:
        found = check_units(build, config, some)
        for unit in some:
            if not found[unit]:
                stamp[unit].write_text(tidy[unit])
        return found

    found: dict[Unit, str] = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for some in pool.map(check_some, together([unit for unit in units if not is_tidy(unit)])):
            found |= some
    return len(units), "".join(found[unit] for unit in units if unit in found)


def main() -> int:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
    _, found = check(build.resolve(), folders=tuple(sys.argv[2:]) or FOLDERS)
    print(found, end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
