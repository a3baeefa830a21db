# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the kernels of jobs at the same time, each in a session of its own."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from tonno import _core
from tonno.distributed.jobs import (
    Job,
    JobResult,
    Part,
    Time,
    allot,
    check_job,
    estimate_seconds_left,
    estimate_sizes,
    find_least_gain,
    name_job,
)
from tonno.errors import Error
from tonno.mlir.results import TunedKernel
from tonno.mlir.sources import ToolInput, read_source
from tonno.mlir.tools import Event, Message, ToolRun, run_tool
from tonno.progress import Progress
from tonno.records import cache_directory

_PROBE = """
func.func @probe(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>)
      outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
"""
"""A kernel that each device can describe itself for."""

_LOOK_SECONDS = 10.0
"""Time after which the state is reported again, and free CPUs are looked for."""

_MOST_SESSIONS = 3
"""How often a kernel is begun: one that its devices do not survive is the cause."""

_SHARE_OF_SESSIONS = 0.95
"""Share of the budget for sessions; the rest writes the tuned modules."""
_OTHER_GOALS = ("--objective", "--pareto")
"""Options with which no search ends by its expected gain."""

_OF_SEARCH = ("budget-", "effort", "prior", "resume", "stop-at-", "strategy")
"""How the names of options begin that mean a search."""


def tune(
    jobs: Sequence[Job],
    *,
    address: str | None = None,
    budget_seconds: float | None = None,
    stop_at_gain: float = 0.001,
    devices: int | None = None,
    workers: int | None = None,
    seed: int = 0,
    cache_dir: str | os.PathLike[str] | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[Event], None] = True,
) -> list[JobResult]:
    """Tunes the kernels of jobs on the devices of a Ray cluster, and returns a result for each job.

    address: of the cluster, as of `tonno-tune --ray`; None for $RAY_ADDRESS, the cluster of this
        machine, or else a new one
    budget_seconds: for all kernels, from when there are devices; each has its share, by an estimate of its time and the weight
        of its job. By default, each kernel has the budget of one session
    stop_at_gain: a search ends if it expects to gain less than this share of the time of all
        kernels for the same target
    devices: the most devices of each kind to take; all that are free by default
    workers: candidates that are compiled at the same time; by default as many as there are CPUs, but
        no more than eight for each device
    cache_dir: directory of the cache; else $TONNO_CACHE_DIR, else `.tonno-cache`. Equal kernels are
        tuned once
    journal: file with each kernel's decision as it is made; else one in the cache's directory
    resume: take decisions of the journal, and continue sessions that were interrupted
    report: also write the decisions of all jobs to this file, as JSON
    progress: print a line for each kernel; or a function that is called with each event of
        `tonno-tune --progress=json`, which also has `job` and `devices`

    Ctrl-C ends all searches, and raises KeyboardInterrupt. Its `results`, if searches had begun, have
    what was decided until then; `resume=True` continues the searches.

    Raises `tonno.Error` if nothing can be tuned: there is no cluster, or no device for a job. A job
    that fails has `errors` in its result.
    """
    from tonno.distributed import cluster

    sources = [read_source(job.source) for job in jobs]
    if any(source.is_opencl for source in sources):
        raise Error("kernels in OpenCL C are not for clusters; pass modules of MLIR")
    for job in jobs:
        check_job(job)
    for name, number in (("devices", devices), ("workers", workers)):
        if number is not None and number < 1:
            raise Error(f"{name} must be at least 1, not {number}; None takes as many as are useful")
    shown = _Shown(progress)
    cluster.connect(address, shown.warn)
    chips = [cluster.choose_chip(job.target, job.chip) for job in jobs]
    directory = pathlib.Path(cache_directory(os.fspath(cache_dir or "")))
    with contextlib.ExitStack() as stack:
        workers_of_all = cluster.Workers(workers, shown.warn)
        stack.callback(workers_of_all.close)
        pools: dict[tuple[str, str], _Pool] = {}
        # In one order, so that two calls never wait for each other.
        for target, chip in sorted({(job.target, chip) for job, chip in zip(jobs, chips, strict=True)}):
            places = cluster.Places(target, chip, workers_of_all, devices)
            pools[target, chip] = _Pool(stack.enter_context(places), chip)
        begin = time.monotonic()
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tonno-"))
        stack.callback(shown.close)
        tuner = _Tuner(
            [
                _Task(job, name_job(job, number), source, pools[job.target, chip])
                for number, (job, source, chip) in enumerate(zip(jobs, sources, chips, strict=True))
            ],
            pathlib.Path(folder),
            directory,
            shown,
            seed,
            workers_of_all,
        )
        deadline = None if budget_seconds is None else begin + budget_seconds * _SHARE_OF_SESSIONS
        plan = _Plan(deadline, stop_at_gain, resume)
        parts = tuner.find_parts()
        tuner.compare_devices()
        tuner.open_journal(pathlib.Path(journal) if journal else None, parts, resume)
        is_interrupted = tuner.tune(parts, plan)
        results = tuner.write()
    if report is not None:
        pathlib.Path(report).write_text(
            json.dumps(tuner.report(time.monotonic() - begin, budget_seconds), indent=1) + "\n"
        )
    if is_interrupted:
        interrupt = KeyboardInterrupt()
        interrupt.results = results  # type: ignore[attr-defined]
        raise interrupt
    return results


