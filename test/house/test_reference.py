# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference pages list what the tools and the sources have."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

from write_pass_examples import find_passes

_VARIABLE = re.compile(
    r"(?:getenv\(|environ(?:\.get|\.setdefault)?[(\[]|Variable\[\] = |DIRECTORY = )"
    r"\"([A-Z][A-Z_]+)\""
)


def find_variables(text: str) -> set[str]:
    """Returns the environment variables that a source names where it reads them."""
    return set(_VARIABLE.findall(text))


def test_options_are_those_of_the_tools(root: pathlib.Path, build: pathlib.Path) -> None:
    command = [sys.executable, str(root / "scripts/write_options.py"), str(build / "bin")]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    page = (root / "docs/reference/options.md").read_text()
    assert page == printed, "cmake --build build --target update-docs"


def test_examples_of_passes_are_what_tonno_opt_prints(
    root: pathlib.Path, build: pathlib.Path
) -> None:
    passes = [name for found in find_passes().values() for name, _ in found]
    assert len(passes) > 40
    examples = {file.stem for file in (root / "docs/reference/examples").iterdir()}
    assert examples == set(passes) - {"tonno-autotune"}
    command = [sys.executable, str(root / "scripts/write_pass_examples.py"), str(build / "bin")]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    page = (root / "docs/reference/pass-examples.md").read_text()
    assert page == printed, "cmake --build build --target update-docs"


def test_statuses_are_explained(root: pathlib.Path) -> None:
    header = (root / "include/tonno/Core/Status.h").read_text()
    (listed,) = re.findall(r"enum class Status \{\n(.*?)\};", header, re.DOTALL)
    statuses = re.findall(r"^  (\w+),", listed, re.MULTILINE)
    assert len(statuses) > 10
    page = (root / "docs/reference/statuses.md").read_text()
    assert [one for one in statuses if f"| `{one}` |" not in page] == []


def test_variables_are_explained(root: pathlib.Path) -> None:
    files = [
        path
        for folder in ("lib", "tools", "include", "python/tonno", "python/src")
        for path in (root / folder).rglob("*")
        if path.suffix in (".h", ".cpp", ".py")
    ]
    names = {name for path in files for name in find_variables(path.read_text())}
    assert {"TONNO_MODE", "TONNO_CACHE_DIR", "ROCM_PATH", "TONNO_TOOLS_DIR"} <= names
    page = (root / "docs/reference/environment.md").read_text()
    assert sorted(name for name in names if name not in page) == []


def test_variable_is_found() -> None:
    assert find_variables('std::getenv("A_B"); os.environ.get("CD")') == {"A_B", "CD"}
    assert find_variables('printf("A_B");') == set()
