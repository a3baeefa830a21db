# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where winners are kept."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import autotune
from tonno.jax import CacheWarning

X = jnp.linspace(-1, 1, 16)


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where the process is, with the directory by default."""
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)
    monkeypatch.delenv("TONNO_CACHE_DIR", raising=False)
    return directory


def make(trace: Any = lambda: None) -> Any:
    @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, name="f")
    @jax.jit(static_argnames=["N"])
    def function(x: Any, N: int = 1) -> Any:
        trace()
        return x * 2

    return function


def test_directory_stays_where_it_was_first(tmp_path: pathlib.Path, here: pathlib.Path) -> None:
    later = tmp_path / "later"
    later.mkdir()
    function = make(lambda: os.chdir(later))
    function(X)
    os.chdir(here)
    assert list(later.iterdir()) == []
    left = sorted(path for path in here.rglob("*") if path.is_file())
    assert left == [here / ".tonno-cache" / "f.json", here / ".tonno-cache" / "jax" / "f.json"]
    os.chdir(later)
    function(jnp.ones(3))
    assert list(later.iterdir()) == []


def test_where_the_process_is_may_be_gone(here: pathlib.Path) -> None:
    here.rmdir()
    function = make()
    with pytest.warns(CacheWarning, match="known to this process only"):
        function(X)
    assert len(function.decisions) == 1


@pytest.mark.parametrize("text", [None, "{}", "{ damaged"])
def test_file_may_be_a_link(
    text: str | None, tmp_path: pathlib.Path, here: pathlib.Path
) -> None:
    shared = tmp_path / "shared" / "winners.json"
    shared.parent.mkdir()
    if text is not None:
        shared.write_text(text)
    link = here / ".tonno-cache" / "f.json"
    link.parent.mkdir()
    link.symlink_to(pathlib.Path("..", "..", "shared", "winners.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        make()(X)
    assert link.is_symlink() and list(json.loads(shared.read_text())) == ["cpu"]
    assert list(shared.parent.iterdir()) == [shared]
    damaged = [path.read_text() for path in here.rglob("*.damaged")]
    assert damaged == (["{ damaged"] if text == "{ damaged" else [])
    again = make()
    again(X)
    assert again.decisions[0].source == "cache"


PROGRAM = """
import jax
from tonno import autotune

@autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
@jax.jit(static_argnames=["N"])
def größe(x, N=1):
    return x

größe(1.0)
"""


def test_names_that_files_can_not_have_are_written_in_ascii(
    cache: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    ascii_only = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, program], env={**os.environ, **ascii_only}, check=True)
    assert [path.name for path in cache.glob("*.json")] == ["gr\\xf6\\xdfe.json"]
