# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a session depends on goes away, or is full, while it runs."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess

from sessions import PATIENCE, Tuner, check_records, read, run_scenario, wait_until

TRIALS = 12


def start(
    folder: pathlib.Path,
    kernel: str,
    *arguments: str,
    output: pathlib.Path | None = None,
    kept: pathlib.Path | None = None,
    prefix: tuple[str, ...] = (),
) -> Tuner:
    """Cache and journal are in the folder `kept`."""
    folder.mkdir(exist_ok=True, parents=True)
    kept = kept or folder
    tuner = Tuner(
        folder,
        *(kernel, "-o", str(output or folder / "tuned.mlir"), "--cache-dir", str(kept / "cache")),
        *("--journal", str(kept / "journal.jsonl")),
        *(f"--budget-trials={TRIALS}", "--budget-seconds=600", *arguments),
        prefix=prefix,
    )
    tuner.journal = kept / "journal.jsonl"
    return tuner


def expect_whole(tuner: Tuner, *said: str) -> None:
    """It went on to the end, and all that it kept can be read."""
    tuner.expect_status(0)
    tuner.expect_said(f"{TRIALS} of ", "verdict", *said)
    if "tonno.tuned" not in read(tuner.folder / "tuned.mlir"):
        tuner.fail("the output is not tuned")
    if tuner.trials() != TRIALS:
        tuner.fail(f"the journal has {tuner.trials()} trials")
    check_records(tuner.folder / "cache")
    tuner.expect_nothing_left()


def kill(program: str, folder: pathlib.Path, kernel: str) -> None:
    tuner = start(folder, kernel)
    tuner.wait_for_trials(3)
    for process in tuner.children(program):
        os.kill(process, signal.SIGKILL)
    expect_whole(tuner)


def killed_runner(folder: pathlib.Path, kernel: str) -> None:
    kill("tonno-runner", folder, kernel)


def killed_worker(folder: pathlib.Path, kernel: str) -> None:
    kill("tonno-worker", folder, kernel)


def killed_first_worker(folder: pathlib.Path, kernel: str) -> None:
    """At once: it is asked what it is, opens the kernel or compiles the reference."""
    tuner = start(folder, kernel)
    wait_until(lambda: tuner.children("tonno-worker"), "the worker")
    os.kill(tuner.children("tonno-worker")[0], signal.SIGKILL)
    expect_whole(tuner)
    if '"status":"lost"' in read(tuner.journal):
        tuner.fail("a candidate was lost")


def start_with_slow_reference(folder: pathlib.Path, kernel: str) -> Tuner:
    """And waits until it runs."""
    folder.mkdir(parents=True)
    text = read(pathlib.Path(kernel))
    knob = text[text.index("{tonno.knobs") : text.index("}} 1 : index") + 2]
    reference = text.replace("@quick", "private @slow").replace(knob + " 1 :", "100000 :")
    both = folder / "both.mlir"
    both.write_text(text + reference)
    tuner = start(folder, str(both), "--reference=@slow")
    tuner.wait_for_work("tonno-runner", 0.05)
    return tuner


def kill_last_runner(tuner: Tuner) -> None:
    os.kill(tuner.children("tonno-runner")[-1], signal.SIGKILL)


def killed_reference(folder: pathlib.Path, kernel: str) -> None:
    """It runs again, once."""
    tuner = start_with_slow_reference(folder / "once", kernel)
    kill_last_runner(tuner)
    expect_whole(tuner)
    tuner = start_with_slow_reference(folder / "twice", kernel)
    kill_last_runner(tuner)
    tuner.wait_for_work("tonno-runner", 0.05)
    kill_last_runner(tuner)
    tuner.expect_status(1)
    tuner.expect_said("while running the reference", "signal 9", "the previous runner ended as well")
    tuner.expect_nothing_left()


def lost_connection(folder: pathlib.Path, kernel: str) -> None:
    """What stands between tuner and runner ends: no candidate is to blame."""
    script = ("sh", "-c", "cat | tonno-runner | cat")
    tuner = start(folder, kernel, f"--runner-command={shlex.join(script)}")
    tuner.wait_for_trials(3)
    for relay in tuner.processes("cat"):
        os.kill(relay, signal.SIGKILL)
    expect_whole(tuner)
    if list(folder.glob("cache/failures/*")):
        tuner.fail("a candidate is blamed, or was not tried again")


