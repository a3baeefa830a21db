#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records spaces of commands on this machine, as CSV files for replays.

    record.py OUT [--space=NAME]... [--trials=N]

Each point of a space is built, run and checked by `tonno.command.tune`, and timed in pairs with
the default. Give the machine nothing else to do: a space takes some minutes. Needs gcc, zstd and
sqlite3.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gzip
import io
import math
import pathlib
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import tonno

_ROWS = 2000
_BEST, _REPEATS = 25, 3
"""Points that are timed again, and how often."""
_HERE = pathlib.Path(__file__).resolve().parent


class Space(NamedTuple):
    knobs: Mapping[str, list[Any]]
    """The first option of each is the default."""
    commands: Mapping[str, Any]
    """Arguments of `tonno.command.tune`."""
    prepare: Callable[[pathlib.Path], None]
    """Writes the files that the commands read into a folder."""


def _copy_sources(folder: pathlib.Path) -> None:
    for file in _HERE.glob("*.[ch]"):
        shutil.copy(file, folder)


def _program(name: str, flag: str, **macros: list[int]) -> Space:
    """`flag`: of gcc, as in -fFLAG and -fno-FLAG."""
    flags = {
        "LEVEL": [2, 3],
        "MARCH": ["x86-64", "x86-64-v3"],
        "FLAG": [f"no-{flag}", flag],
    }
    defined = " ".join(f"-D{macro}=@{macro}@" for macro in macros)
    commands = {
        "build": f"gcc -O@LEVEL@ -march=@MARCH@ -f@FLAG@ {defined} {name}.c -o @OUT@",
        "run": "./@OUT@",
        "outputs": ["results"],
        "time": "seconds",
    }
    return Space({**macros, **flags}, commands, _copy_sources)


def _write_text(folder: pathlib.Path) -> None:
    """Writes half a megabyte of words, few of which are frequent, with phrases that come again."""
    chance = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    weights = [1 / (i + 2) for i in range(len(letters))]
    words = ["".join(chance.choices(letters, weights, k=chance.randint(2, 9))) for _ in range(8000)]
    frequency = [1 / (i + 5) for i in range(len(words))]
    phrases = [chance.choices(words, frequency, k=12) for _ in range(400)]
    text: list[str] = []
    while len(text) < 80_000:
        text += chance.choice(phrases) if chance.random() < 0.03 else chance.choices(words, frequency, k=8)
    (folder / "text").write_text(" ".join(text))


