# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes mistakes in AMD's machine code, one at a time."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterator
from typing import Any

import cdna

NOP = 0xBF800000
EXEC = 126
ZERO = 128


@dataclasses.dataclass(frozen=True)
class Instruction:
    """An instruction of a code object. The first word is the lowest."""

    at: int
    """Its offset in the file."""
    name: str
    bits: int
    size: int


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of mistakes."""

    name: str
    edit: Callable[[Instruction], int | None]
    """Returns the instruction's other bits, or nothing if it is no place."""
    modes: tuple[dict[str, Any], ...] = ({"inputs": 0}, {"inputs": 1}, {"inputs": 2})
    """Each finds the mistake: options of the emulator, and a seed of the inputs."""
    has_equivalents: bool = False
    """Some make no difference: a wait for a load that an earlier wait covers on the
    path taken, lanes that are all active, loads of elements that are not stored."""


def instructions(code: bytes) -> Iterator[Instruction]:
    """Yields what the sections of code hold."""
    decode = cdna.emulator("emulator.machine").decode_inst
    table, size, count = *struct.unpack_from("<Q", code, 40), *struct.unpack_from("<HH", code, 58)
    for section in range(count):
        _, kind, flags, _, at, length = struct.unpack_from("<IIQQQQ", code, table + section * size)
        if kind != 1 or not flags & 4:
            continue
        end = at + length
        while at < end:
            raw = code[at : at + 16].ljust(16, b"\0")
            try:
                found = decode(raw, "cdna")
                name, width = found.op.name.lower(), found.size()
            except ValueError:
                name, width = "", 4
            yield Instruction(at, name, int.from_bytes(code[at : at + width], "little"), width)
            at += width


def mutants(code: bytes, kind: Kind) -> Iterator[tuple[Instruction, bytes]]:
    """Yields each place for a mistake, and the code object with it."""
    for one in instructions(code):
        bits = kind.edit(one)
        if bits is not None and bits != one.bits:
            word = bits.to_bytes(one.size, "little")
            yield one, code[: one.at] + word + code[one.at + one.size :]


def drop(name: str) -> Callable[[Instruction], int | None]:
    return lambda one: NOP if one.name == name else None


def loosen_wait(field: int) -> Callable[[Instruction], int | None]:
    return lambda one: one.bits | field if one.name == "s_waitcnt" else None


def forget_sums(one: Instruction) -> int | None:
    """Sets the third source to zero."""
    mask = 0x1FF << 50
    return one.bits & ~mask | ZERO << 50 if one.name.startswith("v_mfma_") else None


def exchange_factors(one: Instruction) -> int | None:
    if not one.name.startswith("v_mfma_"):
        return None
    left, right = one.bits >> 32 & 0x1FF, one.bits >> 41 & 0x1FF
    return one.bits & ~(0x3FFFF << 32) | right << 32 | left << 41


def move_by_16_bytes(prefix: str) -> Callable[[Instruction], int | None]:
    """Changes the offset, which is in the lowest bits of all accesses to memory."""
    return lambda one: one.bits ^ 16 if one.name.startswith(prefix) else None


def keep_lanes(one: Instruction) -> int | None:
    """Lets an `if` apply to all lanes."""
    return one.bits & ~0xFF | EXEC if one.name == "s_and_saveexec_b64" else None


def branch_otherwise(one: Instruction) -> int | None:
    return one.bits ^ 1 << 16 if one.name.startswith("s_cbranch_scc") else None


ORDERS = ({"seed": 3}, {"seed": 5}, {"seed": 6})
# Not without a seed: in order, the wave that stores a row is also the first to load
# from it, and its stores to LDS land then.
LATE_LOADS = tuple({"lazy": True, "seed": seed} for seed in (4, 7, 8))

KINDS = (
    Kind("barrier dropped", drop("s_barrier"), ORDERS),
    Kind("vmcnt ignored", loosen_wait(0xC00F), LATE_LOADS, has_equivalents=True),
    Kind("lgkmcnt ignored", loosen_wait(0x0F00), LATE_LOADS, has_equivalents=True),
    Kind("sums forgotten", forget_sums),
    Kind("factors exchanged", exchange_factors),
    Kind("LDS read elsewhere", move_by_16_bytes("ds_read")),
    Kind("LDS written elsewhere", move_by_16_bytes("ds_write")),
    Kind("loaded elsewhere", move_by_16_bytes("global_load")),
    Kind("stored elsewhere", move_by_16_bytes("global_store")),
    Kind("all lanes", keep_lanes, has_equivalents=True),
    Kind("branch otherwise", branch_otherwise),
)


def is_found(case: cdna.Case, kernel: Any, mutant: bytes, mode: dict[str, Any]) -> bool:
    """Returns true if the mutant ends with an error or a wrong result."""
    options = dict(mode)
    inputs = cdna.draw_inputs(kernel.plan, options.pop("inputs", 0))
    buffers = list(cdna.emulator("plan").allocate(kernel.plan, inputs))
    expected = cdna.expect(case, kernel.plan, buffers)
    try:
        kernel.run(buffers, mutant, max_instructions=300_000, **options)
    except cdna.emulator("emulate").EmulatorError:
        return True
    return bool(cdna.find_difference(case, kernel.plan, buffers, expected))
