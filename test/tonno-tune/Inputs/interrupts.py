# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals come while a session does this or that."""

import contextlib
import fcntl
import os
import pathlib
import shlex
import signal
import struct
import time

from sessions import Tuner, adopt_strays, parent_and_state, read, run_scenario, wait_until

ENDLESS = ("--effort=exhaustive", "--budget-trials=100000", "--budget-seconds=600")
# Shorter than the minute that a compilation may take.
SOON = 45


def start(folder: pathlib.Path, kernel: str, *arguments: str, **more: object) -> Tuner:
    folder.mkdir()
    output = ("-o", str(folder / "tuned.mlir"), "--cache-dir", str(folder / "cache"))
    journal = ("--journal", str(folder / "journal.jsonl"))
    return Tuner(folder, kernel, *output, *journal, *arguments, **more)


def expect_best(tuner: Tuner) -> None:
    tuner.expect_said("verdict   interrupted")
    if 'verdict = "interrupted"' not in read(tuner.folder / "tuned.mlir"):
        tuner.fail("the best so far is not in the output")
    tuner.expect_nothing_left()


def searching(folder: pathlib.Path, kernel: str) -> None:
    tuner = start(folder, kernel, *ENDLESS)
    tuner.wait_for_trials(3)
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    tuner.expect_said("@quick on")
    expect_best(tuner)


def compiling_processes(tuner: Tuner) -> list[int]:
    """Those that a worker compiles in."""
    workers = tuner.processes("tonno-worker")
    return [process for process in workers if parent_and_state(process)[0] in workers]


def compiling(folder: pathlib.Path, kernel: str) -> None:
    """A candidate that would compile for longer than a worker lets it."""
    tuner = start(folder, kernel, *ENDLESS)
    tuner.wait_for_trials(1)
    wait_until(lambda: compiling_processes(tuner), "a compilation")
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    expect_best(tuner)
    if tuner.trials() != 1 or list(folder.glob("cache/failures/*")):
        tuner.fail("what the signal has ended counts as tried")


def stopped(folder: pathlib.Path, kernel: str) -> None:
    """What compiles is stopped, and hears of no parent's end but by SIGKILL."""
    adopt_strays()
    tuner = start(folder, kernel, *ENDLESS, "--cache=off", own_session=False)
    tuner.wait_for_trials(1)
    wait_until(lambda: compiling_processes(tuner), "a compilation")
    for process in compiling_processes(tuner):
        os.kill(process, signal.SIGSTOP)
    tuner.process.kill()
    tuner.expect_status(-signal.SIGKILL, SOON)
    tuner.expect_nothing_left()


def hanging(folder: pathlib.Path, kernel: str) -> None:
    """Each launch hangs but the default's: each costs some seconds."""
    tuner = start(folder, kernel, *ENDLESS)
    tuner.wait_for_trials(2)
    tuner.wait_for_work("tonno-runner")
    tuner.process.send_signal(signal.SIGTERM)
    tuner.expect_status(143, SOON)
    expect_best(tuner)
    if tuner.trials() > 2:
        tuner.fail("it waited for the launch to be judged")


def reproducing(folder: pathlib.Path, kernel: str) -> None:
    """A launch that hangs is had again, with an input of its own."""
    folder.mkdir()
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4096,), }".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4 * 4096)
    (folder / "in.npy").write_bytes(data)
    inputs = f'--inputs=arg0=npy("{folder}/in.npy")'
    first = start(folder / "session", kernel, "--effort=exhaustive", "--budget-trials=3", inputs)
    first.expect_status(0)
    (hang,) = (folder / "session" / "cache" / "failures").glob("hangs-hang-*")
    tuner = Tuner(folder, "reproduce", str(hang))
    wait_until(lambda: tuner.children("tonno-runner"), "the runner")
    wait_until(lambda: list(tuner.temporaries.rglob("*.npy")), "the input")
    tuner.wait_for_work("tonno-runner")
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    tuner.expect_nothing_left()


def silent_worker(folder: pathlib.Path, kernel: str) -> None:
    tuner = start(folder, kernel, *ENDLESS)
    tuner.wait_for_trials(2)
    for worker in tuner.children("tonno-worker"):
        os.kill(worker, signal.SIGSTOP)
    tuner.wait_for_rest()  # when all that was compiled before is tried
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    expect_best(tuner)


