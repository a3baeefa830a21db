# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of a kernel and the peaks of its machine, as files state them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tonno.report.decoding import get_number, get_objects, get_text
from tonno.report.sessions import Roofline, Session


def parse_roofline(work: Any, peaks: Any, rates: Any) -> Roofline | None:
    """Returns None unless the work and the peaks are stated."""
    moved = (get_number(work, "bytes_read") or 0) + (get_number(work, "bytes_written") or 0)
    if not moved or not get_number(work, "bytes_read") or not isinstance(peaks, Mapping):
        return None
    limit = rates.get("limit") if isinstance(rates, Mapping) else None
    levels = get_objects(peaks, "memory") if "memory" in peaks else []
    return Roofline(
        2 * (get_number(work, "macs") or 0),
        moved,
        2 * (get_number(peaks, "macs_per_second") or 0),
        get_text(peaks, "instruction"),
        int(get_number(peaks, "threads") or 1),
        tuple((get_text(e, "name"), get_number(e, "bytes_per_second") or 0.0) for e in levels),
        get_number(rates, "limit_share") or 0.0,
        get_text(limit, "name"),
        get_number(limit, "per_second") or 0.0,
        isinstance(limit, Mapping) and limit.get("is_memory") is True,
        get_text(peaks, "data_sheet"),
    )


def read_limit(session: Session, work: Any, about: Mapping[str, Any]) -> None:
    """Adds what a decision, or the end of a journal's session, states of the limit."""
    session.roofline = parse_roofline(work, about.get("peaks"), about.get("rates"))
    session.no_limit = get_text(about, "no_limit")
    session.most_left = get_number(about.get("headroom"), "space")
