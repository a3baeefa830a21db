# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands and the code that the pages show.

The blocks of a page run in their order, in a folder of the page's own that has the
files of `fixtures` and links to `benchmarks`, `examples`, `python`, `test`, `scripts` and the build tree:

- `sh` and `console` by bash; of `console` the lines after `$ `;
- `mlir` is parsed by tonno-opt;
- `python` of a page is one program, with the page's setup from snippets.toml before it;
- a block after `<!-- snippet: file=NAME -->` is written to that file.

tonno-tune has two trials, whatever the page says. snippets.toml lists the blocks that run
as something else, or not at all, and the pages that are left out, each with its reason.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tomllib

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LISTED = tomllib.loads((HERE / "snippets.toml").read_text())

_BLOCK = re.compile(
    r"(?:^<!-- snippet: file=(?P<file>\S+) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_RUN = {"sh", "console", "python", "mlir"}
_SHOWN = {"", "text", "json"}
"""Output, which nothing runs."""


@dataclasses.dataclass
class Block:
    language: str
    code: str
    file: str | None = None
    listed: dict[str, str] | None = None
    """The entry of snippets.toml, if there is one."""

    @property
    def first_line(self) -> str:
        return self.code.partition("\n")[0].strip()


def read_blocks(page: str) -> list[Block]:
    return [
        Block(m["language"], re.sub(f"(?m)^{m['indent']}", "", m["code"]), m["file"])
        for m in _BLOCK.finditer(page)
    ]


def list_entries(blocks: list[Block], entries: list[dict[str, str]]) -> list[str]:
    """Gives blocks their entries; returns those of entries without a block."""
    stale = []
    for entry in entries:
        named = [b for b in blocks if b.first_line.startswith(entry["block"])]
        for block in named:
            block.listed = entry
        if not named:
            stale.append(f"{entry['page']}: {entry['block']}")
    return stale


def read_commands(block: Block) -> str:
    """Returns the script of a block of commands."""
    if block.language == "sh":
        return block.code
    lines = [line[2:] for line in block.code.splitlines() if line.startswith("$ ")]
    return "\n".join(lines) + "\n" if lines else ""


def find_pages() -> list[str]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = {str(page.relative_to(ROOT)): page.read_text() for page in pages}
    left_out = LISTED["pages"]
    return [name for name, text in texts.items() if find_runnable(text) and name not in left_out]


def find_runnable(text: str) -> list[Block]:
    return [b for b in read_blocks(text) if b.language not in _SHOWN]


def entries_of(page: str) -> list[dict[str, str]]:
    return [entry for entry in LISTED["block"] if entry["page"] == page]


def prepare_folder(folder: pathlib.Path, build: pathlib.Path) -> None:
    for name in ("benchmarks", "examples", "python", "test", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").symlink_to(build)
    for file in (HERE / "fixtures").iterdir():
        shutil.copy(file, folder)
        (folder / file.name).chmod(stat.S_IRUSR | stat.S_IWUSR)


class Page:
    """Runs the blocks of a page."""

    def __init__(self, folder: pathlib.Path, tools: pathlib.Path) -> None:
        self.folder = folder
        self.environment = dict(
            os.environ,
            PATH=f"{tools}:{os.environ['PATH']}",
            TONNO_TOOLS_DIR=str(tools),
            HOME=str(folder),
            JAX_PLATFORMS="cpu",
        )
        for name in ("TONNO_MODE", "TONNO_CACHE_DIR", "TONNO_STORE"):
            self.environment.pop(name, None)

    def run(self, command: list[str], text: str) -> str:
        """Returns why the command failed, or nothing."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if done.returncode == 0:
            return ""
        return f"status {done.returncode} of:\n{text}\n{done.stdout[-3000:]}"

    def run_block(self, block: Block) -> str:
        if block.file:
            (self.folder / block.file).write_text(block.code)
        if block.listed:
            script = block.listed.get("run", "")
            return self.run_script(script.replace("build/bin/", "")) if script else ""
        if block.language == "mlir":
            (self.folder / "block.mlir").write_text(block.code)
            return self.run(["tonno-opt", "block.mlir", "-o", "/dev/null"], block.code)
        if block.language in ("sh", "console"):
            return self.run_script(read_commands(block).replace("build/bin/", ""))
        return ""

    def run_script(self, script: str) -> str:
        return self.run(["bash", "-euo", "pipefail", "-c", script], script) if script else ""

    def run_python(self, blocks: list[Block], setup: str) -> str:
        code = [setup]
        for block in blocks:
            if block.language == "python" and not block.listed:
                code.append(block.code)
        program = "\n".join(code)
        return self.run([sys.executable, "-c", program], program) if len(code) > 1 else ""


@pytest.mark.parametrize("page", find_pages())
def test_blocks_run(
    page: str, build: pathlib.Path, tools: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    blocks = find_runnable((ROOT / page).read_text())
    assert list_entries(blocks, entries_of(page)) == []
    others = {b.language for b in blocks if not b.listed and not b.file} - _RUN
    assert others == set(), "snippets.toml gives the reason why these do not run"
    prepare_folder(tmp_path, build)
    runner = Page(tmp_path, tools)
    problems = [runner.run_block(block) for block in blocks]
    problems.append(runner.run_python(blocks, LISTED["setup"].get(page, "")))
    assert "\n\n".join(filter(None, problems)) == ""


def test_every_listed_block_has_a_page_and_a_reason() -> None:
    pages = set(find_pages())
    for entry in LISTED["block"]:
        assert set(entry) <= {"page", "block", "reason", "run"}
        assert entry["page"] in pages, entry
        assert len(entry["reason"]) > 10, entry
    assert set(LISTED["setup"]) <= pages
    assert [page for page in LISTED["pages"] if not (ROOT / page).exists()] == []


PAGE = """# A

<!-- snippet: file=a.mlir -->
```mlir
module {}
```

1. b

   ```sh
   false
   ```

```console
$ cat a.mlir
module {}
$ test -e build/bin
```

```
output
```
"""


def test_blocks_of_a_page_are_found() -> None:
    blocks = read_blocks(PAGE)
    assert [block.language for block in blocks] == ["mlir", "sh", "console", ""]
    assert [block.file for block in blocks] == ["a.mlir", None, None, None]
    assert blocks[1].code == "false\n"
    assert read_commands(blocks[2]) == "cat a.mlir\ntest -e build/bin\n"
    assert len(find_runnable(PAGE)) == 3


def test_failure_of_a_block_is_found(tmp_path: pathlib.Path, tools: pathlib.Path) -> None:
    runner = Page(tmp_path, tools)
    script, mistake = Block("sh", "false | true\n"), Block("mlir", "func.func @f( {}\n")
    assert "status 1" in runner.run_block(script)
    assert "expected" in runner.run_block(mistake)
    assert "ZeroDivisionError" in runner.run_python([Block("python", "1 / 0\n")], "")
    entry = {"page": "a.md", "block": "false", "reason": "fails", "run": "true"}
    assert list_entries([script], [entry, entry | {"block": "gone"}]) == ["a.md: gone"]
    assert runner.run_block(script) == ""
