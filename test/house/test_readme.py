# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands and files that the README names exist."""

from __future__ import annotations

import pathlib
import re

import pytest

_BLOCK = re.compile(r"^```(?:sh|bash|console|shell)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"(?<![\w./-])((?:scripts|examples|docs|benchmarks|\.ci)/[\w./-]*\w)")
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
_TOOL = re.compile(r"(?:build/bin/|^\s*\$?\s*)(tonno-[a-z]+)\b", re.MULTILINE)


def lost_names(readme: str, root: pathlib.Path) -> list[str]:
    """What the text names and the tree hasn't."""
    paths = set(_NAMED.findall(readme)) | set(_LINK.findall(readme))
    lost = [path for path in paths if not (root / path).exists()]
    tools = {t for block in _BLOCK.findall(readme) for t in _TOOL.findall(block)}
    lost += [tool for tool in tools if not (root / "tools" / tool).is_dir()]
    return sorted(lost)


def test_readme_names_what_exists(root: pathlib.Path) -> None:
    if not (root / "README.md").exists():
        pytest.skip("README.md is not written yet")
    assert lost_names((root / "README.md").read_text(), root) == []


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("Run `scripts/gone.sh`.", ["scripts/gone.sh"]),
        ("See [this](docs/Gone.md#a).", ["docs/Gone.md"]),
        ("```sh\nbuild/bin/tonno-gone a.mlir\n```\n", ["tonno-gone"]),
        ("```\ntonno-gone a.mlir\n```\n", ["tonno-gone"]),
        ("[web](https://example.org/docs/x) `scripts/test.sh`", []),
    ],
)
def test_lost_name_is_found(root: pathlib.Path, text: str, lost: list[str]) -> None:
    assert lost_names(text, root) == lost
