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
        ("tools/tonno-runner/A.cpp", '#include "tonno/Dialect/B.h"', "may not use"),
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


def drawn_floors(page: str) -> dict[str, int]:
    """The rows `| <floor> | <folder> | ...` of the page's tables."""
    rows = re.findall(r"^\|\s*(\d)\s*\|\s*([^|]+?)\s*\|", page, re.MULTILINE)
    return {
        name: int(floor)
        for floor, names in rows
        for name in re.findall(r"[A-Za-z]+", names)
    }


def test_floors_are_drawn_as_checked(root: pathlib.Path) -> None:
    page = root / "docs/Architecture.md"
    if not page.exists():
        pytest.skip("docs/Architecture.md is not written yet")
    checked = {name: rules.floor for name, rules in check_floors.FOLDERS.items()}
    drawn = drawn_floors(page.read_text())
    # A floor that is planned may be left out of the drawing, but not the reverse.
    present = {n for n in checked if n == "tools" or (root / "lib" / n).is_dir()}
    assert drawn.items() <= checked.items()
    assert present <= drawn.keys()


def test_drawing_is_read() -> None:
    page = "| floor | folder |\n| --- | --- |\n| 0 | `Core` | x |\n| 1 | Search | y |\n"
    assert drawn_floors(page) == {"Core": 0, "Search": 1}
