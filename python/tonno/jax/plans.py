# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Search spaces and options of tuned functions, and the requirements on the function, checked
when the decorator is applied."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jax
import numpy as np

from tonno._core import parse_accepted_errors, strategies
from tonno.errors import Error
from tonno.jax import fingerprints
from tonno.jax.constraints import allowed_configs, allowed_space, name_dimensions
from tonno.jax.dimensions import (
    Bucket,
    Dims,
    Sizes,
    check_parameters,
    checked_buckets,
    checked_dims,
)
from tonno.modes import check_mode
from tonno.space import SearchSpace
from tonno.trials import Configuration

_STACKING = """Stack @autotune on top of @jax.jit:

    @autotune(configs=[...])
    @jax.jit(static_argnames=[...])
    def fn(...): ..."""


@dataclasses.dataclass(frozen=True)
class Contract:
    """A jitted function, and what is known of its parameters."""

    jitted: Any
    signature: inspect.Signature
    tunables: tuple[str, ...]
    statics: frozenset[str]
    static_numbers: frozenset[int]
    """Positions of static arguments, for arguments without a name."""
    positional: tuple[str, ...]
    """Parameters that a positional argument may set, except *args."""
    defaults: Configuration
    """Defaults of the tunable parameters in the signature."""
    name: str
    dims: Dims
    """Names of axes, by parameter."""

    @property
    def static_arguments(self) -> frozenset[str]:
        """Names of static arguments, as of `argument_name`."""
        return self.statics | {self.argument_name(place) for place in self.static_numbers}

    def argument_name(self, place: int) -> str:
        """Returns the name of a positional argument, such as "x", or "xs[1]" of `*xs`.

        Raises IndexError if the function takes no argument there.
        """
        if place < len(self.positional):
            return self.positional[place]
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                return f"{name}[{place - len(self.positional)}]"
        raise IndexError(place)


def checked_configs(configs: Iterable[Mapping[str, Any]]) -> list[Configuration]:
    """Returns the configurations, which must be distinct. Raises ValueError or TypeError for
    invalid ones."""
    if callable(configs):
        raise TypeError(f"autotune needs its configs before the function.\n{_STACKING}")
    if isinstance(configs, (str, bytes, Mapping)) or not isinstance(configs, Iterable):
        raise TypeError('configs must be a list of dicts, such as [{"BM": 32}, {"BM": 64}]')
    given = list(configs)
    if not given:
        raise ValueError("configs is empty; list at least one, such as [{'BM': 32}]")
    distinct: list[Configuration] = []
    for i, config in enumerate(given):
        if not isinstance(config, Mapping):
            raise TypeError(f"configs[{i}] is a {type(config).__name__}, not a dict")
        if not config:
            raise ValueError(f"configs[{i}] is empty: name at least one tunable parameter")
        if config.keys() != given[0].keys():
            raise ValueError(
                f"configs[{i}] has different keys than configs[0]: {sorted(config)} and "
                f"{sorted(given[0])}; give every tunable a value in each"
            )
        values = {name: _value(i, name, value) for name, value in config.items()}
        if not _is_known(values, i, distinct):
            distinct.append(values)
    return distinct


