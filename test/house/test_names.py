# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names say the action: getX(y), computeX(y) or findX(y) instead of xOf(y)."""

from __future__ import annotations

import pathlib
import re

import pytest
from sources import CXX, sources

_FOLDERS = ("include", "lib", "tools", "python/src")

_UPSTREAM: dict[str, str] = {}
"""Functions that override or specialize upstream ones of that name, with the reason."""

_PUBLIC = {"kernel_of": "a method of the public class tonno.opencl.Program"}
"""Python functions whose names are part of the documented interface, with the reason."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_RAW_STRING = re.compile(r'R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"', re.DOTALL)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# Calls of other classes' members (`loc->findInstanceOf<FileLineColLoc>()`) and of
# upstream's functions (`llvm::xOf`) are qualified, unlike declarations in a class or
# a file; the definition of a member, `Knob::xOf`, has its declaration in a class.
_NAME = re.compile(r"(?<![\w.])(?<!->)(?<!::)[a-z]\w*Of\b")
_PYTHON = re.compile(r"^\s*(?:async )?def (\w+_of)\(", re.MULTILINE)
# A method of an interface, which TableGen declares by a string.
_TABLEGEN = re.compile(r'"([a-z]\w*Of)"')


def _names(text: str) -> list[str]:
    """Returns the variables and functions of C++ code whose names end in `Of`."""
    # A quote in a comment is none, and "//" in a string begins no comment.
    both = re.compile(f"{_RAW_STRING.pattern}|{_STRING.pattern}|{_COMMENT.pattern}", re.DOTALL)
    return _NAME.findall(both.sub(" ", text))


def test_no_function_is_named_x_of(root: pathlib.Path) -> None:
    opaque = []
    for path in sources(root, (*CXX, ".td")):
        name = path.relative_to(root).as_posix()
        if name.startswith(tuple(f"{folder}/" for folder in _FOLDERS)):
            text = path.read_text()
            found = _names(text) + (_TABLEGEN.findall(text) if path.suffix == ".td" else [])
            opaque += [f"{name}: {each}" for each in found if each not in _UPSTREAM]
    assert opaque == [], "say getX, computeX, findX, createX or isX"


def test_no_python_function_is_named_x_of(root: pathlib.Path) -> None:
    opaque = [
        f"{path.relative_to(root)}: {name}"
        for path in sources(root, (".py",))
        if path.is_relative_to(root / "python" / "tonno")
        for name in _PYTHON.findall(path.read_text())
        if name not in _PUBLIC
    ]
    assert opaque == [], "say get_x, make_x, find_x or parse_x"


def test_exemptions_are_needed(root: pathlib.Path) -> None:
    text = "\n".join(path.read_text() for path in sources(root, (*CXX, ".td", ".py")))
    unneeded = [name for name in (*_UPSTREAM, *_PUBLIC) if not re.search(rf"\b{name}\(", text)]
    assert unneeded == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("static int bytesOf(Type type);", ["bytesOf"]),
        ("auto bytesOf = [](Type type) { return 1; };", ["bytesOf"]),
        ("template <typename T> static std::optional<T> numberOf(T x);", ["numberOf"]),
        ("/// Returns the result of bytesOf(x).", []),
        ('emitError() << "// bytesOf(x)"; int bytesOf(int);', ["bytesOf"]),
        ('R"(bytesOf(x))"', []),
        ("location->findInstanceOf<FileLineColLoc>();", []),
        ("llvm::valuesOf(x);", []),
        ("int getBytesOfOne(Type type);", []),
        ("template <typename T> using ArgumentOf = T;", []),
    ],
)
def test_names_are_found(code: str, expected: list[str]) -> None:
    assert _names(code) == expected
