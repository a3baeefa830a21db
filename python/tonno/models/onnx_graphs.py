# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in ONNX, lowered by torch-mlir's passes."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tonno.errors import Error
from tonno.models.lowering import finish, lower, make_symbol
from tonno.models.model import ImportFailure, explain_missing
from tonno.models.weights import LARGEST_CONSTANT, check_memory

if TYPE_CHECKING:
    import numpy

    from tonno.models.model import Model

_PIPELINE = (
    "builtin.module(torch-onnx-to-torch-backend-pipeline"
    "{backend-legal-ops=aten.flatten.using_ints},"
    "torch-backend-to-linalg-on-tensors-backend-pipeline,symbol-dce)"
)


def from_onnx(
    path: str | os.PathLike[str], *, dims: Mapping[str, int] | None = None, name: str | None = None
) -> Model:
    """Imports a model in ONNX.

    dims: sizes of symbolic dimensions, such as `{"batch": 1}`
    name: of the model's function; else the graph's

    Initializers of more than 1 KiB become the last arguments, with their names. Data in
    files beside the model are mapped into memory. Names of nodes name the ops.
    """
    try:
        import onnx
        from torch_mlir import ir, passmanager
        from torch_mlir.dialects import torch
        from torch_mlir.extras import onnx_importer
    except ImportError as error:
        raise explain_missing(error) from error
    file = pathlib.Path(path)
    check_memory(2 * file.stat().st_size, f"the initializers of '{file}'")
    try:
        model = onnx.load(file, load_external_data=False)
    except Exception as error:  # of protobuf, which names its exceptions otherwise each year
        raise ImportFailure(f"'{file}' is not a model in ONNX: {error}") from error
    _fix_dimensions(model.graph, dims or {})
    weights = _take_weights(model.graph, file.parent)
    for node in model.graph.node:
        node.name = node.name or next(filter(None, node.output), node.op_type)
    try:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        context = ir.Context()
        torch.register_dialect(context)
        info = onnx_importer.ModelInfo(model, config=onnx_importer.Config())
        module = info.create_module(context=context)
        onnx_importer.NodeImporter.define_function(info.main_graph, module.operation).import_all()
    except (onnx_importer.OnnxImportError, onnx.shape_inference.InferenceError) as error:
        raise ImportFailure(f"'{file}' cannot be imported: {error}") from error
    with context:
        lower(ir, passmanager, module, _PIPELINE)
        symbol = make_symbol(name or model.graph.name)
        return finish(ir, module, name=symbol, weights=weights, inputs=[])


def _fix_dimensions(graph: Any, dims: Mapping[str, int]) -> None:
    """Gives symbolic dimensions of the inputs their sizes. Raises `ImportFailure` if one has
    no size, or a name is of none."""
    weights = {initializer.name for initializer in graph.initializer}
    used = set()
    for value in graph.input:
        if value.name in weights:
            continue
        for i, dimension in enumerate(value.type.tensor_type.shape.dim):
            if dimension.HasField("dim_value"):
                continue
            label = dimension.dim_param or f"{value.name}_{i}"
            if label not in dims:
                raise ImportFailure(
                    f"dimension {i} of input '{value.name}' is the symbol '{label}'; state its "
                    f"size: dims={{'{label}': 1}}, or '--dim={label}=1'"
                )
            dimension.dim_value = dims[label]
            used.add(label)
    if unused := sorted(set(dims) - used):
        raise Error(f"no input has a symbolic dimension '{unused[0]}'")


def _take_weights(graph: Any, folder: pathlib.Path) -> dict[str, numpy.ndarray[Any, Any]]:
    """Turns large initializers into inputs, and returns their values. Small ones stay: shapes
    and axes must be constants."""
    import onnx

    inputs = {value.name: value for value in graph.input}
    weights = {}
    for initializer in list(graph.initializer):
        is_external = initializer.data_location == onnx.TensorProto.EXTERNAL
        array = (
            _map_external(initializer, folder)
            if is_external
            else onnx.numpy_helper.to_array(initializer)
        )
        if initializer.name in inputs:  # of ONNX before version 4 of its format
            graph.input.remove(inputs[initializer.name])
        if array.nbytes <= LARGEST_CONSTANT:
            if is_external:
                initializer.CopyFrom(onnx.numpy_helper.from_array(array, initializer.name))
            continue
        weights[initializer.name] = array
        graph.initializer.remove(initializer)
        graph.input.append(
            onnx.helper.make_tensor_value_info(
                initializer.name, initializer.data_type, list(initializer.dims)
            )
        )
    return weights


def _map_external(initializer: Any, folder: pathlib.Path) -> numpy.ndarray[Any, Any]:
    """Returns the values of an initializer whose data are in a file, as a view of the file."""
    import numpy
    import onnx

    stated = {entry.key: entry.value for entry in initializer.external_data}
    file = (folder / stated["location"]).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ImportFailure(f"initializer '{initializer.name}' has its data outside of '{folder}'")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(initializer.data_type)
    try:
        return numpy.memmap(
            file, dtype, "r", int(stated.get("offset", 0)), tuple(initializer.dims)
        )
    except (OSError, ValueError) as error:
        raise ImportFailure(f"data of initializer '{initializer.name}': {error}") from error
