# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each source file states its licence; each script parses."""

from __future__ import annotations

import pathlib
import subprocess

import pytest
from sources import CXX, sources

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def without_licence(files: list[pathlib.Path]) -> list[pathlib.Path]:
    return [f for f in files if LICENCE not in "\n".join(f.read_text().split("\n")[:8])]


def shell_scripts(root: pathlib.Path) -> list[pathlib.Path]:
    return [*sorted((root / "scripts").glob("*.sh")), root / ".ci/run"]


def shell_errors(script: pathlib.Path) -> str:
    return subprocess.run(
        ["bash", "-n", str(script)], stderr=subprocess.PIPE, text=True
    ).stderr


def test_licence_is_stated(root: pathlib.Path) -> None:
    files = sources(root, (*CXX, ".td", ".py"))
    assert files
    assert without_licence(files) == []


def test_missing_licence_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "A.h").write_text("// A header.\n" * 20 + f"// {LICENCE}\n")
    assert without_licence([tmp_path / "A.h"]) == [tmp_path / "A.h"]


def test_shell_scripts_parse(root: pathlib.Path) -> None:
    scripts = shell_scripts(root)
    assert len(scripts) > 1
    assert "".join(map(shell_errors, scripts)) == ""


def test_shell_error_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.sh").write_text("if true; then\n")
    assert "syntax error" in shell_errors(tmp_path / "a.sh")


@pytest.mark.parametrize("script", ["scripts/demo.sh", "scripts/test.sh", ".ci/run"])
def test_commands_are_executable(root: pathlib.Path, script: str) -> None:
    assert (root / script).stat().st_mode & 0o111
