# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time that Ray adds to a trial, against pipes, on one node.

    overhead.py [--trials=N] [--binary=BYTES]

A trial is two messages and their answers: a compiler gets knobs and returns a binary, a runner
gets two binaries and returns times. Here both do nothing but answer. Trials by pipes and by Ray
take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
import time

SLEEPER = """#!{python} -IS
import os, struct, sys, time
if "--version" in sys.argv:
    sys.exit(print("sleeper"))
stream = os.fdopen(0, "rb")
while header := stream.read(8):
    body = stream.read(struct.unpack("<4sI", header)[1])
    size, microseconds = struct.unpack(">II", body[2:6] + body[7:11])
    if microseconds:
        time.sleep(1e-6 * microseconds)
    answer = b"TNO1" + struct.pack("<I", size) + b"\\x5a" + struct.pack(">I", size - 5)
    answer += bytes(size - 5)
    while answer:
        answer = answer[os.write(1, answer):]
"""
"""A tool that sleeps and answers as its requests say."""

KNOBS, TIMES = 300, 1500
"""Bytes of a message with knobs, and of an answer with times."""


def install_tools(folder: str) -> None:
    """Makes sleepers the tools of this process and of the nodes that it starts."""
    for tool in ("tonno-runner", "tonno-worker"):
        file = pathlib.Path(folder, tool)
        file.write_text(SLEEPER.format(python=sys.executable))
        file.chmod(0o700)
    os.environ["TONNO_TOOLS_DIR"] = folder


def make_request(size: int, answer: int, seconds: float = 0) -> bytes:
    """Returns a frame: an array of bytes to answer with, microseconds to sleep, and a binary."""
    body = b"\x83\x1a" + struct.pack(">I", answer) + b"\x1a" + struct.pack(">I", int(1e6 * seconds))
    body += b"\x5a" + struct.pack(">I", size) + bytes(size)
    return b"TNO1" + struct.pack("<I", len(body)) + body


class Peer:
    """A process that answers."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def ask(self, frame: bytes) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        view = memoryview(frame)
        while view:
            view = view[self.process.stdin.write(view) :]
        self._read(struct.unpack("<4sI", self._read(8))[1])

    def _read(self, size: int) -> bytes:
        assert self.process.stdout is not None
        content = b""
        while len(content) < size:
            part = self.process.stdout.read(size - len(content))
            if not part:
                sys.exit(f"a peer has ended with status {self.process.wait()}")
            content += part
        return content

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def time_trial(compiler: Peer, runner: Peer, binary: int) -> float:
    begin = time.perf_counter()
    compiler.ask(make_request(KNOBS, binary))
    runner.ask(make_request(2 * binary, TIMES))
    return time.perf_counter() - begin


def compare(trials: int, binary: int, commands: list[list[str]]) -> None:
    """Times trials by each pair of a compiler and a runner, in turns; prints milliseconds of each."""
    peers = [Peer(command) for command in commands]
    for trial in range(trials + 20):
        times = [time_trial(*peers[i : i + 2], binary) for i in range(0, len(peers), 2)]
        if trial >= 20:
            print(*(1e3 * seconds for seconds in times))
    for peer in peers:
        peer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--binary", type=int, default=20000, help="bytes of a binary")
    parser.add_argument("--commands", type=json.loads, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.commands:
        compare(given.trials, given.binary, given.commands)
        return
    with tempfile.TemporaryDirectory() as folder:
        install_tools(folder)
        from tonno.distributed import cluster

        cluster.connect("local", print)
        with cluster.Places("host", "host", cluster.Workers(1, print)) as places:
            echo = [os.path.join(folder, "tonno-runner")]
            (runner,) = places.runner_commands.values()
            commands = [echo, echo, shlex.split(places.worker_command), shlex.split(runner)]
            # A process of its own, as tonno-tune is beside the driver.
            command = [sys.executable, __file__, f"--trials={given.trials}"]
            command += [f"--binary={given.binary}", f"--commands={json.dumps(commands)}"]
            asked = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    times = [tuple(map(float, line.split())) for line in asked.stdout.splitlines()]
    added = sorted(ray - pipe for pipe, ray in times)
    quantiles = statistics.quantiles(added, n=20)
    print(
        f"{given.trials} trials with binaries of {given.binary} bytes: by pipes "
        f"{statistics.median(pipe for pipe, _ in times):.2f} ms, Ray adds "
        f"{statistics.median(added):.2f} ms [{quantiles[0]:.2f}, {quantiles[-1]:.2f}], the "
        "median and 5 % to 95 %"
    )


if __name__ == "__main__":
    main()
