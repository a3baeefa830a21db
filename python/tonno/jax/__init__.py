# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning of JAX and Pallas functions.

    from tonno import autotune

    @autotune(configs=[{"BM": 32, "BN": 64}, {"BM": 64, "BN": 128}])
    @jax.jit(static_argnames=["BM", "BN"])
    def matmul(a, b, BM: int = 32, BN: int = 64): ...

The first call for arrays of some shapes and types on a kind of device tries the configurations.
Later calls, in this process and in others, use the winner. The decorator follows the decorator of
the same name by Jonas Köhler (cusp-ai/tonno), and reads and writes its files.

Candidates run in this process: a crash or hang ends the process, and the next process skips that
candidate. With isolate=True, candidates run in a child process.
"""

try:
    import jax
except ModuleNotFoundError as error:
    if error.name != "jax":
        raise
    raise ImportError(
        "tonno.autotune needs JAX 0.8.1 or newer, which is not installed; run pip install "
        "'jax>=0.8.1'"
    ) from error

from tonno.jax import fingerprints

fingerprints.require(jax.__version__)

from tonno.jax.autotuning import Arguments, Autotuned, autotune  # noqa: E402
from tonno.jax.cache import CacheWarning  # noqa: E402
from tonno.jax.decisions import ConfigTrial, Decision  # noqa: E402
from tonno.jax.failures import FailureWarning  # noqa: E402
from tonno.jax.hangs import HangError  # noqa: E402
from tonno.jax.problems import NotTunable  # noqa: E402
from tonno.jax.verification import OutputError, OutputWarning  # noqa: E402

__all__ = [
    "Arguments",
    "Autotuned",
    "CacheWarning",
    "ConfigTrial",
    "Decision",
    "FailureWarning",
    "HangError",
    "NotTunable",
    "OutputError",
    "OutputWarning",
    "autotune",
]
