# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures of tonno-report."""

from __future__ import annotations

from tonno.errors import Error


class ReadFailure(Error):
    """A file cannot be reported; the message states file, place and remedy."""
