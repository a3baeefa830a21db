# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints over tunable parameters and the dimensions of a call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tonno import _core
from tonno.errors import Error
from tonno.jax.dimensions import Sizes, shown
from tonno.space import SearchSpace
from tonno.trials import Configuration


def name_dimensions(
    constraints: Iterable[str], knobs: Iterable[str], dimensions: Iterable[str]
) -> bool:
    """Returns True if a constraint names a dimension. Raises Error for an unknown name."""
    tunables, sizes = set(knobs), set(dimensions)
    found = False
    for text in constraints:
        for name in _core.constraint_names(text):
            if name not in tunables and name not in sizes:
                raise Error(
                    f"constraint {text!r} names {name!r}, which is neither a tunable nor a "
                    f"dimension; the tunables are: {', '.join(sorted(tunables))}; the dimensions "
                    f"are: {', '.join(sorted(sizes)) or 'none'}"
                )
            found |= name in sizes
    return found


def used_sizes(constraints: Iterable[str], sizes: Sizes) -> dict[str, int]:
    """Returns the sizes that constraints name."""
    names = {name for text in constraints for name in _core.constraint_names(text)}
    return {name: size for name, size in sizes.items() if name in names}


def allowed_space(space: SearchSpace, constraints: Sequence[str], sizes: Sizes) -> SearchSpace:
    """Returns the space with these constraints and sizes, with its default if legal.

    Raises Error, which names the constraints and the sizes, if nothing is legal.
    """
    used = used_sizes(constraints, sizes)
    allowed = SearchSpace(space.knobs, constraints, dimensions=used)
    return allowed.with_default(space.default) if allowed.is_legal(space.default) else allowed


def allowed_configs(
    configs: list[Configuration], constraints: Sequence[str], sizes: Sizes
) -> list[Configuration]:
    """Returns the configurations that satisfy the constraints.

    Raises Error, which names the constraints and the sizes, if none does.
    """
    used = used_sizes(constraints, sizes)
    named = {name for text in constraints for name in _core.constraint_names(text)}
    knobs = [name for name in configs[0] if name in named]
    allowed, broken = [], set()
    for config in configs:
        values = [(name, [config[name]]) for name in knobs]
        breach = _core.broken_constraint_at(values, list(constraints), list(used.items()))
        if breach is None:
            allowed.append(config)
        else:
            broken.add(breach)
    if allowed:
        return allowed
    listed = " and ".join(f'"{text}"' for text in constraints if text in broken)
    where = f" where {shown(used)}" if used else ""
    raise Error(f"no configuration of configs= satisfies {listed}{where}; add one that does")
