# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared stores: what honest, hostile and real servers do to tonno-tune."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = ROOT / "test/tonno-tune/Inputs/small.mlir"
SERVER = ROOT / "examples/python/record_server.py"
TOOLS = pathlib.Path(sys.prefix).parent / "bin"
WRITER = TOOLS.parent / "test/unit/Cache/tonno-unit-store-writer"

FOUND = ", from the cache"
MISS = "the cache has no decision"

pytestmark = pytest.mark.usefixtures("tools")


def run_tool(folder: pathlib.Path, *words: str, **environment: str) -> str:
    """Returns what tonno-tune reports. A session that does not end fails."""
    ended = subprocess.run(
        [TOOLS / "tonno-tune", *words, "-o", folder / "tuned.mlir"],
        cwd=folder,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


def look_up(folder: pathlib.Path, url: str, *words: str, **environment: str) -> str:
    """Returns what a session reports that measures nothing; its cache is `folder`/cache."""
    cache = f"--cache-dir={folder / 'cache'}"
    return run_tool(
        folder, str(SMALL), "--effort=none", f"--store={url}", cache, *words, **environment
    )


def stored(folder: pathlib.Path) -> list[str]:
    return sorted(file.stem for file in folder.glob("v1/??/*.json"))


@contextlib.contextmanager
def record_server(folder: pathlib.Path, *words: str, token: str = "") -> Iterator[int]:
    """Runs the server of the guide; its port."""
    process = subprocess.Popen(
        [sys.executable, SERVER, folder, "--port=0", *words],
        env={**os.environ, "TONNO_STORE_TOKEN": token},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline().split()[-1])
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of a store with the decision of one session, in `srv`; `cache` is the
    session's own."""
    folder = tmp_path_factory.mktemp("shared")
    with record_server(folder / "srv") as port:
        url = f"--store=http://127.0.0.1:{port}"
        cache = f"--cache-dir={folder / 'cache'}"
        said = run_tool(folder, str(SMALL), url, cache, "--budget-trials=2")
    assert "store" not in said
    return folder


@pytest.fixture
def latest(shared: pathlib.Path) -> tuple[str, str]:
    """The key and the text of the decision that builds look for."""
    for key in stored(shared / "srv"):
        text = (shared / "srv/v1" / key[:2] / f"{key}.json").read_text()
        if json.loads(text)["record"].get("question", {}).get("search") == "latest":
            return key, text
    raise AssertionError("the store has no decision")


def seal(key: str, record: Any) -> bytes:
    """The file of a record, with the right checksum."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({"schema": 1, "key": key, "record": record, "checksum": checksum}).encode()


Reply = Callable[[http.server.BaseHTTPRequestHandler], None]


class HostileServer(http.server.ThreadingHTTPServer):
    """Answers each request by a function, and lists the requests."""

    daemon_threads = True

    def __init__(self, reply: Reply) -> None:
        self.requests: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                server.requests.append((self.command, self.path))
                server.headers.append(dict(self.headers))
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with contextlib.suppress(OSError):  # the client ended the connection
                    reply(self)

            do_PUT = do_GET  # noqa: N815

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def serve() -> Iterator[Callable[[Reply], HostileServer]]:
    servers: list[HostileServer] = []

    def start(reply: Reply) -> HostileServer:
        servers.append(HostileServer(reply))
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def send(body: bytes, status: int = 200, **headers: str) -> Reply:
    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def repeat(start: bytes, piece: bytes, pause: float = 0) -> Reply:
    """Sends without end, until the client ends the connection."""

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(start)
        while True:
            handler.wfile.write(piece)
            time.sleep(pause)

    return reply


def claim(size: int) -> Reply:
    return repeat(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size, b"x" * 65536)


# The replies, and a part of the only warning.
UNUSABLE = {
    "1 GB": (claim(1 << 30), "a reply has more than 4 MiB"),
    "endless body": (
        repeat(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"4\r\nxxxx\r\n" * 999),
        "a reply has more than 4 MiB",
    ),
    "body until the end": (repeat(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 999), "more than 4 MiB"),
    "dripping body": (
        repeat(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b" ", 0.1),
        "no whole reply within 1.00 s",
    ),
    "silence": (repeat(b"", b"", 0.1), "no whole reply within 1.00 s"),
    "dripping header": (repeat(b"HTTP/1.1 200 OK\r\n", b"a", 0.1), "no whole reply within"),
    "endless headers": (
        repeat(b"HTTP/1.1 200 OK\r\n", b"".join(b"H%d: x\r\n" % i for i in range(999))),
        "the header of a reply has more than 64 KiB",
    ),
    "one long header": (repeat(b"HTTP/1.1 200 OK\r\nH: ", b"x" * 9999), "left out"),
    "continue without end": (repeat(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "left out"),
    "no HTTP": (repeat(b"", b"garbage\r\n" * 99), "left out"),
    "error": (send(b"", 500), "status 500"),
    "no permission": (send(b"", 403), "status 403; set $TONNO_STORE_TOKEN"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_store_is_left_out_after_one_request(
    tmp_path: pathlib.Path, serve: Callable[[Reply], HostileServer], name: str
) -> None:
    reply, part = UNUSABLE[name]
    server = serve(reply)
    # Two kernels, of which each is looked up.
    text = SMALL.read_text()
    two = tmp_path / "two.mlir"
    two.write_text(text + text.replace("@small", "@other").replace("64", "128"))
    said = run_tool(
        tmp_path, str(two), "--effort=none", f"--store={server.url}", "--cache-dir=cache"
    )
    assert said.count(MISS) == 2
    assert said.count("warning: ") == 1 and part in said
    assert f"the store '{server.url}' is left out of this session" in said
    assert len(server.requests) == 1
    assert stored(tmp_path / "cache") == []


def test_refused_connection_ends_no_session(tmp_path: pathlib.Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        said = look_up(tmp_path, f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert said.count("is left out of this session") == 1 and MISS in said


def change(text: str, **members: Any) -> Any:
    """The record of a file with other members; None removes one."""
    record = json.loads(text)["record"]
    for name, value in members.items():
        record[name] = value
        if value is None:
            del record[name]
    return record


def forge(name: str, key: str, text: str) -> bytes:
    record = json.loads(text)["record"]
    match name:
        case "another key":
            return text.replace(key, "0" * 64).encode()
        case "wrong checksum":
            return text.replace('"trials": 2', '"trials": 3').encode()
        case "another schema":
            return text.replace('"schema": 1', '"schema": 2').encode()
        case "cut off":
            return text[: len(text) // 2].encode()
        case "empty":
            return b""
        case "NaN":
            return text.replace('"trials": 2', '"trials": NaN').encode()
        case "number without limits":
            return text.replace('"trials": 2', '"trials": 1e999').encode()
        case "brackets":
            return b"[" * 1_000_000
        case "not UTF-8":
            return text.replace("small", "\udc80\udcff").encode(errors="surrogateescape")
        case "another device":
            question = {**record["question"], "device": "another"}
            return seal(key, change(text, question=question))
        case "no question":
            return seal(key, change(text, question=None))
        case "no times":
            return seal(key, change(text, comparison={}))
        case "a trial":
            return seal(key, {"values": record["values"], "status": "wrong"})
        case "values of no option":
            return seal(key, change(text, values={"BM": 3, "MR": 1}))
        case "values of other knobs":
            return seal(key, change(text, values={"BM": 1, "XX": 1}))
        case "values of another type":
            return seal(key, change(text, values=[1, 2]))
    raise AssertionError(name)


FORGED = {
    **dict.fromkeys(
        [
            *("another key", "wrong checksum", "another schema", "cut off", "empty", "NaN"),
            *("number without limits", "brackets", "not UTF-8"),
        ],
        "is corrupt (",
    ),
    **dict.fromkeys(
        ["another device", "no question", "no times", "a trial"], "answers another question"
    ),
    # Has the right question, so that it is kept, as a damaged local record is.
    **dict.fromkeys(
        ["values of no option", "values of other knobs", "values of another type"],
        "does not fit",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_record_is_a_miss(
    tmp_path: pathlib.Path,
    serve: Callable[[Reply], HostileServer],
    latest: tuple[str, str],
    name: str,
) -> None:
    body = forge(name, *latest)
    assert body != latest[1].encode()
    server = serve(send(body))
    said = look_up(tmp_path, server.url)
    assert MISS in said and said.count("warning: ") == 1 and FORGED[name] in said
    if FORGED[name] != "does not fit":
        assert stored(tmp_path / "cache") == []


def test_forgeries_begin_with_a_record_that_is_found(
    tmp_path: pathlib.Path, serve: Callable[[Reply], HostileServer], latest: tuple[str, str]
) -> None:
    key, text = latest
    server = serve(send(seal(key, json.loads(text)["record"])))
    said = look_up(tmp_path, server.url)
    assert FOUND in said and "warning: " not in said
    assert server.requests == [("GET", f"/v1/{key[:2]}/{key}.json")]


def test_decision_is_kept_locally(tmp_path: pathlib.Path, shared: pathlib.Path) -> None:
    with record_server(shared / "srv") as port:
        url = f"http://127.0.0.1:{port}/"
        # An empty option wins over the variable.
        assert MISS in look_up(tmp_path, "", TONNO_STORE=url)
        assert FOUND in look_up(tmp_path, url)
        (key,) = stored(tmp_path / "cache")
    # Without the server and without the option.
    assert FOUND in run_tool(tmp_path, str(SMALL), "--effort=none", "--cache-dir=cache")
    assert key in stored(shared / "srv")


def test_variable_names_the_store(tmp_path: pathlib.Path, shared: pathlib.Path) -> None:
    with record_server(shared / "srv") as port:
        words = (str(SMALL), "--effort=none", "--cache-dir=cache")
        assert FOUND in run_tool(tmp_path, *words, TONNO_STORE=f"http://127.0.0.1:{port}")


def test_read_only_cache_gets_no_copy(tmp_path: pathlib.Path, shared: pathlib.Path) -> None:
    with record_server(shared / "srv") as port:
        assert FOUND in look_up(tmp_path, f"http://127.0.0.1:{port}", "--cache=ro")
    assert not (tmp_path / "cache").exists()


def test_cache_off_asks_nobody(
    tmp_path: pathlib.Path, serve: Callable[[Reply], HostileServer]
) -> None:
    server = serve(send(b"", 404))
    look_up(tmp_path, server.url, "--cache=off")
    assert server.requests == []


def test_pass_reads_the_store(
    tmp_path: pathlib.Path, tools: pathlib.Path, shared: pathlib.Path
) -> None:
    with record_server(shared / "srv") as port:
        options = f"cache-dir={tmp_path / 'cache'} store=http://127.0.0.1:{port}"
        ended = subprocess.run(
            [tools / "tonno-opt", SMALL, f"--tonno-apply-cached={options}"],
            capture_output=True,
            text=True,
            check=True,
        )
    assert "gets the cache's decision" in ended.stderr


def test_store_gets_decisions_and_no_trials(shared: pathlib.Path) -> None:
    files = (shared / "srv/v1").glob("??/*.json")
    records = [json.loads(file.read_text())["record"] for file in files]
    assert sorted("comparison" in record for record in records) == [False, False, True, True]
    assert not any("status" in record for record in records)
    assert len(stored(shared / "cache")) > len(records)


def test_redirect_is_named_and_not_followed(
    tmp_path: pathlib.Path, serve: Callable[[Reply], HostileServer], latest: tuple[str, str]
) -> None:
    key, text = latest
    target = serve(send(text.encode()))
    place = f"{target.url}/new/v1/{key[:2]}/{key}.json"
    source = serve(send(b"", 301, Location=place))
    said = look_up(tmp_path, source.url, TONNO_STORE_TOKEN="hush-hush")
    assert MISS in said and f"'--store={target.url}/new'" in said
    assert target.requests == [] and "hush" not in said
    assert source.headers[0]["Authorization"] == "Bearer hush-hush"


def test_escape_sequences_are_not_printed(
    tmp_path: pathlib.Path, serve: Callable[[Reply], HostileServer]
) -> None:
    server = serve(send(b"", 302, Location="http://host/\x1b[2J"))
    said = look_up(tmp_path, server.url)
    assert "is left out" in said and "\x1b" not in said


def test_token_is_required_and_never_printed(
    tmp_path: pathlib.Path, shared: pathlib.Path
) -> None:
    with record_server(shared / "srv", token="hush-hush") as port:
        url = f"http://127.0.0.1:{port}"
        for token in ("", "wrong-wrong"):
            said = look_up(tmp_path, url, TONNO_STORE_TOKEN=token)
            assert MISS in said and "status 401; set $TONNO_STORE_TOKEN" in said
            assert "wrong-wrong" not in said
        said = look_up(tmp_path, url, TONNO_STORE_TOKEN="hush-hush")
    assert FOUND in said and "hush" not in said


def test_proxy_does_not_see_what_stays_on_the_machine(
    tmp_path: pathlib.Path, shared: pathlib.Path, serve: Callable[[Reply], HostileServer]
) -> None:
    proxy = serve(send(b"", 500))
    with record_server(shared / "srv") as port:
        url = f"http://127.0.0.1:{port}"
        assert FOUND in look_up(tmp_path, url, http_proxy=proxy.url, all_proxy=proxy.url)
    assert proxy.requests == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A file with a key and its own certificate for 127.0.0.1."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    request = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-batch")
    names = ("-subj", "/CN=tonno", "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run(
        ["openssl", *request, *names, "-keyout", file, "-out", f"{file}.crt"],
        check=True,
        capture_output=True,
    )
    file.write_text(file.read_text() + pathlib.Path(f"{file}.crt").read_text())
    return file


def test_certificates_are_verified(
    tmp_path: pathlib.Path, shared: pathlib.Path, certificate: pathlib.Path
) -> None:
    with record_server(shared / "srv", f"--certificate={certificate}", token="hush-hush") as port:
        url = f"https://127.0.0.1:{port}"
        said = look_up(tmp_path, url, TONNO_STORE_TOKEN="hush-hush")
        assert MISS in said and "certificate" in said
        known = {"TONNO_STORE_TOKEN": "hush-hush", "SSL_CERT_FILE": f"{certificate}.crt"}
        assert FOUND in look_up(tmp_path, url, **known)
        # The certificate is of another name.
        (tmp_path / "cache").rename(tmp_path / "before")
        said = look_up(tmp_path, f"https://localhost:{port}", **known)
        assert MISS in said and "left out" in said


class Writer:
    """A process that inserts until it is killed."""

    def __init__(self, url: str, seed: int, keys: str) -> None:
        self.seed = seed
        self.process = subprocess.Popen(
            [WRITER, url, str(seed), keys],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kill(self, later: float) -> list[tuple[str, int]]:
        """Kills it at work; the keys and numbers that the store has taken."""
        assert self.process.stdout is not None and self.process.stderr is not None
        first = self.process.stdout.readline()
        time.sleep(later)
        self.process.kill()
        # communicate() would miss what readline() has read ahead.
        rest, errors = self.process.stdout.read(), self.process.stderr.read()
        assert self.process.wait() == -9 and not errors, errors
        lines = (first + rest).split("\n")[:-1]  # the last one may be cut off
        return [(key, int(number)) for key, number in map(str.split, lines)]


def counted(seed: int, number: int) -> dict[str, Any]:
    """The record that a writer of this seed inserts."""
    text = "".join(str(number ^ i) for i in range(number % 600))
    return {"key": seed, "number": number, "text": text}


def kill_writers(url: str, keys: str, kills: int) -> Iterator[tuple[int, list[tuple[str, int]]]]:
    """Runs eight writers, kills some and starts others, and at the end kills all. Yields
    the seed of each, and what the store has taken from it."""
    chance = random.Random(3)
    writers = [Writer(url, seed, keys) for seed in range(8)]
    for seed in range(8, 8 + kills):
        at = chance.randrange(8)
        yield writers[at].seed, writers[at].kill(chance.random() / 20)
        writers[at] = Writer(url, seed, keys)
    for writer in writers:
        yield writer.seed, writer.kill(chance.random() / 20)


def read_all(folder: pathlib.Path) -> dict[str, Any]:
    records = {}
    for key in stored(folder):
        file = json.loads((folder / "v1" / key[:2] / f"{key}.json").read_text())
        assert file["key"] == key
        records[key] = file["record"]
    return records


def check_own_records(url: str, folder: pathlib.Path) -> None:
    told, most = 0, 0
    for seed, taken in kill_writers(url, "own", kills=16):
        records = read_all(folder)
        for key, number in taken:
            assert records[key] == counted(seed, number)
        told += len(taken)
        most += len(taken) + 1  # killed between the reply and the report
    assert told > 24
    assert told <= len(read_all(folder)) <= most


needs_writer = pytest.mark.skipif(not WRITER.exists(), reason="the unit tests were not built")


@needs_writer
def test_killed_writers_lose_and_double_nothing(tmp_path: pathlib.Path) -> None:
    with record_server(tmp_path / "srv") as port:
        check_own_records(f"http://127.0.0.1:{port}", tmp_path / "srv")


@needs_writer
def test_preferred_record_of_all_writers_stays(tmp_path: pathlib.Path) -> None:
    def rank(record: Any) -> str:
        return json.dumps(record, sort_keys=True, separators=(",", ":"))

    preferred: dict[str, str] = {}
    with record_server(tmp_path / "srv") as port:
        for seed, taken in kill_writers(f"http://127.0.0.1:{port}", "common", kills=8):
            for key, number in taken:
                mine = rank(counted(seed, number))
                preferred[key] = min(mine, preferred.get(key, mine))
    records = read_all(tmp_path / "srv")
    assert len(preferred) == 5
    for key, text in preferred.items():
        # Killed writers may have inserted one more than they have reported.
        assert rank(records[key]) <= text
        assert records[key] == counted(records[key]["key"], records[key]["number"])


@needs_writer
def test_store_without_permission_to_write_is_only_read(
    serve: Callable[[Reply], HostileServer],
) -> None:
    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        send(b"", 404 if handler.command == "GET" else 403)(handler)

    server = serve(reply)
    ended = subprocess.run(
        [WRITER, server.url, "0", "own"], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 5 and "takes no records (status 403" in ended.stderr
    assert [method for method, _ in server.requests] == ["GET", "PUT"]
    assert server.headers[1]["If-None-Match"] == "*"


NGINX = """
daemon off; error_log stderr; pid {folder}/pid; {user}
events {{}}
http {{
  access_log off; client_max_body_size 4m; client_body_temp_path {folder}/aside;
  proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/srv;
    location /v1/ {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(folder: pathlib.Path) -> Iterator[str]:
    """Runs nginx with WebDAV for `folder`/srv; its URL."""
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "srv").mkdir(exist_ok=True)
    # As root, workers would not be allowed to write.
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, user=user))
    log = folder / "log"
    with log.open("wb") as errors:  # a pipe would fill up: each miss is an error
        process = subprocess.Popen(
            [program, "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"], stderr=errors
        )
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        assert process.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def test_nginx_serves_decisions(tmp_path: pathlib.Path, shared: pathlib.Path) -> None:
    shutil.copytree(shared / "srv/v1", tmp_path / "srv/v1")
    with nginx(tmp_path) as url:
        assert FOUND in look_up(tmp_path, url)


@needs_writer
def test_nginx_keeps_the_records_of_killed_writers(tmp_path: pathlib.Path) -> None:
    with nginx(tmp_path) as url:
        check_own_records(url, tmp_path / "srv")
