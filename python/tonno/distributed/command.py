# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `tonno-tune --ray`: `python -m tonno.distributed.command OPTIONS -- TOOL WORD ...`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from tonno.errors import Error
from tonno.printable import printable


class _Messages:
    """Messages in the form of the tool's."""

    def __init__(self, words: Sequence[str]) -> None:
        self._is_json = _value(words, "progress") == "json"

    def warn(self, text: str) -> None:
        self._say("warning", text)

    def fail(self, text: str) -> int:
        self._say("error", text)
        return 1

    def _say(self, severity: str, text: str) -> None:
        line = (
            json.dumps({"event": severity, "message": text})
            if self._is_json
            else f"tonno-tune: {severity}: {printable(text)}"
        )
        print(line, file=sys.stderr, flush=True)


def _value(words: Sequence[str], option: str) -> str | None:
    """Returns an option's value among words of LLVM's form; None if it is not given."""
    for index, word in enumerate(words):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name == option:
            return value if equals else "".join(words[index + 1 : index + 2])
    return None


def _run(command: Sequence[str], stdout: int) -> int:
    """Runs the tool, which gets the signals that this process gets; returns its exit status."""
    process = subprocess.Popen(command, stdout=stdout, process_group=0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: process.send_signal(received))
    status = process.wait()
    return status if status >= 0 else 128 - status


def _tune(given: argparse.Namespace, messages: _Messages) -> int:
    try:
        import ray
    except ModuleNotFoundError as missing:
        if missing.name != "ray":
            raise
        raise Error(
            f"{sys.executable} has no Ray; install it by 'pip install tonno-mlir[ray]'"
        ) from missing
    try:
        return _tune_on_cluster(given, messages)
    except ray.exceptions.RayError as error:
        raise Error(f"cannot use the Ray cluster: {error}") from error


def _tune_on_cluster(given: argparse.Namespace, messages: _Messages) -> int:
    from tonno.distributed import cluster

    # Standard output is for the tuned IR, and Ray prints there what its nodes report.
    stdout = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    cluster.connect(given.address or None, messages.warn)
    chip = cluster.choose_chip(given.target, given.chip)
    workers = cluster.Workers(given.jobs, messages.warn)
    with contextlib.closing(workers), cluster.Places(given.target, chip, workers) as places:
        devices = places.devices
        words = places.options(devices)
        if given.jobs is None:
            words.append(f"--jobs={workers.count_for(len(devices), len(devices))}")
        if _value(given.command, "start-seconds") is not None:
            words = [word for word in words if not word.startswith("--start-seconds=")]
        if _value(given.command, "parent") is None:
            words.append(f"--parent={os.getpid()}")
        return _run([*given.command, *words], stdout)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tonno-tune --ray", allow_abbrev=False)
    parser.add_argument("--address")
    parser.add_argument("--target", default="host")
    parser.add_argument("--chip", default="native")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args(arguments)
    messages = _Messages(given.command)
    try:
        return _tune(given, messages)
    except (Error, OSError) as error:
        return messages.fail(str(error))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
