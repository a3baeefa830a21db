# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function is tuned over, and how: the checked options of the decorator."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from typing import Any

from tonno._core import strategies
from tonno.jax import fingerprints
from tonno.jax.contract import (
    check_choice,
    check_count,
    checked_configs,
    checked_number,
)
from tonno.space import SearchSpace
from tonno.trials import Configuration

_PROTOCOLS = ("median", "paired")
_OUTPUTS = ("refuse", "warn", "ignore")


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a function is tuned over, and how."""

    configs: list[Configuration] | None
    space: SearchSpace | None
    num_warmup: int
    num_timing: int
    protocol: str
    outputs: str
    tolerance: float | None
    budget_trials: int
    strategy: str
    seed: int
    limit_seconds: float
    compile_seconds: float | None

    @property
    def fingerprint(self) -> str:
        return fingerprints.of_choices(self.configs, self.space)

    @property
    def knobs(self) -> tuple[str, ...]:
        if self.configs is not None:
            return tuple(self.configs[0])
        assert self.space is not None
        return tuple(self.space.knobs)

    def with_baseline(self, defaults: Configuration) -> Plan:
        """Returns the plan with the signature's defaults, if they are to choose from,
        as what the others are compared with."""
        if not self.has(defaults):
            return self
        if self.configs is None:
            assert self.space is not None
            return dataclasses.replace(self, space=self.space.with_default(defaults))
        ordered = sorted(self.configs, key=lambda config: config != defaults)
        return dataclasses.replace(self, configs=ordered)

    def own(self, config: Configuration) -> Configuration | None:
        """The configuration as it is among those to choose from, or None."""
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
        """Whether the configuration is one of those to choose from."""
        if self.configs is not None:
            return config in self.configs
        assert self.space is not None
        try:
            return self.space.is_legal(config)
        except (TypeError, ValueError):
            return False


def plan_of(
    configs: Iterable[Mapping[str, Any]] | None,
    space: SearchSpace | Mapping[str, Iterable[Any]] | None,
    constraints: Iterable[str],
    *,
    num_warmup: int,
    num_timing: int,
    protocol: str,
    outputs: str,
    tolerance: float | None,
    budget_trials: int,
    strategy: str,
    seed: int,
    compile_seconds: float | None,
    limit_seconds: float,
) -> Plan:
    """Checks the decorator's options; raises TypeError or ValueError for invalid ones."""
    if (configs is None) == (space is None):
        raise TypeError("autotune takes either configs=[...] or space={...}")
    check_count("num_warmup", num_warmup, 0)
    check_count("num_timing", num_timing, 1)
    check_count("budget_trials", budget_trials, 1)
    check_count("seed", seed, 0)
    check_choice("protocol", protocol, _PROTOCOLS)
    check_choice("outputs", outputs, _OUTPUTS)
    check_choice("strategy", strategy, tuple(strategies()))
    for limit, seconds in [("compile_seconds", compile_seconds), ("limit_seconds", limit_seconds)]:
        usual = limit == "compile_seconds" and seconds is None
        if not usual and not checked_number(limit, seconds) > 0:
            raise ValueError(f"{limit} must be more than 0, got {seconds}")
    if tolerance is not None and not checked_number("tolerance", tolerance) >= 0:
        raise ValueError(f"tolerance must be at least 0, got {tolerance}")
    if configs is not None and list(constraints):
        raise ValueError("constraints are for space={...}; leave out configs instead")
    listed = None if configs is None else checked_configs(configs)
    if not isinstance(space, (SearchSpace, Mapping, type(None))):
        raise TypeError('space is a dict of lists, such as {"BM": [32, 64]}, or a SearchSpace')
    if space is not None and not isinstance(space, SearchSpace):
        space = SearchSpace(space, constraints)
    elif space is not None and list(constraints):
        raise ValueError("this SearchSpace has its constraints already")
    return Plan(
        configs=listed,
        space=space,
        num_warmup=num_warmup,
        num_timing=num_timing,
        protocol=protocol,
        outputs=outputs,
        tolerance=None if tolerance is None else float(tolerance),
        budget_trials=budget_trials,
        strategy=strategy,
        seed=seed,
        limit_seconds=float(limit_seconds),
        compile_seconds=None if compile_seconds is None else float(compile_seconds),
    )


def _is_same(option: Any, value: Any) -> bool:
    """Whether a file's value is this option: JSON may have 64.0 for 64."""
    return bool(option == value) and isinstance(option, bool) == isinstance(value, bool)
