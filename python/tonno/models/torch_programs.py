# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of torch.export as models, lowered by torch-mlir's passes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tonno.models.lowering import finish, lower, make_symbol
from tonno.models.model import ImportFailure, explain_missing
from tonno.models.weights import check_memory, find_dtype

if TYPE_CHECKING:
    import numpy

    from tonno.models.model import Model

_PIPELINE = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline,"
    "torch-backend-to-linalg-on-tensors-backend-pipeline,symbol-dce)"
)


def from_torch(exported: Any, *, name: str = "forward") -> Model:
    """Imports a program that `torch.export.export` returned.

    name: of the model's function

    Parameters and buffers become the last arguments, with their names in the state
    dict. Paths of modules name the ops.
    """
    try:
        from torch.export.graph_signature import InputKind, OutputKind
        from torch_mlir import ir, passmanager
        from torch_mlir.dialects import torch as torch_dialect
        from torch_mlir.extras.fx_decomp_util import get_decomposition_table
        from torch_mlir.extras.fx_importer import ContextCache, FxImporter, GraphNodeImporter
    except ImportError as error:
        raise explain_missing(error) from error
    values = {**exported.constants, **exported.state_dict}
    size = sum(value.numel() * value.element_size() for value in values.values())
    check_memory(size, "the parameters of the model")
    program = exported.run_decompositions(get_decomposition_table())
    for output in program.graph_signature.output_specs:
        if output.kind != OutputKind.USER_OUTPUT:
            raise ImportFailure(f"the program writes '{output.target}'; kernels have no state")
    specs = program.graph_signature.input_specs
    if unknown := [
        spec
        for spec in specs
        if spec.kind != InputKind.USER_INPUT and spec.target not in values
    ]:
        raise ImportFailure(f"'{unknown[0].target}' has no value in the program")
    stored = [spec for spec in specs if spec.kind != InputKind.USER_INPUT]
    _move_to_end(program.graph, [spec.arg.name for spec in stored])
    inputs = [spec.arg.name for spec in specs if spec.kind == InputKind.USER_INPUT]

    context = ir.Context()
    torch_dialect.register_dialect(context)

    class Locations(ContextCache):  # type: ignore[misc]
        """Makes locations, with the paths of modules, which the importer's own lack."""

        def get_node_location(self, node: Any) -> Any:
            return _locate(ir, context, node)

    class Nodes(GraphNodeImporter):  # type: ignore[misc]
        def __init__(self, importer: Any, context: Any, cache: Any, block: Any) -> None:
            super().__init__(importer, context, Locations(context), block)

    importer = FxImporter(context=context, graph_node_importer_cls=Nodes)
    try:
        importer.import_stateless_graph(program.graph, func_name=name)
    except NotImplementedError as error:
        raise ImportFailure(f"the program cannot be imported: {error}") from error
    with context:
        lower(ir, passmanager, importer.module, _PIPELINE)
        return finish(
            ir,
            importer.module,
            name=make_symbol(name),
            weights={spec.target: _as_numpy(values[spec.target]) for spec in stored},
            inputs=[*inputs, *(spec.target for spec in stored)],
        )


def _as_numpy(tensor: Any) -> numpy.ndarray[Any, Any]:
    """Returns the values of a tensor: a view, unless they are elsewhere or not contiguous."""
    import torch

    dtype = find_dtype(str(tensor.dtype).removeprefix("torch."))
    values = tensor.detach().cpu().contiguous()
    # torch does not pass narrow types to NumPy.
    array: numpy.ndarray[Any, Any] = values.reshape(-1).view(torch.uint8).numpy().view(dtype)
    return array.reshape(tuple(tensor.shape))


def _move_to_end(graph: Any, names: list[str]) -> None:
    """Moves these arguments of a graph behind the others."""
    arguments = {node.name: node for node in graph.nodes if node.op == "placeholder"}
    for name in names:
        last = [node for node in graph.nodes if node.op == "placeholder"][-1]
        if arguments[name] is not last:
            last.append(arguments[name])


def _locate(ir: Any, context: Any, node: Any) -> Any:
    """Returns a location with the path of the node's module, its op, and the line of its code."""
    modules = [path for path, _ in node.meta.get("nn_module_stack", {}).values()]
    op = re.sub(r"_\d+$", "", node.name).strip("_")
    trace = re.findall(r'File "([^"]+)", line ([0-9]+),', node.meta.get("stack_trace") or "")
    file = ir.Location.file(trace[-1][0], int(trace[-1][1]), 0, context) if trace else None
    path = [modules[-1]] if modules and modules[-1] else []
    return ir.Location.name(".".join([*path, op]), file, context)
