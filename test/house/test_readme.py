# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README is short, and the pages name files, links and anchors that exist."""

from __future__ import annotations

import pathlib
import re
import tomllib

import pytest

MAX_README_LINES = 120
_FENCE = re.compile(r"^[ >]*(`{3,}|~{3,})(.*)$")
_NAMED = re.compile(r"(?<![\w./-])((?:scripts|examples|docs|benchmarks|\.ci)/[\w./-]*\w)")
_LINK = re.compile(r"\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
_ELSEWHERE = re.compile(r"^[a-z][a-z+.-]*:", re.IGNORECASE)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$", re.MULTILINE)
_NAMED_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
_TOOL = re.compile(r"(?:build/bin/|^\s*\$?\s*)(tonno-[a-z]+)\b", re.MULTILINE)
_CONSOLE = {"", "sh", "bash", "console", "shell"}
_PATH = re.compile(r"`((?:[\w.*-]+/)+[\w*-]+(?:\.[\w*]+)+)`")
_BASES = ("", "include/tonno", "lib", "test")
_FOREIGN = ("CL/", ".tonno-cache/")  # OpenCL's headers; files that tonno writes


def split_fences(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Returns the text outside of fenced code blocks, and the language and text of each."""
    prose: list[str] = []
    blocks: list[tuple[str, str]] = []
    fence, language, code = "", "", list[str]()
    for line in text.splitlines():
        match = _FENCE.match(line)
        if not fence and match:
            fence, language, code = match[1], match[2].strip(), []
        elif fence and match and match[1].startswith(fence) and not match[2].strip():
            blocks.append((language, "\n".join(code) + "\n"))
            fence = ""
        elif fence:
            code.append(line)
        else:
            prose.append(line)
    return "\n".join(prose) + "\n", blocks


def find_missing_names(page: str, root: pathlib.Path) -> list[str]:
    """Returns the paths and tools that a page names and the tree does not have."""
    missing = [path for path in set(_NAMED.findall(page)) if not (root / path).exists()]
    shown = [code for language, code in split_fences(page)[1] if language in _CONSOLE]
    tools = {tool for code in shown for tool in _TOOL.findall(code)}
    scripts = tomllib.loads((root / "pyproject.toml").read_text())["project"]["scripts"]
    missing += [t for t in tools if t not in scripts and not (root / "tools" / t).is_dir()]
    return sorted(missing)


def find_missing_files(page: str, root: pathlib.Path) -> list[str]:
    """Returns the files in backticks, with a folder and a suffix, that the tree does not
    have; `*` stands for any text."""
    named = {path for path in _PATH.findall(page) if not path.startswith(_FOREIGN)}
    return sorted(p for p in named if not any(any((root / b).glob(p)) for b in _BASES))


def find_anchors(page: str) -> set[str]:
    """Returns the anchors of a page: GitHub's, of its headings, and those it names."""
    prose = split_fences(page)[0]
    anchors = set(_NAMED_ANCHOR.findall(prose))
    for heading in _HEADING.findall(prose):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = 0
        while (numbered := f"{anchor}-{number}" if number else anchor) in anchors:
            number += 1
        anchors.add(numbered)
    return anchors


def find_broken_links(page: pathlib.Path) -> list[str]:
    """Returns the relative links and anchors of a page that lead nowhere."""
    prose = re.sub(r"(`+)[^`]+\1", "", split_fences(page.read_text())[0])
    broken = []
    for target in [*_LINK.findall(prose), *_DEFINITION.findall(prose)]:
        if _ELSEWHERE.match(target):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        if not linked.exists():
            broken.append(f"{page}: {target}: no such file")
        elif anchor and (linked.suffix != ".md" or anchor not in find_anchors(linked.read_text())):
            broken.append(f"{page}: {target}: no such anchor")
    return broken


def find_pages(root: pathlib.Path) -> list[pathlib.Path]:
    top = [root / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")]
    return [*top, *sorted((root / "docs").rglob("*.md"))]


def is_for_users(page: pathlib.Path, root: pathlib.Path) -> bool:
    return page.parent in (root, root / "docs", root / "docs/start", root / "docs/guide")


def test_readme_is_short(root: pathlib.Path) -> None:
    assert len((root / "README.md").read_text().splitlines()) <= MAX_README_LINES


def test_pages_name_what_exists(root: pathlib.Path) -> None:
    pages = [page for page in find_pages(root) if is_for_users(page, root)]
    assert len(pages) > 3
    missing = {str(page): find_missing_names(page.read_text(), root) for page in pages}
    assert {page: found for page, found in missing.items() if found} == {}


def test_pages_name_files_that_exist(root: pathlib.Path) -> None:
    folders = [root / folder for folder in ("docs", "docs/design", "docs/guide", "docs/start")]
    pages = [root / "README.md"]
    pages += [page for folder in folders for page in sorted(folder.glob("*.md"))]
    missing = {str(page): find_missing_files(page.read_text(), root) for page in pages}
    assert {page: found for page, found in missing.items() if found} == {}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("In `Core/Gone.h` and `lib/Core/Gone.cpp`.", ["Core/Gone.h", "lib/Core/Gone.cpp"]),
        ("In `lib/Gone/Json.*`.", ["lib/Gone/Json.*"]),
        ("`Core/Json.h`, `lib/Core/Json.*`, `Core/Json.cpp`, `house/conftest.py`", []),
        ("`lib/<Name>.cpp`, `/tmp/a.lock`, `docs/design`, `CL/opencl.hpp`", []),
    ],
)
def test_missing_file_is_found(root: pathlib.Path, text: str, missing: list[str]) -> None:
    assert find_missing_files(text, root) == missing


def test_versions_that_import_models_are_those_of_the_extra(root: pathlib.Path) -> None:
    project = (root / "pyproject.toml").read_text()
    (extra,) = re.findall(r"models = \[(.*?)\]", project)
    pinned = dict(re.findall(r'"([\w-]+)==([\d.]+)"', extra))
    page = (root / "docs/guide/models.md").read_text()
    rows = re.findall(r"^\| ([\w-]+(?:, [\w-]+)*) \| ([\d.]+) \|", page, re.MULTILINE)
    stated = {name: version for names, version in rows for name in names.split(", ")}
    assert pinned.items() <= stated.items() and set(stated) - set(pinned) == {"torch"}
    tested = (root / "scripts/requirements-test.txt").read_text().splitlines()
    assert {f"jax=={pinned['jax']}", f"jaxlib=={pinned['jaxlib']}"} <= set(tested)


def test_links_resolve(root: pathlib.Path) -> None:
    assert [link for page in find_pages(root) for link in find_broken_links(page)] == []


@pytest.mark.parametrize("index", ["README.md", "docs/guide/index.md"])
def test_every_guide_is_linked(root: pathlib.Path, index: str) -> None:
    page = root / index
    linked = {(page.parent / t).resolve() for t in _LINK.findall(page.read_text())}
    assert set((root / "docs/guide").glob("*.md")) - linked - {page, root / "docs/guide/index.md"} == set()


def test_guide_lists_the_gpus(root: pathlib.Path) -> None:
    table = (root / "lib/Core/GpuChip.cpp").read_text()
    chips = set(re.findall(r"\b(?:nvidia|cdna|rdna)\(\"(\w+)\"", table))
    assert chips
    guide = (root / "docs/guide/gpus.md").read_text()
    assert {chip for chip in chips if f"`{chip}`" not in guide} == set()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Run `scripts/gone.sh`.", ["scripts/gone.sh"]),
        ("See [this](docs/Gone.md#a).", ["docs/Gone.md"]),
        ("```sh\nbuild/bin/tonno-gone a.mlir\n```\n", ["tonno-gone"]),
        ("```\ntonno-gone a.mlir\n```\n", ["tonno-gone"]),
        ("```mlir\nx\n```\n\ntonno-gone\n\n```sh\ntonno-tune a.mlir\n```\n", []),
        ("[web](https://example.org/docs/x) `scripts/test.sh`", []),
    ],
)
def test_missing_name_is_found(root: pathlib.Path, text: str, missing: list[str]) -> None:
    assert find_missing_names(text, root) == missing


