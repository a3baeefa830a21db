# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A shared store of records for `tonno-tune --store`: GET and PUT of files.

    python record_server.py FOLDER [--port=8080] [--certificate=server.pem]

$TONNO_STORE_TOKEN is the token that clients must send; without it, everyone on this
machine may read and write. Only with a certificate other machines are served.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import os
import pathlib
import re
import ssl
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RECORD = re.compile(r"/v1/(?P<folder>[0-9a-f]{2})/(?P=folder)[0-9a-f]{62}\.json")
MOST_BYTES = 4 << 20  # tonno reads no longer records


class RecordHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept
    timeout = 30  # seconds that a connection may be silent
    folder: pathlib.Path
    token: str
    lock = threading.Lock()  # from the comparison of a condition to the write

    def answer(self, status: int, body: bytes = b"", etag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(body)

    def is_allowed(self) -> bool:
        given = self.headers.get("Authorization", "").encode()
        return not self.token or hmac.compare_digest(given, f"Bearer {self.token}".encode())

    def read(self) -> bytes | None:
        try:
            return (self.folder / self.path[1:]).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, content: bytes) -> None:
        """Writes the record aside and renames it: readers see a whole one or none."""
        path = self.folder / self.path[1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)

    def do_GET(self) -> None:
        if not self.is_allowed():
            return self.answer(401)
        content = self.read() if RECORD.fullmatch(self.path) else None
        if content is None:
            return self.answer(404)
        return self.answer(200, content, make_etag(content))

    def do_PUT(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self.close_connection = True  # the body is not read
            return self.answer(413 if length.isdecimal() else 411)
        content = self.rfile.read(int(length))
        if not self.is_allowed():
            return self.answer(401)
        if not RECORD.fullmatch(self.path):
            return self.answer(403)
        with self.lock:
            known = self.read()
            if known is None:
                is_met = "If-Match" not in self.headers
            else:
                expected = self.headers.get("If-Match", make_etag(known))
                is_met = "If-None-Match" not in self.headers and expected in (
                    "*",
                    make_etag(known),
                )
            if not is_met:
                return self.answer(412)
            self.write(content)
        return self.answer(201 if known is None else 204)


def make_etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()}"'


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--certificate", help="PEM file of the certificate and its key")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    RecordHandler.folder = options.folder
    RecordHandler.token = os.environ.get("TONNO_STORE_TOKEN", "")
    host = "" if options.certificate else "127.0.0.1"
    server = ThreadingHTTPServer((host, options.port), RecordHandler)
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
