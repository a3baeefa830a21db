# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports in notebooks, and from Python."""

from __future__ import annotations

import functools
import html
import os
import pathlib
from typing import TYPE_CHECKING

from tonno.errors import Error
from tonno.report.reading import read_sessions
from tonno.report.sessions import Decision, Knob, Session, SessionTrial

if TYPE_CHECKING:
    from tonno.results import Result

_ROWS = 640
"""Height of the frame in a notebook, in pixels."""


class Report:
    """The findings of sessions: a page, which notebooks show.

        tonno.report.Report(result)
        tonno.report.Report("matmul.jsonl", "random.jsonl").save("report.html")
    """

    def __init__(self, *sessions: Result | str | os.PathLike[str]) -> None:
        """`sessions`: results of `tonno.minimize` and `tonno.command.tune`, and files that
        tonno-report reads. Sessions of one kernel on one device are compared.

        Raises `Error` for a result without times, and for a file that is not a session.
        """
        if not sessions:
            raise Error("a report needs a result, or the file of a session")
        self._sessions: list[Session] = []
        for given in sessions:
            if isinstance(given, (str, os.PathLike)):
                self._sessions += read_sessions(os.fspath(given))
            else:
                self._sessions.append(_describe(given))

    @functools.cached_property
    def html(self) -> str:
        """The page, which needs no network. Raises ImportError without what reports need."""
        from tonno.report.document import make_document
        from tonno.report.page import render_page

        return render_page(*make_document(self._sessions))

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the page."""
        pathlib.Path(file).write_text(self.html, encoding="utf-8", errors="backslashreplace")

    def __repr__(self) -> str:
        from tonno.report.document import make_document
        from tonno.report.text import write_text

        return write_text(make_document(self._sessions)[0]).rstrip()

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{_ROWS}" style="border:0"></iframe>'


def _describe(result: Result) -> Session:
    """Returns a result as a session."""
    space, first = result.space, next(iter(result.trials), None)
    if space is None or first is None:
        raise Error("the result has no trials; nothing was measured")
    if any(trial.value is not None for trial in result.trials):
        raise Error("the result has values and no times; reports show times")
    default = space.default
    knobs = tuple(Knob(name, options, default[name]) for name, options in space.knobs.items())
    best = min((t.seconds for t in result.trials if t.ok and t.seconds), default=None)
    baseline = first.seconds if first.ok else best
    trials = []
    for each in result.trials:
        trial = SessionTrial(each.config, each.status, each.message, seconds=each.seconds)
        if baseline and each.seconds:
            trial.ratio = each.seconds / baseline
        trials.append(trial)
    session = Session(
        result.name,
        f"result of tonno.{result.name}",
        result.subject,
        knobs,
        trials,
        strategy=result.strategy,
        seed=result.seed,
        constraints=tuple(space.constraints),
        sizes=space.dimensions,
    )
    session.search_end = result.ended
    if not first.ok:
        session.baseline = "the best, since the default failed"
    if result.repeats:
        session.notes.append(f"the winner's time is of {result.repeats} calls that did not choose it")
    session.decision = Decision(
        result.config,
        result.verdict,
        result.seconds,
        baseline,
        result.speedup,
        result.interval,
        rounds=result.rounds or None,
        notes=tuple(result.warnings),
    )
    return session
