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
        ("lib/OpenClC/Worker/A.cpp", "#include <mlir/IR/Value.h>", "LLVM may not be"),
        ("lib/OpenClC/Worker/A.cpp", '#include "tonno/OpenClC/B.h"', "may not use OpenClC"),
        ("lib/Session/A.cpp", '#include "tonno/OpenClC/Worker/B.h"', "may not use OpenClC"),
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
        ("lib/OpenClC/A.cpp", '#include "tonno/OpenClC/Worker/B.h"'),
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
    row = r"^\|\s*(\d)\s*\|\s*`?([\w/]+)`?\s*\|([^|]*)\|"
    drawn = {}
    for floor, name, uses in re.findall(row, page, re.MULTILINE):
        used: set[int] = set()
        for first, last in re.findall(r"\b(\d)(?:-(\d))?\b", uses):
            used.update(range(int(first), int(last or first) + 1))
        drawn[name] = (int(floor), frozenset(used))
    return drawn


def test_floors_are_drawn_as_checked(root: pathlib.Path) -> None:
    drawn = drawn_floors((root / "docs/design/architecture.md").read_text())
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


_PUBLIC = re.compile(r'#include ["<](tonno/[^">]+)[">]')


def lonely_headers(root: pathlib.Path) -> list[str]:
    """Public headers that neither another library nor an example includes. OpenCL's
    are for the programs of users."""
    users: dict[str, set[str]] = {}
    for path in [*root.glob("include/tonno/**/*.h"), *root.glob("lib/**/*.[hc]*")]:
        parts = path.relative_to(root).parts
        inside = parts[2:] if parts[0] == "include" else parts[1:]
        library = check_floors.folder_of("/".join(inside))
        for header in _PUBLIC.findall(path.read_text()):
            users.setdefault(header, set()).add(library)
    for folder in ("tools", "python/src", "examples"):
        for path in [*root.glob(f"{folder}/**/*.h"), *root.glob(f"{folder}/**/*.cpp")]:
            for header in _PUBLIC.findall(path.read_text()):
                users.setdefault(header, set()).add(folder)
    lonely = []
    for path in sorted(root.glob("include/tonno/**/*.h")):
        header = path.relative_to(root / "include")
        library = check_floors.folder_of("/".join(header.parts[1:]))
        if library != "OpenCL" and not users.get(header.as_posix(), set()) - {library}:
            lonely.append(header.as_posix())
    return lonely


def test_public_headers_are_used_elsewhere(root: pathlib.Path) -> None:
    assert lonely_headers(root) == []


def test_lonely_header_is_found(tmp_path: pathlib.Path) -> None:
    header = tmp_path / "include/tonno/Core/A.h"
    header.parent.mkdir(parents=True)
    header.write_text("")
    source = tmp_path / "lib/Core/A.cpp"
    source.parent.mkdir(parents=True)
    source.write_text('#include "tonno/Core/A.h"\n')
    assert lonely_headers(tmp_path) == ["tonno/Core/A.h"]
    other = tmp_path / "lib/Search/B.cpp"
    other.parent.mkdir(parents=True)
    other.write_text('#include "tonno/Core/A.h"\n')
    assert lonely_headers(tmp_path) == []
