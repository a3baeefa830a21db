# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small GPT in JAX, as a model that several tests compile."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

TOKENS, WIDTH, HEADS, VOCABULARY = 64, 128, 4, 256

LARGEST_BYTES = TOKENS * 4 * WIDTH * 4
"""Largest value between two ops: the hidden layer of an MLP."""


def _normalize(x: Any, scale: Any, offset: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + offset


def _attend(x: Any, block: Any) -> Any:
    def heads(a: Any) -> Any:
        return a.reshape(TOKENS, HEADS, WIDTH // HEADS).transpose(1, 0, 2)

    q, k, v = (heads(a) for a in jnp.split(x @ block["qkv"], 3, axis=-1))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
    scores = jnp.where(jnp.tril(jnp.ones((TOKENS, TOKENS), bool)), scores, -1e9)
    y = jax.nn.softmax(scores, axis=-1) @ v
    return y.transpose(1, 0, 2).reshape(TOKENS, WIDTH) @ block["out"]


def gpt(tokens: Any, params: Any) -> Any:
    """Returns the logits of the next token at each position."""
    x = params["embedding"][tokens] + params["position"]
    for block in params["blocks"]:
        x = x + _attend(_normalize(x, *block["norm1"]), block)
        hidden = jax.nn.gelu(_normalize(x, *block["norm2"]) @ block["up"] + block["bias"])
        x = x + hidden @ block["down"]
    return _normalize(x, *params["norm"]) @ params["embedding"].T


def make_arguments(blocks: int) -> tuple[Any, Any]:
    """Returns tokens and random weights of a GPT with this number of blocks."""
    random = np.random.default_rng(0)

    def weight(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    def norm() -> Any:
        return 1 + weight(WIDTH), weight(WIDTH)

    def block() -> Any:
        return {
            "norm1": norm(),
            "norm2": norm(),
            "qkv": weight(WIDTH, 3 * WIDTH),
            "out": weight(WIDTH, WIDTH),
            "up": weight(WIDTH, 4 * WIDTH),
            "bias": weight(4 * WIDTH),
            "down": weight(4 * WIDTH, WIDTH),
        }

    tokens = random.integers(0, VOCABULARY, TOKENS).astype(np.int32)
    params = {
        "embedding": weight(VOCABULARY, WIDTH),
        "position": weight(TOKENS, WIDTH),
        "blocks": [block() for _ in range(blocks)],
        "norm": norm(),
    }
    return tokens, params