def _describe_seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


class _Shown:
    """Progress of all sessions. Any thread may call the methods."""

    def __init__(self, progress: bool | Callable[[Event], None]) -> None:
        self._handle = progress if callable(progress) else None
        self._lines = Progress("ray") if progress is True else None
        self._lock = threading.Lock()

    def event(self, event: Event) -> None:
        with self._lock:
            if self._handle is not None:
                self._handle(event)

    def show(self, text: str) -> None:
        """Replaces the status line."""
        if self._lines is not None:
            self._lines.show(text)

    def say(self, text: str) -> None:
        if self._lines is not None:
            self._lines.say(text)

    def warn(self, text: str) -> None:
        self.event({"event": "warning", "message": text})
        self.say(f"warning: {text}")

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()


@dataclasses.dataclass(frozen=True)
class _Plan:
    """Parameters of all sessions, as of `tune`."""

    deadline: float | None
    """End of the sessions, of `time.monotonic`; None for the budget of each."""
    stop_at_gain: float
    resume: bool


@dataclasses.dataclass(eq=False)
class _Session:
    """A session that runs. Times are of `time.monotonic`."""

    devices: list[str]
    begin: float
    end: float
    """By its budget; infinite without."""
    failed_devices: list[str] = dataclasses.field(default_factory=list)
    """Lost or broken devices, if nothing was decided."""
    has_ended: bool = False

    def count_seconds(self, now: float) -> float:
        """Returns the device-seconds that it has had."""
        return (now - self.begin) * len(self.devices)


@dataclasses.dataclass(eq=False)
class _Pool:
    """Devices of one kind of chip, and the sessions on them."""

    places: Any
    chip: str
    devices: list[str] = dataclasses.field(init=False)
    """Devices that are equal, and not lost."""
    free: list[str] = dataclasses.field(init=False)
    """Devices without a session."""
    size: float = 0
    """Size of all kernels for these devices."""
    sessions: dict[Part, _Session] = dataclasses.field(default_factory=dict)
    """Those that run."""
    ended: list[float] = dataclasses.field(default_factory=list)
    """Device-seconds of sessions that have ended."""

    def __post_init__(self) -> None:
        self.devices = self.places.devices
        self.free = list(self.devices)

    def find_time(self, deadline: float) -> Time:
        now = time.monotonic()
        seconds = max(0.0, deadline - now)
        promised = sum(
            max(0.0, session.end - now) * len(session.devices) for session in self.sessions.values()
        )
        return Time(seconds, max(0.0, seconds * len(self.devices) - promised))

    def take_back(self) -> list[Part]:
        """Frees the devices of sessions that have ended, but for lost ones. Returns the kernels that
        others must take."""
        now = time.monotonic()
        ended = {part: each for part, each in self.sessions.items() if each.has_ended}
        for part, session in ended.items():
            del self.sessions[part]
            self.free += [device for device in session.devices if device in self.devices]
            if not session.failed_devices:
                self.ended.append(session.count_seconds(now))
            self.leave_out(session.failed_devices)
        self.leave_out({*self.devices, *self.free} - set(self.places.devices))
        return [part for part, session in ended.items() if session.failed_devices]

    def leave_out(self, devices: Collection[str]) -> None:
        self.devices = [device for device in self.devices if device not in devices]
        self.free = [device for device in self.free if device not in devices]

    def estimate_seconds_left(self, waiting: int) -> float | None:
        """Estimates when its last session ends, if `waiting` kernels wait; None before the first has."""
        if not self.sessions and not waiting:
            return 0.0
        now = time.monotonic()
        running = [session.count_seconds(now) for session in self.sessions.values()]
        return estimate_seconds_left(self.ended, running, waiting, max(1, len(self.devices)))


