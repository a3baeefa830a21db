# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of kernels, compilers and files, for a terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """Returns the text with control characters, other than tabs and line ends, as escapes such as
    "\\x1b", because a terminal would interpret them."""
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)
