# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of networks.py in PyTorch, with the same weights, in PyTorch's layouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networks
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def to_tensor(array: Any) -> Tensor:
    """Returns a tensor of an array's elements, also if these are bf16, which NumPy lacks."""
    if array.dtype == networks.TYPES["bf16"]:
        return torch.from_numpy(array.view("i2")).view(torch.bfloat16)
    return torch.from_numpy(array)


class Network(nn.Module):
    """Images are NCHW, kernels of convolutions OIHW, those of products (out, in)."""

    def __init__(self, network: networks.Model, params: Mapping[str, Any]) -> None:
        super().__init__()
        self._build = globals()[network.name]
        self._sizes = network.apply.keywords
        for name, value in params.items():
            array = np.asarray(value)
            if name.endswith("kernel"):
                array = array.transpose((3, 2, 0, 1) if array.ndim == 4 else (1, 0))
            tensor = to_tensor(np.ascontiguousarray(array))
            self.register_parameter(name.replace(".", "_"), nn.Parameter(tensor, False))
        if network.name == "lstm":
            wide, inputs = self.take("input.kernel").shape
            bias = self.take("input.bias")
            self.cells = nn.LSTM(inputs, wide // 4, batch_first=True, dtype=bias.dtype)
            values = *map(self.take, ("input.kernel", "hidden.kernel")), bias, torch.zeros_like(bias)
            keys = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
            self.cells.load_state_dict(dict(zip(keys, values, strict=True)))
            self.cells.requires_grad_(False)

    def take(self, name: str) -> Tensor:
        """Returns the weight of a name."""
        weight: Tensor = getattr(self, name.replace(".", "_"))
        return weight

    def forward(self, *inputs: Tensor) -> Tensor:
        result: Tensor = self._build(self, *inputs, **self._sizes)
        return result

    def dense(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.take(f"{name}.kernel"), self.take(f"{name}.bias"))

    def layer_norm(self, name: str, x: Tensor) -> Tensor:
        scale, bias = self.take(f"{name}.scale"), self.take(f"{name}.bias")
        return F.layer_norm(x, scale.shape, scale, bias)

    def conv(self, name: str, x: Tensor, stride: int = 1, groups: int = 1) -> Tensor:
        kernel = self.take(f"{name}.kernel")
        side = kernel.shape[-1] // 2
        x = F.conv2d(x, kernel, stride=stride, padding=side, groups=groups)
        parts = ("mean", "variance", "scale", "bias")
        return F.batch_norm(x, *(self.take(f"{name}.{part}") for part in parts))

    def attention(self, name: str, x: Tensor, heads: int, *, causal: bool) -> Tensor:
        q, k, v = (
            part.unflatten(-1, (heads, -1)).transpose(1, 2)
            for part in self.dense(f"{name}.qkv", x).chunk(3, dim=-1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return self.dense(f"{name}.out", mixed.transpose(1, 2).flatten(2))


def mlp(net: Network, x: Tensor, *, widths: tuple[int, ...], classes: int) -> Tensor:
    for i in range(len(widths)):
        x = F.relu(net.dense(f"layer{i}", x))
    return net.dense("head", x)


def resnet18(net: Network, x: Tensor, *, width: int, classes: int) -> Tensor:
    x = F.max_pool2d(F.relu(net.conv("stem", x, 2)), 3, 2, 1)
    for stage in range(4):
        for block in range(2):
            name, stride = f"stage{stage}.block{block}", 2 if stage > 0 and block == 0 else 1
            y = net.conv(f"{name}.conv1", F.relu(net.conv(f"{name}.conv0", x, stride)))
            if x.shape != y.shape:
                x = net.conv(f"{name}.shortcut", x, stride)
            x = F.relu(x + y)
    return net.dense("head", x.mean((2, 3)))


def mobilenet_v2(net: Network, x: Tensor, *, divisor: int, classes: int) -> Tensor:
    x = F.relu6(net.conv("stem", x, 2))
    for name, expansion, _, stride in networks.mobile_blocks(divisor):
        y = F.relu6(net.conv(f"{name}.expand", x)) if expansion > 1 else x
        y = F.relu6(net.conv(f"{name}.depthwise", y, stride, groups=y.shape[1]))
        y = net.conv(f"{name}.project", y)
        x = x + y if x.shape == y.shape else y
    return net.dense("head", F.relu6(net.conv("last", x)).mean((2, 3)))


def bert_layer(net: Network, x: Tensor, *, heads: int) -> Tensor:
    x = net.layer_norm("norm0", x + net.attention("attention", x, heads, causal=False))
    return net.layer_norm("norm1", x + net.dense("project", F.gelu(net.dense("expand", x))))


def gpt2_block(net: Network, ids: Tensor, *, vocabulary: int, width: int, heads: int) -> Tensor:
    x = F.embedding(ids, net.take("token.embedding"))
    x = x + net.take("position.embedding")[: ids.shape[1]]
    x = x + net.attention("attention", net.layer_norm("norm0", x), heads, causal=True)
    y = F.gelu(net.dense("expand", net.layer_norm("norm1", x)), approximate="tanh")
    return x + net.dense("project", y)


def lstm(net: Network, x: Tensor, *, width: int) -> Tensor:
    states: Tensor = net.cells(x)[0]
    return states
