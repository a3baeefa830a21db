# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program tonno-import."""

from __future__ import annotations

import argparse
import importlib
import os
import pathlib
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tonno import _core
from tonno.errors import Error
from tonno.models.jax_functions import from_jax
from tonno.models.model import NUMPY_NAMES, ImportFailure, explain_missing
from tonno.models.onnx_graphs import from_onnx
from tonno.models.stablehlo import from_stablehlo
from tonno.models.torch_programs import from_torch
from tonno.models.weights import write_weights
from tonno.printable import printable

if TYPE_CHECKING:
    from tonno.models.model import Model

_DESCRIPTION = """\
OVERVIEW: imports a model as linalg on tensors, which tonno-tune reads

EXAMPLES:

  tonno-import model.onnx --dim=batch=1 -o model.mlir
  tonno-import model.stablehlo.mlir -o model.mlir
  tonno-import package.module:function --arg=8x64xf32 --arg=64xf32 -o model.mlir
  tonno-import package.module:function --args=example -o model.mlir
  tonno-import program.pt2 -o model.mlir

A model is a file in ONNX (.onnx), StableHLO (.mlir, .mlirbc) or of torch.export
(.pt2), or a function of JAX in a module of Python. Weights become arguments, and
their values are written to a safetensors file beside the output.

EXIT STATUS:

  0    imported
  1    the model can't be imported; the message names the op and its place
  2    the command line is invalid
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs tonno-import, and returns its exit status."""
    given = _make_parser().parse_args(arguments)
    try:
        model = _import_model(given)
        _write(model, given)
    except (Error, OSError) as error:
        print(f"tonno-import: error: {printable(str(error))}", file=sys.stderr)
        return 1
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "tonno-import",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("model", metavar="<model>", help="a file, or package.module:function")
    add("-o", dest="output", metavar="<file>", default="-", help="output file; - by default")
    add("--weights", metavar="<file>", help="file of the weights; else beside the output")
    add(
        "--function",
        metavar="<name>",
        help="function of a StableHLO module to import, if several are public",
    )
    add("--name", metavar="<name>", help="name of the function in the output")
    add(
        "--arg",
        metavar="<type>",
        action="append",
        default=[],
        type=_parse_type,
        help="shape and type of an argument of the JAX function, such as 8x64xf32; repeatable",
    )
    add(
        "--args",
        metavar="<name>",
        help="tuple of the arguments of the JAX function, in its module; or a function that "
        "returns it",
    )
    add(
        "--constant",
        metavar="<name>",
        action="append",
        default=[],
        help="parameter of the JAX function that does not change between calls; repeatable",
    )
    add(
        "--dim",
        metavar="<name>=<n>",
        action="append",
        default=[],
        type=_parse_dimension,
        help="size of a symbolic dimension of an ONNX model; repeatable",
    )
    version = f"tonno-import {_core.version()}"
    add("--version", action="version", version=version, help="print the version")
    return parser


def _parse_type(text: str) -> tuple[tuple[int, ...], str]:
    """Returns shape and dtype of a type such as `8x64xf32`."""
    parsed = re.fullmatch(r"((?:\d+x)*)(\w+)", text)
    if not parsed or parsed[2] not in NUMPY_NAMES:
        raise argparse.ArgumentTypeError(f"'{text}' is not a type such as 8x64xf32")
    return tuple(map(int, parsed[1].split("x")[:-1])), NUMPY_NAMES[parsed[2]]


def _parse_dimension(text: str) -> tuple[str, int]:
    name, equals, size = text.rpartition("=")
    if not equals or not size.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not <name>=<n>")
    return name, int(size)


def _import_model(given: argparse.Namespace) -> Model:
    suffix = pathlib.Path(given.model).suffix
    is_function = suffix not in (".onnx", ".mlir", ".mlirbc", ".pt2")
    for option, is_used in (
        ("arg", is_function),
        ("args", is_function),
        ("constant", is_function),
        ("dim", suffix == ".onnx"),
        ("function", suffix in (".mlir", ".mlirbc")),
    ):
        if getattr(given, option) and not is_used:
            raise Error(f"--{option} does not apply to '{given.model}'")
    named = {"name": given.name} if given.name else {}
    if is_function:
        return _import_function(given, named)
    if not pathlib.Path(given.model).exists():
        raise Error(f"cannot open '{given.model}'")
    if suffix == ".onnx":
        return from_onnx(given.model, dims=dict(given.dim), **named)
    if suffix == ".pt2":
        try:
            import torch
        except ImportError as error:
            raise explain_missing(error) from error
        return from_torch(torch.export.load(given.model), **named)
    return from_stablehlo(given.model, function=given.function, **named)


def _import_function(given: argparse.Namespace, named: dict[str, str]) -> Model:
    module_name, colon, function_name = given.model.partition(":")
    if not colon:
        raise Error(
            f"'{given.model}' is neither a file in .onnx, .mlir, .mlirbc or .pt2 nor "
            "package.module:function"
        )
    sys.path.insert(0, os.getcwd())  # as python -m does
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ImportFailure(f"module '{module_name}' cannot be imported: {error}") from error
    function = _find(module, function_name)
    if given.args is not None:
        arguments = _find(module, given.args)
        arguments = arguments() if callable(arguments) else arguments
    else:
        try:
            import jax
        except ImportError as error:
            raise explain_missing(error) from error
        arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in given.arg]
    try:
        return from_jax(function, *arguments, constants=given.constant, **named)
    except TypeError as error:  # of other arguments than the function takes
        raise ImportFailure(f"'{given.model}' cannot be traced: {error}") from error


def _find(module: Any, path: str) -> Any:
    found = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise ImportFailure(f"module '{module.__name__}' has no '{path}'")
        found = getattr(found, part)
    return found


def _write(model: Model, given: argparse.Namespace) -> None:
    """Writes the module and the weights, and prints a summary to standard error."""
    file, place = given.weights, f"in '{given.weights}'"
    if given.output != "-":
        file = file or pathlib.Path(given.output).with_suffix(".safetensors")
        place = f"in '{file}'"
        model.write(given.output, weights=file)
    else:
        print(model.text, end="")
        if file and model.weights:
            write_weights(file, model.weights)
        elif model.weights:
            place = "which are not written without -o or --weights"
    count = len(model.arguments)
    summary = f"@{model.function}: {count} argument{'' if count == 1 else 's'}"
    if model.weights:
        size = sum(array.nbytes for array in model.weights.values())
        summary += f", {len(model.weights)} of them weights ({size / 1e6:.1f} MB), {place}"
    print(printable(summary), file=sys.stderr)
