# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frontend of commands: builds programs, launches them, and verifies what they write."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tonno import frontends
from tonno.children import NoAnswer
from tonno.command.launching import Ended, Files, Launcher
from tonno.command.templates import OUT, Template, format_values
from tonno.errors import Error
from tonno.frontends import CandidateFailed
from tonno.trials import Configuration

STANDARD_OUTPUT = "-"
_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_MOST_JSON_BYTES = 16 << 20
_MOST_ERROR_BYTES = 1 << 16
_MOST_KEPT_BYTES = 1 << 20
"""Bytes of each file that a run prints, once they were read."""


class Commands(NamedTuple):
    """Commands that build, run and check a program, and its outputs."""

    run: Template
    build: Template | None = None
    check: Template | None = None
    """Exits with 0 if what the run has written is right."""
    outputs: Sequence[Template] = ()
    """Files that the run writes, each of one word; `-` is its standard output. They are deleted
    before each run and, without a checker, compared with the default's."""

    def describe(self) -> dict[str, Any]:
        """Returns the commands as JSON, with a name for their program."""
        named = {"build": self.build, "run": self.run, "check": self.check}
        lines = {name: repr(template) for name, template in named.items()}
        return lines | {"name": repr(self.run), "outputs": [repr(each) for each in self.outputs]}


class Clock(NamedTuple):
    """Seconds that a run took."""

    field: str | None
    """Name of a number in the JSON object that the run prints, with dots for objects in it; None:
    the clock from its start to its end."""
    unit: str = "s"

    def read(self, ended: Ended, stdout: pathlib.Path) -> float:
        """Returns the seconds. Raises CandidateFailed."""
        if self.field is None:
            return ended.seconds
        number = _find_number(_read_end(stdout, _MOST_JSON_BYTES), self.field.split("."))
        if number is None:
            raise CandidateFailed(
                "fault", f"the run printed no JSON object with a number '{self.field}'"
            )
        seconds = number * _UNITS[self.unit]
        if not (math.isfinite(seconds) and seconds > 0):
            raise CandidateFailed(
                "fault", f"'{self.field}' is {number}, and times are positive"
            )
        return seconds


def _read_end(file: pathlib.Path, most: int) -> str:
    with file.open("rb") as opened:
        opened.seek(max(0, opened.seek(0, os.SEEK_END) - most))
        return opened.read().decode(errors="replace")


def _find_number(printed: str, path: Sequence[str]) -> float | None:
    """Returns the number in the last object that has it, which begins a line and ends one."""
    decoder = json.JSONDecoder()
    begins = [found.end() for found in re.finditer(r"^[ \t]*(?=\{)", printed, re.MULTILINE)]
    for begin in reversed(begins):
        try:
            found, end = decoder.raw_decode(printed, begin)
        except (ValueError, RecursionError):
            continue
        if re.compile(r"[ \t\r]*(\n|\Z)").match(printed, end) is None:
            continue
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            with contextlib.suppress(OverflowError):
                return float(found)
    return None


class _Built(NamedTuple):
    number: int
    values: dict[str, str]
    """The text of each place."""


