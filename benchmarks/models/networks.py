# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Six models in JAX, with random weights, for a batch of 1 in f32 or bf16.

    tonno-import networks:RESNET18.function --args=RESNET18.arguments -o resnet18.mlir

`FULL` has the sizes that the models are known by, `SMALL` small ones for tests.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Array = Any
TYPES = {"f32": np.dtype("f4"), "bf16": np.dtype(jnp.bfloat16)}
Take = Callable[..., Array]
"""Returns the weight of a name; the shape follows the name."""


@dataclasses.dataclass(frozen=True)
class Model:
    """An architecture with sizes."""

    name: str
    apply: Callable[..., Array]
    """Takes a `Take`, then the inputs."""
    inputs: tuple[jax.ShapeDtypeStruct, ...]
    limit: int = 0
    """Integer inputs are less than this."""
    type: str = "f32"
    """The type of weights and of inputs that are not integers."""

    def cast(self, type: str) -> Model:
        """Returns the model with weights and inputs of another of `TYPES`."""
        inputs = (
            jax.ShapeDtypeStruct(each.shape, TYPES[type])
            if jnp.issubdtype(each.dtype, jnp.floating)
            else each
            for each in self.inputs
        )
        return dataclasses.replace(self, inputs=tuple(inputs), type=type)

    def with_batch(self, size: int) -> Model:
        """Returns the model for inputs with another first dimension."""
        inputs = (
            jax.ShapeDtypeStruct((size, *each.shape[1:]), each.dtype) for each in self.inputs
        )
        return dataclasses.replace(self, inputs=tuple(inputs))

    @property
    def function(self) -> Callable[..., Array]:
        """Returns a function of the inputs and of a dictionary of the weights."""

        def call(params: dict[str, Array], *inputs: Array) -> Array:
            return self.apply(lambda name, *shape: params[name], *inputs)

        call.__name__ = call.__qualname__ = self.name
        return call

    @functools.cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Returns the shapes of the weights, by name."""
        found: dict[str, tuple[int, ...]] = {}

        def take(name: str, *shape: int) -> Array:
            if found.setdefault(name, shape) != shape:
                raise ValueError(f"weight '{name}' has two shapes")
            return jnp.zeros(shape, TYPES[self.type])

        jax.eval_shape(functools.partial(self.apply, take), *self.inputs)
        return found

    def arguments(self) -> tuple[Any, ...]:
        """Returns the types of the arguments of `function`."""
        element = TYPES[self.type]
        return {n: jax.ShapeDtypeStruct(s, element) for n, s in self.shapes.items()}, *self.inputs

    def draw(self, seed: int = 0) -> tuple[Any, ...]:
        """Returns values of the arguments of `function`, such that results are of order 1."""
        random = np.random.default_rng(seed)
        element = TYPES[self.type]

        def weight(name: str, shape: tuple[int, ...]) -> Array:
            if name.endswith((".scale", ".variance")):
                return random.uniform(0.5, 1.5, shape).astype("f4")
            spread = 0.1 if len(shape) == 1 else math.prod(shape[:-1]) ** -0.5
            if name.endswith("embedding"):
                spread = 1.0
            return random.standard_normal(shape, "f4") * np.float32(spread)

        def value(spec: jax.ShapeDtypeStruct) -> Array:
            if jnp.issubdtype(spec.dtype, jnp.integer):
                return random.integers(0, self.limit, spec.shape, spec.dtype)
            return random.standard_normal(spec.shape, "f4")

        params = {n: weight(n, s).astype(element) for n, s in self.shapes.items()}
        return params, *(value(spec).astype(spec.dtype) for spec in self.inputs)

    def compute_expected(self, seed: int = 0) -> Array:
        """Returns the result for `draw`'s values, computed by JAX in f32."""
        values = jax.tree.map(jnp.asarray, self.draw(seed))
        wide = jax.tree.map(lambda x: x.astype("f4") if x.dtype == jnp.bfloat16 else x, values)
        return jax.jit(self.function)(*wide)


