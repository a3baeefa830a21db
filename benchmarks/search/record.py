#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the spaces of host kernels on this CPU, as T4 files for priors and replays.

    record.py OUT [--sessions=3] [--trials=400] [--kernel=NAME]... [--tools=build/bin]
    record.py OUT --confirm [--kernel=NAME]...

Each kernel of `KERNELS` is tuned in several sessions that draw the same points: all
of them, or `--trials`. A point's time is the median of its ratios to the default, times the
median of the default's times. The first point is the default. At the end, points are timed
beside the default until the best one is confirmed: the best of many noisy times is too good.
`--confirm` does that alone, for files that are there. Give the machine nothing else
to do: a session takes a minute for 400 points.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import gzip
import json
import pathlib
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "host/kernels"
Entry = dict[str, Any]
F32 = {"IN": "f32", "OUT": "f32", "ZERO": "0.0"}


def _cube(m: int, n: int, k: int) -> dict[str, object]:
    return {"M": m, "N": n, "K": k, **F32}


def _product(element: str, total: str, zero: str) -> dict[str, object]:
    return {"M": 480, "N": 512, "K": 448, "IN": element, "OUT": total, "ZERO": zero}


def _image(channels: int, **others: int) -> dict[str, object]:
    return {"IH": 30, "IW": 30, "C": channels, "OH": 28, "OW": 28, "S": 1, **others}


KERNELS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "matmul_256": ("matmul", _cube(256, 256, 256)),
    "matmul_500x300x200": ("matmul", _cube(500, 300, 200)),
    "matmul_2048x32x512": ("matmul", _cube(2048, 32, 512)),
    "matmul_transposed_b_256": ("matmul_transposed_b", {"M": 256, "N": 256, "K": 256}),
    "matmul_bias_relu_256x512x512": ("matmul_bias_relu", {"M": 256, "N": 512, "K": 512}),
    "batch_matmul_16x64": ("batch_matmul", {"B": 16, "M": 64, "N": 64, "K": 64}),
    "conv_30x64x64": ("conv", _image(64, F=64)),
    "depthwise_30x128": ("depthwise", _image(128)),
    "softmax_256x1024": ("softmax", {"M": 256, "N": 1024}),
    "layernorm_256x768": ("layernorm", {"M": 256, "N": 768}),
    "attention_128x128x64": ("attention", {"M": 128, "N": 128, "D": 64}),
    "transpose_512": ("transpose", {"M": 512, "N": 512}),
    "matmul_640x700x600": ("matmul", _cube(640, 700, 600)),
    "matmul_24x1536x1024": ("matmul", _cube(24, 1536, 1024)),
    "matmul_1024x900x48": ("matmul", _cube(1024, 900, 48)),
    "matmul_f64_480": ("matmul", _product("f64", "f64", "0.0")),
    "matmul_bf16_480": ("matmul", _product("bf16", "f32", "0.0")),
    "matmul_i8_480": ("matmul", _product("i8", "i32", "0")),
    "matmul_bias_relu_720x640x512": ("matmul_bias_relu", {"M": 720, "N": 640, "K": 512}),
    "matmul_transposed_b_600x500x400": ("matmul_transposed_b", {"M": 600, "N": 500, "K": 400}),
    "batch_matmul_12x192": ("batch_matmul", {"B": 12, "M": 192, "N": 192, "K": 192}),
    "conv_58x48x96": ("conv", {"IH": 58, "IW": 58, "C": 48, "OH": 56, "OW": 56, "S": 1, "F": 96}),
    "softmax_1536x640": ("softmax", {"M": 1536, "N": 640}),
    "layernorm_1536x640": ("layernorm", {"M": 1536, "N": 640}),
    "attention_384x320x64": ("attention", {"M": 384, "N": 320, "D": 64}),
    "transpose_1500x1200": ("transpose", {"M": 1500, "N": 1200}),
    # Spaces of 9 to 14 points, for priors only.
    "column_sum_512x1024": ("column_sum", {"M": 512, "N": 1024}),
    "row_sum_512x1024": ("row_sum", {"M": 512, "N": 1024}),
    "matvec_1024": ("matvec", {"M": 1024, "K": 1024}),
    "gated_silu_256x1024": ("gated_silu", {"M": 256, "N": 1024}),
    "stencil_256x512": ("stencil", {"IH": 258, "IW": 514, "M": 256, "N": 512}),
}
"""By name: a file of `benchmarks/host/kernels`, and its sizes. The last five have fewer than 45
points."""


@dataclasses.dataclass
class Point:
    """Outcomes of one configuration in all sessions."""

    ratios: list[float] = dataclasses.field(default_factory=list)
    failures: list[str] = dataclasses.field(default_factory=list)

    @property
    def is_ok(self) -> bool:
        return len(self.ratios) > len(self.failures)


def write_kernel(name: str, folder: pathlib.Path) -> pathlib.Path:
    kernel, sizes = KERNELS[name]
    text = (FOLDER / f"{kernel}.mlir").read_text()
    for size, value in sizes.items():
        text = text.replace(f"@{size}@", str(value))
    file = folder / f"{name}.mlir"
    file.write_text(text)
    return file