class Programs:
    """Builds configurations in threads, and launches them one after another."""

    def __init__(
        self,
        commands: Commands,
        clock: Clock,
        *,
        folder: pathlib.Path,
        scratch: pathlib.Path,
        environment: Mapping[str, str] | None,
        build_seconds: float,
        run_seconds: float,
        jobs: int,
    ) -> None:
        """`folder`: of the commands. `scratch`: an empty folder for what is built."""
        if clock.unit not in _UNITS:
            raise Error(f"unit must be one of {', '.join(_UNITS)}, not {clock.unit!r}")
        self.commands = commands
        self.clock = clock
        self._folder, self._scratch = folder.resolve(), scratch.resolve()
        self._build_seconds, self._run_seconds = build_seconds, run_seconds
        self._new_launcher = functools.partial(Launcher, str(self._folder), environment)
        self._launcher = self._new_launcher()
        self._local = threading.local()
        self._builders = concurrent.futures.ThreadPoolExecutor(jobs)
        self._is_closed = threading.Event()
        self._built: dict[str, _Built] = {}
        self._numbers = itertools.count()
        self._outputs_of_default: list[str] | None = None
        self._default = ""

    def close(self) -> None:
        self._is_closed.set()
        self._launcher.stop()
        # The launchers of its threads end with the threads.
        self._builders.shutdown(cancel_futures=True)

    # The frontend.

    def build(self, configs: list[Configuration]) -> list[str | CandidateFailed | None]:
        for config in configs:
            built = _Built(next(self._numbers), format_values(config))
            self._own_folder(built).mkdir()
            # Relative, so that ./@OUT@ works, too.
            built.values[OUT] = os.path.relpath(self._own_folder(built) / "out", self._folder)
            self._built[repr(config)] = built
        self._default = self._default or repr(configs[0])
        return list(self._builders.map(self._make, [self._built[repr(c)] for c in configs]))

    def policy(self) -> frontends.Policy:
        return frontends.paired()

    def sampler(
        self, entrants: list[Configuration]
    ) -> contextlib.AbstractContextManager[frontends.TrialSampler]:
        return contextlib.nullcontext(_Launches(self, [self._built[repr(c)] for c in entrants]))

    def is_stopped(self) -> bool:
        return False

    def describe(self, config: Configuration) -> str:
        """As of `frontends.Resumable`; so is the next method."""
        return ""

    def resume(self, trials: list[frontends.ResumedTrial]) -> None: ...

    # For samplers.

    def launch(self, built: _Built) -> float:
        """Runs a program; returns its seconds. Raises CandidateFailed."""
        for file in self._output_files(built):
            _remove(file)
        ended = self._run(self.commands.run, built)
        if not ended.ok:
            status = "fault" if ended.started else "load_error"
            told = self._describe(ended, built, self.commands.run)
            raise CandidateFailed(status, f"the run ended: {told}")
        return self.clock.read(ended, self._files(built, self.commands.run).stdout)

    def read_outputs(self, built: _Built) -> list[str]:
        """Returns a hash of each output of the last launch. Raises CandidateFailed."""
        hashes = []
        for template, file in zip(self.commands.outputs, self._output_files(built), strict=True):
            try:
                with file.open("rb") as opened:
                    hashes.append(hashlib.file_digest(opened, "sha256").hexdigest())
            except OSError as error:
                name = template.fill(built.values)[0]
                raise CandidateFailed(
                    "wrong", f"the run wrote no '{name}': {error.strerror}"
                ) from None
        return hashes

    def forget_printed(self, built: _Built) -> None:
        """Drops much of what the last launch has printed, which nobody reads again."""
        for printed in self._files(built, self.commands.run):
            if printed.stat().st_size > _MOST_KEPT_BYTES:
                os.truncate(printed, _MOST_KEPT_BYTES)

    def verify(self, built: _Built, found: list[str]) -> None:
        """Has the checker judge the last launch, or compares its outputs with those of the
        default, which come first. Raises CandidateFailed."""
        check = self.commands.check
        if check is not None:
            ended = self._run(check, built)
            if not ended.ok:
                told = self._describe(ended, built, check)
                raise CandidateFailed("wrong", f"the checker ended: {told}")
            return
        is_default = built is self._built.get(self._default)
        if self._outputs_of_default is None and is_default:
            self._outputs_of_default = found
        expected = self._outputs_of_default
        if expected is None and found:
            raise CandidateFailed(
                "wrong", "the default has failed, so there are no outputs to compare with"
            )
        for i, template in enumerate(self.commands.outputs):
            if expected is None or found[i] == expected[i]:
                continue
            name = template.fill(built.values)[0]
            name = "standard output" if name == STANDARD_OUTPUT else f"'{name}'"
            if is_default:
                raise CandidateFailed(
                    "nondeterministic",
                    f"two runs of the default give a different {name}; leave it out of the "
                    "outputs, or give a checker",
                )
            raise CandidateFailed("wrong", f"{name} differs from that of the default")

    def find_out(self, config: Configuration) -> pathlib.Path | None:
        """Returns the file that a configuration's build was to write; None if it was not built
        here, but in a session that this one continues."""
        built = self._built.get(repr(config))
        return None if built is None else self._own_folder(built) / "out"

    def _make(self, built: _Built) -> str | CandidateFailed | None:
        """Builds a program; returns its text."""
        run = "\0".join(self.commands.run.fill({**built.values, OUT: ""}))
        build = self.commands.build
        if build is None:
            return run
        if not hasattr(self._local, "launcher"):
            self._local.launcher = self._new_launcher()
        files = self._files(built, build)
        try:
            ended = self._local.launcher.run_until(
                self._is_closed, build.fill(built.values), files, self._build_seconds
            )
        except NoAnswer as error:
            return CandidateFailed("lost", f"the build was lost: {error}")
        if ended is None:
            late = f"the build did not end within {self._build_seconds:g} s"
            return CandidateFailed("compile_timeout", late)
        if not ended.ok:
            status = "compile_crash" if ended.status < 0 else "compile_error"
            told = self._describe(ended, built, build)
            return CandidateFailed(status, f"the build ended: {told}")
        if OUT not in build.places:
            return None
        text = _hash_files(self._own_folder(built))
        if text is None:
            return CandidateFailed("compile_error", f"the build wrote no @{OUT}@")
        return text + run

    def _run(self, template: Template, built: _Built) -> Ended:
        """Runs a command for a program. Raises CandidateFailed if it does not end in time."""
        words, files = template.fill(built.values), self._files(built, template)
        try:
            return self._launcher.run(words, files, self._run_seconds)
        except NoAnswer as error:
            if error.cause == "timed_out":
                raise CandidateFailed(
                    "hang", f"the {template.what} did not end within {self._run_seconds:g} s"
                ) from None
            raise CandidateFailed("lost", f"the {template.what} was lost: {error}") from None

    def _describe(self, ended: Ended, built: _Built, command: Template) -> str:
        """Returns how a command ended, and its errors: the first lines that say so, or else the
        last."""
        if not ended.started:
            return ended.reason
        lines = _read_end(self._files(built, command).stderr, _MOST_ERROR_BYTES).splitlines()
        errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
        told = "\n".join(errors[:3] or lines[-3:])[:2000].strip()
        return f"{ended.describe()}: {told}" if told else ended.describe()

    def _output_files(self, built: _Built) -> Iterator[pathlib.Path]:
        for template in self.commands.outputs:
            name = template.fill(built.values)[0]
            if name == STANDARD_OUTPUT:
                yield self._files(built, self.commands.run).stdout
            else:
                yield self._folder / name

    def _own_folder(self, built: _Built) -> pathlib.Path:
        """Returns the folder of what a configuration's build writes."""
        return self._scratch / str(built.number)

    def _files(self, built: _Built, command: Template) -> Files:
        """Returns the files of what a command prints."""
        name = f"{built.number}.{command.what}"
        return Files(self._scratch / f"{name}.stdout", self._scratch / f"{name}.stderr")