def _dense(take: Take, name: str, x: Array, width: int) -> Array:
    with jax.named_scope(name):
        return x @ take(f"{name}.kernel", x.shape[-1], width) + take(f"{name}.bias", width)


def _layer_norm(take: Take, name: str, x: Array) -> Array:
    with jax.named_scope(name):
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred * centred).mean(-1, keepdims=True)
        scaled = centred * lax.rsqrt(variance + 1e-5) * take(f"{name}.scale", x.shape[-1])
        return scaled + take(f"{name}.bias", x.shape[-1])


def _conv(
    take: Take, name: str, x: Array, width: int, size: int, stride: int = 1, groups: int = 1
) -> Array:
    """A convolution without bias, and batch normalisation."""
    with jax.named_scope(name):
        kernel = take(f"{name}.kernel", size, size, x.shape[-1] // groups, width)
        side = (size // 2, size // 2)
        x = lax.conv_general_dilated(
            x,
            kernel,
            (stride, stride),
            (side, side),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=groups,
        )
        scale, bias, mean, variance = (
            take(f"{name}.{part}", width) for part in ("scale", "bias", "mean", "variance")
        )
        return (x - mean) * (lax.rsqrt(variance + 1e-5) * scale) + bias


def mlp(take: Take, x: Array, *, widths: tuple[int, ...], classes: int) -> Array:
    for i, width in enumerate(widths):
        x = jax.nn.relu(_dense(take, f"layer{i}", x, width))
    return _dense(take, "head", x, classes)


def resnet18(take: Take, x: Array, *, width: int, classes: int) -> Array:
    x = jax.nn.relu(_conv(take, "stem", x, width, 7, 2))
    window, strides = (1, 3, 3, 1), (1, 2, 2, 1)
    padding = ((0, 0), (1, 1), (1, 1), (0, 0))
    x = lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)
    for stage in range(4):
        for block in range(2):
            name, out = f"stage{stage}.block{block}", width << stage
            stride = 2 if stage > 0 and block == 0 else 1
            y = jax.nn.relu(_conv(take, f"{name}.conv0", x, out, 3, stride))
            y = _conv(take, f"{name}.conv1", y, out, 3)
            if x.shape != y.shape:
                x = _conv(take, f"{name}.shortcut", x, out, 1, stride)
            x = jax.nn.relu(x + y)
    return _dense(take, "head", x.mean((1, 2)), classes)


STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, blocks and stride of each stage of MobileNetV2."""


def mobile_blocks(divisor: int) -> Iterator[tuple[str, int, int, int]]:
    """Yields name, expansion, channels and stride of each block of MobileNetV2."""
    for stage, (expansion, channels, count, stride) in enumerate(STAGES):
        for block in range(count):
            name = f"stage{stage}.block{block}"
            yield name, expansion, channels // divisor, stride if block == 0 else 1


def mobilenet_v2(take: Take, x: Array, *, divisor: int, classes: int) -> Array:
    x = jax.nn.relu6(_conv(take, "stem", x, 32 // divisor, 3, 2))
    for name, expansion, channels, stride in mobile_blocks(divisor):
        y, wide = x, x.shape[-1] * expansion
        if expansion > 1:
            y = jax.nn.relu6(_conv(take, f"{name}.expand", y, wide, 1))
        y = jax.nn.relu6(_conv(take, f"{name}.depthwise", y, wide, 3, stride, groups=wide))
        y = _conv(take, f"{name}.project", y, channels, 1)
        x = x + y if x.shape == y.shape else y
    x = jax.nn.relu6(_conv(take, "last", x, 1280 // divisor, 1))
    return _dense(take, "head", x.mean((1, 2)), classes)


def _attention(take: Take, name: str, x: Array, heads: int, *, causal: bool) -> Array:
    with jax.named_scope(name):
        batch, length, width = x.shape
        joined = _dense(take, f"{name}.qkv", x, 3 * width)
        q, k, v = (
            part.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
            for part in jnp.split(joined, 3, axis=-1)
        )
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(width // heads)
        if causal:
            scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)
        mixed = mixed.transpose(0, 2, 1, 3).reshape(batch, length, width)
        return _dense(take, f"{name}.out", mixed, width)


def bert_layer(take: Take, x: Array, *, heads: int) -> Array:
    """One layer of the encoder, which normalises after each residual sum."""
    width = x.shape[-1]
    x = _layer_norm(take, "norm0", x + _attention(take, "attention", x, heads, causal=False))
    y = jax.nn.gelu(_dense(take, "expand", x, 4 * width), approximate=False)
    return _layer_norm(take, "norm1", x + _dense(take, "project", y, width))


def gpt2_block(take: Take, ids: Array, *, vocabulary: int, width: int, heads: int) -> Array:
    """Embeddings and one block, which normalises before each of its parts."""
    with jax.named_scope("embed"):
        x = take("token.embedding", vocabulary, width)[ids]
        x = x + take("position.embedding", 8 * ids.shape[1], width)[: ids.shape[1]]
    x = x + _attention(take, "attention", _layer_norm(take, "norm0", x), heads, causal=True)
    y = jax.nn.gelu(_dense(take, "expand", _layer_norm(take, "norm1", x), 4 * width))
    return x + _dense(take, "project", y, width)


def lstm(take: Take, x: Array, *, width: int, unroll: bool = False) -> Array:
    """Returns the hidden state after each step."""
    gates = _dense(take, "input", x, 4 * width)
    kernel = take("hidden.kernel", width, 4 * width)

    def step(state: tuple[Array, Array], gates: Array) -> Any:
        h, c = state
        i, f, g, o = jnp.split(gates + h @ kernel, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[0], width), x.dtype)
    with jax.named_scope("cell"):
        _, states = lax.scan(step, (zero, zero), gates.swapaxes(0, 1), unroll=unroll)
    return states.swapaxes(0, 1)


def _floats(*shape: int) -> tuple[jax.ShapeDtypeStruct]:
    return (jax.ShapeDtypeStruct(shape, "f4"),)


def _ids(*shape: int) -> tuple[jax.ShapeDtypeStruct]:
    return (jax.ShapeDtypeStruct(shape, "i4"),)


def _name(function: Callable[..., Array], **sizes: Any) -> tuple[str, Callable[..., Array]]:
    return function.__name__, functools.partial(function, **sizes)


MLP = Model(*_name(mlp, widths=(1024, 1024), classes=10), _floats(1, 784))
RESNET18 = Model(*_name(resnet18, width=64, classes=1000), _floats(1, 224, 224, 3))
MOBILENET_V2 = Model(*_name(mobilenet_v2, divisor=1, classes=1000), _floats(1, 224, 224, 3))
BERT_LAYER = Model(*_name(bert_layer, heads=12), _floats(1, 128, 768))
GPT2_BLOCK = Model(
    *_name(gpt2_block, vocabulary=50257, width=768, heads=12), _ids(1, 128), limit=50257
)
LSTM = Model(*_name(lstm, width=512), _floats(1, 64, 256))
FULL = (MLP, RESNET18, MOBILENET_V2, BERT_LAYER, GPT2_BLOCK, LSTM)

SMALL = (
    Model(*_name(mlp, widths=(32, 24), classes=10), _floats(1, 48)),
    Model(*_name(resnet18, width=4, classes=10), _floats(1, 32, 32, 3)),
    Model(*_name(mobilenet_v2, divisor=8, classes=10), _floats(1, 32, 32, 3)),
    Model(*_name(bert_layer, heads=2), _floats(1, 12, 32)),
    Model(*_name(gpt2_block, vocabulary=50, width=32, heads=2), _ids(1, 12), limit=50),
    Model(*_name(lstm, width=16), _floats(1, 6, 12)),
)
