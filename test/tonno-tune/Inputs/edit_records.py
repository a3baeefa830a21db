# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""edit_records.py FOLDER MEMBER=JSON...: gives the decisions of a cache other
members, "comparison.speedup=-1", and the checksum of what they then are."""

import hashlib
import json
import pathlib
import sys

folder, *edits = sys.argv[1:]
edited = 0
for path in pathlib.Path(folder, "v1").glob("??/*.json"):
    file = json.loads(path.read_text())
    if "comparison" not in file["record"]:
        continue
    for edit in edits:
        names, _, value = edit.partition("=")
        *above, last = names.split(".")
        member = file["record"]
        for name in above:
            member = member[name]
        member[last] = json.loads(value)
    text = json.dumps(file["record"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    file["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(file))
    edited += 1
if edited == 0:
    sys.exit(f"no decision in {folder}")
