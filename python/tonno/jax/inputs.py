# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The option inputs= of the decorator: the arrays that calls are timed on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tonno.jax import fingerprints
from tonno.jax.plans import Contract

CALL = "call"
"""Value of the option for the arrays of the call itself."""
Option = str | Mapping[str, Any] | Sequence[Any] | Callable[..., Any] | None
"""Type of the option."""


@dataclasses.dataclass(frozen=True, eq=False)
class Inputs:
    """The checked option: one of three kinds."""

    is_call: bool = False
    """True for the call's own arrays."""
    function: Callable[..., Any] | None = None
    """Function that is called like the tuned function, for arrays of the call's shapes."""
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Given values by argument name."""
    digests: dict[str, str] = dataclasses.field(default_factory=dict)
    """Digests of the given values that were computed so far."""

    @functools.cached_property
    def function_fingerprint(self) -> str:
        """Fingerprint of the code of `function`."""
        function = self.function
        while isinstance(function, functools.partial):
            function = function.func
        return fingerprints.of_code(function)


def checked_inputs(given: Option, contract: Contract) -> Inputs | None:
    """Returns inputs= in its checked form. Raises TypeError or ValueError, which states the
    remedy."""
    if given is None:
        return None
    if isinstance(given, str):
        if given != CALL:
            raise ValueError(
                f"inputs must be {CALL!r}, arrays or a function that returns arrays, not {given!r}"
            )
        return Inputs(is_call=True)
    if callable(given):
        return Inputs(function=given)
    # A copy, since NumPy arrays may change before they are used.
    return Inputs(arguments=_copied(by_argument(given, contract, "inputs")))


def by_argument(given: Any, contract: Contract, origin: str) -> dict[str, Any]:
    """Returns given values by argument name; those of `*xs` are "xs[0]", "xs[1]".

    `origin` names the source of the values, for messages. Raises TypeError for a name that is not
    an argument, and for values that are not arrays.
    """
    if isinstance(given, Mapping):
        found = _flat(given, contract, origin)
    elif isinstance(given, (tuple, list)):
        found = {_name(place, contract, given, origin): v for place, v in enumerate(given)}
    else:
        kind = "an array" if hasattr(given, "dtype") else repr(given)
        raise TypeError(
            f"{origin} gives {kind}, and not by parameter: give a dict, such as "
            f'{{"{next(iter(contract.signature.parameters), "x")}": array}}, or a tuple of the '
            "positional arguments"
        )
    for name, value in found.items():
        if name not in contract.static_arguments:
            _check_arrays(name, value, origin)
    return found


def _copied(given: dict[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = jax.tree.map(
        lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, given
    )
    return copied


def _name(place: int, contract: Contract, given: Any, origin: str) -> str:
    try:
        return contract.argument_name(place)
    except IndexError:
        raise TypeError(
            f"{origin} gives {len(given)} positional arguments, and {contract.name} takes "
            f"{len(contract.positional)}"
        ) from None


def _flat(given: Mapping[Any, Any], contract: Contract, origin: str) -> dict[str, Any]:
    parameters = contract.signature.parameters
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    found: dict[str, Any] = {}
    for name, value in given.items():
        parameter = parameters.get(name)
        is_listed = parameter is not None and parameter.kind is not inspect.Parameter.VAR_KEYWORD
        if name in contract.tunables:
            raise TypeError(f"{origin} gives {name!r}, which is tunable; leave it out")
        if not is_listed and not takes_any:
            raise TypeError(
                f"{origin} gives {name!r}, which is not a parameter; the parameters are: "
                f"{', '.join(parameters)}"
            )
        if parameter is not None and parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            if not isinstance(value, (tuple, list)):
                raise TypeError(f"{origin} gives {name!r}, which is *{name}; give a tuple")
            found |= {f"{name}[{place}]": element for place, element in enumerate(value)}
        else:
            found[name] = value
    return found


def _check_arrays(name: str, value: Any, origin: str) -> None:
    for leaf in jax.tree.leaves(value):
        if isinstance(leaf, jax.core.Tracer):
            raise TypeError(
                f"{origin} gives {name!r} as a traced value, which has no elements; give an array "
                "from outside the trace, such as NumPy's"
            )
        if isinstance(leaf, jax.ShapeDtypeStruct):
            continue
        try:
            jax.typeof(leaf)
        except TypeError:
            raise TypeError(
                f"{origin} gives {name!r} with a {type(leaf).__name__}, which is not an array"
            ) from None
