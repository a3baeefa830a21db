#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how fast tuned kernels are on a GPU, beside the vendor's own code.

Each kernel of kernels.mlir is tuned, which gives candidates a minute, and its
binary shipped. Then the binaries, the driver's copy and the vendor's product of
matrices are timed in turns, in rounds of a random order, on inputs that no
cache holds. A share is of one round's times: bytes a second over those of the
driver's copy, where each argument and result counts once; for products, the
vendor's time over ours. Medians over the rounds are printed, and in brackets
what holds the true median in 95 of 100 cases.

cuBLAS computes f32 both as pedantic and as it does by default: neither uses
tensor cores, which have no f32. Those of AMD's CDNA chips do, and rocBLAS uses
them. f16, bf16 and i8, with sums in f32 and i32, are compared with cuBLAS only;
i8 also with the product by a transposed matrix (B^T), as it uses tensor cores for
no other order. That is another product, so its result is not compared.
"""

from __future__ import annotations

import argparse
import array
import dataclasses
import functools
import itertools
import json
import math
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from driver import MIXED_TYPES, VENDORS, Blas, Driver, DriverError, Vendor, Work

SOURCE = pathlib.Path(__file__).resolve().parent / "kernels.mlir"
STREAMING = ["copy", "add", "transpose", "row_sum", "softmax"]
COPY_BYTES = 8192 * 4096 * 4
COLD_BYTES = 3 * (256 << 20)
"""Thrice the largest cache that there is: what lies between two uses of a buffer."""
TIMED_SECONDS = 2e-3
LEADS = 2
MAX_BATCH = 256
WARM_UPS = 3


def tune(arguments: argparse.Namespace, name: str, folder: pathlib.Path) -> str:
    """Leaves binary and plan in the folder. Returns how many candidates a minute."""
    vendor, tuned = VENDORS[arguments.target], folder / f"{name}.tuned.mlir"
    command = [arguments.tonno_tune, SOURCE, f"--kernel={name}", "-o", tuned, "--cache=off"]
    command += [f"--target={arguments.target}", f"--device={vendor.device}"]
    command += [f"--emit={vendor.form},plan", *arguments.options]
    begin = time.monotonic()
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    minutes = (time.monotonic() - begin) / 60
    trials = result.returncode == 0 and re.search(r"\btrials = (\d+) : i64", tuned.read_text())
    if not trials:
        sys.exit(f"{name}: {result.stderr or 'the tuned file does not tell its trials'}")
    return f"{int(trials.group(1)) / minutes:.0f}"


class Side:
    """What takes its turn in each round, on one set of buffers after another."""

    def __init__(self, name: str, amount: float, works: Sequence[Work]) -> None:
        """`amount` is in bytes or operations, of one work."""
        self.name, self.amount = name, amount
        self._works, self._batch = itertools.cycle(works), 1
        self.seconds: list[float] = []

    def _measure(self, driver: Driver) -> float:
        lead = list(itertools.islice(self._works, LEADS))
        batch = list(itertools.islice(self._works, self._batch))
        return driver.seconds(lead, batch) / self._batch

    def warm_up(self, driver: Driver) -> None:
        for _ in range(WARM_UPS):
            self._batch = min(math.ceil(TIMED_SECONDS / self._measure(driver)), MAX_BATCH)

    def take_turn(self, driver: Driver) -> None:
        self.seconds.append(self._measure(driver))

    @property
    def speed(self) -> float:
        """In 1e9 a second."""
        return self.amount / statistics.median(self.seconds) * 1e-9


Multiply = Callable[[Sequence[int]], Work]
"""Multiplies the first two buffers into the third."""


@dataclasses.dataclass(frozen=True)
class Buffer:
    size: int
    access: str = "write"
    kind: str = "f32"


def _encode(kind: str, values: array.array[float]) -> bytes:
    """Values in [-1, 1) in a type; integers have all values of 8 bits."""
    if kind == "f16":
        return struct.pack(f"<{len(values)}e", *values)
    if kind == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    if kind == "i8":
        return bytes(int(128 + 128 * value) for value in values)
    return values.tobytes()


class Memory:
    """Sets of buffers. Inputs are in [-1, 1): zeros would need less power."""

    def __init__(self, driver: Driver, generator: random.Random) -> None:
        self._driver, self._random = driver, generator
        values = array.array("f", (generator.uniform(-1, 1) for _ in range(1 << 20)))
        self._tiles = {kind: _encode(kind, values) for kind in ("f32", *MIXED_TYPES)}

    def make(self, buffers: Sequence[Buffer]) -> list[int]:
        addresses = [self._driver.allocate(buffer.size) for buffer in buffers]
        for address, buffer in zip(addresses, buffers, strict=True):
            if buffer.access.startswith("read"):
                tile = self._tiles[buffer.kind]
                begin = 4 * self._random.randrange(len(tile) // 4)
                self._driver.fill(address, buffer.size, tile[begin:] + tile[:begin])
        return addresses

    def works(self, buffers: Sequence[Buffer], make: Callable[[list[int]], Work]) -> list[Work]:
        """One for each of so many sets that none is in a cache when its turn comes."""
        sets = max(2, math.ceil(COLD_BYTES / sum(buffer.size for buffer in buffers)))
        return [make(self.make(buffers)) for _ in range(sets)]


def _buffer(spec: dict[str, Any]) -> Buffer:
    kind = spec["element_type"]
    bits = re.search(r"\d+", kind)
    size = math.prod(spec["shape"]) * (int(bits.group()) if bits else 64) // 8
    return Buffer(size, spec["access"], kind)


class Kernel:
    """A shipped binary and its plan."""

    def __init__(self, driver: Driver, folder: pathlib.Path, name: str, form: str) -> None:
        plan = json.loads((folder / f"{name}.plan.json").read_text())
        self._driver, self._launches = driver, plan["launches"]
        self._functions = driver.load((folder / f"{name}.{form}").read_bytes(), self._launches)
        self.buffers = [_buffer(spec) for spec in plan["buffers"]]
        self.rows: int = plan["buffers"][0]["shape"][0]

    @property
    def bytes(self) -> int:
        return sum(buffer.size for buffer in self.buffers if buffer.access != "workspace")

    def work(self, addresses: Sequence[int]) -> Work:
        return self._driver.launching(self._functions, self._launches, addresses)


def compare(driver: Driver, memory: Memory, kernel: Kernel, multiply: Multiply) -> None:
    """Fails where the first rows of our product and theirs aren't the same."""
    addresses, row = memory.make(kernel.buffers), 4 * kernel.rows
    x, y, ours = addresses[:3]
    (theirs,) = memory.make([kernel.buffers[2]])
    driver.seconds([], [kernel.work(addresses), multiply([x, y, theirs])])
    form = "i" if kernel.buffers[2].kind == "i32" else "f"
    pairs = zip(*(array.array(form, driver.read(at, row)) for at in (ours, theirs)), strict=True)
    apart = [abs(a - b) for a, b in pairs]
    # Comparisons with NaN are false.
    if not all(difference <= (0 if form == "i" else 1e-2) for difference in apart):
        raise DriverError(f"the tuned product and the vendor's differ: by {max(apart)} in a row")


