#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the files that changed, one path per line; `.` if that is not known.

    changed_files.py

Changed is what differs from the base, whether it is committed or not. The base
is the merge base with origin/main, or the 20th commit before HEAD if origin/main
is missing or contains HEAD. What the base is goes to stderr.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
UPSTREAM = "refs/remotes/origin/main"
COMMITS = 20


@dataclasses.dataclass(frozen=True)
class Changes:
    files: frozenset[pathlib.Path] | None
    """Absolute paths, also of deleted files. None: every file counts as changed."""
    since: str
    """The base, as messages name it; or why it is not known."""

    def touch(self, files: collections.abc.Iterable[pathlib.Path]) -> bool:
        """Returns whether one of the files changed."""
        return self.files is None or not self.files.isdisjoint(files)

    def touch_below(self, folder: pathlib.Path) -> bool:
        """Returns whether a file in the folder changed."""
        return self.files is None or any(file.is_relative_to(folder) for file in self.files)

    def __str__(self) -> str:
        if self.files is None:
            return f"every file counts as changed: {self.since}"
        return f"{len(self.files)} files changed since {self.since}"


def _git(root: pathlib.Path, *arguments: str) -> str:
    """Returns what git prints. Raises OSError or subprocess.CalledProcessError."""
    # A hook of another repository must not choose the repository.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    return subprocess.run(
        ["git", "-C", str(root), *arguments],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        errors="surrogateescape",
    ).stdout


def _merge_base(root: pathlib.Path) -> str | None:
    """Returns the merge base with origin/main, if there is one below HEAD."""
    try:
        base = _git(root, "merge-base", UPSTREAM, "HEAD").strip()
    except subprocess.CalledProcessError:
        return None
    return base if base != _git(root, "rev-parse", "HEAD").strip() else None


def _base(root: pathlib.Path) -> tuple[str | None, str]:
    """Returns the commit to compare with, and its description."""
    if base := _merge_base(root):
        return base, f"origin/main ({base[:12]})"
    count = f"--max-count={COMMITS + 1}"
    commits = _git(root, "rev-list", "--first-parent", count, "HEAD").split()
    if len(commits) < 2:
        return None, "the history at hand is a single commit"
    oldest = commits[-1]
    return oldest, f"{oldest[:12]}, {len(commits) - 1} commits before HEAD"


def _paths(root: pathlib.Path, *arguments: str) -> set[pathlib.Path]:
    return {root / name for name in _git(root, *arguments, "-z").split("\0") if name}


def find(root: pathlib.Path = ROOT) -> Changes:
    """Returns what changed in the tree at `root`."""
    try:
        top = pathlib.Path(_git(root, "rev-parse", "--show-toplevel").strip())
        if not top.samefile(root):
            return Changes(None, "this is no git repository of its own")
        base, since = _base(root)
        if base is None:
            return Changes(None, since)
        files = _paths(root, "diff", "--name-only", "--no-renames", "--no-ext-diff", base)
        files |= _paths(root, "ls-files", "--others", "--exclude-standard")
    except OSError as error:
        return Changes(None, f"git can't be run: {error}")
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or [f"exit status {error.returncode}"]
        return Changes(None, f"git failed: {lines[0]}")
    return Changes(frozenset(files), since)


def main() -> int:
    changes = find()
    print(f"changed files: {changes}", file=sys.stderr)
    for path in sorted({ROOT} if changes.files is None else changes.files):
        sys.stdout.buffer.write(os.fsencode(path.relative_to(ROOT)) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
