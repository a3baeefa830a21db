# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang-tidy finds nothing in the files that the build tree compiles."""

from __future__ import annotations

import concurrent.futures
import json
import pathlib
import subprocess

import pytest


def complaints(database: pathlib.Path, config: pathlib.Path, file: str) -> str:
    command = ["clang-tidy-22", "--quiet", f"--config-file={config}", "-p"]
    done = subprocess.run(
        [*command, str(database), file],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return done.stdout if done.returncode else ""


def compiled_files(database: pathlib.Path, root: pathlib.Path) -> list[str]:
    entries = json.loads((database / "compile_commands.json").read_text())
    files = {entry["file"] for entry in entries}
    own = tuple(str(root / folder) + "/" for folder in ("lib", "tools", "test"))
    return sorted(file for file in files if file.startswith(own))


def test_sources_are_tidy(root: pathlib.Path, build: pathlib.Path) -> None:
    files = compiled_files(build, root)
    assert files
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        found = pool.map(lambda f: complaints(build, root / ".clang-tidy", f), files)
    if text := "".join(found):
        pytest.fail(text, pytrace=False)


def test_mistake_is_found(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mutant = tmp_path / "A.cpp"
    mutant.write_text("int twice(int Number) { return 2 * Number; }\n")
    entry = {"directory": str(tmp_path), "file": str(mutant)}
    entry["command"] = f"clang++-22 -c {mutant}"
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    found = complaints(tmp_path, root / ".clang-tidy", str(mutant))
    assert "readability-identifier-naming" in found