def _write_load(folder: pathlib.Path) -> None:
    """Writes statements that fill, change and ask a database."""
    chance = random.Random(1)
    lines = ["create table sales (id integer primary key, shop int, item int, price real, note text);"]
    for _ in range(4):
        lines.append("begin;")
        for _ in range(_ROWS // 4):
            shop, item = chance.randrange(40), chance.randrange(3000)
            note = "x" * chance.randrange(120)
            lines.append(
                f"insert into sales (shop, item, price, note) values "
                f"({shop}, {item}, {chance.randrange(10000) / 100}, '{note}');"
            )
        lines.append("commit;")
    lines.append("create index by_item on sales (item);")
    for _ in range(3):
        lines.append(f"update sales set price = price + 1 where shop = {chance.randrange(40)};")
    lines += [
        "select shop, sum(price) from sales group by shop order by 2 desc limit 3;",
        "select count(*) from sales a join sales b using (item) where a.shop < b.shop;",
        "select note, count(*) from sales group by note order by 2 desc, 1 limit 3;",
    ]
    (folder / "load.sql").write_text("\n".join(lines) + "\n")


_PRAGMAS = {
    "page_size": [4096, 1024, 16384, 65536],
    "cache_size": [-2000, -200, -20000],
    "journal_mode": ["memory", "delete", "wal", "truncate"],
    "synchronous": ["off", "normal", "full"],
    "temp_store": ["file", "memory"],
    "locking_mode": ["normal", "exclusive"],
}
_CHECK = f"""select case when count(*) = {_ROWS} and total(price) > 0 then 1
                    else json('wrong') end from sales"""
"""Fails for other rows: no other way makes the shell of SQLite exit with 1."""
_ZSTD = {
    "strat": [3, 1, 2, 4, 5, 6],
    "wlog": [20, 17],
    "hlog": [17, 14, 20],
    "clog": [17, 14, 20],
    "slog": [3, 1, 5],
    "mml": [5, 3, 7],
}
_UNPACK = """
import pathlib, subprocess, sys
packed, text = pathlib.Path("packed"), pathlib.Path("text").read_bytes()
unpacked = subprocess.run(["zstd", "-qdc", "packed"], stdout=subprocess.PIPE, check=True).stdout
sys.exit(unpacked != text or packed.stat().st_size > 185_000)
"""
"""Half of the points of zstd's space write more bytes, and fail."""
SPACES: Mapping[str, Space] = {
    "gemm": _program(
        "gemm",
        "fast-math",
        TILE_I=[32, 8, 64, 192],
        TILE_J=[64, 16, 192],
        TILE_K=[32, 8, 192],
        ORDER=[0, 1, 2],
    ),
    "jacobi": _program(
        "jacobi",
        "unroll-loops",
        TILE_I=[32, 4, 16, 128, 256, 512],
        TILE_J=[512, 16, 64],
        ROWS_FIRST=[1, 0],
        SWAP=[0, 1],
    ),
    "mvt": _program(
        "mvt",
        "fast-math",
        TILE_I=[64, 4, 8, 16, 256, 1536],
        TILE_J=[128, 32, 512, 1536],
        ORDER=[0, 1, 2],  # a knob without effect
    ),
    "zstd": Space(
        _ZSTD,
        {
            "run": "zstd -q -f -T1 --zstd=" + ",".join(f"{k}=@{k}@" for k in _ZSTD) + " text -o packed",
            "outputs": ["packed"],
            "check": [sys.executable, "-c", _UNPACK],
        },
        _write_text,
    ),
    "sqlite": Space(
        _PRAGMAS,
        {
            "run": [
                "sqlite3",
                "-batch",
                *(word for name in _PRAGMAS for word in ("-cmd", f"pragma {name} = @{name}@")),
                "base",
                ".read load.sql",
            ],
            "outputs": ["base"],
            "check": ["sqlite3", "-bail", "base", _CHECK],
        },
        _write_load,
    ),
}




def record(name: str, trials: int) -> list[tonno.Trial]:
    """Returns the trials of the first points of a space. The best ones are timed again: the best of
    many noisy times is too good."""
    space = SPACES[name]
    with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
        space.prepare(pathlib.Path(folder))
        tune = functools.partial(
            tonno.command.tune, space=space.knobs, folder=folder, **space.commands
        )
        found = tune(strategy="exhaustive", budget_trials=trials).trials
        timed = sorted((t for t in found if t.seconds is not None), key=lambda t: t.seconds or 0)
        again: dict[str, list[tonno.Trial]] = {}
        for _ in range(_REPEATS):
            best = [dict(trial.config) for trial in timed[:_BEST]]
            for trial in tune(start=best, budget_trials=1 + len(best)).trials:
                again.setdefault(str(trial.config), []).append(trial)
    return [_combine([trial, *again.get(str(trial.config), [])]) for trial in found]


def _combine(trials: list[tonno.Trial]) -> tonno.Trial:
    """Returns the trial of the median time; the first if it was not repeated."""
    if len(trials) == 1:
        return trials[0]
    timed = sorted((t for t in trials[1:] if t.seconds is not None), key=lambda t: t.seconds or 0)
    return timed[len(timed) // 2]


def write(trials: list[tonno.Trial], knobs: list[str], file: pathlib.Path) -> None:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*knobs, "time_ms", "status"])
    for trial in trials:
        time = "" if trial.seconds is None else f"{1e3 * trial.seconds:.4g}"
        # A pruned point has the time at which it was given up, clearly more than the best.
        status = "ok" if trial.seconds is not None else trial.status
        table.writerow([*(trial.config[knob] for knob in knobs), time, status])
    file.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--space", action="append", choices=SPACES, default=[])
    parser.add_argument("--trials", type=int, help="at most, instead of all points")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.space or SPACES:
        knobs = SPACES[name].knobs
        points = math.prod(len(options) for options in knobs.values())
        trials = record(name, min(points, given.trials or points))
        write(trials, list(knobs), given.out / f"{name}.csv.gz")
        print(f"{name}: {len(trials)} of {points} points", flush=True)


if __name__ == "__main__":
    main()
