# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tells one problem from another in a file: JSON for each argument."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import math
import sys
import types
from typing import Any

import jax
import numpy as np

from tonno.jax.reprs import with_sorted_sets


@dataclasses.dataclass(frozen=True)
class Form:
    """A static argument in JSON."""

    json: Any
    is_stable: bool = True
    """Whether another process has the same form for the same value."""


def text_of(key_values: dict[str, Any]) -> str:
    """The key in the file: sorted, without blanks."""
    return json.dumps(key_values, sort_keys=True, separators=(",", ":"))


def static_form(value: Any, around: frozenset[int] = frozenset()) -> Form:
    """Numbers, text, bools, None and tuples as they are, what a module has by its
    name there, other things by repr.

    A repr with an address, which is that of most objects and of functions that
    were made within others, is not stable; a dataclass, a named tuple and a
    functools.partial then go by what they are made of. `around`: what this is in.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return Form(value)
    if type(value) is float:
        return Form(value if math.isfinite(value) else {"repr": repr(value)})
    if type(value) is tuple:
        forms = [static_form(element, around) for element in value]
        return Form([f.json for f in forms], all(f.is_stable for f in forms))
    if isinstance(value, enum.Enum):
        return Form({"repr": f"{type(value).__qualname__}.{value.name}"})
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        name = f"{value.__module__}.{value.__qualname__}"
        return Form({"repr": name}, "<" not in name)
    imported = _imported_as(value)
    if imported is not None:
        return Form({"repr": imported})
    text = with_sorted_sets(repr(value))
    if " at 0x" not in text:
        return Form({"repr": text})
    parts = None if id(value) in around else _parts(value)
    if parts is not None:
        forms_of = {n: static_form(part, around | {id(value)}) for n, part in parts.items()}
        if all(form.is_stable for form in forms_of.values()):
            made_of = {name: form.json for name, form in forms_of.items()}
            return Form({"type": type(value).__qualname__, "parts": made_of})
    return Form({"repr": text}, is_stable=False)


def _parts(value: Any) -> dict[str, Any] | None:
    """What a value is made of, if that is all that there is to it."""
    if type(value) is functools.partial:
        placed = {str(i): part for i, part in enumerate((value.func, *value.args))}
        return placed | value.keywords
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {f.name: getattr(value, f.name, None) for f in fields if f.compare}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    return None


def _imported_as(value: Any) -> str | None:
    """The name by which a module has it, such as jitted functions."""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(path, str):
        return None
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return f"{module}.{path}" if found is value else None


@dataclasses.dataclass(frozen=True)
class Leaf:
    """An array, or what JAX takes for one, as far as compiling depends on it."""

    shape: tuple[int, ...]
    dtype: Any
    weak_type: bool
    sharding: jax.sharding.Sharding | None
    """Where the array was put by intent, or None."""

    @property
    def json(self) -> dict[str, Any]:
        form: dict[str, Any] = {"dtype": str(self.dtype), "shape": list(self.shape)}
        if self.weak_type:
            form["weak_type"] = True
        if isinstance(self.sharding, jax.sharding.NamedSharding):
            mesh = {str(axis): size for axis, size in self.sharding.mesh.shape.items()}
            form["sharding"] = {"mesh": mesh, "spec": _spec(self.sharding.spec)}
        if self.sharding is not None and _is_elsewhere(self.sharding):
            form["memory"] = self.sharding.memory_kind
        return form


def _is_elsewhere(sharding: jax.sharding.Sharding) -> bool:
    """Whether the array is in another memory than a device's own."""
    if sharding.memory_kind is None:
        return False
    if isinstance(getattr(sharding, "mesh", None), jax.sharding.AbstractMesh):
        return False
    device = min(sharding.device_set, key=lambda device: device.id)
    return bool(sharding.memory_kind != device.default_memory().kind)


def _spec(spec: jax.sharding.PartitionSpec) -> list[Any]:
    parts = [list(part) if isinstance(part, tuple) else part for part in spec]
    while parts and parts[-1] is None:
        parts.pop()
    return [part if part is None or isinstance(part, list) else str(part) for part in parts]


def dynamic_form(leaves: list[Leaf], tree: Any) -> Form:
    """An argument that is no static one: one array, or a pytree of arrays."""
    if jax.tree_util.treedef_is_leaf(tree) and tree.num_leaves == 1:
        return Form(leaves[0].json)
    if tree.num_leaves == 0 and tree == jax.tree.structure(None):
        return Form(None)
    text = with_sorted_sets(str(tree))
    return Form({"leaves": [leaf.json for leaf in leaves], "tree": text}, " at 0x" not in text)
