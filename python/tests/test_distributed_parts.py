# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of sessions on a cluster, without one."""

from __future__ import annotations

import io
import itertools
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import tonno
import tonno.mlir
from tonno.distributed import places, relay, tuning
from tonno.frames import read_frame, split_frame
from tonno.distributed.jobs import (
    LEAST_SECONDS,
    Job,
    Part,
    Time,
    allot,
    check_job,
    estimate_seconds_left,
    estimate_sizes,
    find_least_gain,
    name_job,
)
from tonno.mlir.sources import read_source


def make_frame(body: bytes) -> bytes:
    return b"TNO1" + struct.pack("<I", len(body)) + body


def make_binary(content: bytes) -> bytes:
    return b"\x5a" + struct.pack(">I", len(content)) + content


def test_frames_are_read_one_by_one() -> None:
    frames = [make_frame(b"\xa0"), make_frame(b"\x01" * 1000)]
    stream = io.BytesIO(b"".join(frames) + b"TNO1\xff\x00\x00\x00cut off")
    assert [read_frame(stream) for _ in range(3)] == [*frames, b""]
    with pytest.raises(tonno.Error, match="not one of tonno's frames"):
        read_frame(io.BytesIO(b"HTTP/1.1 200 OK"))


# A map with each kind of item: numbers of all widths, texts, arrays, tags, constants, f64.
ITEMS = (
    b"\x17\x18\xff\x19\xff\xff\x1a\xff\xff\xff\xff\x1b" + bytes(8),
    b"\x20\x38\x01",
    b"\x63abc\x78\x20" + b"x" * 32,
    b"\x82\x01\x81\xf6",
    b"\xc1\x00",
    b"\xf4\xf5\xf6\xf9\x3c\x00\xfa" + bytes(4) + b"\xfb" + bytes(8),
    b"\x43abc",
)


@pytest.mark.parametrize("before, after", itertools.product(ITEMS, ITEMS))
def test_large_binaries_are_parts_of_their_own(before: bytes, after: bytes) -> None:
    large = bytes(range(256)) * 4
    frame = make_frame(before + make_binary(large) + after + make_binary(large[:10]))
    parts = split_frame(frame, least=100)
    assert b"".join(parts) == frame
    assert [part for part in parts if len(part) >= 100] == [large]
    assert split_frame(frame, least=10000) == [frame]


def test_relay_ends_as_its_process_did(tmp_path: Path) -> None:
    for status in (0, 3, -signal.SIGSEGV, -signal.SIGTERM, -signal.SIGKILL, None):
        address = tmp_path / f"driver{status}"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(address))
            server.listen()
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", relay.__file__, address, "alpha", "--device=host"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            connection, _ = server.accept()
            message, descriptors, _, _ = socket.recv_fds(connection, 1000, 2)
            assert message == b'["alpha", ["--device=host"]]'
            with open(descriptors[0], "rb") as requests, open(descriptors[1], "wb") as answers:
                assert process.stdin is not None and process.stdout is not None
                process.stdin.write(b"request")
                process.stdin.flush()
                assert requests.read1(100) == b"request"
                answers.write(b"answer")
            with connection:
                if status is not None:
                    connection.sendall(relay.STATUS.pack(status))
            output, _ = process.communicate(timeout=30)
            assert output == b"answer"
            assert process.returncode == (-signal.SIGHUP if status is None else status)


def test_kernels_have_their_share_of_the_budget() -> None:
    parts = [Part(0, name, name, size) for name, size in (("a", 60), ("b", 30), ("c", 10))]
    assert allot(parts[0], parts, Time(100, 100), 1) == pytest.approx(60)
    # The first has taken only 10 of its 60 seconds.
    assert allot(parts[1], parts[1:], Time(90, 90), 1) == pytest.approx(90 * 0.75)
    assert allot(parts[2], parts[2:], Time(30, 30), 1) == 30


def test_kernels_share_devices() -> None:
    parts = [Part(0, "large", "large", 60)]
    parts += [Part(0, str(number), str(number), 1) for number in range(40)]
    # Two devices: the large kernel has one, to the end.
    assert allot(parts[0], parts, Time(1000, 2000), 1) == 1000
    assert allot(parts[1], parts[1:], Time(1000, 1000), 1) == pytest.approx(1000 / 40)
    # The last one has all devices.
    assert allot(parts[1], parts[1:2], Time(100, 400), 4) == 100


def test_budget_that_is_spent_leaves_defaults() -> None:
    part = Part(0, "a", "a", 1)
    assert allot(part, [part], Time(LEAST_SECONDS / 2, 100), 1) is None
    assert allot(part, [part, Part(0, "b", "b", 1000)], Time(100, 100), 1) == LEAST_SECONDS


