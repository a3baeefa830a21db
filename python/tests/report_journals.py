# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made-up journals for the tests of tonno-report."""

from __future__ import annotations

import hashlib
import json
import pathlib
import random
from collections.abc import Callable, Iterable
from typing import Any

Line = dict[str, Any]

KNOBS = {"BM": [16, 32, 64, 128], "BN": [16, 32, 64, 128], "UNROLL": [1, 2, 4]}


def seal(line: Line) -> str:
    """Returns a line of a journal, with its checksum."""
    body = json.dumps(line, separators=(",", ":"), sort_keys=True)[:-1]
    return f'{body},"check":"{hashlib.sha256(body.encode()).hexdigest()[:16]}"}}\n'


def begin(session: str = "a", knobs: dict[str, list[Any]] = KNOBS, **about: Any) -> Line:
    space = {
        "knobs": [{"name": k, "options": o, "default": o[0]} for k, o in knobs.items()],
        "constraints": ["BM >= BN"],
    }
    stated: Line = {"kernel": "matmul", "device": "AMD EPYC", "chip": "znver4"}
    stated["strategy"] = "ensemble"
    stated |= {"seed": 0, "budget_trials": 60, "budget_seconds": 120.0, "versions": "tonno 0"}
    return {"begin": {**stated, "space": space, **about}, "schema": 1, "session": session}


def distribution(median: float, n: int = 6) -> dict[str, float]:
    spread = {"q1": median * 0.99, "q3": median * 1.01}
    return {"n": n, "min": median * 0.98, "median": median, **spread}


def trial(
    values: dict[str, Any],
    ratio: float | None,
    status: str = "ok",
    session: str = "a",
    **others: Any,
) -> Line:
    """Returns the line of a trial. `others` are members of the record, or `at`, the second of the
    session."""
    at = others.pop("at", 1.0)
    record: Line = {"values": values, "status": status, "message": "", "usage": {}}
    record["artifact"] = repr(sorted(values.items()))
    if ratio is not None:
        record["measurement"] = {
            "seconds": distribution(0.01 * ratio),
            "baseline_seconds": distribution(0.01),
            "ratio": ratio,
            "ratio_interval": [ratio * 0.98, ratio * 1.02],
        }
    timed = {"compile_seconds": 0.1, "run_seconds": 0.2, "session_seconds": at}
    return {**timed, "schema": 1, "session": session, "trial": record | others}


def end(values: dict[str, Any], speedup: float, verdict: str = "faster", **others: Any) -> Line:
    decision = {
        "kernel": "matmul",
        "values": values,
        "artifact": "a",
        "comparison": {
            "verdict": verdict,
            "seconds": distribution(0.01 / speedup, 64),
            "baseline_seconds": distribution(0.01, 64),
            "speedup": speedup,
            "speedup_interval": [speedup * 0.99, speedup * 1.01],
            "shown_speedup": speedup * 0.98,
            "rounds": 64,
        },
        "trials": 9,
        "seed": 0,
        "strategy": "ensemble",
        "versions": "tonno 0",
        "environment": {"virtual-machine": "in a virtual machine"},
    }
    about = {"search_end": "budget", "session_seconds": 90.0, "proposing_seconds": 0.5}
    return {"end": decision | others, "about": about, "key": "k", "schema": 1, "session": "a"}


def add_roofline(lines: list[Line], share: float = 0.5, **peaks: Any) -> list[Line]:
    """Adds the work of the kernel and the peaks of the machine to a session."""
    work = {"macs": 1000000, "operand": "f32", "sum": "f32"}
    lines[0]["begin"]["work"] = work | {"bytes_read": 3000, "bytes_written": 1000}
    memory = [{"name": "L1", "bytes": 32768, "bytes_per_second": 2e11}]
    memory.append({"name": "DRAM", "bytes": 0, "bytes_per_second": 2e10})
    measured: Line = {"threads": 2, "operand": "f32", "sum": "f32", "macs_per_second": 5e10}
    measured |= {"instruction": "vfmadd231ps zmm", "memory": memory}
    limit = {"seconds": 2e-5, "is_memory": False, "per_second": 1e11, "name": "vfmadd231ps zmm"}
    lines[-1]["about"] |= {
        "peaks": measured | peaks,
        "rates": {"limit": limit, "limit_share": share} if share else {},
        "phase_seconds": {"baseline": 1.5, "search": 60.0, "test": 20.0},
    }
    return lines


def write(path: pathlib.Path, lines: Iterable[Line]) -> pathlib.Path:
    path.write_text("".join(map(seal, lines)))
    return path


def compute_ratio(values: dict[str, Any]) -> float:
    """Returns a time with one optimum, in which BM and BN multiply and UNROLL has no effect."""
    rank = {name: options.index(values[name]) for name, options in KNOBS.items()}
    return float(0.4 * 1.5 ** abs(rank["BM"] - 2) * 1.25 ** abs(rank["BN"] - 1))


def make_session(
    configurations: Iterable[dict[str, Any]],
    ratio: Callable[[dict[str, Any]], float] = compute_ratio,
) -> list[Line]:
    """Returns the lines of a session that tries these configurations and chooses the best."""
    tried = list(configurations)
    best = min(tried, key=ratio)
    trials = [trial(v, ratio(v), at=1.0 + i) for i, v in enumerate(tried)]
    return [begin(), *trials, end(best, 1 / ratio(best))]


def list_configurations() -> list[dict[str, Any]]:
    return [
        {"BM": bm, "BN": bn, "UNROLL": unroll}
        for bm in KNOBS["BM"]
        for bn in KNOBS["BN"]
        for unroll in KNOBS["UNROLL"]
    ]


def make_large_session(count: int, knobs: int = 8) -> list[Line]:
    """Returns a session of many trials with the usage of a GPU's candidates."""
    drawn = random.Random(0)
    space: dict[str, list[Any]] = {f"K{i}": [16, 32, 64, 128, 256, 512] for i in range(knobs)}
    lines = [begin(knobs=space, device="GPU", chip="sm_90")]
    for i in range(count):
        values = {name: drawn.choice(options) for name, options in space.items()}
        usage = {
            "registers": drawn.randrange(32, 255),
            "spill_bytes": drawn.choice([0, 0, 64]),
            "occupancy": drawn.random(),
            "shared_bytes": drawn.randrange(48 << 10),
            "time_bound": {"seconds": 0.001, "limit": "issue", "share": 0.5},
        }
        lines.append(trial(values, 0.5 + drawn.random(), at=i * 0.1, usage=usage))
    return lines
