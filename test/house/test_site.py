# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation site builds without a warning, and its links lead somewhere."""

from __future__ import annotations

import html.parser
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import pytest


class _Page(html.parser.HTMLParser):
    """Collects the anchors and the targets of links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(v for k in ("id", "name") if (v := given.get(k)))
        self.targets.update(v for k in ("href", "src") if (v := given.get(k)))


def find_broken_links(site: pathlib.Path) -> list[str]:
    """Returns the links of a built site to pages, files and anchors that it does not have."""
    pages = {path: _Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    broken = []
    for path, page in pages.items():
        for target in sorted(page.targets):
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            linked = path.parent / urllib.parse.unquote(parts.path) if parts.path else path
            linked = linked.resolve() / "index.html" if linked.is_dir() else linked.resolve()
            anchor = urllib.parse.unquote(parts.fragment)
            if not linked.exists():
                broken.append(f"{path.relative_to(site)}: {target}: no such file")
            elif anchor and linked in pages and anchor not in pages[linked].anchors:
                broken.append(f"{path.relative_to(site)}: {target}: no such anchor")
    return broken


def build_site(
    root: pathlib.Path, build: pathlib.Path, folder: pathlib.Path
) -> subprocess.CompletedProcess[str]:
    command = [str(root / "scripts/docs.sh"), "build", str(build), str(folder)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="session")
def site(root: pathlib.Path, build: pathlib.Path) -> pathlib.Path:
    done = build_site(root, build, build / "site")
    assert done.returncode == 0, done.stderr
    return (build / "site").resolve()


def test_site_builds_and_its_links_resolve(site: pathlib.Path) -> None:
    assert len(list(site.rglob("*.html"))) > 80
    assert find_broken_links(site) == []


def test_every_page_can_be_found(root: pathlib.Path, site: pathlib.Path) -> None:
    index = (site / "searchindex.js").read_text()
    pages = [path.relative_to(root / "docs") for path in (root / "docs").rglob("*.md")]
    assert [str(page) for page in pages if f'"{page.with_suffix("")}"' not in index] == []


def test_mistakes_of_a_page_are_errors(
    root: pathlib.Path, build: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts/docs.sh", tmp_path / "scripts")
    shutil.copytree(root / "docs/_ext", tmp_path / "docs/_ext")
    shutil.copy(root / "docs/conf.py", tmp_path / "docs")
    page = "# A\n\n[a](file.md) [b](#anchor)\n\n```{toctree}\npage\n```\n"
    (tmp_path / "docs/index.md").write_text(page)
    done = build_site(tmp_path, build, tmp_path / "site")
    assert done.returncode != 0
    for missing in ("'file.md'", "'anchor'", "'page'"):
        assert missing in done.stderr


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("gone.html", "no such file"),
        ("b.html#gone", "no such anchor"),
        ("#gone", "no such anchor"),
        ("b.html#here", None),
        ("#there", None),
        ("https://example.org/gone#x", None),
    ],
)
def test_broken_link_is_found(
    tmp_path: pathlib.Path, target: str, problem: str | None
) -> None:
    (tmp_path / "a.html").write_text(f'<a id="there" href="{target}">x</a>')
    (tmp_path / "b.html").write_text('<p id="here">')
    expected = [f"a.html: {target}: {problem}"] if problem else []
    assert find_broken_links(tmp_path.resolve()) == expected


_DATED = re.compile(r"^(Date: )?\d{4}-\d\d-\d\d[.,] (Status: )?(accepted|superseded)", re.M)


def find_mistaken_decisions(folder: pathlib.Path) -> list[str]:
    """Returns decisions without a number in the title, a date or a status, and the numbers
    that neither a file nor the index page accounts for."""
    files = sorted(folder.glob("[0-9]*.md"))
    numbers = [int(file.name[:4]) for file in files]
    mistaken = []
    for file, number in zip(files, numbers):
        head = "\n".join(file.read_text().split("\n")[:4])
        if not head.startswith(f"# {number}. ") or not _DATED.search(head):
            mistaken.append(file.name)
    index = (folder / "index.md").read_text()
    missing = set(range(1, max(numbers))) - set(numbers)
    return mistaken + [str(n) for n in sorted(missing) if f"no decision {n}" not in index]


def test_decisions_have_number_date_and_status(root: pathlib.Path) -> None:
    assert find_mistaken_decisions(root / "docs/adr") == []


def test_mistaken_decision_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "index.md").write_text("There is no decision 3.\n")
    (tmp_path / "0001-a.md").write_text("# 1. A\n\nDate: 2026-11-20. Status: accepted.\n")
    (tmp_path / "0002-b.md").write_text("# 2. B\n\nWithout a date.\n")
    (tmp_path / "0006-c.md").write_text("# 6. C\n\n2026-11-20, accepted.\n")
    assert find_mistaken_decisions(tmp_path) == ["0002-b.md", "4", "5"]
