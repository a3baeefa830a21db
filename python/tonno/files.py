# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files in a folder that other users may write to."""

from __future__ import annotations

import errno
import os
import pathlib
import stat

_MOST_BYTES = 1 << 30


def read_regular(path: pathlib.Path) -> bytes:
    """Returns the content of a regular file. Raises OSError for other files, such as a pipe,
    which would block, and for files larger than 1 GiB."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        found = file.read(_MOST_BYTES + 1)
    if len(found) > _MOST_BYTES:
        raise OSError(errno.EFBIG, f"the file is larger than {_MOST_BYTES >> 20} MiB", str(path))
    return found
