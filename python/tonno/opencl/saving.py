# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saves memory before a kernel runs, and restores it."""

from __future__ import annotations

from typing import Any

import pyopencl as cl

from tonno.errors import Error
from tonno.opencl.waiting import CommandWait

# Absent if pyopencl was built on the headers of OpenCL 1.
_SVM: Any = getattr(cl, "SVMPointer", ())


def is_memory(argument: Any) -> bool:
    """Returns True if a kernel may write to the memory of this argument."""
    return isinstance(argument, (cl.MemoryObjectHolder, _SVM))


class SavedMemory:
    """Copies of buffers and of shared virtual memory, on the device."""

    def __init__(self, queue: cl.CommandQueue, wait: CommandWait) -> None:
        self._queue = queue
        self._wait = wait
        self._copies: list[tuple[Any, Any]] = []

    def save(self, memory: Any) -> str | None:
        """Saves the memory. Returns why it can't be saved; None if it is saved, or need not be.

        Raises tonno.Error if the device has too little memory.
        """
        if isinstance(memory, _SVM):
            if memory.size is None:
                return "shared virtual memory of unknown size"
        elif memory.flags & cl.mem_flags.READ_ONLY:
            return None
        elif memory.type != cl.mem_object_type.BUFFER:  # a pool's buffer is not a cl.Buffer
            return "not a buffer"
        if not any(_is_same(memory, original) for original, _ in self._copies):
            self._copy(memory)
        return None

    def restore(self) -> None:
        """Restores all contents, and waits.

        Raises tonno.Error if that fails.
        """
        try:
            copies = [self._enqueue(original, copy) for original, copy in self._copies]
            for event in copies:
                self._wait.until(event, "copying it back")
        except (cl.Error, Error) as error:
            raise Error(f"cannot undo the kernel's writes: {error}") from error

    def _copy(self, memory: Any) -> None:
        what = f"copying a buffer of {memory.size} bytes, so that it can be restored"
        try:
            copy = self._like(memory)
            self._wait.until(self._enqueue(copy, memory), f"{what},")
        except cl.Error as error:
            raise Error(f"{what}: {error}; give restore=False to skip this") from error
        self._copies.append((memory, copy))

    def _enqueue(self, to: Any, memory: Any) -> cl.Event:
        if isinstance(memory, _SVM):  # pyopencl would wait for it in the driver
            return cl.enqueue_copy(self._queue, to, memory, is_blocking=False)
        return cl.enqueue_copy(self._queue, to, memory)

    def _like(self, memory: Any) -> Any:
        context = self._queue.context
        if isinstance(memory, _SVM):
            flags = cl.svm_mem_flags.READ_WRITE
            return cl.SVMAllocation(context, memory.size, 0, flags)
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, memory.size)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, _SVM) and isinstance(other, _SVM):
        return bool(one.svm_ptr == other.svm_ptr and one.size == other.size)
    return bool(one == other)