@dataclasses.dataclass
class _Task:
    """A job with its devices, and what is known of it."""

    job: Job
    name: str
    source: ToolInput
    pool: _Pool
    messages: list[Message] = dataclasses.field(default_factory=list)
    reports: list[Mapping[str, Any]] = dataclasses.field(default_factory=list)
    is_readable: bool = True
    """The module can be read."""

    def words(self, kernel: str | None = None, *, searches: bool = False) -> list[str]:
        """Returns the arguments of runs of tonno-tune, for one kernel or those of the job."""
        chip = self.job.chip if self.job.target == "host" else self.pool.chip
        words = [self.source.argument, f"--target={self.job.target}", f"--chip={chip}"]
        kernel = kernel or self.job.kernel
        if kernel is not None:
            words.append(f"--kernel={kernel}")
        return words + [
            word for word in self.job.options if searches or not word[2:].startswith(_OF_SEARCH)
        ]

    def keep(self, messages: Sequence[Message]) -> None:
        """Keeps messages that are new."""
        self.messages += [message for message in messages if message not in self.messages]

    def fail(self, ran: ToolRun) -> None:
        """Keeps why a run has failed, if it has."""
        if ran.failure:
            self.keep(ran.errors or [Message("error", ran.failure)])


class _Tuner:
    def __init__(
        self,
        tasks: Sequence[_Task],
        folder: pathlib.Path,
        cache: pathlib.Path,
        shown: _Shown,
        seed: int,
        workers: Any,
    ) -> None:
        self._tasks = tasks
        self._pools = list(dict.fromkeys(task.pool for task in tasks))
        self._folder = folder
        self._cache = cache
        self._shown = shown
        self._seed = seed
        self._workers = workers
        self._journal: pathlib.Path | None = None
        self._decided: dict[str, Mapping[str, Any]] = {}
        """Reports of sessions, by key."""
        self._parts: Sequence[Part] = ()
        self._waiting: list[Part] = []
        self._begun: collections.Counter[Part] = collections.Counter()
        """How often a session of a kernel was started."""
        self._changed: queue.SimpleQueue[None] = queue.SimpleQueue()
        """Has an entry if a session has ended, or Ctrl-C was pressed."""
        self._interrupts = 0
        """How often Ctrl-C was pressed."""
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._is_interrupted = False

    def find_parts(self) -> list[Part]:
        """Returns the kernels of all jobs, without measuring anything."""
        parts = []
        for number, task in enumerate(self._tasks):
            words = [*task.words(), "--mode=off", "--cache=off"]
            ran, report, _ = self._run(task, words, f"kernels-{number}")
            task.fail(ran)
            task.is_readable = not ran.failure
            if ran.failure:
                continue
            sizes = estimate_sizes(report["kernels"], task.job.weight)
            for kernel, size in zip(report["kernels"], sizes, strict=True):
                key = f"{task.job.target} {task.pool.chip} {kernel['key']} {' '.join(task.job.options)}"
                parts.append(Part(number, kernel["kernel"], key, size))
        return parts

    def compare_devices(self) -> None:
        """Leaves out devices that fail, or are of another kind than the first of their pool: a
        decision holds for one kind."""
        for pool, task in {task.pool: task for task in self._tasks}.items():
            if len(pool.devices) < 2:
                continue
            self._workers.await_cpu()
            threads = concurrent.futures.ThreadPoolExecutor(
                max(1, min(len(pool.devices), self._workers.count_cpus()))
            )
            try:
                found = threads.map(lambda device, task=task: self._find_kind(task, device), pool.devices)
                kinds = dict(zip(pool.devices, found, strict=True))
            except BaseException:
                self._interrupt()
                raise
            finally:
                threads.shutdown()
            first = next((device for device, kind in kinds.items() if kind), "")
            for device, kind in kinds.items():
                if kind and kind != kinds[first]:
                    self._shown.warn(
                        f"{device} is left out: it is {kind}, and {first} is {kinds[first]}; tune on "
                        "one kind of device at a time"
                    )
            pool.leave_out([device for device in kinds if not first or kinds[device] != kinds[first]])

    def _find_kind(self, task: _Task, device: str) -> str:
        """Describes a device; empty if it fails, which is said."""
        # The job's own kernels may fail for reasons of their own.
        probe = dataclasses.replace(task.job, source=_PROBE, kernel=None, options=())
        asked = _Task(probe, task.name, read_source(_PROBE), task.pool)
        words = [*asked.words(), "--effort=none", "--prior=none", "--cache=off", "--jobs=1"]
        words += task.pool.places.options([device])
        ran, report, _ = self._run(asked, words, f"device-{task.pool.chip}-{device}", is_watched=True)
        if self._is_interrupted:
            return ""
        if ran.failure:
            self._shown.warn(f"{device} is left out: {ran.failure}")
            return ""
        (kernel,) = report["kernels"]
        return f"{kernel['device']} ({kernel['chip']})"

    def open_journal(
        self, file: pathlib.Path | None, parts: Sequence[Part], resume: bool
    ) -> None:
        """Reads what was decided before; a new journal begins unless it is resumed."""
        name = hashlib.sha256("\n".join(part.key for part in parts).encode()).hexdigest()[:16]
        self._journal = file or self._cache / "jobs" / f"{name}.jsonl"
        self._journal.parent.mkdir(parents=True, exist_ok=True)
        if not resume:
            self._journal.write_text("")
            return
        if not self._journal.exists():
            return
        text = self._journal.read_text()
        if text and not text.endswith("\n"):
            self._journal.write_text(text + "\n")  # cut off as the driver was killed
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            # Without its record, the tuned module could not be written.
            if pathlib.Path(entry["report"].get("record", "")).is_file():
                self._decided[entry["key"]] = entry["report"]

    def tune(self, parts: Sequence[Part], plan: _Plan) -> bool:
        """Runs a session for each part that is not decided; returns True after Ctrl-C."""
        self._parts = parts
        unique = {part.key: part for part in reversed(parts)}  # the first of equal ones
        for part in parts:
            self._pool(part).size += part.size
            if part is not unique[part.key]:
                unique[part.key].size += part.size
        self._waiting = sorted(
            (part for part in unique.values() if part.key not in self._decided),
            key=lambda part: -part.size,
        )
        with self._count_interrupts():
            handled = 0
            while True:
                if handled < self._interrupts:
                    handled = self._interrupts
                    self._interrupt()
                for pool in self._pools:
                    self._waiting[:0] = pool.take_back()
                    while not self._interrupts and self._start_session(pool, plan):
                        pass
                self._report_state(plan.deadline)
                if not any(pool.sessions for pool in self._pools):
                    self._give_up_waiting()
                    return self._interrupts > 0
                with contextlib.suppress(queue.Empty):
                    self._changed.get(timeout=_LOOK_SECONDS)

    @contextlib.contextmanager
    def _count_interrupts(self) -> Iterator[None]:
        """Lets Ctrl-C end the sessions in order. An exception could be lost where Ray calls back."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(*_: object) -> None:
            self._interrupts += 1
            self._changed.put(None)

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _give_up_waiting(self) -> None:
        """Says which kernels have no device."""
        if not self._interrupts:
            for part in self._waiting:
                self._fail(part, "no device is left for it")

    def _fail(self, part: Part, why: str) -> None:
        self._keep_messages(part, [Message("error", f"@{part.kernel}: {why}")])
        self._shown.say(f"@{part.kernel} of {self._tasks[part.job].name}: error: {why}")

    def _keep_messages(self, part: Part, messages: Sequence[Message]) -> None:
        """Keeps messages about a kernel, for all jobs that have it."""
        for job in {each.job for each in self._parts if each.key == part.key}:
            self._tasks[job].keep(messages)

    def _report_state(self, deadline: float | None) -> None:
        """Says how far the jobs are."""
        left = [pool.estimate_seconds_left(len(self._waiting_for(pool))) for pool in self._pools]
        known = [seconds for seconds in left if seconds is not None]
        longest = max(known, default=0.0) if len(known) == len(left) else None
        if deadline is not None:
            most = max(0.0, deadline - time.monotonic())
            longest = most if longest is None else min(longest, most)
        running = [
            {"job": self._tasks[part.job].name, "kernel": part.kernel, "devices": session.devices}
            for pool in self._pools
            for part, session in pool.sessions.items()
        ]
        with self._lock:
            decided = len(self._decided)
        state = {"decided": decided, "running": running, "waiting": len(self._waiting)}
        if longest is not None:
            state["seconds_left"] = longest
        self._shown.event({"event": "jobs", **state})
        about = "" if longest is None else f", about {_describe_seconds(longest)} left"
        self._shown.show(
            f"{decided} kernels decided, {len(running)} at work, {len(self._waiting)} waiting{about}"
        )

    def _pool(self, part: Part) -> _Pool:
        return self._tasks[part.job].pool

    def _waiting_for(self, pool: _Pool) -> list[Part]:
        return [part for part in self._waiting if self._pool(part) is pool]

    def _start_session(self, pool: _Pool, plan: _Plan) -> bool:
        """Starts the session of the pool's largest part, or leaves that at its default; returns
        False if no device is free, no CPU to compile on, or no part waits."""
        mine = self._waiting_for(pool)
        if not pool.free or not mine:
            return False
        others = sum(len(each.sessions) for each in self._pools)
        if others == 0:
            try:
                self._workers.await_cpu()
            except Error as error:
                self._waiting = [part for part in self._waiting if part not in mine]
                for part in mine:
                    self._fail(part, str(error))
                return False
        elif others >= self._workers.count_cpus():
            return False
        part = mine[0]
        self._waiting.remove(part)
        task = self._tasks[part.job]
        count = max(1, len(pool.free) // len(mine))
        words = task.words(part.kernel, searches=True)
        if plan.resume or self._begun[part]:
            words.append("--resume")
        if not any(word.startswith(_OTHER_GOALS) for word in task.job.options):
            gain = find_least_gain(part, plan.stop_at_gain, pool.size)
            words.append(f"--stop-at-gain={100 * gain:.6f}%")
        end = math.inf
        if plan.deadline is not None:
            seconds = allot(part, mine, pool.find_time(plan.deadline), count)
            if seconds is None:
                why = "stays at its default for lack of time; increase budget_seconds"
                self._keep_messages(part, [Message("warning", f"@{part.kernel} {why}")])
                self._shown.warn(f"@{part.kernel} of {task.name} {why}")
                return True
            words.append(f"--budget-seconds={seconds:.1f}")
            end = time.monotonic() + seconds
        busy = [each for each in self._pools if each.sessions or self._waiting_for(each)]
        all_devices = sum(len(each.devices) for each in {pool, *busy})
        words.append(f"--jobs={self._workers.count_for(count, all_devices)}")
        taken, pool.free = pool.free[:count], pool.free[count:]
        session = _Session(taken, time.monotonic(), end)
        thread = threading.Thread(target=self._run_session, args=(part, words, session), daemon=True)
        try:
            pool.sessions[part] = session
            self._begun[part] += 1
            thread.start()
        finally:
            if thread.ident is None:  # Ctrl-C came in between
                session.has_ended = True
        return True

    def _run_session(self, part: Part, words: Sequence[str], session: _Session) -> None:
        task = self._tasks[part.job]
        devices = session.devices
        messages: list[Message] = []
        try:
            places = task.pool.places.options(devices)
            ran, report, _ = self._run(
                task,
                [*words, *places, f"--cache-dir={self._cache}"],
                f"session-{part.job}-{part.kernel}",
                devices,
            )
            messages = [m for m in ran.messages if m.severity in ("error", "warning")]
            if ran.failure and not ran.errors and not self._is_interrupted:
                messages.append(Message("error", ran.failure))
            for kernel in report.get("kernels", ()):
                self._keep(part, task, kernel, devices)
            is_decided = any(not kernel["is_cut_short"] for kernel in report.get("kernels", ()))
            if not is_decided and not self._is_interrupted and self._begun[part] < _MOST_SESSIONS:
                session.failed_devices = [
                    device
                    for device in devices
                    if not task.pool.places.is_answering(device) or not self._find_kind(task, device)
                ]
        except Exception as error:
            messages = [Message("error", f"the session of @{part.kernel} failed: {error}")]
        finally:
            if not session.failed_devices:
                self._keep_messages(part, messages)
                for message in messages:
                    if message.severity == "error":
                        self._shown.say(f"@{part.kernel} of {task.name}: error: {message}")
            session.has_ended = True
            self._changed.put(None)

    def _keep(
        self, part: Part, task: _Task, kernel: Mapping[str, Any], devices: Sequence[str]
    ) -> None:
        is_whole = not kernel["is_cut_short"]
        with self._lock:
            if is_whole:
                self._decided[part.key] = kernel
            if is_whole and self._journal is not None:
                entry = {"job": task.name, "devices": devices, "key": part.key, "report": kernel}
                with self._journal.open("a") as journal:
                    journal.write(json.dumps(entry) + "\n")
        self._shown.say(f"{task.name} on {', '.join(devices)}: {TunedKernel._of(dict(kernel))!r}")

    def write(self) -> list[JobResult]:
        """Returns the tuned modules, by the decisions that the cache has."""
        results = []
        for number, task in enumerate(self._tasks):
            text = ""
            kernels: tuple[TunedKernel, ...] = ()
            if task.is_readable:
                ran, report, text = self._write(task, f"tuned-{number}")
                task.fail(ran)
                task.keep([each for each in ran.messages if each.severity == "warning"])
                task.reports = list(report.get("kernels", ()))
                kernels = tuple(TunedKernel._of(dict(kernel)) for kernel in task.reports)
            results.append(JobResult(task.job, task.name, text, kernels, tuple(task.messages)))
        return results

    def _write(self, task: _Task, name: str) -> tuple[ToolRun, dict[str, Any], str]:
        """Writes a module with the cache's decisions, by the first device that answers."""
        words = [*task.words(), "--effort=none", "--prior=none", f"--cache-dir={self._cache}", "--jobs=1"]
        for device in task.pool.devices:
            ran, report, text = self._run(task, [*words, *task.pool.places.options([device])], name)
            if not ran.failure or task.pool.places.is_answering(device):
                return ran, report, text
        why = "no device is left; with new ones, resume=True writes the tuned modules"
        return ToolRun(1, False, [], why), {}, ""

    def report(self, seconds: float, budget_seconds: float | None) -> dict[str, Any]:
        return {
            "schema": 1,
            "tool": "tonno.distributed",
            "version": _core.version(),
            "seconds": seconds,
            **({} if budget_seconds is None else {"budget_seconds": budget_seconds}),
            "jobs": [
                {
                    "name": task.name,
                    "target": task.job.target,
                    "chip": task.pool.chip,
                    "devices": task.pool.devices,
                    "kernels": task.reports,
                    "errors": [str(m) for m in task.messages if m.severity == "error"],
                }
                for task in self._tasks
            ],
            "sessions": list(self._decided.values()),
        }

    def _run(
        self,
        task: _Task,
        words: Sequence[str],
        name: str,
        devices: Sequence[str] = (),
        *,
        is_watched: bool = False,
    ) -> tuple[ToolRun, dict[str, Any], str]:
        """Runs tonno-tune; returns its report, empty if there is none, and the tuned text.

        devices: of a session, whose events are shown
        is_watched: runs in a thread, as sessions do, so that `_interrupt` ends it
        """
        is_watched = is_watched or bool(devices)
        report = self._folder / f"{name}.json"
        output = self._folder / f"{name}.mlir"
        about = {"job": task.name, "devices": list(devices)}

        def is_shown(event: Event) -> bool:
            return bool(devices) or event["event"] in ("error", "warning")

        ran = run_tool(
            "tonno-tune",
            [*words, f"--seed={self._seed}", f"--report={report}", "-o", os.fspath(output)],
            task.source.text,
            lambda event: self._shown.event({**event, **about}) if is_shown(event) else None,
            self._watch if is_watched else contextlib.nullcontext,
        )
        if ran.is_interrupted and not is_watched:
            raise KeyboardInterrupt
        text = output.read_text() if output.exists() else ""
        return ran, json.loads(report.read_text()) if report.exists() else {}, text

    @contextlib.contextmanager
    def _watch(self, process: subprocess.Popen[bytes]) -> Any:
        with self._lock:
            self._running.add(process)
            is_late = self._is_interrupted
        if is_late:
            process.send_signal(signal.SIGINT)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(process)

    def _interrupt(self) -> None:
        """Ends all sessions in order; a second time at once."""
        with self._lock:
            self._is_interrupted = True
            for process in self._running:
                process.send_signal(signal.SIGINT)