def tune(tools: pathlib.Path, kernel: pathlib.Path, trials: int) -> list[Entry]:
    """Returns the lines of a session's journal."""
    journal = kernel.with_suffix(".jsonl")
    journal.unlink(missing_ok=True)
    command: list[str | pathlib.Path] = [
        tools / "tonno-tune",
        kernel,
        "--strategy=random",
        f"--budget-trials={trials}",
        "--budget-seconds=3600",
        "--cache=off",
        "--time-bounds=record",
        f"--journal={journal}",
        "-o",
        "/dev/null",
    ]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in journal.read_text().splitlines()]


def trials_of(journal: list[Entry]) -> Iterator[Entry]:
    return (line["trial"] for line in journal if "trial" in line)


def default_of(begin: Entry) -> str:
    knobs = begin["space"]["knobs"]
    values = {knob["name"]: knob.get("default", knob["options"][0]) for knob in knobs}
    return json.dumps(values, sort_keys=True)


def combine(journals: list[list[Entry]]) -> Entry:
    """Returns the T4 document of a kernel's sessions."""
    begin = journals[0][0]["begin"]
    points = {default_of(begin): Point([1.0])}
    baselines = []
    for trial in (trial for journal in journals for trial in trials_of(journal)):
        if trial["status"] in ("lost", "contended"):
            continue
        point = points.setdefault(json.dumps(trial["values"], sort_keys=True), Point())
        if trial["status"] not in ("ok", "pruned"):
            point.failures.append(trial["status"])
            continue
        point.ratios.append(trial["measurement"]["ratio"])
        if trial["status"] == "ok":
            baselines.append(trial["measurement"]["baseline_seconds"]["median"])
    baseline = 1e3 * statistics.median(baselines)
    problem = {"device": begin["device"], "chip": begin["chip"]}
    own = {"schema": 1, "features": begin.get("features", {"ops": []}), "problem": problem}
    results = [result_of(json.loads(values), point, baseline) for values, point in points.items()]
    return {
        "schema_version": "1.0.0",
        "metadata": {"tonno": own, "recorded": datetime.date.today().isoformat()},
        "results": results,
    }


def result_of(values: Entry, point: Point, baseline: float) -> Entry:
    result: Entry = {
        "configuration": values,
        "objectives": ["time"],
        "times": {},
        "invalidity": "correct" if point.is_ok else "runtime",
        "correctness": int(point.is_ok),
        "measurements": [],
    }
    if point.is_ok:
        time = float(f"{baseline * statistics.median(point.ratios):.4g}")
        result["measurements"] = [{"name": "time", "value": time, "unit": "ms"}]
    return result


def select(tools: pathlib.Path, kernel: pathlib.Path, values: Entry) -> pathlib.Path:
    """Returns the kernel with these values selected."""
    settings = ",".join(f"{name}={json.dumps(value)}" for name, value in values.items())
    file = kernel.with_suffix(".selected.mlir")
    passes = ["--tonno-annotate", f"--tonno-apply=set={settings} keep"]
    subprocess.run([tools / "tonno-opt", kernel, *passes, "-o", file], check=True)
    return file


def find_ratio(tools: pathlib.Path, kernel: pathlib.Path, default: Entry, values: Entry) -> float:
    """Returns the time of a point over that of the default, by the test of `tonno-tune check`."""
    folder = kernel.parent
    options = [f"--lock={folder / 'lock'}", f"--binaries={folder}", f"--cache-dir={folder / 'none'}"]
    for verb, point in (("lock", default), ("check", values)):
        asks: list[str | pathlib.Path] = ["--json"] if verb == "check" else []
        done = subprocess.run(
            [tools / "tonno-tune", verb, select(tools, kernel, point), *options, *asks],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 3, 4):
            raise RuntimeError(f"{kernel.stem}: {done.stderr}")
    found = json.loads(done.stdout)
    if found["status"] == "same":
        return 1.0
    # Without a verdict, too, it is the best estimate.
    return float(found["comparison"]["speedup"])


def confirm(tools: pathlib.Path, kernel: pathlib.Path, results: list[Entry]) -> int:
    """Times points of a recording again until the best one has been; returns their number."""
    timed = [result for result in results if result["measurements"]]
    default, confirmed = timed[0], [timed[0]]
    while True:
        best = min(timed, key=lambda result: float(result["measurements"][0]["value"]))
        if best in confirmed:
            return len(confirmed) - 1
        ratio = find_ratio(tools, kernel, default["configuration"], best["configuration"])
        time = ratio * default["measurements"][0]["value"]
        best["measurements"][0]["value"] = float(f"{time:.4g}")
        confirmed.append(best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--kernel", action="append", choices=KERNELS, default=[])
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--confirm", action="store_true", help="time the best points again")
    given = parser.parse_args()
    given.tools = given.tools.resolve()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.kernel or KERNELS:
        with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
            kernel = write_kernel(name, pathlib.Path(folder))
            file = given.out / f"{name}.t4.gz"
            if given.confirm:
                document = json.loads(gzip.decompress(file.read_bytes()))
            else:
                runs = range(given.sessions)
                document = combine([tune(given.tools, kernel, given.trials) for _ in runs])
            count = confirm(given.tools, kernel, document["results"])
        text = json.dumps(document, separators=(",", ":"))
        file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        points = len(document["results"])
        print(f"{name}: {points} points, {count} timed again for the best", flush=True)


if __name__ == "__main__":
    main()
