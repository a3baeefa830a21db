# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the decorator refuses when it is applied, and what it says to change."""

from __future__ import annotations

import copy
import functools
import pickle
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import SingleDeviceSharding

from tonno import SearchSpace, autotune
from tonno.jax import fingerprints

CONFIGS = [{"BM": 1}, {"BM": 2}]


def plain(x: Any, BM: int = 1) -> Any:
    """Multiplies."""
    return x * BM


def jitted(function: Any = plain, **options: Any) -> Any:
    return jax.jit(function, static_argnames=["BM"], **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"configs": []}, ValueError, "configs is empty"),
        ({"configs": [{}]}, ValueError, r"configs\[0\] is empty"),
        ({"configs": [{"BM": 1}, {"BN": 1}]}, ValueError, "different keys"),
        ({"configs": [{"BM": 1}, {"BM": 1, "BN": 1}]}, ValueError, "give every tunable"),
        ({"configs": [{"BM": 1}, {"BM": True}]}, ValueError, "give both the same type"),
        ({"configs": [{"BM": float("nan")}]}, ValueError, "JSON cannot represent"),
        ({"configs": CONFIGS, "num_timing": 0}, ValueError, "num_timing must be at least 1"),
        ({"configs": CONFIGS, "num_warmup": -1}, ValueError, "num_warmup must be at least 0"),
        ({"configs": CONFIGS, "num_timing": 1.5}, TypeError, "num_timing must be an int"),
        ({"configs": CONFIGS, "protocol": "fast"}, ValueError, "'median', 'paired'"),
        ({"configs": CONFIGS, "outputs": "no"}, ValueError, "'ignore'"),
        ({"configs": CONFIGS, "tolerance": -1.0}, ValueError, "tolerance"),
        ({"configs": CONFIGS, "tolerance": "a"}, ValueError, "tolerance: 'a' is not an error; give"),
        ({"configs": CONFIGS, "tolerance": [1]}, TypeError, "tolerance must be a number"),
        ({"configs": CONFIGS, "limit_seconds": None}, TypeError, "limit_seconds must be a number"),
        ({"configs": CONFIGS, "name": "a/b"}, ValueError, "name='a/b'"),
        ({"configs": CONFIGS, "name": "a\0b"}, ValueError, "cannot be a file name"),
        ({"configs": CONFIGS, "name": 3}, TypeError, "name must be text"),
        ({"configs": CONFIGS, "seed": -1}, ValueError, "seed must be at least 0"),
        ({"configs": CONFIGS, "seed": "s"}, TypeError, "seed must be an int"),
        ({"space": {"BM": [1]}, "strategy": "guess"}, ValueError, "'ensemble'"),
        ({"space": {"BM": [1]}, "constraints": ["BM > 1"]}, ValueError, "no configuration"),
        ({"configs": CONFIGS, "constraints": ["BM > 2"]}, ValueError, "no configuration of"),
        ({"configs": [{"BM": [1]}]}, TypeError, "give an int, float, str"),
        ({"configs": [1]}, TypeError, "not a dict"),
        ({"configs": {"BM": 1}}, TypeError, "a list of dicts"),
        ({"configs": 5}, TypeError, "a list of dicts"),
        ({"configs": plain}, TypeError, "Stack @autotune on top"),
        ({}, TypeError, "either configs"),
        ({"configs": CONFIGS, "space": {"BM": [1]}}, TypeError, "either configs"),
        ({"space": {}}, ValueError, "at least one knob"),
        ({"space": [("BM", [1])]}, TypeError, "space must be a dict of lists"),
        ({"space": {"BM": 1}}, TypeError, "options of knob 'BM' must be a list, not int"),
        ({"space": {"BM": [1]}, "budget_trials": 0}, ValueError, "budget_trials"),
        (
            {"space": SearchSpace({"BM": [1]}), "constraints": ["BM > 0"]},
            ValueError,
            "has its own constraints",
        ),
    ],
)
def test_arguments_are_checked(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        autotune(**arguments)


def required(x: Any, BM: int) -> Any:
    return x * BM


def without(x: Any) -> Any:
    return x


def taking_all(x: Any, **rest: Any) -> Any:
    return x


def positional(x: Any, BM: int = 1, /) -> Any:
    return x * BM


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (plain, r"(?s)jax.jit has wrapped, got 'plain'.*@jax.jit\(static_argnames"),
        (functools.partial(plain), "jax.jit has wrapped, got 'partial'"),
        (jax.jit(plain), r"'BM' of plain is not in static_argnames; .*'BM'\]"),
        (jax.jit(without), r"'BM' is not in the signature of without\(x"),
        (staticmethod(jitted()), "put @staticmethod on top of @autotune"),
        (jax.jit(taking_all, static_argnums=-1), "static_argnums=.* name it in static_argn"),
        (jitted(required), "'BM' of required has no default; write BM="),
        (jitted(taking_all), "'BM' is not in the signature of taking_all"),
        (jax.jit(positional, static_argnums=1), "positional-only"),
        (
            jitted(in_shardings=SingleDeviceSharding(jax.devices()[0])),
            "jitted with in_shardings.*; use jax.device_put",
        ),
    ],
)
def test_functions_are_checked_when_decorated(function: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        autotune(configs=CONFIGS)(function)


def test_another_jit_is_refused_by_what_it_lacks() -> None:
    class Jitted:
        lower = trace = __call__ = lambda self: None

    with pytest.raises(TypeError, match="does not report its static arguments"):
        autotune(configs=CONFIGS)(Jitted())


def test_name_doc_and_signature_are_kept() -> None:
    tuned = autotune(configs=CONFIGS)(jitted())
    assert tuned.__name__ == tuned.__qualname__ == "plain"
    assert tuned.__doc__ == "Multiplies."
    assert tuned.__module__ == __name__
    assert tuned.__wrapped__ is not None  # type: ignore[attr-defined]


@autotune(configs=CONFIGS, num_timing=1)
@jax.jit(static_argnames=["BM"])
def named(x: Any, BM: int = 1) -> Any:
    return x


def test_what_jit_gives_is_there(cache: Any) -> None:
    spec = jax.ShapeDtypeStruct((2,), "float32")
    assert named.eval_shape(spec).shape == (2,) and named.decisions == []
    named(jnp.ones(2))
    named.clear_cache()
    assert len(named.decisions) == 1
    assert repr(named) == "<autotuned named over BM>"
    assert pickle.loads(pickle.dumps(named)) is copy.deepcopy(named) is named


@pytest.mark.parametrize(
    "jit",
    [
        jax.jit(static_argnames=["BM"]),
        jax.jit(static_argnames="BM"),
        jax.jit(static_argnums=1),
        functools.partial(jax.jit, static_argnames=["BM"]),
    ],
)
def test_each_way_to_jit_works(jit: Any, cache: Any) -> None:
    tuned = autotune(configs=[{"BM": 3}])(jit(plain))
    assert tuned(jnp.ones(2)).tolist() == [3, 3]


def test_old_jax_is_refused_with_what_to_install() -> None:
    for version in ("0.8.1", "0.10.2", "1.0", "0.9.0.dev20260101"):
        fingerprints.require(version)
    for version in ("0.8.0", "0.4.37"):
        with pytest.raises(ImportError, match=r"0\.8\.1 or newer.*run pip install 'jax>=0\.8\.1'"):
            fingerprints.require(version)


def run(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return ran.stdout + ran.stderr


def test_jax_is_imported_with_autotune_only() -> None:
    shown = run("import sys, tonno; print('jax' in sys.modules); tonno.autotune; print(jax)")
    assert shown.startswith("False")
    assert "name 'jax' is not defined" in shown  # tonno.autotune itself worked.


def test_without_jax_the_import_says_what_to_install() -> None:
    shown = run("import sys; sys.modules['jax'] = None\nimport tonno\nfrom tonno import autotune")
    assert "ImportError: tonno.autotune needs JAX 0.8.1 or newer" in shown
    assert "pip install 'jax>=0.8.1'" in shown


def test_other_names_are_still_missing() -> None:
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from tonno import nothing  # type: ignore[attr-defined]  # noqa: F401
