# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a module by `tonno-tune`."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tonno.mlir.results import Tuned, TunedKernel, format_config, format_seconds
from tonno.mlir.sources import OPENCL, Source, read_source
from tonno.mlir.tools import Event, ToolError, ToolRun, check_list, run_tool
from tonno.progress import Progress


def tune(
    source: Source,
    *,
    target: str = "host",
    chip: str = "native",
    kernel: str | None = None,
    device: str | None = None,
    knobs: Mapping[str, str | Sequence[Any]] | None = None,
    constraints: Sequence[str] = (),
    effort: str | None = None,
    strategy: str | None = None,
    prior: str | os.PathLike[str] | None = None,
    budget_trials: int | None = None,
    budget_seconds: float | None = None,
    seed: int = 0,
    objective: str | None = None,
    limits: Sequence[str] = (),
    pareto: Sequence[str] = (),
    apply: str | None = None,
    bits: str | None = None,
    tolerance: float | str | None = None,
    mode: str | None = None,
    cache: str | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    store: str | None = None,
    retune: bool = False,
    output: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[Event], None] = True,
    options: Sequence[str] = (),
) -> Tuned:
    """Tunes the kernels of an MLIR module, or one in OpenCL C.

    source: a path; or the text of a module, which has a brace or a line end; or
        bytes, of text or of MLIR bytecode. OpenCL C is a path that ends in `.cl`, or
        text with a `__kernel` function
    kernel: tune only this one
    knobs: knobs of a pipeline or macros of OpenCL C by name, as `--knob`: a list of
        options, or the text of a domain, such as `"pow2<16 to 256> default 32"`
    constraints: conditions over knobs: `"BM * BN <= 4096"`
    objective: the resource that the winner has the least of: `time`, `energy`, `workspace`, ...
    limits: conditions over resources, as `--limit`: `"workspace <= 1MB"`; with an objective other
        than time also `"time <= 1.05x"`
    pareto: resources; also tests the candidates that no other one beats in time and in these
    apply: the rule by which one of these is chosen, such as `"time within 1.05x, least code-size"`
    bits: `same`: only candidates whose results are the default's, byte by byte
    tolerance: error that is accepted beyond the bounds of the correctness gate: a share of an
        output's root mean square, or the text of `--tolerance`, such as `"result0=4ulps"`
    prior: a file of `tonno-tune learn` that the search begins with, or `none`
    mode: `tune`, `cached` or `off`; else $TONNO_MODE
    cache: `rw`, `ro` or `off`
    output: also write the tuned text to this file
    progress: print a line for each kernel and each new best trial; or a function
        that is called with each event of `tonno-tune --progress=json`
    options: more options of tonno-tune, such as `["--allow-lower-precision"]`

    The other parameters are options of tonno-tune of the same names; None stands for the
    tool's default.

    Ctrl-C ends the search and raises KeyboardInterrupt. The exception's attribute
    `result` is the best so far, with verdict `interrupted`, or None; `output` is
    written. A second Ctrl-C ends the tool at once.

    Raises `ToolError` if the module can't be tuned. If one of several kernels fails, the
    others are decided: the exception's `result` has them, and `output` is written.
    """
    check_list("constraints", constraints)
    check_list("limits", limits)
    check_list("pareto", pareto)
    check_list("options", options)
    given = read_source(source)
    words = [given.argument, f"--target={target}", f"--chip={chip}", f"--seed={seed}"]
    for name, value in (
        ("kernel", kernel),
        ("device", device),
        ("effort", effort),
        ("strategy", strategy),
        ("prior", None if prior is None else os.fspath(prior)),
        ("budget-trials", budget_trials),
        ("budget-seconds", budget_seconds),
        ("objective", objective),
        ("pareto", ",".join(pareto) or None),
        ("apply", apply),
        ("bits", bits),
        ("tolerance", tolerance),
        ("mode", mode),
        ("cache", cache),
        ("cache-dir", None if cache_dir is None else os.fspath(cache_dir)),
        ("store", store),
    ):
        if value is not None:
            words.append(f"--{name}={value}")
    words += [f"--knob={name}={_format_domain(options)}" for name, options in (knobs or {}).items()]
    words += [f"--constraint={condition}" for condition in constraints]
    words += [f"--limit={condition}" for condition in limits]
    words += ["--retune"] if retune else []
    if given.is_opencl:
        words.remove(f"--target={target}")  # the driver compiles
        words.remove(f"--chip={chip}")
        target = OPENCL
    lines = _Lines()
    handle = progress if callable(progress) else lines.handle if progress else _ignore
    with tempfile.TemporaryDirectory(prefix="tonno-") as folder, contextlib.closing(lines):
        tuned = pathlib.Path(folder, "tuned")
        report = pathlib.Path(folder, "report.json")
        if given.is_opencl and given.text is not None:  # the tool knows it by its name
            file = pathlib.Path(folder, "kernel.cl")
            file.write_bytes(given.text)
            words[0] = os.fspath(file)
        # Reports an output that can't be written before tuning begins.
        _check_writable(output)
        ran = run_tool(
            "tonno-tune",
            [*words, *options, "-o", os.fspath(tuned), f"--report={report}"],
            given.text,
            handle,
        )
        result = _make_result(tuned, report, ran, target, chip) if report.exists() else None
    if result is not None and output is not None:
        result.write(output)
    if ran.is_interrupted:
        interrupt = KeyboardInterrupt()
        interrupt.result = result  # type: ignore[attr-defined]
        interrupt.add_note(
            "nothing was tuned yet"
            if result is None
            else f"the best so far is the attribute 'result': {result!r}"
        )
        raise interrupt
    if ran.failure:
        raise ran.error(result)
    assert result is not None
    return result


