# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of benchmarks/models, in small sizes."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pathlib
import subprocess
from typing import Any

import jax
import numpy as np
import pytest

from tonno import mlir, models

_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/models"
_NAMES = ("mlp", "resnet18", "mobilenet_v2", "bert_layer", "gpt2_block", "lstm")


@pytest.fixture
def networks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(_FOLDER)
    return importlib.import_module("networks")


@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
@pytest.mark.parametrize(
    ("name", "threads", "type"),
    [
        *((name, 1, "f32") for name in _NAMES),
        *((name, 2, "f32") for name in ("resnet18", "bert_layer", "gpt2_block")),
        *((name, 1, "bf16") for name in _NAMES),
    ],
)
def test_results_of_default_code_are_those_of_jax(
    name: str, threads: int, type: str, networks: Any, tools: pathlib.Path
) -> None:
    (network,) = (each.cast(type) for each in networks.SMALL if each.name == name)
    model = models.from_jax(network.function, *network.arguments())
    text = model.text
    if threads > 1:
        command = [str(tools / "tonno-opt"), f"--tonno-annotate=threads={threads}"]
        text = subprocess.run(
            command, input=text, capture_output=True, check=True, text=True
        ).stdout
    values = network.draw()
    found = mlir.compile(text)(*jax.tree.leaves(values), *model.weights.values())
    expected = np.asarray(network.compute_expected())
    bound = {"f32": 1e-5, "bf16": 2**-5}[type] * np.abs(expected).max()
    np.testing.assert_allclose(found.astype("f4"), expected, rtol=0, atol=bound)


@pytest.mark.parametrize("chip", ["x86-64", "haswell", "icelake-server", "sapphirerapids"])
def test_code_in_bf16_is_emitted_for_every_cpu(
    chip: str, networks: Any, tools: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (network,) = (each.cast("bf16") for each in networks.SMALL if each.name == "bert_layer")
    models.from_jax(network.function, *network.arguments()).write(tmp_path / "model.mlir")
    command = [str(tools / "tonno-compile"), str(tmp_path / "model.mlir"), f"--chip={chip}"]
    command += ["--emit=so,plan", "-o", str(tmp_path / "model.so")]
    subprocess.run(command, check=True)


def test_small_and_full_networks_are_the_same(networks: Any) -> None:
    for small, full in zip(networks.SMALL, networks.FULL, strict=True):
        assert small.name == full.name and set(small.shapes) == set(full.shapes)
    counts = {each.name: sum(map(np.prod, each.shapes.values())) for each in networks.FULL}
    # Counts of torchvision's models, with the means and variances of their normalisations.
    assert counts["resnet18"] == 11_689_512 + 2 * 4_800
    assert counts["mobilenet_v2"] == 3_504_872 + 2 * 17_056
    # Count of Hugging Face's BertLayer.
    assert counts["bert_layer"] == 7_087_872


def test_time_of_compilation_does_not_explode_with_steps(
    networks: Any, tools: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (network,) = (each for each in networks.SMALL if each.name == "lstm")
    many = jax.ShapeDtypeStruct((1, 64, 12), "f4")
    unrolled = functools.partial(network.apply, unroll=True)
    network = dataclasses.replace(network, apply=unrolled, inputs=(many,))
    file = tmp_path / "lstm.mlir"
    models.from_jax(network.function, *network.arguments()).write(file)
    # Ops with one tensor.empty between them took minutes.
    command = [str(tools / "tonno-compile"), str(file), "--emit=obj", "-o", "/dev/null"]
    subprocess.run(command, check=True, timeout=60)
