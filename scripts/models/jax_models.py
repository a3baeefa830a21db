# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the inputs of test/models that JAX makes: linalg by jaxlib's passes.

    jax_models.py <folder>

Run by hand with the Python of the build tree's virtual environment, whose
jaxlib scripts/requirements-test.txt pins, after a change here or of that pin.
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jaxlib.mlir.passmanager
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

PASSES = (
    "builtin.module(inline,func.func(chlo-legalize-to-stablehlo),"
    "stablehlo-legalize-to-linalg,stablehlo-convert-to-signless,canonicalize,cse)"
)
F32, F16, BF16, I8, I32, U32, C64 = (
    jnp.dtype(name)
    for name in ("float32", "float16", "bfloat16", "int8", "int32", "uint32", "complex64")
)


@dataclasses.dataclass
class Model:
    function: Callable[..., Any]
    arguments: list[jax.ShapeDtypeStruct]
    expect: str = "tuned"
    options: str = ""

    def lowered(self) -> str:
        """Returns the function as linalg on tensors."""
        # For this platform JAX makes no loops, for which jaxlib has no such pass.
        traced = jax.jit(self.function).trace(*self.arguments)
        text = traced.lower(lowering_platforms=("tpu",)).as_text()
        with make_ir_context():
            module = ir.Module.parse(text)
            jaxlib.mlir.passmanager.PassManager.parse(PASSES).run(module.operation)
            return str(module)


MODELS: dict[str, Model] = {}


def model(*arguments: tuple[tuple[int, ...], Any], **stated: str) -> Callable[..., Any]:
    """Registers the decorated function with arguments of these shapes and types."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in arguments]
        MODELS[function.__name__.replace("_", "-")] = Model(function, shapes, **stated)
        return function

    return register


@model(((32, 64), F32), ((64, 128), F32), ((128,), F32), ((128, 32), F32))
def mlp_gelu_softmax(x: Any, w1: Any, b: Any, w2: Any) -> Any:
    return jax.nn.softmax(jax.nn.gelu(x @ w1 + b) @ w2, axis=-1)


@model(((16, 64), F32), ((64, 64), F32))
def mlp_gelu_erf(x: Any, w: Any) -> Any:
    return jax.nn.gelu(x @ w, approximate=False)


@model(*[((1, 2, 32, 16), F32)] * 3)
def causal_attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 4.0
    mask = jnp.tril(jnp.ones((32, 32), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
    return jnp.einsum("bhqk,bhkd->bhqd", weights, v)


@model(((32, 64), F32), ((64,), F32), ((64,), F32))
def layernorm(x: Any, scale: Any, bias: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale + bias


@model(((32, 64), BF16), ((64,), BF16))
def rmsnorm_bf16(x: Any, scale: Any) -> Any:
    wide = x.astype(F32)
    wide = wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)
    return wide.astype(BF16) * scale


@model(((1, 8, 8, 16), F32), *[((16,), F32)] * 4)
def batchnorm_inference(x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return jax.nn.relu((x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias)


@model(((1, 14, 14, 8), F32), ((3, 3, 8, 16), F32), ((16,), F32))
def conv_nhwc_same(x: Any, w: Any, b: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers) + b)


@model(((1, 12, 12, 8), F32), ((3, 3, 1, 8), F32))
def conv_depthwise(x: Any, w: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=numbers, feature_group_count=8
    )


@model(((1, 6, 6, 8), F32), ((3, 3, 8, 4), F32))
def conv_transposed(x: Any, w: Any) -> Any:
    return jax.lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@model(((1, 8, 8, 16), F32))
def max_pool(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@model(((100, 32), F32), ((16,), I32))
def embedding(table: Any, ids: Any) -> Any:
    return table[ids]


@model(((64, 4, 16), F32), ((1, 4, 16), F32), ((), I32), expect="verified")
def kv_cache_update(cache: Any, new: Any, position: Any) -> Any:
    return jax.lax.dynamic_update_slice(cache, new, (position, 0, 0))


@model(((16, 2, 32), F32), ((16, 16), F32))
def rope(x: Any, angles: Any) -> Any:
    cos, sin = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
    low, high = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1)


@model(((32, 64), F32), expect="verified")
def argmax(x: Any) -> Any:
    return jnp.argmax(x, axis=-1)


@model(((24,), I32), expect="verified")
def one_hot(labels: Any) -> Any:
    return jax.nn.one_hot(labels, 10)


@model(((32, 10), F32), ((32, 10), F32))
def cross_entropy(logits: Any, targets: Any) -> Any:
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * targets, axis=-1))


@model(((32, 16), F32), expect="verified")
def cumsum(x: Any) -> Any:
    return jnp.cumsum(x, axis=0)


@model(((24, 40), F32), ((24, 8), F32), expect="verified")
def pad_concat(x: Any, y: Any) -> Any:
    return jnp.concatenate([jnp.pad(x, ((0, 0), (4, 4)), constant_values=1.0), y], axis=1)


@model(((32, 64), I8), ((64, 48), I8), ((48,), F32))
def quantised_matmul(x: Any, w: Any, scale: Any) -> Any:
    sums = jax.lax.dot(x, w, preferred_element_type=I32)
    return sums.astype(F32) * scale


@model(((32, 64), F16), ((64, 48), F16))
def matmul_f16(x: Any, w: Any) -> Any:
    return x @ w


@model(((32, 64), BF16), ((64, 96), BF16), ((64, 96), BF16), ((96, 64), BF16))
def swiglu_bf16(x: Any, gate: Any, up: Any, down: Any) -> Any:
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


@model(((32, 32), F32))
def newton_schulz(x: Any) -> Any:
    for _ in range(5):
        x = 1.5 * x - 0.5 * (x @ x.T) @ x
    return x


@model(((16, 24), C64), ((24, 8), C64), expect='refused "element type"')
def complex_matmul(x: Any, y: Any) -> Any:
    return x @ y


@model(((16, 24), F32), ((16, 24), F32), expect="verified")
def complex_modulus(x: Any, y: Any) -> Any:
    z = jax.lax.complex(x, y)
    return jnp.abs(z * z)


@model(((40, 20), F32), ((20,), F32))
def any_above(x: Any, limit: Any) -> Any:
    above = x > limit
    return above.any(axis=-1), above.sum(axis=0)


@model(((8, 16), F32), ((8, 32), F32), ((8, 32), F32), ((16, 128), F32), ((32, 128), F32))
def lstm_cell(x: Any, h: Any, c: Any, wx: Any, wh: Any) -> Any:
    i, f, g, o = jnp.split(x @ wx + h @ wh, 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


@model(((100,), I32), ((100,), I32), expect="verified", options="--inputs=arg1=integers(1,100)")
def int_floor_divide(x: Any, y: Any) -> Any:
    return x // y


def main() -> None:
    stablehlo.register_stablehlo_passes()
    folder = pathlib.Path(sys.argv[1])
    for name, made in MODELS.items():
        options = f"// options: {made.options}\n" if made.options else ""
        text = f"// expect: {made.expect}\n{options}// From {pathlib.Path(__file__).name}.\n{made.lowered()}"
        (folder / f"jax-{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