def make_sides(
    arguments: argparse.Namespace, driver: Driver, folder: pathlib.Path
) -> tuple[list[Side], list[list[Side]]]:
    """The copies, the driver's first; and for each product, the tuned one first."""
    vendor = VENDORS[arguments.target]
    memory = Memory(driver, random.Random(arguments.seed))

    def load(name: str) -> Kernel:
        return Kernel(driver, folder, name, vendor.form)

    def side(name: str, amount: float, kernel: Kernel) -> Side:
        return Side(name, amount, memory.works(kernel.buffers, kernel.work))

    ends = [Buffer(COPY_BYTES, "read"), Buffer(COPY_BYTES)]
    copies = memory.works(ends, lambda b: driver.copying(b[1], b[0], COPY_BYTES))
    streaming = [Side("driver's copy", 2 * COPY_BYTES, copies)]
    for name in arguments.streaming:
        kernel = load(name)
        streaming.append(side(name, kernel.bytes, kernel))
    try:
        blas = Blas(driver, vendor, arguments.blas)
    except DriverError as error:
        print(f"No products to compare with: {error}", file=sys.stderr)
        blas = None
    products = []
    for kind in arguments.products:
        kernel = load(product_name(arguments, kind))
        amount = 2.0 * kernel.rows**3
        products.append([side(product_name(arguments, kind), amount, kernel)])
        for name, is_same, multiply in library_products(vendor, blas, kind, kernel.rows):
            if is_same:
                compare(driver, memory, kernel, multiply)
            works = memory.works(kernel.buffers[:3], multiply)
            products[-1].append(Side(name, amount, works))
    return streaming, products