def _value(index: int, name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is tuple:
        return tuple(_value(index, name, element) for element in value)
    if type(value) is float and not math.isfinite(value):
        raise ValueError(
            f"configs[{index}][{name!r}] is {value}, which JSON cannot represent; give a finite "
            "number"
        )
    if value is not None and type(value) not in (bool, int, float, str):
        raise TypeError(
            f"configs[{index}][{name!r}] is a {type(value).__name__}, which JSON cannot represent; "
            "give an int, float, str, bool, None or a tuple of these"
        )
    return value


def _is_known(values: Configuration, index: int, known: list[Configuration]) -> bool:
    for other in known:
        if other == values:
            if repr(sorted(other.items())) == repr(sorted(values.items())):
                return True
            raise ValueError(
                f"configs[{index}], {values}, equals {other} to jax.jit, which would reuse the "
                "compiled program; give both the same type"
            )
    return False


def check_count(name: str, value: int, least: int) -> None:
    """Raises TypeError for a value that is not an int, ValueError for a value below `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises ValueError for a value that is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")


def checked_number(name: str, value: Any) -> float:
    """Returns the number. Raises TypeError for another type."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None


def check_name(name: str) -> None:
    """Raises TypeError for a name that is not a string, ValueError for a name that no file can
    have."""
    if not isinstance(name, str):
        raise TypeError(f"name must be text, not {name!r}")
    if not name or name.startswith(".") or "/" in name or "\0" in name:
        raise ValueError(f"name={name!r} cannot be a file name; leave out '/' and a leading '.'")


def make_contract(
    fn: Callable[..., Any], tunables: Iterable[str], name: str | None, dims: Dims
) -> Contract:
    """Checks that the function can be tuned. Raises TypeError, which states the remedy."""
    if isinstance(fn, (staticmethod, classmethod)):
        raise TypeError(f"put @{type(fn).__name__} on top of @autotune.\n{_STACKING}")
    if not (callable(fn) and hasattr(fn, "lower") and hasattr(fn, "trace")):
        raise TypeError(
            f"autotune expects a function that jax.jit has wrapped, "
            f"got {getattr(fn, '__qualname__', type(fn).__name__)!r}.\n{_STACKING}"
        )
    # JAX has no public way to query the static arguments of a jitted function.
    information = getattr(fn, "_jit_info", None)
    if information is None:
        raise TypeError(
            f"{fn!r} does not report its static arguments; this is JAX {jax.__version__}; use JAX "
            f"0.8.1 to 0.10.2.\n{_STACKING}"
        )
    if getattr(information, "user_specified_in_shardings", False):
        raise TypeError(
            f"{getattr(fn, '__qualname__', fn)!r} is jitted with in_shardings, with which JAX "
            "takes no arguments by name; use jax.device_put, or jax.lax.with_sharding_constraint "
            "inside the function"
        )
    signature = inspect.signature(fn)
    qualname = getattr(fn, "__qualname__", repr(fn))
    if any(number < 0 for number in information.static_argnums):
        raise TypeError(
            f"{qualname!r} is jitted with static_argnums={information.static_argnums}, whose last "
            "argument depends on the call; name it in static_argnames"
        )
    statics = frozenset(information.static_argnames)
    wanted = tuple(tunables)
    for tunable in wanted:
        _check_tunable(tunable, qualname, signature, statics)
    check_parameters(dims, signature, statics)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = tuple(n for n, p in signature.parameters.items() if p.kind in kinds)
    return Contract(
        jitted=fn,
        signature=signature,
        tunables=wanted,
        statics=statics,
        static_numbers=frozenset(information.static_argnums),
        positional=positional,
        defaults={tunable: signature.parameters[tunable].default for tunable in wanted},
        name=name or qualname,
        dims=dims,
    )


def _check_tunable(
    tunable: str, qualname: str, signature: inspect.Signature, statics: frozenset[str]
) -> None:
    parameter = signature.parameters.get(tunable)
    if parameter is None or parameter.kind is inspect.Parameter.VAR_KEYWORD:
        raise TypeError(
            f"the tunable {tunable!r} is not in the signature of {qualname}{signature}; add "
            f"{tunable}=..., or remove it from configs"
        )
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise TypeError(
            f"the tunable {tunable!r} of {qualname} is positional-only; move it behind the /, "
            "since it is passed by name"
        )
    if parameter.default is inspect.Parameter.empty:
        raise TypeError(
            f"the tunable {tunable!r} of {qualname} has no default; write {tunable}=<one of its "
            "values> in the signature"
        )
    if tunable not in statics:
        raise TypeError(
            f"the tunable {tunable!r} of {qualname} is not in static_argnames; write "
            f"@jax.jit(static_argnames=[..., {tunable!r}])"
        )


_PROTOCOLS = ("median", "paired")
_OUTPUTS = ("refuse", "warn", "ignore")
_BITS = ("free", "same")


@dataclasses.dataclass(frozen=True)
class Plan:
    """The search space of a function, and the options of tuning."""

    configs: list[Configuration] | None
    space: SearchSpace | None
    num_warmup: int
    num_timing: int
    protocol: str
    outputs: str
    tolerance: float | str | None
    budget_trials: int
    strategy: str
    seed: int
    limit_seconds: float
    compile_seconds: float | None
    isolate: bool
    mode: str | None
    dims: Dims
    bucket: Mapping[str, Bucket]
    constraints: tuple[str, ...] = ()
    """All constraints, if they depend on the call's dimensions."""
    budget_seconds: float | None = None
    bits: str = "free"

    def at(self, sizes: Sizes) -> Plan:
        """Returns the plan for a call of these sizes, with the configurations that its
        constraints allow.

        Raises `tonno.Error`, which names the constraints and the sizes, if none is allowed.
        """
        if not self.constraints:
            return self
        if self.configs is not None:
            configs = allowed_configs(self.configs, self.constraints, sizes)
            return dataclasses.replace(self, configs=configs, constraints=())
        assert self.space is not None
        space = allowed_space(self.space, self.constraints, sizes)
        return dataclasses.replace(self, space=space, constraints=())

    @property
    def fingerprint(self) -> str:
        return fingerprints.of_choices(self.configs, self.space)

    @property
    def knobs(self) -> tuple[str, ...]:
        if self.configs is not None:
            return tuple(self.configs[0])
        assert self.space is not None
        return tuple(self.space.knobs)

    @property
    def baseline(self) -> Configuration:
        """Configuration that the others are compared with."""
        if self.configs is not None:
            return self.configs[0]
        assert self.space is not None
        return self.space.default

    def with_baseline(self, defaults: Configuration) -> Plan:
        """Returns the plan with the signature's defaults as the baseline, if they are among the
        choices."""
        if not self.has(defaults):
            return self
        if self.configs is None:
            assert self.space is not None
            return dataclasses.replace(self, space=self.space.with_default(defaults))
        ordered = sorted(self.configs, key=lambda config: config != defaults)
        return dataclasses.replace(self, configs=ordered)

    def own(self, config: Configuration) -> Configuration | None:
        """Returns the configuration in the form that it has among the choices, or None."""
        if not self.has(config):
            return None
        if self.configs is not None:
            return next(c for c in self.configs if c == config)
        own = {
            name: next((option for option in self._options[name] if _is_same(option, value)), value)
            for name, value in config.items()
        }
        return own

    @functools.cached_property
    def _options(self) -> dict[str, tuple[Any, ...]]:
        assert self.space is not None
        return self.space.knobs

    def has(self, config: Configuration) -> bool:
        """Returns True if the configuration is one of the choices."""
        if self.configs is not None:
            return config in self.configs
        assert self.space is not None
        try:
            return self.space.is_legal(config)
        except (TypeError, ValueError):
            return False


def _checked_tolerance(given: Any) -> float | str | None:
    """Returns the number, or the text in its usual form. Raises TypeError or ValueError."""
    if given is None:
        return None
    if isinstance(given, str):
        try:
            return parse_accepted_errors(given)[0]
        except Error as error:
            raise ValueError(f"tolerance: {error}") from None
    number = checked_number("tolerance", given)
    if not 0 <= number < math.inf:
        raise ValueError(f"tolerance must be at least 0, and finite, not {given}")
    return number


def make_plan(
    configs: Iterable[Mapping[str, Any]] | None,
    space: SearchSpace | Mapping[str, Iterable[Any]] | None,
    constraints: Iterable[str],
    **options: Any,
) -> Plan:
    """Checks the decorator's options, by the names of Plan's fields. Raises TypeError or
    ValueError for invalid ones."""
    if (configs is None) == (space is None):
        raise TypeError("autotune needs either configs=[...] or space={...}")
    plan = Plan(None, None, **options)
    check_count("num_warmup", plan.num_warmup, 0)
    check_count("num_timing", plan.num_timing, 1)
    check_count("budget_trials", plan.budget_trials, 1)
    check_count("seed", plan.seed, 0)
    if not isinstance(plan.isolate, bool):
        raise TypeError(f"isolate must be a bool, not {plan.isolate!r}")
    check_choice("protocol", plan.protocol, _PROTOCOLS)
    check_choice("outputs", plan.outputs, _OUTPUTS)
    check_choice("bits", plan.bits, _BITS)
    if plan.bits == "same" and plan.outputs != "refuse":
        raise ValueError(
            f'bits="same" refuses other outputs; leave out outputs={plan.outputs!r}, or bits='
        )
    check_choice("strategy", plan.strategy, tuple(strategies()))
    check_mode(plan.mode)
    numbers: dict[str, float] = {}
    for limit in ("compile_seconds", "limit_seconds", "budget_seconds"):
        given = options.get(limit)
        if given is None and limit != "limit_seconds":
            continue  # the default
        numbers[limit] = checked_number(limit, given)
        if not numbers[limit] > 0:
            raise ValueError(f"{limit} must be more than 0, not {given}")
    if isinstance(constraints, str):
        raise TypeError("constraints must be a list of text, not one text")
    conditions = tuple(constraints)
    listed = None if configs is None else checked_configs(configs)
    if not isinstance(space, (SearchSpace, Mapping, type(None))):
        raise TypeError('space must be a dict of lists, such as {"BM": [32, 64]}, or a SearchSpace')
    if isinstance(space, SearchSpace) and conditions:
        raise ValueError("the SearchSpace has its own constraints; leave out constraints=")
    knobs = listed[0] if listed is not None else _get_knob_names(space)
    dims = checked_dims(plan.dims, knobs)
    bucket = checked_buckets(plan.bucket, dims)
    named = [name for names in dims.values() for name in names]
    is_of_call = bool(named) and name_dimensions(conditions, knobs, named)
    now = () if is_of_call else conditions
    if listed is not None and now:
        listed = allowed_configs(listed, now, {})
    if space is not None and not isinstance(space, SearchSpace):
        space = SearchSpace(space, now)
    changes: dict[str, Any] = {"configs": listed, "space": space, **numbers}
    changes["tolerance"] = _checked_tolerance(plan.tolerance)
    changes |= {"dims": dims, "bucket": bucket, "constraints": conditions if is_of_call else ()}
    return dataclasses.replace(plan, **changes)


def _get_knob_names(space: SearchSpace | Mapping[str, Iterable[Any]] | None) -> tuple[str, ...]:
    assert space is not None
    return tuple(space.knobs if isinstance(space, SearchSpace) else space)


def _is_same(option: Any, value: Any) -> bool:
    """Returns True if a file's value equals this option: JSON may have 64.0 for 64."""
    return bool(option == value) and isinstance(option, bool) == isinstance(value, bool)