def test_searches_end_by_the_gain_of_all() -> None:
    part = Part(0, "a", "a", 20)
    assert find_least_gain(part, 0.01, total=100) == pytest.approx(0.05)
    assert find_least_gain(part, 0.01, total=1e6) == 0.5


@pytest.mark.parametrize("option", ["budget-trials", "--cache-dir=/tmp", "--device", "-o", "6"])
def test_options_of_the_call_are_not_for_jobs(option: str) -> None:
    with pytest.raises(tonno.Error):
        check_job(Job("a.mlir", options=["--budget-trials=6", option]))


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan")])
def test_weights_are_positive(weight: float) -> None:
    with pytest.raises(tonno.Error, match="weight is more than 0"):
        check_job(Job("a.mlir", weight=weight))


def test_sizes_are_those_of_the_work() -> None:
    work = {"macs": 1000, "bytes_read": 20, "bytes_written": 3}
    assert estimate_sizes([{"work": work}, {}], weight=2) == [2046, 2046]
    assert estimate_sizes([{}, {}], weight=3) == [3, 3]


def test_jobs_are_named_by_their_files() -> None:
    assert name_job(Job("kernels/matmul.mlir"), 0) == "matmul.mlir"
    assert name_job(Job("module {\n}"), 2) == "job 2"
    assert name_job(Job("a.mlir", name="attention"), 0) == "attention"


def test_time_left_is_that_of_sessions_before() -> None:
    assert estimate_seconds_left([], [5.0], 3, devices=2) is None
    assert estimate_seconds_left([20.0, 40.0], [10.0, 50.0], 3, devices=2) == (20 + 3 * 30) / 2
    assert estimate_seconds_left([20.0], [], 0, devices=1) == 0


class _Devices:
    """Devices that answer, but for those that are lost."""

    def __init__(self, *names: str) -> None:
        self.devices = list(names)


class _Workers:
    def await_cpu(self) -> None:
        pass

    def count_cpus(self) -> int:
        return 2


def make_pool(*devices: str) -> tuning._Pool:
    return tuning._Pool(_Devices(*devices), "host")


def start_session(pool: tuning._Pool, *devices: str) -> tuple[Part, tuning._Session]:
    part = Part(0, "matmul", "", 1.0)
    session = pool.sessions[part] = tuning._Session(list(devices), 0.0, 0.0)
    pool.free = [device for device in pool.free if device not in devices]
    return part, session


def test_lost_devices_are_not_free_again() -> None:
    pool = make_pool("a", "b", "c")
    first, of_two = start_session(pool, "a", "b")
    _, of_one = start_session(pool, "c")
    pool.places.devices.remove("a")
    of_one.has_ended = True
    assert pool.take_back() == []
    assert pool.free == ["c"]
    of_two.has_ended = True
    of_two.failed_devices = ["a"]
    assert pool.take_back() == [first]
    assert pool.free == ["c", "b"]
    assert pool.devices == ["b", "c"]


def test_broken_devices_are_left_out() -> None:
    pool = make_pool("a", "b")
    part, session = start_session(pool, "a")
    session.has_ended = True
    session.failed_devices = ["a"]
    assert pool.take_back() == [part]
    assert pool.free == pool.devices == ["b"]
    assert pool.estimate_seconds_left(1) is None  # a session that failed says nothing of others


def test_stored_tokens_are_not_for_candidates(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TONNO_STORE_TOKEN", "secret")
    file = tmp_path / "environment"
    run = places._Run(1, ["/bin/sh", "-c", f"env > {file}; echo said >&2"], shows_all=False)
    assert run.await_end() == (0, ["said"])
    assert "secret" not in file.read_text()


def test_places_of_a_node_claim_different_devices(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, second, third = places.Place(), places.Place(), places.Place()
    named = ["cuda:0", "cuda:2"]
    assert first.claim(named) == "cuda:0"
    assert second.claim(named) == "cuda:2"
    assert third.claim(named) == "cuda:0"
    del first
    assert places.Place().claim(named) == "cuda:0"


def test_devices_of_another_kind_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"a": "", "b": "AMD EPYC 7763 (znver3)", "c": "AMD EPYC 9654 (znver4)"}
    kinds["d"] = kinds["b"]
    pool = make_pool(*kinds)
    job = Job("m.mlir")
    task = tuning._Task(job, "m.mlir", read_source(job.source), pool)
    said: list[tonno.mlir.Event] = []
    tuner = tuning._Tuner([task], Path(), Path(), tuning._Shown(said.append), 0, _Workers())
    monkeypatch.setattr(tuner, "_find_kind", lambda task, device: kinds[device])
    tuner.compare_devices()
    assert pool.devices == pool.free == ["b", "d"]
    (warning,) = said
    assert warning["message"].startswith(
        "c is left out: it is AMD EPYC 9654 (znver4), and b is AMD EPYC 7763 (znver3)"
    )
