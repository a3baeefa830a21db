# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.models.from_torch. Skipped without torch and torch-mlir, which the test environment
leaves out for their size."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from tonno import mlir, models
from tonno.models.command import main

torch: Any = pytest.importorskip("torch")
pytest.importorskip("torch_mlir.extras.fx_importer")


def _make_network() -> Any:
    class Block(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.attn = torch.nn.Linear(64, 64)
            self.norm = torch.nn.LayerNorm(64)
            self.register_buffer("shift", torch.ones(64))

        def forward(self, x: Any) -> Any:
            return torch.softmax(self.attn(self.norm(x)), -1) + self.shift

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList([Block(), Block()])

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return x

    torch.manual_seed(0)
    return Network().eval()


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
def test_results_are_those_of_torch(tmp_path: pathlib.Path) -> None:
    network, x = _make_network(), torch.randn(8, 64)
    exported = torch.export.export(network, (x,))
    model = models.from_torch(exported, name="net")
    assert model.function == "net"
    assert model.arguments[0] == models.Argument("x", (8, 64), "float32")
    assert sorted(model.weights) == sorted(network.state_dict())
    assert [argument.name for argument in model.arguments[1:]] == list(model.weights)
    for name in ("layers.0.attn.mm", "layers.1.norm.rsqrt", "layers.1.softmax"):
        assert f'loc("{name}"(' in model.text
    result = mlir.compile(model)(x.numpy(), *model.weights.values())
    np.testing.assert_allclose(result, network(x).detach(), rtol=1e-5, atol=1e-5)

    program, output = tmp_path / "net.pt2", tmp_path / "net.mlir"
    torch.export.save(exported, program)
    assert main([str(program), "-o", str(output), "--name=net"]) == 0
    assert list(models.read_weights(tmp_path / "net.safetensors")) == list(model.weights)


def test_weights_keep_narrow_types() -> None:
    network = torch.nn.Linear(4, 3).bfloat16()
    exported = torch.export.export(network, (torch.ones(2, 4, dtype=torch.bfloat16),))
    model = models.from_torch(exported)
    assert {argument.dtype for argument in model.arguments} == {"bfloat16"}
    np.testing.assert_array_equal(
        model.weights["weight"].astype(np.float32), network.weight.detach().float()
    )


def test_programs_with_state_are_refused() -> None:
    class Counter(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x + self.calls

    exported = torch.export.export(Counter(), (torch.ones(4),))
    with pytest.raises(models.ImportFailure, match="the program writes 'calls'"):
        models.from_torch(exported)


def test_dynamic_shapes_are_refused() -> None:
    dims = ({0: torch.export.Dim("batch")},)
    exported = torch.export.export(_make_network(), (torch.randn(8, 64),), dynamic_shapes=dims)
    with pytest.raises(models.ImportFailure, match="'x' has the dynamic shape"):
        models.from_torch(exported)
