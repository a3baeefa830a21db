# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program tonno-command, which `tonno-tune --run` starts."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tonno import _core, strategies
from tonno.command.knobs import read_knob
from tonno.command.templates import OUT, Template, text_of
from tonno.command.tuning import tune
from tonno.errors import AllFailed, Error
from tonno.printable import printable
from tonno.results import UNTUNED, Result
from tonno.space import SearchSpace
from tonno.trials import Configuration

_NAME = "tonno-tune"
_DESCRIPTION = """\
OVERVIEW: tunes anything that builds and runs

EXAMPLES:

  tonno-tune --build='gcc -O@LEVEL@ -DTILE=@TILE@ product.c -o @OUT@' \\
    --run='./@OUT@' --knob=LEVEL=1,2,3 --knob='TILE=pow2<8 to 64>' --output=- \\
    -o product
  tonno-tune --run='sort -S @MEMORY@ --parallel=@THREADS@ data -o sorted' \\
    --knob=MEMORY=1M,16M,256M --knob='THREADS=range<1 to 8>' --output=sorted

Command lines are split as by a shell, but run without one. @NAME@ stands for the
value of a knob, @OUT@ for a file that the build writes; @@ is @. Candidates are
timed in pairs with the default, and the winner is tested against it.

EXIT STATUS:

  0    a winner, or the default after a tie
  1    no configuration succeeded
  2    the command line is invalid
  130  interrupted; the best so far is written
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs tonno-command, and returns its exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    try:
        return _tune(given, _make_space(given))
    except AllFailed as failed:
        return _fail(failed, 1)
    except (Error, OSError) as error:
        return _fail(error, 2)


def _make_space(given: argparse.Namespace) -> SearchSpace:
    knobs = [read_knob(text) for text in given.knob]
    if twice := [name for name, count in Counter(k.name for k in knobs).items() if count > 1]:
        raise Error(f"the knob {twice[0]} is given twice")
    defaults = {knob.name: knob.default for knob in knobs if knob.default is not None}
    return SearchSpace({knob.name: knob.options for knob in knobs}, given.constraint, defaults)


def _fail(error: Exception, status: int) -> int:
    print(f"{_NAME}: error: {printable(str(error))}", file=sys.stderr)
    return status


def _tune(given: argparse.Namespace, space: SearchSpace) -> int:
    status = 0
    try:
        found = tune(
            given.run,
            space,
            build=given.build,
            check=given.check,
            outputs=given.output,
            time=given.time,
            unit=given.unit,
            keep=given.o,
            build_seconds=given.build_seconds,
            run_seconds=given.run_seconds,
            jobs=given.jobs,
            budget_trials=given.budget_trials,
            budget_seconds=given.budget_seconds,
            seed=given.seed,
            strategy=given.strategy,
            mode=given.mode,
            progress=True if given.verbose else None,
        )
    except KeyboardInterrupt as interrupt:
        if getattr(interrupt, "result", None) is None:
            print(f"{_NAME}: interrupted; nothing was found", file=sys.stderr)
            return 130
        found, status = interrupt.result, 130  # type: ignore[attr-defined]
    for warning in found.warnings:
        print(f"warning: {printable(warning)}", file=sys.stderr)
    print(printable(_describe(found, len(space.knobs))), file=sys.stderr)
    told = _report(given, found)
    if given.report:
        with open(given.report, "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)
            file.write("\n")
    for command in ("build", "run"):
        if told.get(command):
            print(shlex.join(told[command]))
    return status


def _describe(found: Result, knobs: int) -> str:
    values = " ".join(f"{name}={text_of(value)}" for name, value in found.config.items())
    if found.verdict == UNTUNED:
        return f"{values}: the default, {found.best.message}"
    ok = sum(trial.ok for trial in found.trials)
    text = f"{values}: {found.seconds:.4g} s, {found.verdict or 'no test'}"
    if found.speedup is not None and found.interval is not None:
        low, high = found.interval
        text += f", {found.speedup:.3g}x [{low:.3g}, {high:.3g}]"
    return f"{text}; {ok} of {len(found.trials)} configurations ok; the search ended: {found.ended}"


def _report(given: argparse.Namespace, found: Result) -> dict[str, Any]:
    """Returns the result as JSON, with the commands of the winner."""
    told: dict[str, Any] = {
        "values": found.config,
        "verdict": found.verdict,
        "seed": given.seed,
        "strategy": given.strategy,
        "version": _core.version(),
        "warnings": found.warnings,
    }
    if found.verdict != UNTUNED:
        told |= {"seconds": found.seconds, "search_end": found.ended, "rounds": found.rounds}
    if found.speedup is not None:
        told |= {"speedup": found.speedup, "speedup_interval": found.interval}
    told["trials"] = [
        {
            "values": trial.config,
            "status": trial.status,
            "seconds": trial.seconds,
            "message": trial.message,
        }
        for trial in found.trials
    ]
    out = given.o or "a.out"
    for name in ("build", "run"):
        if getattr(given, name):
            told[name] = _fill(Template(name, getattr(given, name)), found.config, out)
    return told


def _fill(template: Template, config: Configuration, out: str) -> list[str]:
    values = {name: text_of(value) for name, value in config.items()}
    return template.fill({**values, OUT: out})


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        _NAME,
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--run", metavar="<command>", required=True, help="command that is timed")
    add("--build", metavar="<command>", help="command that compiles a configuration")
    add(
        "--knob",
        metavar="<name=domain>",
        action="append",
        required=True,
        help="options of a knob: 'TILE=8,16,32', 'TILE=pow2<8 to 64> default 16', "
        "'LEVEL=range<1 to 9>'; the default is the first; once for each",
    )
    add(
        "--constraint",
        metavar="<condition>",
        action="append",
        default=[],
        help="condition on knobs, such as 'TILE * BLOCK <= 1024'; once for each",
    )
    add(
        "--output",
        metavar="<file>",
        action="append",
        default=[],
        help="file that the run writes, whose bytes must be those of the default's; - is its "
        "standard output; once for each",
    )
    add(
        "--check",
        metavar="<command>",
        help="command that exits with 0 if what the run has written is right",
    )
    add(
        "--time",
        metavar="<field>",
        help="number in the JSON object that the run prints: the run's own time, such as "
        "'times.total'; by default the time from its start to its end",
    )
    add("--unit", choices=["s", "ms", "us", "ns"], default="s", help="unit of --time")
    add("-o", metavar="<file>", help="file for the winner's @OUT@, as it was measured")
    add("--report", metavar="<file>", help="file for the result and all trials, in JSON")
    add("--budget-trials", metavar="<n>", type=int, default=60, help="most trials; 60 by default")
    add(
        "--budget-seconds",
        metavar="<s>",
        type=float,
        default=math.inf,
        help="time after which no trial begins",
    )
    add(
        "--build-seconds",
        metavar="<s>",
        type=float,
        default=300,
        help="time limit of a build; 300 by default",
    )
    add(
        "--run-seconds",
        metavar="<s>",
        type=float,
        default=60,
        help="time limit of a run and of the checker; 60 by default",
    )
    add("--jobs", metavar="<n>", type=int, help="builds at once; by default one a processor")
    add("--seed", metavar="<n>", type=int, default=0, help="seed of the search; 0 by default")
    add(
        "--strategy",
        metavar="<name>",
        default="ensemble",
        help=f"one of {', '.join(strategies())}",
    )
    add("--mode", metavar="<mode>", help="tune, cached or off; else that of TONNO_MODE")
    add("--verbose", action="store_true", help="a line for each trial")
    add("--version", action="version", version=f"tonno-command {_core.version()}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
