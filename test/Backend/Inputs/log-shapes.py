# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls @sum of log-shapes.test: log-shapes.py LIBRARY THREADS MxN:CALLS..."""

import ctypes
import sys
import threading

library, threads, *shapes = sys.argv[1:]
entry = ctypes.CDLL(library)["sum_entry"]


class Buffer:
    """An array of zeros, aligned as kernels need it."""

    def __init__(self, elements: int) -> None:
        self.bytes = ctypes.create_string_buffer(4 * elements + 64)
        self.address = -(-ctypes.addressof(self.bytes) // 64) * 64


def call() -> None:
    for shape in shapes:
        extents, _, count = shape.partition(":")
        sizes = [ctypes.c_int64(int(extent)) for extent in extents.split("x")]
        buffers = [Buffer(sizes[0].value * sizes[1].value) for _ in range(3)]
        addresses = [buffer.address for buffer in buffers] + [ctypes.addressof(size) for size in sizes]
        pointers = (ctypes.c_void_p * len(addresses))(*addresses)
        for _ in range(int(count)):
            entry(pointers)


running = [threading.Thread(target=call) for _ in range(int(threads))]
for thread in running:
    thread.start()
for thread in running:
    thread.join()
