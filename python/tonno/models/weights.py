# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of models: constants of a module that become arguments, and safetensors files."""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Collection, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tonno.errors import Error

if TYPE_CHECKING:
    import numpy

LARGEST_CONSTANT = 1024
"""Constants of more bytes become arguments."""

_MEMORY = pathlib.Path("/proc/meminfo")

_SAFETENSORS_NAMES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
}


def check_memory(size: int, label: str) -> None:
    """Raises `Error` if `size` more bytes don't fit into memory."""
    (line,) = re.findall(r"^MemAvailable: *(\d+) kB", _MEMORY.read_text(), re.MULTILINE)
    available = int(line) * 1024
    if size > available:
        raise Error(
            f"{label} would be copied, which takes {size / 1e9:.1f} GB; "
            f"{available / 1e9:.1f} GB of memory are available"
        )


def write_weights(
    path: str | os.PathLike[str], weights: Mapping[str, numpy.ndarray[Any, Any]]
) -> None:
    """Writes arrays as a safetensors file, without a copy of those that are contiguous.

    The package safetensors copies all of them first.
    """
    import numpy

    header: dict[str, Any] = {}
    end = 0
    for name, array in weights.items():
        if array.dtype.name not in _SAFETENSORS_NAMES:
            raise Error(f"safetensors has no type for weight '{name}' of {array.dtype.name}")
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": _SAFETENSORS_NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in weights.values():
            file.write(numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8).data)


def read_weights(path: str | os.PathLike[str]) -> dict[str, numpy.ndarray[Any, Any]]:
    """Returns the arrays of a safetensors file, by name, in the order of the file. They are
    views of the file, mapped into memory.

    Raises `Error` if the file is not of this format.
    """
    import numpy

    dtypes = {short: name for name, short in _SAFETENSORS_NAMES.items()}
    try:
        data = numpy.memmap(path, numpy.uint8, "r")
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        header = json.loads(data[8:start].tobytes())
        header.pop("__metadata__", None)
        arrays = {}
        for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
            first, last = entry["data_offsets"]
            part = data[start + first : start + last]
            arrays[name] = part.view(find_dtype(dtypes[entry["dtype"]])).reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Error(f"'{os.fspath(path)}' is not a safetensors file: {error}") from error
    return arrays


def find_dtype(name: str) -> Any:
    """Returns NumPy's type of this name, else that of ml_dtypes."""
    import numpy

    try:
        return numpy.dtype(name)
    except TypeError:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, name))


def hoist_constants(
    ir: ModuleType, function: Any, describe: Any
) -> dict[str, numpy.ndarray[Any, Any]]:
    """Turns large constants of a function into its last arguments, and returns their values.

        %w = arith.constant dense<...> : tensor<64x32xf32>
        %0 = linalg.matmul ins(%x, %w : ...)

    becomes

        func.func @f(%x: tensor<8x64xf32>, %w: tensor<64x32xf32> loc("constant_0"))

    Splat constants stay: their text is short. The function is public and has no callers.

    ir: the Python bindings that `function` is of
    describe: `describe_argument` of these bindings
    """
    block = function.regions[0].blocks[0]
    taken = {str(argument.location) for argument in block.arguments}
    weights: dict[str, numpy.ndarray[Any, Any]] = {}
    for op in list(block.operations):
        if op.operation.name != "arith.constant":
            continue
        value = op.operation.attributes["value"]
        if not isinstance(value, ir.DenseElementsAttr) or value.is_splat:
            continue
        count = len(weights)
        name = f"constant_{count}"
        while str(ir.Location.name(name)) in taken:
            count += 1
            name = f"constant_{count}"
        array = _read_array(value, describe(ir, op.operation.results[0], name).dtype)
        if array.nbytes <= LARGEST_CONSTANT:
            continue
        taken.add(str(ir.Location.name(name)))
        weights[name] = array
        argument = block.add_argument(op.operation.results[0].type, ir.Location.name(name))
        op.operation.results[0].replace_all_uses_with(argument)
        op.operation.erase()
    attributes = function.operation.attributes
    type = ir.TypeAttr(attributes["function_type"]).value
    types = [argument.type for argument in block.arguments]
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, type.results))
    if "arg_attrs" in attributes:
        stated = list(ir.ArrayAttr(attributes["arg_attrs"]))
        stated += [ir.DictAttr.get({})] * (len(types) - len(stated))
        attributes["arg_attrs"] = ir.ArrayAttr.get(stated)
    return weights


def mark_constants(ir: ModuleType, function: Any, positions: Collection[int]) -> None:
    """States that the arguments at these positions have the same contents in all calls.

    ir: the Python bindings that `function` is of
    """
    attributes = function.operation.attributes
    count = len(function.regions[0].blocks[0].arguments)
    known = list(ir.ArrayAttr(attributes["arg_attrs"])) if "arg_attrs" in attributes else []
    stated = []
    for i in range(count):
        own = {named.name: named.attr for named in known[i]} if known else {}
        if i in positions:
            own["tonno.constant"] = ir.UnitAttr.get()
        stated.append(ir.DictAttr.get(own))
    # These bindings don't know tonno's dialect.
    function.operation.context.allow_unregistered_dialects = True
    attributes["arg_attrs"] = ir.ArrayAttr.get(stated)


def _read_array(value: Any, dtype: str) -> numpy.ndarray[Any, Any]:
    """Returns the elements of an attribute, as a view where the bindings have one."""
    import numpy

    try:
        return numpy.asarray(value)
    except TypeError:  # bf16 and narrower: NumPy has no such types
        shape = tuple(value.type.shape)
        text = re.fullmatch(r'dense<"0x([0-9A-F]*)"> : .*', str(value))
        if text is None:  # few elements are printed as numbers
            return numpy.empty(0)
        return numpy.frombuffer(bytes.fromhex(text[1]), find_dtype(dtype)).reshape(shape)
