# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program tonno-command, which `tonno-tune --run` starts."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from tonno import _core, strategies
from tonno.command.knobs import read_knob
from tonno.command.templates import OUT, Template, format_values
from tonno.command.tuning import tune
from tonno.errors import AllFailed, Error
from tonno.printable import printable
from tonno.results import UNTUNED, Result
from tonno.space import SearchSpace
from tonno.trials import Trial

_NAME = "tonno-command"
_DESCRIPTION = """\
OVERVIEW: tunes anything that builds and runs

EXAMPLES:

  tonno-command --build='gcc -O@O@ -DT=@T@ a.c -o @OUT@' --run=./@OUT@ --knob=O=2,3 --knob=T=8,16 -o a
  tonno-command --run='sort -S @MEMORY@ data -o sorted' --knob=MEMORY=1M,64M --output=sorted

Command lines are split as by a shell, but run without one. @NAME@ stands for the
value of a knob, @OUT@ for a file that the build writes; @@ is @. Candidates are
timed in pairs with the default, and the winner is tested against it.

EXIT STATUS:

  0    a winner, or the default after a tie
  1    no configuration succeeded
  2    the command line is invalid
  130  interrupted by Ctrl-C, 143 by SIGTERM; the best so far is written
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs tonno-command, and returns its exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    try:
        with _open_report(given.report) as report, _ended_by_signals():
            return _tune(given, _make_space(given), report)
    except (Error, OSError, TypeError) as error:
        return _fail(error, 2)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the search as Ctrl-C does."""

    def interrupt(number: int, _: object) -> None:
        raise KeyboardInterrupt(number)

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _make_space(given: argparse.Namespace) -> SearchSpace:
    knobs = [read_knob(text) for text in given.knob]
    if twice := [name for name, count in Counter(k.name for k in knobs).items() if count > 1]:
        raise Error(f"the knob {twice[0]} is given twice")
    defaults = {knob.name: knob.default for knob in knobs if knob.default is not None}
    return SearchSpace({knob.name: knob.options for knob in knobs}, given.constraint, defaults)


def _fail(error: Exception, status: int) -> int:
    print(f"{_NAME}: error: {printable(str(error))}", file=sys.stderr)
    return status


def _open_report(name: str | None) -> contextlib.AbstractContextManager[TextIO | None]:
    """Opens the file before the search, which would be in vain otherwise."""
    return contextlib.nullcontext() if name is None else open(name, "a", encoding="utf-8")


def _tune(given: argparse.Namespace, space: SearchSpace, report: TextIO | None) -> int:
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
            journal=given.journal,
            progress=True if given.verbose else None,
        )
    except AllFailed as failed:
        _write(report, {**_describe_session(given), "trials": _describe_trials(failed.trials)})
        return _fail(failed, 1)
    except KeyboardInterrupt as interrupt:
        status = 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
        if getattr(interrupt, "result", None) is None:
            print(f"{_NAME}: interrupted; nothing was found", file=sys.stderr)
            return status
        found = interrupt.result  # type: ignore[attr-defined]
    for warning in found.warnings:
        print(f"warning: {printable(warning)}", file=sys.stderr)
    print(printable(_describe(found)), file=sys.stderr)
    told = _report(given, found)
    _write(report, told)
    if found.verdict == UNTUNED and given.o:
        print(f"warning: nothing was built for '{printable(given.o)}'", file=sys.stderr)
    for command in ("build", "run"):
        if told.get(command):
            print(shlex.join(told[command]))
    return status


def _write(report: TextIO | None, told: Mapping[str, Any]) -> None:
    if report is not None:
        with contextlib.suppress(OSError):  # a pipe
            report.truncate(0)
        json.dump(told, report, indent=1)
        report.write("\n")


def _describe(found: Result) -> str:
    values = " ".join(f"{name}={text}" for name, text in format_values(found.config).items())
    if found.verdict == UNTUNED:
        return f"{values}: the default, {found.best.message}"
    ok = sum(trial.ok for trial in found.trials)
    text = f"{values}: {found.seconds:.4g} s, {found.verdict or 'no test'}"
    if found.speedup is not None and found.interval is not None:
        low, high = found.interval
        text += f", {found.speedup:.3g}x [{low:.3g}, {high:.3g}]"
    return f"{text}; {ok} of {len(found.trials)} configurations ok; the search ended: {found.ended}"


def _describe_session(given: argparse.Namespace) -> dict[str, Any]:
    return {"seed": given.seed, "strategy": given.strategy, "version": _core.version()}


def _describe_trials(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    return [
        {"values": t.config, "status": t.status, "seconds": t.seconds, "message": t.message}
        for t in trials
    ]


def _report(given: argparse.Namespace, found: Result) -> dict[str, Any]:
    """Returns the result as JSON, with the commands of the winner."""
    told: dict[str, Any] = {
        **_describe_session(given),
        "values": found.config,
        "verdict": found.verdict or "no-baseline",
        "warnings": found.warnings,
    }
    if found.verdict != UNTUNED:
        told |= {"seconds": found.seconds, "search_end": found.ended, "rounds": found.rounds}
    if found.speedup is not None:
        told |= {"speedup": found.speedup, "speedup_interval": found.interval}
    told["trials"] = _describe_trials(found.trials)
    # Relative, so that ./@OUT@ is right, too.
    out = os.path.relpath(given.o or "a.out")
    for name in ("build", "run"):
        if getattr(given, name):
            template = Template(name, getattr(given, name))
            told[name] = template.fill({**format_values(found.config), OUT: out})
    return told


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
        help="file that the run writes, deleted before each run; without --check its bytes must "
        "be those of the default's; - is the standard output; once for each",
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
    add("--unit", metavar="<unit>", default="s", help="unit of --time: s (default), ms, us or ns")
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
    add("--jobs", metavar="<n>", type=int, help="builds at once, at most 4; by default one a processor")
    add("--seed", metavar="<n>", type=int, default=0, help="seed of the search; 0 by default")
    add(
        "--strategy",
        metavar="<name>",
        default="ensemble",
        help=f"one of {', '.join(strategies())}",
    )
    add("--mode", metavar="<mode>", help="tune, cached or off; else that of TONNO_MODE")
    add("--journal", metavar="<file>", help="file that keeps each trial; a search continues its own")
    add("--verbose", action="store_true", help="a line for each trial")
    add("--version", action="version", version=f"tonno-command {_core.version()}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
