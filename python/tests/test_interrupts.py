# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while `tonno.minimize` runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from typing import Any

import pytest

import tonno

SPACE = tonno.SearchSpace({"N": range(10)})


def interrupted_at(trial: int, *, is_built: bool = False) -> Any:
    """Runs minimize, interrupts that trial, and returns the exception."""

    def function(config: tonno.Configuration) -> Any:
        if config["N"] == trial:
            raise KeyboardInterrupt
        seconds = 2.0 - 0.1 * config["N"]
        return (lambda: seconds) if is_built else seconds

    with pytest.raises(KeyboardInterrupt) as caught:
        tonno.minimize(function, SPACE, strategy="exhaustive")
    assert type(caught.value) is KeyboardInterrupt
    return caught.value


@pytest.mark.parametrize("is_built", [False, True])
def test_interrupt_has_the_result_so_far(is_built: bool) -> None:
    interrupt = interrupted_at(4, is_built=is_built)
    result = interrupt.result
    assert result.config == {"N": 3} and result.seconds == pytest.approx(1.7)
    assert result.ended == "interrupted"
    assert result.verdict == ("interrupted" if is_built else None)
    assert [trial.status for trial in interrupt.trials] == ["ok"] * 4
    assert result.trials == interrupt.trials
    assert "after 4 trials, 4 ok" in interrupt.__notes__[0]


def test_interrupt_before_anything_ran_has_no_result() -> None:
    interrupt = interrupted_at(0)
    assert interrupt.result is None and interrupt.trials == []
    assert "after 0 trials, 0 ok" in interrupt.__notes__[0]


PROGRAM = """
import sys, time, tonno

def run(seconds):
    print("running", flush=True)
    time.sleep(seconds)
    return seconds

def function(config):
    seconds = {seconds}
    return {made}

space = tonno.SearchSpace({{"N": range(10)}})
def tune():
    return tonno.minimize(function, space, strategy="exhaustive")
"""
CAUGHT = """
try:
    tune()
except KeyboardInterrupt as interrupt:
    print(interrupt.result.config, interrupt.result.ended)
"""
SECONDS = '60 if config["N"] == 3 else 0.001'
FUNCTION = {"seconds": SECONDS, "made": "run(seconds)"}
CALLABLE = {"seconds": SECONDS, "made": "lambda: run(seconds)"}


def signalled(program: str, launches: int) -> tuple[int, str, str]:
    """Runs a program, sends SIGINT when it has launched so many candidates, and returns
    its code and outputs."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            launches -= line == "running\n"
            if launches == 0:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_signal_ends_the_launch_and_leaves_the_result() -> None:
    code, out, err = signalled(PROGRAM.format(**FUNCTION) + CAUGHT, 4)
    assert (code, err) == (0, "")
    assert out.endswith("interrupted\n") and "{'N': " in out


def test_uncaught_signal_kills_the_process_and_shows_the_result() -> None:
    # Shells end a loop over processes that SIGINT has killed.
    code, _, err = signalled(PROGRAM.format(**FUNCTION) + "tune()\n", 4)
    assert code == -signal.SIGINT
    last = err.splitlines()[-1]
    assert last.startswith("tonno.minimize was interrupted after 3 trials, 3 ok")
    assert "the exception's `result` is Result(" in last


def test_signal_reaches_a_callable_in_its_trial() -> None:
    code, out, err = signalled(PROGRAM.format(**CALLABLE) + CAUGHT, 40)
    assert (code, err) == (0, "") and out.endswith("interrupted\n")