def silent_runner(folder: pathlib.Path, kernel: str) -> None:
    """One that never answers: there is nothing to write yet."""
    tuner = start(folder, kernel, "--runner-command=sleep 1000")
    wait_until(lambda: tuner.children("sleep"), "the runner")
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    tuner.expect_said("interrupted while waiting for the runner 'sleep'")
    if (folder / "tuned.mlir").exists():
        tuner.fail("there is an output")
    tuner.expect_nothing_left()


def starting(folder: pathlib.Path, kernel: str) -> None:
    """The signal ends the worker as well, whose answer nobody has yet: it is not to blame."""
    tuner = start(folder, kernel, "--worker-command=sleep 1000")
    wait_until(lambda: tuner.children("sleep"), "the worker")
    os.kill(tuner.process.pid, signal.SIGSTOP)
    for worker in tuner.children("sleep"):
        os.kill(worker, signal.SIGINT)
    wait_until(lambda: not tuner.children("sleep"), "the worker to end")
    tuner.process.send_signal(signal.SIGINT)
    os.kill(tuner.process.pid, signal.SIGCONT)
    tuner.expect_status(130, SOON)
    tuner.expect_said("error: interrupted while waiting for the worker 'sleep'")
    tuner.expect_nothing_left()


def deaf_worker(folder: pathlib.Path) -> None:
    """One that reads nothing, of a kernel that no socket's buffer has room for."""
    kernel = folder.with_suffix(".mlir")
    kernel.write_text(
        "func.func @long(%a: memref<4xf32>, %r: memref<4xf32>) {\n"
        '%c = arith.constant {tonno.knobs = {value = #tonno.knob<"C" from [0, 1]>}} 0 : index\n'
        + "".join(
            f"%x{i} = memref.load %a[%c] : memref<4xf32>\n"
            f"memref.store %x{i}, %r[%c] : memref<4xf32>\n"
            for i in range(12000)
        )
        + "return\n}\n"
    )
    tuner = start(folder, str(kernel), "--worker-command=sleep 1000")
    wait_until(lambda: tuner.children("sleep"), "the worker")
    tuner.wait_for_rest()
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    tuner.expect_nothing_left()


def assembler(folder: pathlib.Path, kernel: str) -> None:
    """The worker waits for ptxas, a script that waits for a program."""
    cuda = folder / "cuda" / "bin"
    cuda.mkdir(parents=True)
    script = cuda / "ptxas"
    script.write_text(
        '#!/bin/sh\n[ "$1" = --version ] || { sleep 1000; exit 1; }\n'
        "echo 'Cuda compilation tools, release 13.0, V13.0.88'\n"
    )
    script.chmod(0o755)
    for ends in (signal.SIGINT, signal.SIGKILL):
        tuner = Tuner(
            folder,
            *(kernel, "--target=nvptx", "--chip=sm_90", "--compile-only", "-o", str(folder / "table")),
            environment={"CUDA_PATH": str(folder / "cuda"), "CUDA_HOME": ""},
        )
        wait_until(lambda: tuner.processes("sleep"), "ptxas")
        tuner.process.send_signal(ends)
        tuner.expect_status(130 if ends == signal.SIGINT else -ends, SOON)
        tuner.expect_nothing_left()


