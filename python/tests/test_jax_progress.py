# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is told while a function is tuned, and of which line it warns."""

from __future__ import annotations

import inspect
import io
import os
import re
import termios
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import autotune
from tonno.jax import FailureWarning, messages
from tonno.progress import Progress

X = jnp.linspace(-1, 1, 16)


def make_failing() -> Any:
    @autotune(configs=[{"N": n} for n in (1, 2, 3, 4)], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def partly(x: Any, N: int = 1) -> Any:
        assert N != 1
        return x * N * (2 / N)

    return partly


def on_terminal(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> io.StringIO:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stderr", stream)
    return stream


def test_progress_is_shown_on_a_terminal(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = on_terminal(monkeypatch, True)
    make_failing()(X)
    shown = stream.getvalue()
    assert "partly: lowering 4 of 4" in shown and "compiling 3 of 3" in shown
    assert "timing 4: N=4" in shown
    last = shown.split("\x1b[K")[-1]
    assert last.startswith("tonno: make_failing.<locals>.partly: 3 of 4 configurations in ")


def test_progress_stays_on_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 40))
    with os.fdopen(ours, "rb", 0), os.fdopen(theirs, "w") as stream:
        progress = Progress("of a long name", stream)
        progress.show("timing 1: " + "BM=128, " * 20)
        shown = os.read(ours, 1000).decode()
        assert re.fullmatch(r"\r\x1b\[K.{39}", shown) and shown.endswith("...")
        progress.show("short")
        assert os.read(ours, 1000).decode().endswith("tonno: of a long name: short")


@pytest.mark.parametrize("transformed", [lambda f: f, jax.jit, jax.vmap])
def test_warnings_are_of_the_line_that_calls(transformed: Any, cache: Any) -> None:
    call = transformed(make_failing())
    frame = inspect.currentframe()
    with pytest.warns(FailureWarning) as warned:
        call(X)
        line = frame.f_lineno - 1 if frame is not None else 0
    assert [(w.filename, w.lineno) for w in warned] == [(__file__, line)]


def test_nothing_is_shown_in_a_pipe(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = on_terminal(monkeypatch, False)
    make_failing()(X)
    assert stream.getvalue() == ""


class Tee:
    """What programs put in the place of stderr."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None: ...


def test_stderr_may_be_no_file(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tee = Tee()
    monkeypatch.setattr("sys.stderr", tee)
    make_failing()(X)
    assert tee.text == ""
    Progress("f").say("this")
    assert tee.text == "tonno: f: this\n"


def test_stderr_may_be_closed(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr("sys.stderr", stream)
    make_failing()(X)
    Progress("f").say("this")


def test_control_characters_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = on_terminal(monkeypatch, is_terminal=True)
    progress = Progress("f\x1b[1m")
    progress.say("\x1b]0;owned\x07")
    progress.show("\x1b[2J")
    progress.close("\x9b3m")
    own = stream.getvalue().replace("\r\x1b[K", "")
    assert own == (
        "tonno: f\\x1b[1m: \\x1b]0;owned\\x07\n"
        "tonno: f\\x1b[1m: \\x1b[2J"
        "tonno: f\\x1b[1m: \\x9b3m\n"
    )


def test_control_characters_of_warnings_are_escaped() -> None:
    with pytest.warns(UserWarning, match=r"^a \\x1b\[2J b$"):
        messages.warn("a \x1b[2J b")
    with pytest.warns(FailureWarning, match=r"^a \\x1b\[2J b$"):
        messages.warn(FailureWarning("a \x1b[2J b"))
