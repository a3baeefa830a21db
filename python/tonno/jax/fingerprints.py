# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fingerprints of functions, search spaces, programs, compilers and devices."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
import pathlib
import platform
import re
import types
from collections.abc import Iterator
from typing import Any

import jax

from tonno.trials import Configuration

OLDEST = (0, 8, 1)
"""Oldest supported JAX, the first whose `jax.jit(static_argnames=...)` is a decorator."""


def require(version: str) -> None:
    """Raises ImportError for a JAX that is older than `OLDEST`."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if numbers < OLDEST:
        raise ImportError(
            f"tonno.autotune needs JAX {_dotted(OLDEST)} or newer for "
            f"@jax.jit(static_argnames=[...]), not {version}; run pip install "
            f"'jax>={_dotted(OLDEST)}'"
        )


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


@functools.cache
def processor() -> str:
    """Returns the name of this machine's processor; JAX calls all of them "cpu"."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else platform.processor()


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_SET = "frozenset({"
_TOKEN = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|[()\[\]{},]")
"""A quoted string, or a character that an element can end at."""


def without_addresses(text: str) -> str:
    """Returns the text without addresses, so that equal objects give equal texts."""
    return _ADDRESS.sub("", text)


def with_sorted_sets(text: str) -> str:
    """Returns the text with sorted frozensets, whose order depends on the hashes of strings.

    Other braces are unchanged: the order in them may matter.
    """
    # From the last one, so that nested sets are sorted first.
    begin = text.rfind(_SET)
    while begin >= 0:
        first = begin + len(_SET)
        ends = _ends(text, first)
        if ends:
            starts = [first, *(end + 1 for end in ends[:-1])]
            elements = [text[i:j].strip() for i, j in zip(starts, ends, strict=True)]
            elements.sort(key=without_addresses)
            text = text[:first] + ", ".join(elements) + text[ends[-1] :]
        begin = text.rfind(_SET, 0, begin)
    return text


def _ends(text: str, first: int) -> list[int]:
    """Returns the ends of the elements of the bracket opened at `first`; empty if it is not
    closed."""
    ends = []
    depth = 0
    for token in _TOKEN.finditer(text, first):
        if token[0] in "([{":
            depth += 1
        elif token[0] == "," and depth == 0:
            ends.append(token.start())
        elif token[0] in ")]}":
            if depth == 0:
                return [*ends, token.start()]
            depth -= 1
    return []


def of_code(jitted: Any) -> str:
    """Returns the fingerprint of the function's own code, without comments, line numbers and
    annotations."""
    function = inspect.unwrap(jitted)
    code = getattr(function, "__code__", None)
    if code is None:
        return _digest(repr(type(function)))
    return _digest(repr(_parts(code, function.__doc__)))


def of_trace(traced: Any) -> str:
    """Returns the fingerprint of what is computed, independent of the function's text."""
    pieces = [str(traced.jaxpr)]
    # Positions of blocks are parameters of a Pallas call, and are not printed.
    pieces += [str(m.index_map_jaxpr) for m in _block_mappings(traced.jaxpr.jaxpr)]
    return _digest(with_sorted_sets(without_addresses("\n".join(pieces))))


_UNSHARED = (
    "ordered_effects",
    "unordered_effects",
    "host_callbacks",
    "keepalive",
    "mut",
    "pgle_profiler",
)
"""Arguments of a lowering that are set if a program does more than compute outputs, or refers to
objects of this process."""
_IMPLIED = ("backend", "all_args_info", "shape_poly_state")
"""Arguments of a lowering that its module, platform and other arguments imply."""


def of_program(lowered: Any) -> str:
    """Returns the fingerprint of a lowering; equal texts mean equal executables and structures of
    outputs.

    The text is empty for programs that equal no other: those with effects, callbacks or objects
    of this process.
    """
    try:
        lowering = lowered._lowering
        arguments = dict(lowering.compile_args)
        if any(arguments.pop(name) for name in _UNSHARED):
            return ""
        for name in _IMPLIED:
            del arguments[name]
        arguments |= {
            "platforms": lowering._platforms,
            "options": lowering._compiler_options_kvs,
            "devices": list(lowering._device_list or ()),
            "constants": list(map(_value, lowering.const_args)),
            "arguments": get_arguments(lowered),
            "outputs": lowered.out_tree,
        }
        described = repr(_described(arguments))
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        return ""  # another version of JAX, or an array of several processes
    if _ADDRESS.search(described):
        return ""
    module = lowered.compiler_ir("stablehlo").operation
    text: str = module.get_asm(print_generic_op_form=True, assume_verified=True)
    return _digest(f"{described}\n{with_numbered_symbols(text)}")