def twice(folder: pathlib.Path, kernel: str) -> None:
    """A tuner that does not come to end in order: nobody reads its output."""
    output = folder / "full"
    folder.mkdir()
    os.mkfifo(output)
    reader = os.open(output, os.O_RDWR | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(reader, b" " * 4096)
    journal = str(folder / "journal.jsonl")
    tuner = Tuner(folder, kernel, "-o", str(output), "--cache=off", "--journal", journal, *ENDLESS)
    tuner.wait_for_trials(1)
    tuner.process.send_signal(signal.SIGINT)
    time.sleep(0.5)  # longer than what counts as one request
    if tuner.process.poll() is not None:
        tuner.fail("the first signal has ended it")
    tuner.process.send_signal(signal.SIGTERM)
    tuner.expect_status(143, SOON)
    tuner.expect_nothing_left()


def links(process: int) -> list[str]:
    """The files that it has open."""
    found = []
    for descriptor in pathlib.Path(f"/proc/{process}/fd").iterdir():
        try:
            found.append(os.readlink(descriptor))
        except OSError:
            pass
    return found


def waiting(folder: pathlib.Path, kernel: str) -> None:
    """For another tuner, which goes on."""
    first = start(folder, kernel, *ENDLESS)
    first.wait_for_trials(1)
    # Where it stops, the device is locked.
    wait_until(lambda: holds_device(first), "the device to be locked")
    second = start(folder / "second", kernel, *ENDLESS)
    wait_until(lambda: "waiting for another process" in second.said(), "the second one to wait")
    (runner,) = filter(holds_lock, first.children("tonno-runner"))
    (lock,) = [link for link in links(runner) if link.endswith(".lock")]
    for who in (f"process {runner} of user ", "'tonno-tune ", str(first.process.pid)):
        second.expect_said(who)
    second.process.send_signal(signal.SIGINT)
    second.expect_status(130, SOON)
    second.expect_nothing_left()
    for runner in first.children("tonno-runner"):
        os.kill(runner, signal.SIGCONT)
    tried = first.trials()
    first.wait_for_trials(tried + 1)
    first.process.send_signal(signal.SIGINT)
    first.expect_status(130, SOON)
    expect_best(first)
    with open(lock, "r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        third = start(folder / "third", kernel, "--budget-seconds=0.1")
        third.expect_status(1, SOON)
    third.expect_said("the budget's seconds ended the wait for the device")
    third.expect_said(f"process {os.getpid()} of user ")


def holds_device(tuner: Tuner) -> bool:
    """Stops the runner, and lets it go on where it has not locked the device."""
    for runner in tuner.children("tonno-runner"):
        os.kill(runner, signal.SIGSTOP)
        if holds_lock(runner):
            return True
        os.kill(runner, signal.SIGCONT)
    return False


def holds_lock(runner: int) -> bool:
    return f"POSIX  ADVISORY  WRITE {runner} " in read(pathlib.Path("/proc/locks"))


def later_kernel(folder: pathlib.Path, kernel: str, other: str) -> None:
    """What was found of an earlier one is written."""
    folder.mkdir()
    both = folder / "both.mlir"
    both.write_text(pathlib.Path(kernel).read_text() + pathlib.Path(other).read_text())
    tuner = start(folder / "session", str(both), "--budget-trials=5", "--effort=exhaustive")
    wait_until(lambda: "@quick on" in tuner.said(), "the first kernel")
    tuner.wait_for_work("tonno-runner")
    tuner.process.send_signal(signal.SIGINT)
    tuner.expect_status(130, SOON)
    if "@quick" not in read(tuner.folder / "tuned.mlir").partition("tonno.tuned")[0]:
        tuner.fail("the first kernel's decision is lost")
    tuner.expect_nothing_left()


def shut_down(folder: pathlib.Path, kernel: str) -> None:
    """Killed behind a script that stands between, which can't end its child."""
    script = ("sh", "-c", "tonno-runner; exit $?")
    # Of what is being written, a cache's next user removes what is left.
    runner = f"--runner-command={shlex.join(script)}"
    tuner = start(folder, kernel, *ENDLESS, runner, "--cache=off")
    tuner.wait_for_trials(2)
    tuner.process.kill()
    tuner.expect_status(-signal.SIGKILL, SOON)
    tuner.expect_nothing_left()


def plugin(folder: pathlib.Path, kernel: str, *tool: str) -> None:
    """mlir-opt knows nothing of tuning, and ends at once; what was tried is kept."""
    folder.mkdir()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # lit's workers ignore it, and so would mlir-opt
    for ends in (signal.SIGINT, signal.SIGKILL):
        session = folder / ends.name

        def tune(trials: int, *arguments: str, more: str = "") -> Tuner:
            options = f"effort=exhaustive budget-trials={trials} budget-seconds=600 cache=off"
            options += f" journal={session}/journal.jsonl {more}"
            pipeline = f"--pass-pipeline=builtin.module(tonno-autotune{{{options}}})"
            return Tuner(session, pipeline, kernel, *arguments, tool=tool)

        tuner = tune(100000)
        tuner.wait_for_trials(3)
        tuner.process.send_signal(ends)
        tuner.expect_status(-ends, SOON)
        tuner.expect_nothing_left()
        tried = tuner.trials()
        output = session / "tuned.mlir"
        again = tune(tried + 3, "-o", str(output), more="resume=true")
        again.expect_status(0)
        if again.trials() != tried + 3:
            again.fail(f"after {tried} trials there were {again.trials()}")
        if "tonno.tuned" not in read(output):
            again.fail("the output is not tuned")
        again.expect_nothing_left()


run_scenario(globals())
