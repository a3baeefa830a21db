# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as functions of JAX, called by XLA's foreign function interface."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tonno import _core
from tonno.errors import Error
from tonno.mlir.signatures import ArraySpec, read_signature

if typing.TYPE_CHECKING:
    from tonno.mlir.kernels import Kernel


@functools.cache
def _register_handler() -> None:
    """Registers the handler that runs all kernels."""
    jax.ffi.register_ffi_target(_core.XLA_TARGET, _core.xla_handler(), platform="cpu")


def _as_input(value: Any, spec: ArraySpec, kernel: Kernel) -> Any:
    """Returns the array that is passed for `spec`. Raises TypeError or `Error` if the value is
    none."""
    label = f"argument '{spec.name}' of kernel '{kernel.name}'"
    is_number = isinstance(value, (bool, int, float)) and spec.shape == ()
    array = jnp.asarray(value, spec.dtype) if is_number else jnp.asarray(value)
    if array.dtype != spec.dtype:
        remedy = "set jax_enable_x64" if "64" in spec.dtype else "convert it by .astype"
        raise TypeError(
            f"{label} takes elements of {spec.dtype}, and {array.dtype} was given; {remedy}"
        )
    kernel.check_shape(spec.position, array.shape)
    return array


def make_jax_function(kernel: Kernel) -> Callable[..., Any]:
    """Returns the function that `Kernel.as_jax` describes."""
    signature = read_signature(kernel.plan, kernel.name, "JAX")
    if not jax.config.jax_enable_x64:
        for spec in signature.outputs:
            if spec.dtype in ("float64", "int64"):
                raise Error(
                    f"buffer '{spec.name}' of kernel '{kernel.name}' has elements of "
                    f"{spec.dtype}; set jax_enable_x64"
                )
    _register_handler()
    kernel.share_with_xla()
    call = jax.ffi.ffi_call(
        _core.XLA_TARGET,
        [jax.ShapeDtypeStruct(spec.shape, spec.dtype) for spec in signature.outputs],
        vmap_method="sequential",
        input_output_aliases=signature.updates,
    )
    name, hashed = kernel.name, kernel.hash

    def function(*arguments: Any) -> Any:
        if len(arguments) != len(signature.inputs):
            raise TypeError(
                f"kernel '{name}' reads {len(signature.inputs)} arguments, and "
                f"{len(arguments)} {'was' if len(arguments) == 1 else 'were'} given"
            )
        arrays = [
            _as_input(value, spec, kernel)
            for value, spec in zip(arguments, signature.inputs, strict=True)
        ]
        outputs = call(*arrays, **{_core.XLA_ATTRIBUTE: hashed})
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Calls the kernel '{name}' that tonno compiled."
    return function