def start_remotely(folder: pathlib.Path, kernel: str, *arguments: str) -> Tuner:
    """With a runner that can't be reached while there is a file `down`. Another file,
    `refused`, has a line for each time that it was tried."""
    refuse = f"echo >> {folder}/refused; exit 255"
    command = ("sh", "-c", f"if [ -e {folder}/down ]; then {refuse}; fi; exec tonno-runner")
    return start(folder, kernel, f"--runner-command={shlex.join(command)}", *arguments)


def go_down(tuner: Tuner) -> pathlib.Path:
    down = tuner.folder / "down"
    down.touch()
    for process in tuner.children("tonno-runner"):
        os.kill(process, signal.SIGKILL)
    return down


def short_outage(folder: pathlib.Path, kernel: str) -> None:
    tuner = start_remotely(folder, kernel)
    tuner.wait_for_trials(3)
    down = go_down(tuner)
    wait_until(lambda: read(folder / "refused").count("\n") >= 2, "two attempts")
    down.unlink()
    expect_whole(tuner)
    if '"status":"lost"' in read(tuner.journal):
        tuner.fail("a candidate was lost")


def long_outage(folder: pathlib.Path, kernel: str) -> None:
    """The best so far is written, and the rest is done another day."""
    tuner = start_remotely(folder, kernel)
    tuner.wait_for_trials(3)
    down = go_down(tuner)
    tuner.expect_status(1, 2 * PATIENCE)
    tuner.expect_said("candidates in a row were lost", "verdict   interrupted", "with '--resume'")
    if re.search(r"failures +([2-9]|1\d)", tuner.said()):  # but the one that was killed
        tuner.fail("it sends the user to what was lost")
    if 'verdict = "interrupted"' not in read(folder / "tuned.mlir"):
        tuner.fail("the best so far is not in the output")
    tuner.expect_nothing_left()
    down.unlink()
    again = start_remotely(folder, kernel, "--resume")
    again.expect_status(0)
    again.expect_said(f"{TRIALS} of ", "resumed after")
    if "interrupted" in again.said():
        again.fail("it has not come to its end")


def killed_test(folder: pathlib.Path, kernel: str) -> None:
    """The runner is killed in the final test, or in the finals before."""
    folder.mkdir(parents=True)
    slow = folder / "slow.mlir"  # every candidate beats its default
    slow.write_text(read(pathlib.Path(kernel)).replace("}} 1 : index", "}} 4096 : index"))
    kernel = str(slow)
    tuner = start(folder, kernel)
    tuner.wait_for_trials(TRIALS)
    wait_until(lambda: len(tuner.children("tonno-runner")) == 2, "the runner")
    os.kill(tuner.children("tonno-runner")[-1], signal.SIGKILL)
    expect_whole(tuner)
    if "failed when it was verified again" in tuner.said():
        tuner.fail("a candidate is blamed")
    again = start(folder, kernel)
    again.expect_status(0)
    again.expect_said("from the cache")


def removed_cache(folder: pathlib.Path, kernel: str) -> None:
    tuner = start(folder, kernel)
    tuner.wait_for_trials(3)
    shutil.rmtree((folder / "cache").rename(folder / "gone"))  # all at once
    tuner.journal.unlink()
    tuner.expect_status(0)
    tuner.expect_said("journal.jsonl' was removed; the session cannot be resumed from here on")
    if not check_records(folder / "cache"):
        tuner.fail("what was found since is not in the cache")
    tuner.expect_nothing_left()
    again = start(folder, kernel)
    again.expect_status(0)
    again.expect_said("from the cache")