def get_arguments(stage: Any) -> list[Any]:
    """Returns type and donation of each array that a traced or lowered function takes."""
    leaves: list[Any] = jax.tree.leaves(stage.args_info, is_leaf=lambda x: hasattr(x, "donated"))
    return leaves


_NAME = re.compile(
    r'\bsym_name = ("(?:[^"\\]|\\.)*")|"(?:[^"\\]|\\.)*"|@("(?:[^"\\]|\\.)*"|[\w$.-]+)'
)
"""A definition of a symbol, other quoted text, or a reference to a symbol."""


def with_numbered_symbols(module: str) -> str:
    """Returns the generic form of a module with numbers for the names that it defines."""
    names = [found[1].strip('"') for found in _NAME.finditer(module) if found[1]]
    numbers = {name: f"<{number}>" for number, name in enumerate(dict.fromkeys(names))}

    def numbered(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        number = numbers.get(name.strip('"')) if name else None
        if number is None:
            return found[0]
        return f"sym_name = {number}" if found[1] else f"@{number}"

    return _NAME.sub(numbered, module)


def _described(value: Any) -> Any:
    """Returns parts whose `repr` distinguishes any two different values."""
    if isinstance(value, dict):
        return sorted((repr(key), _described(part)) for key, part in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, (list, tuple)):
        return [_described(part) for part in value]
    if isinstance(value, jax.sharding.Sharding):
        # The text of a mesh does not contain its devices.
        return repr(value), [device.id for device in value._device_assignment]
    return value


def _value(constant: Any) -> Any:
    """Returns the digest of an array that a program is called with."""
    array = jax.device_get(constant)
    place = getattr(constant, "sharding", None)
    return hashlib.sha256(array.tobytes()).hexdigest(), jax.typeof(constant), place


def of_unshared(traced: Any, config: Configuration) -> str:
    """Returns a fingerprint that no other configuration has."""
    return _digest(json.dumps([of_trace(traced), repr(config)]))


def of_choices(configs: list[Configuration] | None, space: Any) -> str:
    """Returns the fingerprint of a list of configurations, in any order, or of a space."""
    if configs is not None:
        return _digest(json.dumps(sorted(json.dumps(c, sort_keys=True) for c in configs)))
    stated = (space.knobs, space.constraints)
    return _digest(repr((*stated, space.dimensions) if space.dimensions else stated))


def versions(device: jax.Device) -> dict[str, str]:
    """Returns the versions of the compiler and of the runtime."""
    found = {"jax": jax.__version__, "backend": str(device.client.platform_version)}
    if device.platform == "cpu":
        found["processor"] = processor()
        # XLA divides work among this number of threads.
        found["processors"] = str(len(os.sched_getaffinity(0)))
    return found


def _block_mappings(jaxpr: Any) -> Iterator[Any]:
    for equation in equations(jaxpr):
        mapping = equation.params.get("grid_mapping")
        yield from getattr(mapping, "block_mappings", ())


def equations(jaxpr: Any) -> Iterator[Any]:
    """Yields the equations of a program and of its callees."""
    for equation in jaxpr.eqns:
        yield equation
        for value in jax.tree.leaves(list(equation.params.values()), is_leaf=_is_jaxpr):
            if _is_jaxpr(value):
                yield from equations(getattr(value, "jaxpr", value))


def _is_jaxpr(value: Any) -> bool:
    return hasattr(getattr(value, "jaxpr", value), "eqns")


def _parts(code: types.CodeType, docstring: str | None = None) -> Any:
    # The first constant is the docstring, or None without one.
    first = code.co_consts[:1]
    rest = code.co_consts[1:] if first in ((docstring,), (None,)) else code.co_consts
    constants = [_constant(constant) for constant in rest]
    return code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, constants


def _constant(constant: Any) -> Any:
    if isinstance(constant, types.CodeType):
        return _parts(constant)
    if isinstance(constant, frozenset):
        return sorted(map(repr, constant))
    return type(constant).__name__, repr(constant)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