def library_products(
    vendor: Vendor, blas: Blas | None, kind: str, size: int
) -> list[tuple[str, bool, Multiply]]:
    """The ways in which the vendor's library multiplies: name, and whether it is our product."""
    if blas is None:
        return []
    if kind == "f32":
        return [
            (name, True, functools.partial(blas.multiplying, mode, size))
            for name, mode in vendor.blas_modes.items()
        ]
    if not vendor.blas_mixed:
        return []
    return [
        (
            f"{vendor.blas_name}, {kind}{', B^T' if transposed else ''}",
            not transposed,
            functools.partial(blas.multiplying_mixed, kind, transposed, size),
        )
        for transposed in ([False, True] if kind == "i8" else [False])
    ]


def product_name(arguments: argparse.Namespace, kind: str) -> str:
    return f"matmul_{arguments.size}" if kind == "f32" else f"matmul_{kind}_{arguments.size}"


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Two of the values, with the true median between them in 95 of 100 cases."""
    count, below, rank = len(values), 0.0, 0
    while (below := below + math.comb(count, rank) / 2**count) <= 0.025:
        rank += 1
    ordered = sorted(values)
    rank = max(rank - 1, 0)
    return ordered[rank], ordered[-1 - rank]


def share(side: Side, base: Side) -> str:
    ratios = [
        (side.amount / ours) / (base.amount / theirs)
        for ours, theirs in zip(side.seconds, base.seconds, strict=True)
    ]
    low, high = interval(ratios)
    return f"{statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}]"


def print_table(streaming: list[Side], products: list[list[Side]], rates: dict[str, str]) -> None:
    row = "{:<16} {:>8} {:>8}  {:<23} {:>14}".format

    def print_row(side: Side, its_share: str) -> None:
        time_us = f"{statistics.median(side.seconds) * 1e6:.1f}"
        print(row(side.name, time_us, f"{side.speed:.0f}", its_share, rates.get(side.name, "")))

    copy = streaming[0]
    print(row("", "us", "GB/s", "of the driver's copy", "candidates/min"))
    for side in streaming:
        print_row(side, share(side, copy) if side is not copy else "")
    print("\n" + row("", "us", "GFLOP/s", "tuned of it", "candidates/min"))
    for ours, *theirs in products:
        print_row(ours, "")
        for side in theirs:
            print_row(side, share(ours, side))


def measure(arguments: argparse.Namespace, folder: pathlib.Path, rates: dict[str, str]) -> None:
    driver = Driver(VENDORS[arguments.target], arguments.driver)
    streaming, products = make_sides(arguments, driver, folder)
    turns = [*streaming, *itertools.chain.from_iterable(products)]
    for side in turns:
        side.warm_up(driver)
    generator = random.Random(arguments.seed)
    for _ in range(arguments.rounds):
        for side in generator.sample(turns, len(turns)):
            side.take_turn(driver)
    print(f"{driver.about}; {arguments.rounds} rounds\n")
    print_table(streaming, products, rates)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", choices=VENDORS, required=True)
    parser.add_argument("--tonno-tune", default="tonno-tune", help="the program")
    parser.add_argument("--size", type=int, choices=[2048, 4096], default=2048, help="matmul's")
    parser.add_argument(
        "--streaming",
        type=lambda names: names.split(",") if names else [],
        default=",".join(STREAMING),
        help="kernels that are compared with the driver's copy",
    )
    parser.add_argument(
        "--products", type=lambda kinds: kinds.split(","), default="f32,f16,bf16,i8", help="types"
    )
    parser.add_argument("--keep", type=pathlib.Path, help="leave what was tuned in this folder")
    parser.add_argument("--binaries", type=pathlib.Path, help="tune nothing, measure these")
    parser.add_argument("--driver", help="its library, instead of the vendor's")
    parser.add_argument("--blas", help="the library with cublasSgemm_v2 or rocblas_sgemm")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of inputs and of rounds")
    parser.add_argument("options", nargs="*", help="for tonno-tune, behind --: --effort=full")
    arguments = parser.parse_args()
    if arguments.rounds < 30:
        parser.error("fewer than 30 rounds show little")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.binaries or arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        products = [product_name(arguments, kind) for kind in arguments.products]
        names = [*arguments.streaming, *products]
        rates = {} if arguments.binaries else {n: tune(arguments, n, folder) for n in names}
        try:
            measure(arguments, folder, rates)
        except (DriverError, OSError) as error:
            sys.exit(f"figures.py: {error}")


if __name__ == "__main__":
    main()