def _remove(file: pathlib.Path) -> None:
    """Deletes an output, so that what an earlier run has left does not pass for this one's.
    Raises `tonno.Error` for anything but a file."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise Error(f"the output '{file}' is not a file; name one that the run writes")
        file.unlink()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Error(f"the output '{file}' cannot be deleted: {error.strerror}") from None


def _hash_files(folder: pathlib.Path) -> str | None:
    """Returns a hash of all files in a folder; None if there is none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(os.fsencode(path.relative_to(folder)) + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest() if files else None


class _Launches:
    """Launches the default and candidates."""

    def __init__(self, programs: Programs, entrants: list[_Built]) -> None:
        self._programs = programs
        self._entrants = entrants
        self._found: list[str] = []

    def sample(self, entrant: int) -> float:
        seconds = self._programs.launch(self._entrants[entrant])
        if entrant == 1 and self._programs.commands.check is None:
            self._found = self._programs.read_outputs(self._entrants[1])
        self._programs.forget_printed(self._entrants[entrant])
        return seconds

    warm = sample

    def launch_first(self) -> float:
        seconds = self.sample(1)
        self._programs.verify(self._entrants[1], self._found)
        return seconds

    def verify_last(self) -> None:
        if self._programs.commands.check is not None:
            # Others may have written the same files since.
            self.sample(1)
        self._programs.verify(self._entrants[1], self._found)

    def redraw(self) -> None: ...