OTHER = "# A `name` of <it>\n\n## Twice, [once](a.md)\n\n## Twice, once\n\n```sh\n# Code\n```\n"


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("[a](gone.md)", "gone.md: no such file"),
        ("[a](other.md#gone)", "other.md#gone: no such anchor"),
        ("[a](#gone)", "#gone: no such anchor"),
        ("[a](other.md#code)", "other.md#code: no such anchor"),
        ("[a](other.md#twice-once-2)", "other.md#twice-once-2: no such anchor"),
        ("[a]\n\n[a]: gone.md", "gone.md: no such file"),
        ("| a |\n| [b](sub/gone) |", "sub/gone: no such file"),
    ],
)
def test_broken_link_is_found(tmp_path: pathlib.Path, text: str, broken: str) -> None:
    (tmp_path / "other.md").write_text(OTHER)
    (tmp_path / "page.md").write_text(text)
    assert find_broken_links(tmp_path / "page.md") == [f"{tmp_path / 'page.md'}: {broken}"]


@pytest.mark.parametrize(
    "text",
    [
        "[a](other.md) [b](other.md#a-name-of-it)",
        "[a](other.md#twice-once) [b](other.md#twice-once-1)",
        "## Here\n\n[a](#here) [web](https://example.org/gone#x) [mail](mailto:a@b.c)",
        "`[a](gone.md)`\n\n```\n[b](gone.md)\n```\n",
        "```sh\n# Not a heading\n```\n[a](other.md \"A title\")",
    ],
)
def test_good_link_is_left_alone(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / "other.md").write_text(OTHER)
    (tmp_path / "page.md").write_text(text)
    assert find_broken_links(tmp_path / "page.md") == []
