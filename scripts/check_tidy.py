#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the files that a build tree compiles.

    check_tidy.py [<build tree> [<folder>...]]

The tree is build/ if none is given, the folders are lib, tools and test. Prints
what clang-tidy finds, and exits with 1. Most of the time goes to parsing MLIR's
headers, so a file that was found tidy is skipped until it, a header of ours
that it includes, its command or the configuration changes.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-22"
FOLDERS = ("lib", "tools", "test")


@dataclasses.dataclass(frozen=True)
class Unit:
    """A file that the tree compiles, as its database has it."""

    file: pathlib.Path
    command: str

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
            units[file] = Unit(file, entry["command"])
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


def complaints(build: pathlib.Path, config: pathlib.Path, file: pathlib.Path) -> str:
    command = [TIDY, "--quiet", f"--config-file={config}", "-p", str(build)]
    done = subprocess.run(
        [*command, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    if done.returncode and not done.stdout:
        return f"{file}: {TIDY} ended with {done.returncode}\n"
    return done.stdout if done.returncode else ""


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

    def check_unit(unit: Unit) -> str:
        stamp = stamps / str(unit.file.relative_to(root)).replace("/", ".")
        known = headers.get(unit.output)
        tidy = fingerprint(unit, known or [], versions)
        # Without Ninja's knowledge of the headers nothing can be skipped.
        if known and stamp.exists() and stamp.read_text() == tidy:
            return ""
        found = complaints(build, config, unit.file)
        if not found:
            stamp.write_text(tidy)
        return found

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        return len(units), "".join(pool.map(check_unit, units))


def main() -> int:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
    _, found = check(build.resolve(), folders=tuple(sys.argv[2:]) or FOLDERS)
    print(found, end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
