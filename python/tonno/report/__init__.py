# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of tuning sessions: `Report`, and the program tonno-report.

A file is read into `sessions.Session` by the module for its format; `document` analyses the
sessions of a kernel, and `page`, `text` and JSON show the document.
"""

from tonno.report.inline import Report

__all__ = ["Report"]
