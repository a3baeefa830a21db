# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frames that tonno-tune exchanges with runners and workers.

A frame is 4 bytes "TNO1", the length as 4 bytes little-endian, and a message as CBOR (RFC 8949).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

from tonno.errors import Error

_HEADER = struct.Struct("<4sI")
_MAGIC = b"TNO1"
BODY = _HEADER.size
"""Place of a frame's body."""
_BYTES, _TEXT = 2, 3
"""Major types of CBOR whose argument is the length of what follows."""


def read_frame(stream: IO[bytes]) -> bytes:
    """Returns the next frame; empty at the end. Raises `tonno.Error` if it is none."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return b""
    magic, length = _HEADER.unpack(header)
    if magic != _MAGIC:
        raise Error("the message is not one of tonno's frames")
    body = stream.read(length)
    return header + body if len(body) == length else b""


def write_frame(stream: IO[bytes], body: bytes) -> None:
    stream.write(_HEADER.pack(_MAGIC, len(body)) + body)
    stream.flush()


def _find_binaries(frame: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Yields where the binaries of a least size are.

    Heads of arrays and maps stand before their items, so that one pass meets all of them.
    """
    place = _HEADER.size
    while place < len(frame):
        kind, short = frame[place] >> 5, frame[place] & 31
        size = 1 << (short - 24) if short >= 24 else 0
        argument = int.from_bytes(frame[place + 1 : place + 1 + size], "big") if size else short
        place += 1 + size
        if kind in (_BYTES, _TEXT):
            if kind == _BYTES and argument >= least:
                yield place, place + argument
            place += argument


def split_frame(frame: bytes, least: int) -> list[bytes]:
    """Returns the frame in parts: each binary of a least size is one of them."""
    parts = []
    done = 0
    for begin, end in _find_binaries(frame, least):
        parts += [frame[done:begin], frame[begin:end]]
        done = end
    return [part for part in [*parts, frame[done:]] if part]
