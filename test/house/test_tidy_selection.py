# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang-tidy checks the files that changed, in unity builds as well."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess

import check_tidy
import compile_units
import pytest
import tidy_groups
from changed_files import Changes

MISTAKE = "int thrice(int Number) { return 3 * Number; }\n"
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(Mutant LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include_directories(include)
add_library(Mutant STATIC lib/A.cpp lib/B.cpp lib/C.cpp)
set_source_files_properties(lib/C.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
"""


def changed(root: pathlib.Path, *names: str) -> Changes:
    return Changes(frozenset(root / name for name in names), "the test began")


def check(root: pathlib.Path, changes: Changes | None) -> check_tidy.Report:
    return check_tidy.check(root / "build", root, changes=changes)


def add_mistakes(root: pathlib.Path) -> None:
    for name in ("A", "B"):
        with (root / f"lib/{name}.cpp").open("a") as file:
            file.write(MISTAKE.replace("thrice", f"thrice{name}"))


def test_unchanged_file_is_left_out(mutant: pathlib.Path) -> None:
    add_mistakes(mutant)
    files, found = check(mutant, changed(mutant, "lib/A.cpp", "docs/A.md"))
    assert files == 1
    assert "lib/A.cpp" in found
    assert "lib/B.cpp" not in found


def test_all_checks_unchanged_files(mutant: pathlib.Path) -> None:
    add_mistakes(mutant)
    files, found = check(mutant, None)
    assert files == 2
    assert "lib/A.cpp" in found and "lib/B.cpp" in found


def test_changed_header_is_checked_in_a_file_that_includes_it(mutant: pathlib.Path) -> None:
    (mutant / "include/tonno/Between.h").write_text('#include "tonno/A.h"\n')
    (mutant / "lib/A.cpp").write_text('#  include <tonno/Between.h>\n')
    (mutant / "lib/B.cpp").write_text('// #include "tonno/A.h"\n')
    add_mistakes(mutant)
    files, found = check(mutant, changed(mutant, "include/tonno/A.h"))
    assert files == 1
    assert "lib/A.cpp" in found
    assert "lib/B.cpp" not in found


@pytest.mark.parametrize("name", ["A", "B"])
def test_changed_header_is_checked_in_one_file(mutant: pathlib.Path, name: str) -> None:
    """In one that changed, or else in that of its name."""
    (mutant / "include/tonno/A.h").write_text(MISTAKE)
    changes = changed(mutant, "include/tonno/A.h", *(["lib/B.cpp"] if name == "B" else []))
    files, found = check(mutant, changes)
    assert files == 1
    assert "include/tonno/A.h" in found
    (mutant / "include/tonno/A.h").write_text("int twice(int number);\n")
    assert check(mutant, changes) == (1, "")
    assert [stamp.name for stamp in (mutant / "build/tidy").iterdir()] == [f"lib.{name}.cpp"]


def test_nothing_changed(mutant: pathlib.Path) -> None:
    add_mistakes(mutant)
    assert check(mutant, changed(mutant)) == (0, "")


@pytest.mark.parametrize("name", [".clang-tidy", None])
def test_every_file_is_checked(mutant: pathlib.Path, name: str | None) -> None:
    """If the configuration changed, or what changed is not known."""
    changes = changed(mutant, name) if name else Changes(None, "there is no git")
    assert check(mutant, changes) == (2, "")


@pytest.fixture
def unity(mutant: pathlib.Path) -> pathlib.Path:
    (mutant / "lib/C.cpp").write_text("int c();\n")
    (mutant / "CMakeLists.txt").write_text(PROJECT)
    command = ["cmake", "-G", "Ninja", "-S", str(mutant), "-B", str(mutant / "build")]
    options = ["-DCMAKE_CXX_COMPILER=clang++-22", "-DCMAKE_UNITY_BUILD=ON"]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    return mutant


def test_sources_of_unity_files_are_units(unity: pathlib.Path) -> None:
    units = compile_units.compiled_units(unity / "build", unity, ("lib",))
    assert [unit.file.name for unit in units] == ["A.cpp", "B.cpp", "C.cpp"]
    a, b, c = units
    assert a.unity and a.unity == b.unity
    assert c.unity is None
    assert a.settings == c.settings
    assert f"-I{unity}/include" in a.settings
    assert not {"-o", "-c", str(a.unity)} & set(a.settings)


def test_mistake_in_unity_build_is_found(unity: pathlib.Path) -> None:
    add_mistakes(unity)
    files, found = check(unity, changed(unity, "lib/B.cpp"))
    assert files == 1
    assert "lib/B.cpp" in found
    assert "lib/A.cpp" not in found
    assert check(unity, changed(unity, "include/tonno/A.h")).files == 1
    assert check(unity, None).files == 3


def groups(root: pathlib.Path) -> list[list[str]]:
    tree = compile_units.Tree(root / "build", root, ("lib",))
    found = tidy_groups.together(tree, tree.units)
    return [[unit.file.stem for unit in group] for group in found]


def test_sources_of_one_unity_file_go_together(unity: pathlib.Path) -> None:
    """Whatever names they have in common, since the build shows that they may."""
    for name in ("A", "B", "C"):
        (unity / f"lib/{name}.cpp").write_text("static int n = 0;\nusing namespace f;\n")
    assert groups(unity) == [["A", "B"], ["C"]]


def set_commands(root: pathlib.Path, **settings: str) -> None:
    database = root / "build/compile_commands.json"
    entries = json.loads(database.read_text())
    for entry in entries:
        own = settings[pathlib.Path(entry["file"]).stem]
        entry["command"] = entry["command"].replace(" -I", f" {own} -I", 1)
    database.write_text(json.dumps(entries))


@pytest.mark.parametrize(
    ("a", "b", "code", "expected"),
    [
        ("-DPLACE=1", "-Ilib/B", "", [["A", "B"]]),
        ("-DPLACE=1", "-DPLACE=2", "", [["A"], ["B"]]),
        ("-DPLACE=1", "", "#ifdef PLACE\n#endif\n", [["A"], ["B"]]),
        ("-O1", "-O2", "", [["A"], ["B"]]),
    ],
)
def test_macros_and_folders_are_shared(
    mutant: pathlib.Path, a: str, b: str, code: str, expected: list[list[str]]
) -> None:
    """Unless they mean something else to another file."""
    set_commands(mutant, A=a, B=b)
    (mutant / "lib/B.cpp").write_text(code)
    assert groups(mutant) == expected


def test_private_headers_of_one_name_are_kept_apart(mutant: pathlib.Path) -> None:
    for name in ("A", "B"):
        (mutant / f"lib/{name}").mkdir()
        (mutant / f"lib/{name}/Own.h").write_text(f"int own{name}();\n")
        (mutant / f"lib/{name}.cpp").write_text("#include <Own.h>\n")
    set_commands(mutant, A=f"-I{mutant}/lib/A", B=f"-I{mutant}/lib/B")
    assert groups(mutant) == [["A"], ["B"]]


def test_names_in_private_headers_are_kept_apart(mutant: pathlib.Path) -> None:
    (mutant / "include/tonno/A.h").write_text("struct Shape {\n};\n")
    (mutant / "lib/B.cpp").write_text('#include "Own.h"\n')
    (mutant / "lib/Own.h").write_text("struct Shape;\n")
    assert groups(mutant) == [["A"], ["B"]]
    (mutant / "lib/Own.h").write_text('#include "tonno/A.h"\nstruct Shape;\n')
    assert groups(mutant) == [["A", "B"]]


def compiled_from(tree: compile_units.Tree) -> dict[str, set[pathlib.Path]]:
    """Returns which of our files each object file was compiled from, as Ninja knows it."""
    listing = subprocess.check_output(["ninja", "-C", str(tree.build), "-t", "deps"], text=True)
    root, build, generated = f"{tree.root}/", f"{tree.build}/", f"{tree.build}/include/"
    found: dict[str, set[pathlib.Path]] = {}
    for line in listing.splitlines():
        path = line.strip()
        if match := re.match(r"(\S+): #deps", line):
            current = found.setdefault(match[1], set())
        elif path.startswith(generated) or (
            path.startswith(root) and not path.startswith(build)
        ):
            current.add(pathlib.Path(os.path.normpath(path)))
    return found


def test_scan_finds_what_the_compiler_included(
    root: pathlib.Path, build: pathlib.Path
) -> None:
    tree = compile_units.Tree(build, root, check_tidy.FOLDERS)
    units = {unit.file: unit for unit in tree.units}
    included = compiled_from(tree)
    missed = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        command, file = entry["command"].split(), pathlib.Path(entry["file"])
        sources = compile_units.sources(file) if compile_units.is_unity(file) else [file]
        scanned: set[pathlib.Path] = set()
        for source in sources:
            if source in units:
                scanned |= tree.included(units[source])
        if not scanned:
            continue
        output = build / command[command.index("-o") + 1]
        own = included.get(str(output.relative_to(build)), set())
        # What was changed since may include less than it did.
        is_current = all(
            one.exists() and one.stat().st_mtime <= output.stat().st_mtime for one in own
        )
        if is_current and (lost := own - scanned):
            missed[str(file)] = lost
    assert missed == {}
