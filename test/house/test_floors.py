# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Includes point downward, and the docs draw the floors that are checked."""

from __future__ import annotations

import pathlib
import re

import check_floors
import pytest


def test_includes_point_downward(root: pathlib.Path) -> None:
    assert check_floors.violations(root) == []


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("lib/Core/A.cpp", '#include "tonno/Search/B.h"', "may not use Search"),
        ("include/tonno/Search/A.h", '#include "tonno/Cache/B.h"', "may not use Cache"),
        ("lib/Dialect/A.cpp", '#include "tonno/Runtime/B.h"', "may not use Runtime"),
        ("lib/Backend/A.cpp", '# include "tonno/Tuner/B.h"', "may not use Tuner"),
        ("include/tonno/Dialect/A.td", 'include "tonno/Transforms/B.td"', "may not use"),
        ("lib/Core/A.cpp", "#include <mlir/IR/Value.h>", "LLVM may not be included"),
        ("lib/OpenCL/A.cpp", '#include "llvm/ADT/Twine.h"', "LLVM may not be included"),
        ("test/unit/Search/A.cpp", '#include "llvm/ADT/Twine.h"', "LLVM may not be"),
        ("tools/tonno-runner/A.cpp", '#include "llvm/ADT/Twine.h"', "LLVM may not be"),
        ("tools/tonno-runner/A.cpp", '#include "tonno/Dialect/B.h"', "brings LLVM"),
        ("tools/tonno-runner/A.cpp", '#include "tonno/Tuner/B.h"', "may not use Tuner"),
        ("lib/Session/A.cpp", '#include "tonno/Dialect/B.h"', "brings LLVM"),
        ("lib/Engine/A.cpp", '#include "tonno/Dialect/B.h"', "may not use Dialect"),
        ("python/src/A.cpp", '#include "tonno/Dialect/B.h"', "brings LLVM"),
        ("lib/Core/A.cpp", '#include "../Search/B.h"', "leaves its folder"),
        ("lib/Core/A.cpp", '#include "tonno/Utils/B.h"', "not on any floor"),
        ("lib/Utils/A.cpp", "", "not on any floor"),
    ],
)
def test_wrong_include_is_found(
    tmp_path: pathlib.Path, path: str, line: str, expected: str
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(f"// A comment.\n{line}\n")
    (violation,) = check_floors.violations(tmp_path)
    assert expected in violation


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("lib/Core/A.cpp", '#include "tonno/Core/B.h"'),
        ("lib/Tuner/A.cpp", '#include "tonno/Cache/B.h"'),
        ("tools/tonno-runner/A.cpp", '#include "tonno/Runtime/B.h"'),
        ("python/src/A.cpp", '#include "tonno/Session/B.h"'),
        ("tools/tonno-opt/A.cpp", '#include "mlir/IR/Value.h"'),
        ("lib/Core/A.cpp", '// Not #include "tonno/Tuner/B.h".'),
    ],
)
def test_right_include_is_left_alone(
    tmp_path: pathlib.Path, path: str, line: str
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(line)
    assert check_floors.violations(tmp_path) == []


Drawn = dict[str, tuple[int, frozenset[int]]]


def drawn_floors(page: str) -> Drawn:
    """The rows `| <floor> | <folder> | <floors it uses> | ...` of the page."""
    row = r"^\|\s*(\d)\s*\|\s*`?(\w+)`?\s*\|([^|]*)\|"
    drawn = {}
    for floor, name, uses in re.findall(row, page, re.MULTILINE):
        used: set[int] = set()
        for first, last in re.findall(r"\b(\d)(?:-(\d))?\b", uses):
            used.update(range(int(first), int(last or first) + 1))
        drawn[name] = (int(floor), frozenset(used))
    return drawn


def test_floors_are_drawn_as_checked(root: pathlib.Path) -> None:
    drawn = drawn_floors((root / "docs/Architecture.md").read_text())
    checked = {n: (f.floor, f.uses) for n, f in check_floors.FOLDERS.items()}
    # A folder that is planned need not be drawn yet; all others are.
    planned = {n for n in checked if n != "tools" and not (root / "lib" / n).is_dir()}
    assert drawn.keys() - checked.keys() == set()
    assert {n: c for n, c in checked.items() if n not in planned - drawn.keys()} == drawn


def test_drawing_is_read() -> None:
    page = "| floor | folder | uses | holds |\n| --- | --- | --- | --- |\n"
    page += "| 0 | `Core` | std | x |\n| 4 | Backend | 0, 2-3, MLIR | y |\n"
    assert drawn_floors(page) == {
        "Core": (0, frozenset()),
        "Backend": (4, frozenset({0, 2, 3})),
    }
