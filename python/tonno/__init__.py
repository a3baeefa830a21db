# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Search, statistics and records of the autotuner tonno, without MLIR.

    space = tonno.SearchSpace({"BM": tonno.pow2(16, 256), "BN": [32, 64, 128]},
                              constraints=["BM * BN <= 16384"])
    result = tonno.minimize(run_and_time, space, budget_trials=60)

A *knob* is a named tunable value, and its *options* are the values that it may take. A
*configuration* is a dict with one option for each knob. *Constraints* are conditions over knobs,
in the same language as in MLIR and on the command line. A *trial* is a configuration with its
outcome: status and time.

All random draws come from a seed that the caller gives, so results are repeatable. Invalid values
raise `tonno.Error`, a ValueError; values of the wrong type raise TypeError. Long calls release
the interpreter's lock. Spaces, recordings and records are immutable, and threads may share them.
Calls of one `Search` are serialized.

Four subpackages have frontends: `help(tonno.command)` describes what command lines build and run; `help(tonno.jax)` describes `tonno.autotune` for functions of
JAX and Pallas, which needs JAX; `help(tonno.opencl)` local sizes of OpenCL kernels;
`help(tonno.mlir)` kernels in MLIR, which tonno's tools tune and compile.
"""

import importlib
import typing

from tonno import protocol, statistics
from tonno._core import strategies, version
from tonno.domains import alternatives, permutations, pow2
from tonno.errors import AllFailed, ConstraintError, Error
from tonno.journals import JournaledSession, JournaledTrial, read_journal
from tonno.minimization import minimize
from tonno.modes import UntunedWarning
from tonno.progress import ProgressReport
from tonno.recordings import (
    RecordedTrial,
    Recording,
    ReplayRun,
    ReplayStep,
    read_recordings,
    replay,
)
from tonno.records import (
    Comparison,
    DecisionRecord,
    FrontPoint,
    Measurement,
    ObjectiveRecord,
    TrialRecord,
    read_cache,
)
from tonno.results import Result
from tonno.search import Search
from tonno.space import LegalCount, SearchSpace
from tonno.trials import Configuration, Trial, statuses

if typing.TYPE_CHECKING:
    from tonno import command as command
    from tonno import jax as jax
    from tonno import mlir as mlir
    from tonno import opencl as opencl
    from tonno.jax import autotune as autotune

__version__: str = version()

__all__ = [
    "AllFailed",
    "Comparison",
    "Configuration",
    "ConstraintError",
    "DecisionRecord",
    "Error",
    "FrontPoint",
    "JournaledSession",
    "JournaledTrial",
    "LegalCount",
    "Measurement",
    "ObjectiveRecord",
    "ProgressReport",
    "RecordedTrial",
    "Recording",
    "ReplayRun",
    "ReplayStep",
    "Result",
    "Search",
    "SearchSpace",
    "Trial",
    "TrialRecord",
    "UntunedWarning",
    "__version__",
    "alternatives",
    "minimize",
    "permutations",
    "pow2",
    "protocol",
    "read_cache",
    "read_journal",
    "read_recordings",
    "replay",
    "statistics",
    "statuses",
    "strategies",
]


_LAZY = ("autotune", "command", "jax", "mlir", "models", "opencl", "report", "worker")
"""Names that are imported on first use: importing JAX is slow, and neither JAX, OpenCL nor the
tools need be installed."""


def __dir__() -> list[str]:
    special = {name for name in globals() if name.startswith("__")}
    return sorted({*__all__, *_LAZY, *special})


if not typing.TYPE_CHECKING:  # type checkers would accept any name as an attribute of tonno

    def __getattr__(name: str) -> typing.Any:
        if name == "autotune":
            from tonno.jax import autotune

            return autotune
        if name in _LAZY:
            return importlib.import_module(f"tonno.{name}")
        raise AttributeError(f"module 'tonno' has no attribute {name!r}")
