# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations and their outcomes."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tonno import _core

Configuration: TypeAlias = dict[str, Any]
"""An option for each knob of a space, by name. Options are bools, 64-bit integers, finite floats,
strings, and tuples of these; lists are converted to tuples."""


def statuses() -> list[str]:
    """Returns the names of the outcomes of a trial.

    `ok` and `pruned` ran correctly and have seconds; those of a pruned trial are a lower bound,
    clearly slower than the best. Every other status states why there are none.
    """
    return _core.statuses()


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """A configuration with its outcome."""

    config: Configuration
    status: str
    """One of `statuses()`."""
    seconds: float | None
    """Seconds of an `ok` or `pruned` trial, unless trials have values; None for a default that
    was not tried."""
    message: str = ""
    """Reason, unless the status is `ok`."""
    value: float | None = None
    """Number that the function returned, if `tonno.minimize` ranks values."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def tabulate(trials: Sequence[Trial], knobs: Iterable[str]) -> Any:
    """Returns a pandas.DataFrame with a row for each trial: a column for each knob, then those of
    `Trial`. A knob that has the name of such a column is called `knob_` and its name.

    Raises ImportError without pandas.
    """
    own = [field.name for field in dataclasses.fields(Trial) if field.name != "config"]
    columns = {knob: f"knob_{knob}" if knob in own else knob for knob in knobs}
    rows = [
        {column: trial.config.get(knob) for knob, column in columns.items()}
        | {name: getattr(trial, name) for name in own}
        for trial in trials
    ]
    return make_dataframe(rows, "the trials", [*columns.values(), *own])


def make_dataframe(
    rows: Sequence[Mapping[str, Any]], alternative: str, columns: Sequence[str] | None = None
) -> Any:
    """Returns a pandas.DataFrame. Raises ImportError without pandas, which names the alternative.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            f"to_dataframe needs pandas; install it by 'pip install pandas', or use {alternative}"
        ) from error
    return pandas.DataFrame(rows) if columns is None else pandas.DataFrame(rows, columns=columns)
