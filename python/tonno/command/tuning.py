# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tune`: a search over what commands build and run."""

from __future__ import annotations

import functools
import math
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tonno import frontends
from tonno.command.programs import Clock, Commands, Programs
from tonno.command.templates import OUT, Template, check_overwriting, check_places
from tonno.errors import Error
from tonno.modes import mode_in_force
from tonno.progress import ProgressReport
from tonno.proposals import Proposer
from tonno.results import Followed, Result, search, untuned
from tonno.space import SearchSpace

UNVERIFIED = (
    "nothing verifies what the commands write: give outputs to compare with those of the default, "
    "or a checker"
)
Command = str | Sequence[str]
_MOST_PENDING = 4
"""Configurations that are built before one of them is timed: as of `tonno-tune` on the host."""


def tune(
    run: Command,
    space: SearchSpace | Mapping[str, Iterable[Any]],
    *,
    build: Command | None = None,
    check: Command | None = None,
    outputs: Sequence[str] = (),
    time: str | None = None,
    unit: str = "s",
    keep: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] = ".",
    environment: Mapping[str, str] | None = None,
    build_seconds: float = 300,
    run_seconds: float = 60,
    jobs: int | None = None,
    budget_trials: int = 60,
    budget_seconds: float = math.inf,
    seed: int = 0,
    strategy: str = "ensemble",
    start: Iterable[Mapping[str, Any]] = (),
    fix: Mapping[str, Any] | None = None,
    proposer: Proposer | None = None,
    mode: str | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    callbacks: Iterable[Callable[[ProgressReport], object]] = (),
    lock: str | None = "host",
) -> Result:
    """Finds the configuration whose command takes the least time.

        result = tonno.command.tune(
            build="gcc -O@LEVEL@ -DTILE=@TILE@ product.c -o @OUT@",
            run="./@OUT@ 512",
            space={"LEVEL": [1, 2, 3], "TILE": [8, 16, 32, 64]},
            outputs=["-"])

    A command is split as a shell would, or is a list of words, and runs without a shell, with
    nothing on its standard input. In its words, `@NAME@` stands for the value of a knob, and
    `@OUT@` for the path of a file that the build writes, from `folder`; the folder of this file is
    the configuration's own. A build without it must name its file by its knobs, and the run, too.
    `@@` is `@`. Booleans are 1 and 0, items of tuples have commas between.

    Candidates are timed in pairs with the default, and the winner is tested against it, as by
    `tonno.minimize`. A command that ends late is killed with all processes that it has started.

        run: the command that is timed; an exit status other than 0 is a failure
        space: a SearchSpace, or its knobs: a dict of lists, such as {"TILE": [8, 16]}
        build: the command that compiles a configuration, not timed; several run at once
        check: a command that exits with 0 if what the run has written is right
        outputs: list of files that the run writes, as paths with places; they are deleted
            before each run. Without `check`, their bytes must be those of the default's. "-" is
            the standard output
        time: the name of a number in the JSON object that the run prints, as "seconds" or
            "times.total": the run's own time; by default from its start to its end
        unit: of this number: "s", "ms", "us" or "ns"
        keep: a file for the winner's `@OUT@`: what was measured, not built anew
        folder, environment: of the commands; by default those of this process, without
            credentials of tonno
        build_seconds, run_seconds: limits for one command
        jobs: number of builds at once, at most 4; by default one for each processor
        budget_trials, budget_seconds, seed, strategy, start, fix, proposer, mode, journal,
        progress, callbacks, lock: as of `tonno.minimize`. The logger is `tonno.command`. A
            journal is of the commands, folder, environment, time and outputs, too

    The build fails as `compile_error`, `compile_crash` or `compile_timeout`; the run as `fault`,
    `hang`, `load_error` if it can't start, or `wrong`; the default as `nondeterministic` if two
    runs write different outputs. Without `outputs` and `check` there is a warning in the result.

    Raises `tonno.Error` for a command line that can't be split, a place without a knob, a knob
    without a place, builds that overwrite each other, and options that contradict each other; and
    what `tonno.minimize` raises.
    """
    if not isinstance(space, SearchSpace):
        space = SearchSpace(space)
    if fix:
        space = space.fix(fix)
    if isinstance(outputs, str):
        raise TypeError(f"outputs must be a list of files, not the text {outputs!r}")
    if not pathlib.Path(folder).is_dir():
        raise Error(f"the folder '{os.fspath(folder)}' is not a directory")
    for name, value in (environment or {}).items():
        if not (isinstance(name, str) and isinstance(value, str)):
            raise TypeError(f"environment must have texts, not {name!r}: {value!r}")
    commands = Commands(
        Template("run", run),
        None if build is None else Template("build", build),
        None if check is None else Template("check", check),
        [Template("output", [name]) for name in outputs],
    )
    check_places(
        [*filter(None, (commands.build, commands.run))],
        [*filter(None, (commands.check,)), *commands.outputs],
        list(space.knobs),
        is_built=build is not None,
    )
    if commands.build is not None:
        check_overwriting(commands.build, commands.run)
    if lock not in ("host", None):
        raise Error(f"lock must be 'host' or None, not {lock!r}")
    if keep is not None and (commands.build is None or OUT not in commands.build.places):
        raise Error("keep needs a build that writes @OUT@")
    if time is None and unit != "s":
        raise Error("unit is that of time, which names a number that the run prints")
    for name, limit in (("build_seconds", build_seconds), ("run_seconds", run_seconds)):
        if not 0 < limit < math.inf:
            raise Error(f"{name} must be more than 0, and finite, not {limit}")
    jobs = len(os.sched_getaffinity(0)) if jobs is None else jobs
    if jobs < 1:
        raise Error(f"jobs must be at least 1, not {jobs}")
    if keep is not None and not pathlib.Path(keep).absolute().parent.is_dir():
        raise Error(f"keep, '{os.fspath(keep)}', is in no folder that exists")
    in_force = mode_in_force(mode)
    if not in_force.measures:
        return untuned("command.tune", repr(commands), space, in_force)
    held = frontends.Lock(frontends.host(), functools.partial(frontends.report_waiting, ""))
    with tempfile.TemporaryDirectory(prefix="tonno-") as scratch:
        programs = Programs(
            commands,
            Clock(time, unit),
            folder=pathlib.Path(folder),
            scratch=pathlib.Path(scratch),
            environment=environment,
            build_seconds=build_seconds,
            run_seconds=run_seconds,
            jobs=jobs,
        )
        found: Result | None = None
        try:
            found = search(
                programs,
                space,
                Followed("command", progress, callbacks, budget_trials),
                journal=journal,
                subject=commands.describe()
                | {
                    "time": time,
                    "unit": unit,
                    "folder": os.path.realpath(folder),
                    "environment": None if environment is None else sorted(environment.items()),
                },
                proposer=proposer,
                budget_trials=budget_trials,
                budget_seconds=budget_seconds,
                strategy=strategy,
                seed=seed,
                start=start,
                batch=1 if build is None else min(jobs, _MOST_PENDING),
                lock=held if lock else None,
            )
        except KeyboardInterrupt as interrupt:
            found = getattr(interrupt, "result", None)
            raise
        finally:
            if found and not commands.outputs and commands.check is None:
                found.warnings.append(UNVERIFIED)
            programs.close()
            if found and keep is not None:
                _keep(programs, keep, found)
    return found


def _keep(programs: Programs, keep: str | os.PathLike[str], found: Result) -> None:
    """Copies what was measured. If that fails, the result has a warning, and is not lost."""
    out = programs.find_out(found.config)
    if out is None:
        found.warnings.append(
            "the winner was built by an earlier call, so that its @OUT@ is not here; continue "
            "the journal to the end, or build it"
        )
        return
    try:
        shutil.copy2(out, keep)
    except OSError as error:
        found.warnings.append(f"the winner's @OUT@ was not copied: {error}")
