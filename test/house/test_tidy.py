# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang-tidy finds nothing in the files that changed."""

from __future__ import annotations

import pathlib
import warnings

import changed_files
import check_tidy
import compile_units
import pytest
import tidy_groups


def check_changed(root: pathlib.Path, tree: pathlib.Path, folders: tuple[str, ...]) -> None:
    assert compile_units.compiled_units(tree, root, folders)
    changes = changed_files.find(root)
    if changes.files is None:
        warnings.warn(str(changes), stacklevel=1)
    files, found = check_tidy.check(tree, root, folders, changes)
    if found:
        pytest.fail(found, pytrace=False)
    if not files:
        pytest.skip("no file changed; scripts/tidy.sh --all checks all of them")


def test_sources_are_tidy(root: pathlib.Path, build: pathlib.Path) -> None:
    check_changed(root, build, check_tidy.FOLDERS)


def test_python_bindings_are_tidy(root: pathlib.Path, build: pathlib.Path) -> None:
    tree = build / "python-package"
    if not (tree / "compile_commands.json").exists():
        pytest.skip("the Python package was not built; scripts/test_python.sh does it")
    check_changed(root, tree, ("python",))


def test_mistake_is_found(mutant: pathlib.Path) -> None:
    (mutant / "lib/A.cpp").write_text("int twice(int Number) { return 2 * Number; }\n")
    _, found = check_tidy.check(mutant / "build", mutant)
    assert "readability-identifier-naming" in found


MISTAKES = {
    "readability-identifier-naming": "int thrice(int Number) { return 3 * Number; }",
    "bugprone-use-after-move": "#include <string>\n#include <utility>\n"
    "std::string f(std::string a) { std::string b = std::move(a); return a + b; }",
    "performance-unnecessary-copy-initialization": "#include <string>\n"
    "const std::string &name();\n"
    "bool isNamed() { const std::string text = name(); return !text.empty(); }",
    "unused-name": "#include <vector>\nusing std::vector;",
    "'other' is not used": "#include <string>\nnamespace other = std;",
}


@pytest.mark.parametrize("check", MISTAKES)
def test_mistake_is_found_beside_other_files(mutant: pathlib.Path, check: str) -> None:
    """Though the other one would make it right."""
    (mutant / "lib/A.cpp").write_text('#include "tonno/A.h"\n' + MISTAKES[check] + "\n")
    uses = "#include <vector>\nusing std::vector;\nnamespace other = std;\n"
    (mutant / "lib/B.cpp").write_text(uses + "vector<int> a; other::vector<int> b;\n")
    _, found = check_tidy.check(mutant / "build", mutant)
    assert check in found
    assert "lib/A.cpp" in found
    assert "lib/B.cpp" not in found


@pytest.mark.parametrize("indent", ["", "  "])
def test_files_that_clash_are_checked_apart(mutant: pathlib.Path, indent: str) -> None:
    """Whether their lines tell it or the compiler."""
    for name, parameter in ("A", "number"), ("B", "Number"):
        (mutant / f"lib/{name}.cpp").write_text(
            f"{indent}static int twice(int {parameter}) {{ return 2 * {parameter}; }}\n"
            f"int f{name}(int n) {{ return twice(n); }}\n"
        )
    _, found = check_tidy.check(mutant / "build", mutant)
    assert "lib/B.cpp" in found
    assert "readability-identifier-naming" in found
    assert "lib/A.cpp" not in found
    assert "clang-diagnostic" not in found


def test_what_a_file_defines() -> None:
    text = """
using namespace a;
using std::vector;
using Row = vector<int>;
struct Point {
  int x;
};
static bool isOdd(int n) { return other(n); }
std::map<int, Row>
rows(const Point &point) {
constexpr int most = 3;
const char *const names[] = {"a"};
int Point::size() const {
TEST_F(PointTest, IsOdd) {
"""
    expected = {"Row", "Point", "isOdd", "rows", "most", "names"}
    assert tidy_groups.defined_names(text) == expected


def test_tidy_files_are_checked_together(
    mutant: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_tidy, "complaints", lambda *_: "checked alone")
    assert check_tidy.check(mutant / "build", mutant) == (2, "")


def test_mistake_in_header_is_found_later(mutant: pathlib.Path) -> None:
    assert check_tidy.check(mutant / "build", mutant) == (2, "")
    (mutant / "include/tonno/A.h").write_text("int twice(int Number);\n")
    _, found = check_tidy.check(mutant / "build", mutant)
    assert found.count("[readability-identifier-naming") == 1, "both files include it"


def test_tidy_file_is_skipped(
    mutant: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_tidy.check(mutant / "build", mutant) == (2, "")
    monkeypatch.setattr(check_tidy, "run_tidy", lambda *_: "asked again")
    assert check_tidy.check(mutant / "build", mutant) == (2, "")


def test_crash_is_no_success(
    mutant: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_tidy, "TIDY", "false")
    _, found = check_tidy.check(mutant / "build", mutant)
    assert "ended with 1" in found
