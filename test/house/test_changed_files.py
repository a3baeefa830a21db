# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changed is found in every kind of checkout, or everything counts as changed."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import changed_files
import pytest


class Repository:
    def __init__(self, root: pathlib.Path) -> None:
        self.root = root

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(self.root), *identity, *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def write(self, name: str, text: str = "") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, name: str) -> None:
        self.write(name, name)
        self.git("add", name)
        self.git("commit", "--quiet", "-m", f"Add {name}")

    def set_upstream(self, commit: str) -> None:
        self.git("update-ref", changed_files.UPSTREAM, commit)

    def changed(self) -> set[str]:
        files = changed_files.find(self.root).files
        assert files is not None
        return {str(file.relative_to(self.root)) for file in files}

    def reason(self) -> str:
        """Returns why every file counts as changed."""
        changes = changed_files.find(self.root)
        assert changes.files is None
        assert changes.touch([]) and changes.touch_below(self.root / "lib")
        assert str(changes) == f"every file counts as changed: {changes.since}"
        return changes.since


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = Repository(tmp_path_factory.mktemp("history"))
    made.git("init", "--quiet", "-b", "main")
    for number in range(25):
        made.commit(f"f{number}")
    return made.root


@pytest.fixture
def repository(history: pathlib.Path, tmp_path: pathlib.Path) -> Repository:
    """A repository of 25 commits, f0 to f24."""
    return Repository(shutil.copytree(history, tmp_path / "made"))


LAST_20 = {f"f{number}" for number in range(5, 25)}


def test_branch_is_compared_with_upstream(repository: Repository) -> None:
    repository.set_upstream("HEAD~2")
    assert repository.changed() == {"f23", "f24"}
    assert "origin/main" in changed_files.find(repository.root).since


def test_what_upstream_changed_since_is_left_out(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "theirs", "HEAD~2")
    repository.commit("theirs")
    repository.set_upstream("HEAD")
    repository.git("checkout", "--quiet", "main")
    assert repository.changed() == {"f23", "f24"}


@pytest.mark.parametrize("upstream", [None, "HEAD"])
def test_last_commits_count_without_upstream(
    repository: Repository, upstream: str | None
) -> None:
    if upstream:
        repository.set_upstream(upstream)
    assert repository.changed() == LAST_20


def test_last_commits_count_below_upstream(repository: Repository) -> None:
    """Where HEAD is older than origin/main, nothing would differ from the merge base."""
    repository.set_upstream("HEAD")
    repository.git("checkout", "--quiet", "HEAD~1")
    assert repository.changed() == {f"f{number}" for number in range(4, 24)}


def test_unrelated_upstream_is_ignored(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit("other")
    repository.set_upstream("HEAD")
    repository.git("checkout", "--quiet", "--force", "main")
    assert repository.changed() == LAST_20


def test_uncommitted_and_untracked_files_count(repository: Repository) -> None:
    repository.set_upstream("HEAD~1")
    repository.write(".gitignore", "/build/\n")
    repository.write("build/ignored")
    repository.write("new/name with ü")
    repository.write("f0", "changed")
    repository.git("rm", "--quiet", "f1")
    repository.git("mv", "f2", "moved")
    expected = {"f24", "f0", "f1", "f2", "moved", ".gitignore", "new/name with ü"}
    assert repository.changed() == expected


def clone(repository: Repository, depth: int) -> Repository:
    root = repository.root.parent / "clone"
    source = f"file://{repository.root}"
    repository.git("clone", "--quiet", f"--depth={depth}", source, str(root))
    return Repository(root)


def test_shallow_history_counts_from_its_oldest_commit(repository: Repository) -> None:
    assert clone(repository, 3).changed() == {"f23", "f24"}


def test_single_commit_is_no_base(repository: Repository) -> None:
    assert "single commit" in clone(repository, 1).reason()


def test_unpacked_tree_has_no_base(repository: Repository) -> None:
    shutil.rmtree(repository.root / ".git")
    assert "not a git repository" in repository.reason()


def test_tree_in_another_repository_has_no_base(repository: Repository) -> None:
    """For example one that was unpacked in a checkout of a package's files."""
    repository.write("unpacked/CMakeLists.txt")
    assert "of its own" in Repository(repository.root / "unpacked").reason()


def test_missing_git_is_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git can't be run" in repository.reason()


def test_hook_does_not_choose_the_repository(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    assert repository.changed() == LAST_20