def _format_domain(options: str | Sequence[Any]) -> str:
    if isinstance(options, str):
        return options
    try:
        return json.dumps(list(options))
    except TypeError as error:
        raise TypeError(f"a knob's options are numbers, bools or text: {error}") from None


def _check_writable(output: str | os.PathLike[str] | None) -> None:
    if output is None:
        return
    folder = pathlib.Path(output).parent
    if not os.access(folder, os.W_OK) or pathlib.Path(output).is_dir():
        raise ToolError(f"cannot write '{os.fspath(output)}'")


def _make_result(
    tuned: pathlib.Path, report: pathlib.Path, ran: ToolRun, target: str, chip: str
) -> Tuned:
    # Options that are arrays are tuples, as everywhere in tonno.
    said = _with_tuples(json.loads(report.read_text()))
    return Tuned(
        tuned.read_text(),
        tuple(TunedKernel._of(entry) for entry in said["kernels"]),
        said["skipped"],
        said["undecided"],
        tuple(ran.messages),
        target,
        chip,
    )


def _with_tuples(json: Any) -> Any:
    if isinstance(json, list):
        return tuple(map(_with_tuples, json))
    if isinstance(json, dict):
        return {key: _with_tuples(value) for key, value in json.items()}
    return json


def _ignore(event: Event) -> None:
    """Ignores an event."""


class _Lines:
    """Prints progress to standard error, by lines, which notebooks show too.

    On terminals and in notebooks, a status line is below them.
    """

    def __init__(self) -> None:
        self._planned = 0
        self._number = 0
        self._best: Any = None
        self._speedup = ""
        self._statuses: Counter[str] = Counter()
        self._status: Progress | None = None

    def handle(self, event: Event) -> None:
        """Prints the news of an event."""
        kind = event["event"]
        if kind == "kernel":
            self._planned, self._number, self._best = event["planned_trials"], 0, None
            self._speedup = ""
            self._statuses.clear()
        elif kind == "state":
            if self._status is None:
                self._status = Progress("tune")
            self._status.show(self._describe(event))
        self._number = event.get("number", self._number)
        if kind == "trial":
            self._statuses[event["trial"]["status"]] += 1
        if kind == "trial" and "best" in event and event["best"]["values"] != self._best:
            best = event["best"]
            self._best = best["values"]
            seconds = f"{format_seconds(best['seconds'])}, {1 / best['ratio']:.2f}x the default"
            self._speedup = f"best {1 / best['ratio']:.2f}x"
            measured = event["trial"].get("measurement")
            if measured and event["trial"]["values"] == self._best:
                high, low = (1 / end for end in measured["ratio_interval"])
                self._speedup += f" [{low:.2f}, {high:.2f}]"
            count = f"{event['number']}/{self._planned}"
            self._say(f"@{event['kernel']} {count}: {seconds}, {format_config(self._best)}")
        elif kind == "decided":
            chosen = event.get("chosen_seconds")
            time = "" if chosen is None else f", {format_seconds(chosen)}"
            verdict = event.get("verdict", "default")
            self._say(f"@{event['kernel']}: {verdict}{time}, {format_config(event['values'])}")
        elif kind == "model_kernel":
            tuned = event["tuned"]
            calls = f"{event['calls']} call" + ("s" if event["calls"] > 1 else "")
            self._say(
                f"{event['kernel']}, {calls}, {event['share']:.1%} of the time: "
                f"{tuned.get('verdict', 'default')}, {format_config(tuned['values'])}"
            )
        elif kind == "skipped":
            self._say(f"@{event['kernel']} is left unchanged: all its knobs are selected")
        elif kind == "waiting":
            self._say(f"waiting for another process that times on the device: {event['holder']}")
        elif kind == "warning":
            self._say(f"warning: {event['message']}")

    def _describe(self, state: Event) -> str:
        """Returns a line about a session, the most important first: terminals cut it."""
        parts = [f"@{state['kernel']} {state['phase']}, {self._number}/{self._planned} trials"]
        left = state.get("session_seconds_left")
        parts[0] += f" in {state['seconds']:.0f} s"
        parts[0] += "" if left is None else f", about {left:.0f} s left"
        if state.get("phase_seconds_left") is not None and left is not None:
            parts[0] += f", {state['phase_seconds_left']:.0f} s of them of this phase"
        parts += [self._speedup] if self._speedup else []
        if self._statuses:
            parts.append(", ".join(f"{n} {status}" for status, n in self._statuses.most_common()))
        whole = sum(state["times"].values())
        if whole > 0:
            shares = (f"{name} {100 * s / whole:.0f} %" for name, s in state["times"].items())
            parts.append(", ".join(shares))
        parts += ["other processes use the device"] if state.get("is_contended") else []
        return "; ".join(parts)

    def close(self) -> None:
        """Removes the status line."""
        if self._status is not None:
            self._status.close()

    def _say(self, text: str) -> None:
        (self._status or Progress("tune")).say(text)