def damaged_cache(folder: pathlib.Path, kernel: str) -> None:
    """Every record, in each of these ways: misses, and the right answer."""
    first = start(folder, kernel)
    expect_whole(first)
    ways = {
        "cut": lambda text: text[: len(text) // 2],
        "flipped": lambda text: text.replace('"record"', '"recorc"'),
        "newer": lambda text: text.replace('"schema": 1', '"schema": 2'),
        "empty": lambda text: "",
    }
    for way, damage in ways.items():
        damaged = {
            record: damage(record.read_text()) for record in folder.glob("cache/v1/??/*.json")
        }
        for record, text in damaged.items():
            record.write_text(text)
        (folder / "journal.jsonl").unlink()
        tuner = start(folder, kernel)
        tuner.expect_status(0)
        tuner.expect_said("is corrupt", f"{TRIALS} of ", "verdict")
        for record in folder.glob("cache/v1/??/*.corrupt"):
            record.unlink()
        # Times decide which candidates a session meets, and so which records it reads.
        for record, text in damaged.items():
            if record.exists() and record.read_text() == text:
                record.unlink()
        check_records(folder / "cache")
        again = start(folder, kernel)
        again.expect_status(0)
        again.expect_said("from the cache")
        if "warning" in again.said():
            again.fail(f"what was {way} is not mended")


def obstructed_cache(folder: pathlib.Path, kernel: str) -> None:
    """Files where the cache wants folders: no record can be written."""
    shelves = folder / "cache" / "v1"
    shelves.mkdir(parents=True)
    for number in range(256):
        (shelves / f"{number:02x}").touch()
    tuner = start(folder, kernel)
    expect_whole(tuner, "Not a directory; trials are not kept")
    if tuner.said().count("trials are not kept") != 1:
        tuner.fail("it complains again and again")


def one_device(folder: pathlib.Path, kernel: str) -> None:
    """Two tuners take turns."""
    tuners = [start(folder / name, kernel) for name in ("first", "second")]
    for tuner in tuners:
        expect_whole(tuner)
    if not any("waiting for another process that times on the device" in tuner.said() for tuner in tuners):
        tuners[0].fail("neither has waited for the other")


def file_size_limit(folder: pathlib.Path, kernel: str) -> None:
    """Of which the output has no room, unlike the records in the cache."""
    folder.mkdir()
    large = folder / "large.mlir"
    private = (f"func.func private @unused{i}(memref<4096xf32>) attributes {{unused}}\n" for i in range(2000))
    large.write_text(read(pathlib.Path(kernel)) + "".join(private))
    limited = ("prlimit", "--fsize=110000")
    tuner = start(folder, str(large), prefix=limited)
    tuner.expect_status(1)
    tuner.expect_said("winner", f"error: cannot write '{folder / 'tuned.mlir'}': File too large")
    if list(folder.glob("tuned*")):
        tuner.fail("half an output is left")
    again = start(folder, str(large))
    again.expect_status(0)
    again.expect_said("from the cache")


def full_disk(folder: pathlib.Path, kernel: str) -> None:
    """A disk that is full soon, in a mount namespace of its own."""
    folder.mkdir()
    disk = folder / "disk"
    disk.mkdir()
    mount(disk, "size=96k")
    (disk / "filler").write_bytes(bytes(64 << 10))
    tuner = start(folder, kernel, kept=disk)
    tuner.expect_status(0)
    tuner.expect_said(
        "No space left on device; trials are not kept",
        "No space left on device; the session cannot be resumed from here on",
        f"{TRIALS} of ",
        "verdict",
    )
    check_records(disk / "cache")
    if list(disk.rglob("*.tmp.*")):
        tuner.fail("temporaries are left on the disk")
    # With room again, it goes on from what the journal has.
    (disk / "filler").unlink()
    journaled = tuner.trials()
    again = start(folder, kernel, "--resume", kept=disk)
    again.expect_status(0)
    again.expect_said(f"resumed after {journaled} trials")
    again.expect_nothing_left()


def full_for_output(folder: pathlib.Path, kernel: str) -> None:
    folder.mkdir()
    (folder / "disk").mkdir()
    mount(folder / "disk", "size=8k")
    output = folder / "disk" / "tuned.mlir"
    tuner = start(folder, kernel, output=output)
    tuner.wait_for_trials(1)
    fill(folder / "disk" / "filler")
    tuner.expect_status(1)
    tuner.expect_said("winner", f"error: cannot write '{output}': No space left on device")
    if list(folder.glob("disk/tuned*")):
        tuner.fail("half an output is left")
    # It was decided, and costs nothing to write again.
    again = start(folder, kernel)
    again.expect_status(0)
    again.expect_said("from the cache")
    again.expect_nothing_left()


def fill(file: pathlib.Path) -> None:
    with file.open("wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass


def no_shared_memory(folder: pathlib.Path, kernel: str) -> None:
    mount(pathlib.Path("/dev/shm"), "size=4k")
    expect_whole(start(folder, kernel))


def read_only_disk(folder: pathlib.Path, kernel: str) -> None:
    """A cache on a disk that is mounted to be read only."""
    expect_whole(start(folder, kernel))
    cache = str(folder / "cache")
    subprocess.run(["mount", "--bind", cache, cache], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", cache], check=True)
    (folder / "journal.jsonl").unlink()
    refused = start(folder, kernel)
    refused.expect_status(1)
    refused.expect_said("cannot be written", "Read-only file system", "TONNO_CACHE_DIR", "cache=ro")
    read_only = start(folder, kernel, "--cache=ro")
    read_only.expect_status(0)
    read_only.expect_said("from the cache")
    read_only.expect_nothing_left()


def mount(where: pathlib.Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tonno-test", str(where)], check=True)


run_scenario(globals())
