# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives a kernel a `tonno.tuned`: tuned.py KERNEL HASH-FILE [CHIP [VERSIONS]]."""

import sys

kernel, hash_file, chip, versions = (sys.argv[1:] + ["", ""])[:4]
entries = [f'artifact = "{open(hash_file).read()}"']
if chip:
    entries.append(f'chip = "{chip}"')
if versions:
    entries.append(f'versions = "{versions}"')
text = open(kernel).read()
print(text.replace("> {\n", "> attributes {tonno.tuned = {%s}} {\n" % ", ".join(entries), 1))
