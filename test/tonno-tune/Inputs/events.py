# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an event a line, without what varies from run to run. Fails if a line is
no event.

    events.py < LINES
"""

import json
import sys

VARIES = {"best", "decision", "environment", "key", "notes", "trial"}

for line in sys.stdin:
    event = json.loads(line)
    members = {k: v for k, v in sorted(event.items()) if k not in VARIES and "seconds" not in k}
    print(members.pop("event"), json.dumps(members), end="")
    for note in event.get("notes", []):
        print(" note:", json.dumps(note), end="")
    if "trial" in event:
        print(" trial:", event["trial"]["status"], event["trial"]["values"], end="")
        if event["trial"]["status"] == "ok":
            assert event["trial"]["measurement"]["seconds"]["median"] > 0
            assert event["best"]["ratio"] > 0
    print()
