# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.models.from_onnx. Skipped without onnx and torch-mlir, which the test environment leaves
out for their size: 290 MB."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from tonno import Error, mlir, models
from tonno.models import weights
from tonno.models.command import main

onnx: Any = pytest.importorskip("onnx")
pytest.importorskip("torch_mlir.extras.onnx_importer")


def _make_network(file: pathlib.Path, batch: int | str = 1, **stored: Any) -> None:
    """Writes a model of two layers with a reshape between them."""
    make, numbers = onnx.helper.make_node, np.random.default_rng(0)

    def constant(name: str, *shape: int) -> Any:
        values = numbers.standard_normal(shape, dtype=np.float32) * 0.05
        return onnx.numpy_helper.from_array(values, name)

    nodes = [
        make("Conv", ["x", "w0", "b0"], ["c"], pads=[1] * 4, name="/layer0/conv/Conv"),
        make("Relu", ["c"], ["r"], name="/layer0/Relu"),
        make("Reshape", ["r", "shape"], ["f"], name="/Reshape"),
        make("Gemm", ["f", "w1", "b1"], ["y"], transB=1),
        make("Softmax", ["y"], ["o"], axis=1, name="/head/Softmax"),
    ]
    graph = onnx.helper.make_graph(
        nodes,
        "classifier",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [batch, 4, 8, 8])],
        [onnx.helper.make_tensor_value_info("o", onnx.TensorProto.FLOAT, [batch, 10])],
        [
            constant("w0", 8, 4, 3, 3),
            constant("b0", 8),
            onnx.numpy_helper.from_array(np.array([-1, 512]), "shape"),
            constant("w1", 10, 512),
            constant("b1", 10),
        ],
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=8)
    onnx.save(model, file, **stored)


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
@pytest.mark.parametrize(
    "stored",
    [{}, {"save_as_external_data": True, "location": "data", "size_threshold": 0}],
    ids=["one-file", "external"],
)
def test_results_are_those_of_the_reference(tmp_path: pathlib.Path, stored: Any) -> None:
    file = tmp_path / "model.onnx"
    _make_network(file, **stored)
    model = models.from_onnx(file)
    assert [(each.name, each.shape) for each in model.arguments] == [
        ("x", (1, 4, 8, 8)),
        ("w0", (8, 4, 3, 3)),
        ("w1", (10, 512)),
    ]
    assert model.function == "classifier" and list(model.weights) == ["w0", "w1"]
    assert all(isinstance(array, np.memmap) == bool(stored) for array in model.weights.values())
    for name in ("layer0.conv.Conv", "layer0.Relu", "y", "head.Softmax"):
        assert f'loc("{name}")' in model.text
    x = np.random.default_rng(1).standard_normal((1, 4, 8, 8), dtype=np.float32)
    result = mlir.compile(model)(x, *model.weights.values())
    evaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator(str(file))
    np.testing.assert_allclose(result, evaluator.run(None, {"x": x})[0], rtol=1e-5, atol=1e-6)


def test_only_data_within_the_model_need_memory(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "meminfo"
    memory.write_text("MemAvailable: 20 kB\n")
    monkeypatch.setattr(weights, "_MEMORY", memory)
    _make_network(tmp_path / "whole.onnx")
    with pytest.raises(Error, match=r"the initializers of '.*whole.onnx' would be copied"):
        models.from_onnx(tmp_path / "whole.onnx")
    split = tmp_path / "split.onnx"
    _make_network(split, save_as_external_data=True, location="data", size_threshold=0)
    assert list(models.from_onnx(split).weights) == ["w0", "w1"]


def test_symbolic_dimensions_get_a_size(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "model.onnx"
    _make_network(file, "batch")
    with pytest.raises(models.ImportFailure, match="input 'x' is the symbol 'batch'.*--dim=batch"):
        models.from_onnx(file)
    with pytest.raises(Error, match="no input has a symbolic dimension 'other'"):
        models.from_onnx(file, dims={"batch": 2, "other": 3})
    output = tmp_path / "model.mlir"
    assert main([str(file), "--dim=batch=2", "--name=two", "-o", str(output)]) == 0
    assert "@two(%arg0: tensor<2x4x8x8xf32>" in output.read_text()
    assert list(models.read_weights(tmp_path / "model.safetensors")) == ["w0", "w1"]


def test_unknown_ops_are_named_with_their_place(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "model.onnx"
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Rotate", ["x"], ["y"], name="/head/Rotate", domain="my.ops")],
        "g",
        [value("x", onnx.TensorProto.FLOAT, [4, 4])],
        [value("y", onnx.TensorProto.FLOAT, [4, 4])],
    )
    sets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("my.ops", 1)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=sets, ir_version=8), file)
    with pytest.raises(models.ImportFailure, match=r"onnx\.Rotate.* at head\.Rotate"):
        models.from_onnx(file)
    file.write_text("no model")
    with pytest.raises(models.ImportFailure, match="is not a model in ONNX"):
        models.from_onnx(file)


def test_data_outside_of_the_folder_are_refused(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "model.onnx"
    _make_network(file, save_as_external_data=True, location="data", size_threshold=0)
    model = onnx.load(file, load_external_data=False)
    for entry in model.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = "../data"
    file.write_bytes(model.SerializeToString())
    with pytest.raises(models.ImportFailure, match="'w0' has its data outside of"):
        models.from_onnx(file)
